#!/usr/bin/env python3
"""Writes recorded figures into README and lessons, between markers.

    bench/report.py            rewrite the blocks
    bench/report.py --check    fail when a block is stale

`<!-- begin NAME -->` ... `<!-- end NAME -->` is a block, `<!-- value NAME -->x<!-- /value -->` a
figure in a sentence; `06:NAME` asks for another rung's. Everything comes from bench/results.
"""

import argparse
import json
import os
import pathlib
import re
import sys

RESULTS = pathlib.Path("bench/results/nvidia-h200")  # below the root of the sources
PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")

# H200: what the driver reports (SMs, clock) and what one SM does in a clock.
SMS = 132
CLOCK_HZ = 1.98e9
FFMA_PER_CLOCK = 4  # warp instructions: one per scheduler
ISSUES_PER_CLOCK = 4
WAVEFRONTS_PER_CLOCK = 1  # L1 and shared memory, 128 bytes each

# What a lesson counts by hand: wavefronts of the L1 and shared-memory pipe for one multiply-add of
# a warp (32 of them), the block tile, and how many blocks an SM holds.
BY_HAND = {
    1: {
        "wavefronts": 32 + 1,
        "how": "32 for 32 rows of A + 1 for the shared element of B",
        "tile": (32, 32),
        "blocks": 2,
    },
    2: {
        "wavefronts": 1 + 1,
        "how": "1 for the shared element of A + 1 for a line of B",
        "tile": (32, 32),
        "blocks": 2,
    },
    3: {
        "wavefronts": 1 + 2 / 4 + 8 / 64,
        "how": "1 for sB + 2/4 for sA (four words at once, 2 wavefronts) + 8/64 to fill the tiles",
        "tile": (32, 32),
        "blocks": 2,
    },
    4: {
        "wavefronts": (8 + 8 * 2 / 4) / 64 + 16 / 512,
        "how": "(8 for sB + 8 * 2/4 for sA) / 64 + 16/512 to fill the tiles",
        "tile": (128, 128),
        "blocks": 2,
    },
    5: {
        "wavefronts": (2 * 4 + 2 * 2) / 64 + 20 / 512,
        "how": "(2 * 4 for sB + 2 * 2 for sA) / 64 + 20/512 to fill the tiles",
        "tile": (128, 128),
        "blocks": 2,
    },
}
BY_HAND[6] = BY_HAND[5]
BY_HAND[7] = BY_HAND[5]


class FigureError(Exception):
    """A figure that is asked for but not recorded."""


def load(name):
    """A results file, or a FigureError that names it."""
    path = RESULTS / name
    if not path.exists():
        raise FigureError(f"{path} is not there")
    return json.loads(path.read_text())


def climb(size, protocol="burst"):
    """{rung number: entry} of a recorded climb; the best of cublasLt under None."""
    entries = load(f"climb_{protocol}_{size}.json")["benchmarks"]
    return {entry["rung"]: entry for entry in entries}


def profile(rung, size):
    """{ncu metric: value} of a rung."""
    for kernel in load(f"profile_{size}.json")["benchmarks"]:
        if kernel["rung"] == rung:
            return kernel["metrics"]
    raise FigureError(f"profile_{size}.json has no rung {rung}")


def percent(ratio):
    """0.123 as '12.3 %'"""
    return f"{100 * ratio:.1f} %"


def bounds(rung, size):
    """[(resource, how much per multiply-add of a warp, milliseconds)] for a rung."""
    warp_fmas = size**3 / 32
    hand = BY_HAND[rung]
    instructions = profile(rung, size)["smsp__inst_executed.sum"] / warp_fmas
    rows, cols = hand["tile"]
    blocks = -(-size // rows) * -(-size // cols)
    at_once = SMS * hand["blocks"]
    waves = -(-blocks // at_once) * at_once / blocks  # the last wave is not full
    per_ms = SMS * CLOCK_HZ * 1e-3
    return [
        ("FP32 pipe", 1.0, warp_fmas / (FFMA_PER_CLOCK * per_ms) * waves),
        (
            "issue slots",
            instructions,
            warp_fmas * instructions / (ISSUES_PER_CLOCK * per_ms) * waves,
        ),
        (
            "L1 and shared memory",
            hand["wavefronts"],
            warp_fmas * hand["wavefronts"] / (WAVEFRONTS_PER_CLOCK * per_ms) * waves,
        ),
    ]


def predicted_ms(rung, size):
    """The slowest of the rung's resources."""
    return max(bounds(rung, size), key=lambda bound: bound[2])


def maths_block(rung):
    """The four lines that every lesson has."""
    size = 4096
    warp_fmas = size**3 / 32
    rows, cols = BY_HAND[rung]["tile"]
    loaded = 4 * size**3 * (1 / rows + 1 / cols)
    intensity = 2 * size**3 / loaded
    limit, _, predicted = predicted_ms(rung, size)
    measured = climb(size)[rung]["time_ms"]
    wavefronts = BY_HAND[rung]["wavefronts"]
    counted = profile(rung, size)["l1tex__data_pipe_lsu_wavefronts.sum"] / warp_fmas
    per_resource = ", ".join(f"{name} {ms:.3g} ms" for name, _, ms in bounds(rung, size))
    return "\n".join(
        [
            f"At M = N = K = {size}, for the H200's {SMS} SMs at {CLOCK_HZ / 1e6:.0f} MHz:",
            "",
            f"1. Work: 2MNK = {2 * size**3 * 1e-9:.1f} GFLOP, or {warp_fmas * 1e-6:.0f} million "
            "multiply-adds of whole warps.",
            f"2. Traffic: {wavefronts:.3g} wavefronts of the L1 and shared-memory pipe per "
            f"multiply-add of a warp ({BY_HAND[rung]['how']}); ncu counts {counted:.3g}. Blocks "
            f"load 4MNK(1/{rows} + 1/{cols}) = {loaded * 1e-9:.2f} GB, and C takes "
            f"{4 * size**2 * 1e-9:.2f} GB.",
            f"3. Intensity: a {rows} x {cols} block loads {rows + cols} floats per k for "
            f"{2 * rows * cols} FLOP: {intensity:.3g} FLOP per byte.",
            f"4. Bound: {per_resource}. The slowest, {limit}, predicts **{predicted:.3g} ms**; "
            f"measured **{measured:.3g} ms** ({100 * (measured / predicted - 1):+.0f} %).",
        ]
    )


def provenance(name):
    """Where a block's figures are from."""
    context = load(name)["context"]
    clock = context["sm_clock_mhz"]
    text = (
        f"{context['device']}, driver CUDA {context['cuda_driver']}, toolkit "
        f"{context['cuda_toolkit']}"
    )
    if context["protocol"]:
        text += f", {context['protocol']} protocol"
    for tool in ("profiler", "sanitizer"):
        if tool in context:
            version = re.search(r"\d+(\.\d+)+", context[tool])[0]
            text += f", {'Nsight Compute' if tool == 'profiler' else 'compute-sanitizer'} {version}"
    return text + (f", {clock['median']:.0f} MHz" if clock else "")


def measured_block(rung):
    """A rung's recorded figures."""
    lines = [
        "| M = N = K | time | TFLOP/s | of best cuBLAS | of FP32 peak | over the rung below | "
        "spread |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in (4096, 8192):
        entries = climb(size)
        entry = entries[rung]
        below = entries.get(rung - 1)
        gain = f"{below['time_ms'] / entry['time_ms']:.2f} x" if rung > 1 else ""
        lines.append(
            f"| {size} | {entry['time_ms']:.3f} ms | {entry['tflops']:.2f} | "
            f"{percent(entry['ratio_to_best'])} | {percent(entry['share_of_roof'])} | "
            f"{gain} | {percent(entry['spread'])} |"
        )
    lines += [
        "",
        f"{provenance('climb_burst_4096.json')}. \"Best cuBLAS\" is the better of cuBLAS and "
        "the best algorithm of cublasLt in the same run.",
    ]
    return "\n".join(lines)


def ladder_block(_rung):
    """All rungs in one table, for the front page."""
    small, large = climb(4096), climb(8192)
    names = {entry["rung"]: entry["name"] for entry in small.values() if entry["rung"] is not None}
    lines = [
        "| rung | TFLOP/s at 4096 | of best cuBLAS at 4096 | at 8192 |",
        "|---|---:|---:|---:|",
    ]
    for rung in sorted(names):
        lines.append(
            f"| [{names[rung].replace('_', ' ', 1)}](ladder/{names[rung]}/README.md) | "
            f"{small[rung]['tflops']:.1f} | {percent(small[rung]['ratio_to_best'])} | "
            f"{percent(large[rung]['ratio_to_best'])} |"
        )
    lines += ["", f"{provenance('climb_burst_4096.json')}."]
    return "\n".join(lines)


def graph_block(_rung):
    """Small sizes, where launches are replayed as a graph."""
    sizes = (512, 1024, 2048)
    climbs = [climb(size, "graph") for size in sizes]
    names = {
        entry["rung"]: entry["name"] for entry in climbs[0].values() if entry["rung"] is not None
    }
    lines = [
        "| rung | " + " | ".join(f"{size}" for size in sizes) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    for rung in sorted(names):
        ratios = " | ".join(percent(entries[rung]["ratio_to_best"]) for entries in climbs)
        lines.append(f"| {names[rung].replace('_', ' ', 1)} | {ratios} |")
    lines += ["", f"{provenance('climb_graph_1024.json')}."]
    return "\n".join(lines)


def probes_block(_rung):
    """How many probes there are, by operation and size."""
    lines = [line for line in PROBES.read_text().splitlines() if not line.startswith("#")]
    names = [line.split(",")[0] for line in lines[1:]]
    counted = {}
    for name in names:
        kind = re.match(r"(global|shared)_(load|store|atomic)", name)
        key = f"{kind[1]} {kind[2]}" if kind else "shuffles, structures, runs of loads"
        counted[key] = counted.get(key, 0) + 1
    rows = ["| probes | kernels |", "|---|---:|"]
    rows += [f"| {key} | {counted[key]} |" for key in sorted(counted)]
    rows.append(f"| all | {len(names)} |")
    made = [line[2:] for line in PROBES.read_text().splitlines() if line.startswith("# ")]
    return "\n".join([*rows, "", "Counted by " + ", ".join(made[2:5]) + "."])


def traced(rung, size):
    """The emulator's metrics of a rung."""
    for entry in json.loads((RESULTS.parent / "emulator" / "traces.json").read_text())[
        "benchmarks"
    ]:
        if entry["rung"] == rung and entry["m"] == size:
            return entry["metrics"]
    raise FigureError(f"rung {rung} is not traced at {size}")


def deviation(emulator, hardware):
    """'+1.2 %', or 'equal'."""
    if emulator == hardware:
        return "equal"
    return f"{100 * (emulator / hardware - 1):+.1f} %" if hardware else "-"


def fidelity_block(_rung):
    """Counters of the rungs: how far the emulator is from the hardware."""
    columns = {
        "global requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",),
        "sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),
        "shared instructions": (
            "smsp__inst_executed_op_shared_ld.sum",
            "smsp__inst_executed_op_shared_st.sum",
        ),
        "wavefronts": ("memory_l1_wavefronts_shared",),
        "data-stage loads": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",),
        "data-stage stores": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",),
    }
    rows = [
        "| M = N = K | rung | " + " | ".join(columns) + " |",
        "|---:|---|" + "---:|" * len(columns),
    ]
    for size in (1024, 4096):
        for rung in range(1, 8):
            hardware = profile(rung, size)
            emulator = traced(rung, size)
            cells = [
                deviation(sum(emulator[m] for m in names), sum(hardware[m] for m in names))
                for names in columns.values()
            ]
            rows.append(f"| {size} | {rung:02} | " + " | ".join(cells) + " |")
    return "\n".join([*rows, "", provenance("profile_4096.json")])


def caches_block(_rung):
    """L2 and DRAM of the rungs, by the emulator's model and by hardware."""
    rows = [
        "| M = N = K | rung | DRAM, H200 | model | | L2 hits, H200 | model | points |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    hit = "lts__t_sectors_srcunit_tex_lookup_hit.sum"
    miss = "lts__t_sectors_srcunit_tex_lookup_miss.sum"
    read, written = "dram__bytes_read.sum", "dram__bytes_write.sum"
    for size, rungs in ((1024, range(1, 8)), (2048, range(3, 8)), (4096, range(1, 8)),
                        (8192, range(3, 8)), (16384, (6, 7))):
        for rung in rungs:
            hardware = profile(rung, size)
            emulator = traced(rung, size)
            if emulator[read] is None:
                continue
            real, model = hardware[read] + hardware[written], emulator[read] + emulator[written]
            rates = [m[hit] / (m[hit] + m[miss]) for m in (hardware, emulator)]
            rows.append(
                f"| {size} | {rung:02} | {real / 1e6:.0f} MB | {model / 1e6:.0f} MB "
                f"| {deviation(model, real)} | {percent(rates[0])} | {percent(rates[1])} "
                f"| {100 * (rates[1] - rates[0]):+.1f} |"
            )
    return "\n".join([*rows, "", provenance("profile_4096.json")])


def gallery_block(_rung):
    """Broken kernels: what the tools of compute-sanitizer find of what the emulator finds."""
    tools = ("memcheck", "racecheck", "initcheck", "synccheck")
    runs = load("gallery.json")["benchmarks"]
    cases = {}
    for run in runs:
        cases.setdefault(run["name"], {})[run["tool"]] = run
    rows = ["| kernel | fault | " + " | ".join(tools) + " |", "|---|---|" + "---|" * len(tools)]
    for name, found in cases.items():
        first = found[tools[0]]
        if first["fault"] is None:
            continue
        cells = []
        for tool in tools:
            run = found[tool]
            if run["killed_after_s"] is not None:
                cells.append("hangs")
            elif run["at_the_fault"]:
                cells.append("finds it")
            else:
                cells.append("elsewhere" if run["count"] else "")
        rows.append(f"| {name} | {first['fault']} | " + " | ".join(cells) + " |")
    return "\n".join([*rows, "", provenance("gallery.json")])


BLOCKS = {
    "maths": maths_block,
    "measured": measured_block,
    "ladder": ladder_block,
    "small_sizes": graph_block,
    "probes": probes_block,
    "fidelity": fidelity_block,
    "caches": caches_block,
    "gallery": gallery_block,
}

NCU_PERCENT = {
    "ncu_wavefronts_busy": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "ncu_issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "ncu_fma": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "ncu_l1_hit": "l1tex__t_sector_hit_rate.pct",
    "ncu_l2_hit": "lts__t_sector_hit_rate.pct",
}


def value(name, rung):
    """A figure for a sentence."""
    match = re.fullmatch(r"(?:(\d\d):)?(\w+)", name)
    if not match:
        raise FigureError(f"'{name}' is no name of a figure")
    rung = int(match[1]) if match[1] else rung
    name = match[2]
    if name in NCU_PERCENT:
        return f"{profile(rung, 4096)[NCU_PERCENT[name]]:.0f} %"
    if name == "ncu16384_l2_hit":
        return f"{profile(rung, 16384)[NCU_PERCENT['ncu_l2_hit']]:.0f} %"
    if name.startswith("ncu_stall_"):
        stall = name.removeprefix("ncu_stall_").replace("dispatch", "dispatch_stall")
        metric = f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio"
        return f"{profile(rung, 4096)[metric]:.2f}"
    if name == "ncu_dram_gb":
        return f"{profile(rung, 4096)['dram__bytes_read.sum'] * 1e-9:.2f} GB"
    if name == "ncu16384_time":
        return f"{profile(rung, 16384)['gpu__time_duration.sum'] * 1e-6:.1f} ms"
    if name == "ncu16384_dram_gb":
        return f"{profile(rung, 16384)['dram__bytes_read.sum'] * 1e-9:.1f} GB"
    if name == "ncu_sectors_per_request":
        counters = profile(rung, 4096)
        sectors = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
        requests = counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]
        return f"{sectors / requests:.1f}"
    if name == "ncu_instructions_per_ffma":
        return f"{profile(rung, 4096)['smsp__inst_executed.sum'] / (4096**3 / 32):.2f}"
    if name == "predicted_4096":
        return f"{predicted_ms(rung, 4096)[2]:.3g} ms"
    if name == "off_4096":
        return f"{100 * (climb(4096)[rung]['time_ms'] / predicted_ms(rung, 4096)[2] - 1):+.0f} %"
    if name == "gain_4096":
        return f"{climb(4096)[rung - 1]['time_ms'] / climb(4096)[rung]['time_ms']:.2f}"
    match = re.fullmatch(r"(time|tflops|best|clock|power)_(\d+)", name)
    if match:
        entry = climb(int(match[2]))[rung]
        return {
            "time": lambda: f"{entry['time_ms']:.3g} ms",
            "tflops": lambda: f"{entry['tflops']:.1f}",
            "best": lambda: percent(entry["ratio_to_best"]),
            "clock": lambda: f"{entry['sm_clock_mhz']['median']:.0f} MHz",
            "power": lambda: f"{entry['power_w']['median']:.0f} W",
        }[match[1]]()
    raise FigureError(f"'{name}' is no name of a figure")


def filled(text, rung):
    """The text with all blocks and figures written anew."""

    def block(match):
        if match[1] not in BLOCKS:
            raise FigureError(f"'{match[1]}' is no name of a block")
        return f"<!-- begin {match[1]} -->\n{BLOCKS[match[1]](rung)}\n<!-- end {match[1]} -->"

    text = re.sub(r"<!-- begin (\w+) -->\n(?:.*?\n)??<!-- end \1 -->", block, text, flags=re.S)
    return re.sub(
        r"<!-- value ([\w:]+) -->[^<]*<!-- /value -->",
        lambda match: f"<!-- value {match[1]} -->{value(match[1], rung)}<!-- /value -->",
        text,
    )


def main():
    """Rewrites or checks all files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail when a block is stale")
    parser.add_argument(
        "--root",
        default=pathlib.Path(__file__).resolve().parent.parent,
        help="folder of the sources",
    )
    options = parser.parse_args()
    os.chdir(options.root)
    stale = False
    for path in [
        pathlib.Path("README.md"),
        *sorted(pathlib.Path("docs").glob("*.md")),
        *sorted(pathlib.Path("ladder").glob("[0-9][0-9]_*/README.md")),
    ]:
        number = re.match(r"(\d\d)_", path.parent.name)
        old = path.read_text()
        try:
            new = filled(old, int(number[1]) if number else None)
        except FigureError as error:
            sys.exit(f"report.py: {path}: {error}")
        if new == old:
            continue
        if options.check:
            print(f"report.py: {path} is stale: run make report", file=sys.stderr)
            stale = True
        else:
            path.write_text(new)
            print(f"wrote {path}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
