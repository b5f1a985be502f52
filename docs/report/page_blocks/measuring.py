"""Blocks of the page about measuring: what protocols, rounds and a second run change."""

from statistics import median

from bench.benchmark import compact
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, climb, load, percent, provenance
from docs.report.recorded import title_of as name_in_file

CLIMBS = (
    ("burst", 4096),
    ("burst", 8192),
    ("sustained", 4096),
    ("sustained", 8192),
    ("graph", 512),
    ("graph", 1024),
    ("graph", 2048),
)


def title_of(name):
    """What a table calls a kernel."""
    return "best of cublasLt" if name == "best_cublaslt" else name_in_file(name)


def protocols_block(*_):
    """The same kernels at 4096, rested and hot."""
    size = 4096
    burst, hot = climb(size, "burst"), climb(size, "sustained")
    rows = []
    for rung in sorted(set(burst) & set(hot), key=lambda rung: (rung is None, rung)):
        cold_entry, hot_entry = burst[rung], hot[rung]
        if not cold_entry["tflops"]:
            continue
        rows.append(
            (
                title_of(cold_entry["name"]),
                f"{cold_entry['tflops']:.1f}",
                f"{hot_entry['tflops']:.1f}",
                percent(cold_entry["ratio_to_best"]),
                percent(hot_entry["ratio_to_best"]),
                f"{cold_entry['power_w']['median']:.0f}",
                f"{hot_entry['power_w']['median']:.0f}",
                f"{hot_entry['sm_clock_mhz']['min']:.0f}",
            )
        )
    heads = (
        "4096",
        "TFLOP/s, burst",
        "sustained",
        "of best, burst",
        "sustained",
        "W, burst",
        "sustained",
        "lowest MHz, sustained",
    )
    return (
        table(heads, rows)
        + "\n\n"
        + ". ".join(
            provenance(f"climb_{protocol}_{size}.json") for protocol in ("burst", "sustained")
        )
        + "."
    )


def power_limit_block(*_):
    """The climb at 16384, where a burst is long enough to meet the power limit."""
    name = "climb_burst_16384.json"
    rows = [
        (
            title_of(entry["name"]),
            f"{entry['time_ms']:.1f}",
            f"{entry['tflops']:.1f}",
            percent(entry["ratio_to_best"]),
            f"{entry['sm_clock_mhz']['median']:.0f}",
            f"{entry['sm_clock_mhz']['min']:.0f}",
            f"{entry['power_w']['max']:.0f}",
        )
        for entry in load(name)["benchmarks"]
        if entry["tflops"]
    ]
    heads = ("16384, burst", "ms", "TFLOP/s", "of best", "MHz, median", "MHz, lowest", "W, highest")
    return table(heads, rows) + f"\n\n{provenance(name)}."


def spreads_block(*_):
    """(slowest - fastest) / median of the samples, by protocol."""
    rows = []
    for protocol, size in CLIMBS:
        entries = [
            entry
            for entry in load(f"climb_{protocol}_{size}.json")["benchmarks"]
            if entry["tflops"]
        ]
        spreads = sorted((entry["spread"], entry["name"]) for entry in entries)
        rows.append(
            (
                protocol,
                size,
                len(entries),
                len(entries[0]["samples_ms"]),
                f"{100 * median(spread for spread, _ in spreads):.2f} %",
                f"{100 * spreads[-1][0]:.2f} %, {title_of(spreads[-1][1])}",
            )
        )
    return table(
        ("protocol", "M = N = K", "kernels", "samples each", "spread, median", "spread, largest"),
        rows,
    )


def row_medians(name):
    """{row: (median TFLOP/s, median ratio to cuBLAS)} of a benchmark file."""
    found = {}
    for entry in compact.load(RESULTS / name)["benchmarks"]:
        if entry["run_type"] == "iteration" and not entry.get("error_occurred"):
            found.setdefault(entry["run_name"], []).append(
                (entry["tflops"], entry["ratio_to_cublas"])
            )
    return {
        row: tuple(median(values) for values in zip(*samples)) for row, samples in found.items()
    }


def second_run_block(*_):
    """What changed when the whole benchmark ran a second time."""
    first, second = (row_medians(f"benchmark_{name}.json") for name in ("all", "again"))
    names = sorted(set(first) & set(second))
    highest = max(row.partition("/")[0] for row in names if row[:2].isdigit())
    rung = f"rung {highest[:2]}"
    changes = {
        "cuBLAS, TFLOP/s": [],
        "best of cublasLt, TFLOP/s": [],
        f"{rung}, TFLOP/s": [],
        f"{rung}, ratio to cuBLAS": [],
    }
    for row in names:
        speed, ratio = (abs(second[row][i] / first[row][i] - 1) for i in (0, 1))
        if row.startswith("00_cublas/"):
            changes["cuBLAS, TFLOP/s"].append((speed, row))
        elif row.startswith("best_cublaslt/"):
            changes["best of cublasLt, TFLOP/s"].append((speed, row))
        elif row.startswith(f"{highest}/"):
            changes[f"{rung}, TFLOP/s"].append((speed, row))
            changes[f"{rung}, ratio to cuBLAS"].append((ratio, row))
    rows = []
    for what, found in changes.items():
        found.sort()
        worst = found[-1]
        rows.append(
            (
                what,
                len(found),
                f"{100 * median(c for c, _ in found):.2f} %",
                sum(change > 0.01 for change, _ in found),
                f"{100 * worst[0]:.1f} %, {worst[1].partition('/')[2]}",
            )
        )
    return (
        table(
            ("between the two runs", "shapes", "change, median", "above 1 %", "change, largest"),
            rows,
        )
        + f"\n\n{provenance('benchmark_again.json')}."
    )


BLOCKS = {
    "protocols": protocols_block,
    "power_limit": power_limit_block,
    "spreads": spreads_block,
    "second_run": second_run_block,
}
