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

import benchmark_report
from by_hand import SMS, by_hand
from figures import CLOCK_HZ, NOT_YET, bounds, or_not_yet, predicted, timed, value
from recorded import (
    RESULTS,
    FigureError,
    NotRecordedError,
    climb,
    load,
    percent,
    profile,
    provenance,
)

PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")  # below the root of the sources


def outcome(rung, size):
    """What the slowest resource predicts, and what was measured."""
    limit, expected = predicted(rung, size)
    measured = timed(rung, size)["time_ms"]
    return (
        f"The slowest, {limit}, predicts **{expected:.3g} ms**; measured **{measured:.3g} ms** "
        f"({100 * (measured / expected - 1):+.0f} %)."
    )


def maths_block(rung):
    """The four lines that every lesson has."""
    size = 4096
    warp_fmas = size**3 / 32
    hand = by_hand(rung, size)
    rows, cols = hand["tile"]
    loaded = 4 * size**3 * (1 / rows + 1 / cols)
    intensity = 2 * size**3 / loaded
    try:
        passed = profile(rung, size)["l1tex__data_pipe_lsu_wavefronts.sum"]
        counted = f"ncu counts {passed / warp_fmas:.3g}"
    except NotRecordedError:
        counted = f"ncu's count is {NOT_YET}"
    per_resource = ", ".join(f"{name} {ms:.3g} ms" for name, ms in bounds(rung, size))
    result = or_not_yet(outcome, rung, size)
    if result == NOT_YET:
        result = "Issue slots and time are not recorded yet."
    return "\n".join(
        [
            f"At M = N = K = {size}, for the H200's {SMS} SMs at {CLOCK_HZ / 1e6:.0f} MHz:",
            "",
            f"1. Work: 2MNK = {2 * size**3 * 1e-9:.1f} GFLOP, or {warp_fmas * 1e-6:.0f} million "
            "multiply-adds of whole warps.",
            f"2. Traffic: {hand['wavefronts']:.3g} wavefronts of the L1 and shared-memory pipe per "
            f"multiply-add of a warp ({hand['how']}); {counted}. Blocks "
            f"load 4MNK(1/{rows} + 1/{cols}) = {loaded * 1e-9:.2f} GB, and C takes "
            f"{4 * size**2 * 1e-9:.2f} GB.{hand.get('more', '')}",
            f"3. Intensity: a {rows} x {cols} block loads {rows + cols} floats per k for "
            f"{2 * rows * cols} FLOP: {intensity:.3g} FLOP per byte.",
            f"4. Bound: {per_resource}. {result}",
        ]
    )


def measured_block(rung):
    """A rung's recorded figures."""
    lines = [
        "| M = N = K | time | TFLOP/s | of best cuBLAS | of FP32 peak | over the rung below | "
        "spread |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in (4096, 8192):
        entries = climb(size)
        if rung not in entries:
            lines.append(f"| {size} | {NOT_YET} | | | | | |")
            continue
        entry = entries[rung]
        below = entries.get(rung - 1)
        gain = f"{below['time_ms'] / entry['time_ms']:.2f} x" if rung > 1 and below else ""
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


def ratio_cell(entries, rung):
    """A rung's share of the best cuBLAS in one climb."""
    return percent(entries[rung]["ratio_to_best"]) if rung in entries else NOT_YET


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
            f"{ratio_cell(large, rung)} |"
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
        ratios = " | ".join(ratio_cell(entries, rung) for entries in climbs)
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


def compared(size):
    """[(rung, what hardware counted, what the emulator counted)] of the rungs that have both."""
    traces = json.loads((RESULTS.parent / "emulator" / "traces.json").read_text())["benchmarks"]
    counted = {
        kernel["rung"]: kernel["metrics"] for kernel in load(f"profile_{size}.json")["benchmarks"]
    }
    return [
        (trace["rung"], counted[trace["rung"]], trace["metrics"])
        for trace in traces
        if trace["m"] == size and trace["rung"] in counted
    ]


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
        for rung, hardware, emulator in compared(size):
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
    for size in (1024, 2048, 4096, 8192, 16384):
        for rung, hardware, emulator in compared(size):
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
    **benchmark_report.BLOCKS,
}


def filled(text, rung):
    """The text with all blocks and figures written anew."""

    def block(match):
        if match[1] not in BLOCKS:
            raise FigureError(f"'{match[1]}' is no name of a block")
        return f"<!-- begin {match[1]} -->\n{BLOCKS[match[1]](rung)}\n<!-- end {match[1]} -->"

    text = re.sub(r"<!-- begin (\w+) -->\n(?:.*?\n)??<!-- end \1 -->", block, text, flags=re.S)
    return re.sub(
        r"<!-- value ([\w:]+) -->[^<]*<!-- /value -->",
        lambda match: (
            f"<!-- value {match[1]} -->{or_not_yet(value, match[1], rung)}<!-- /value -->"
        ),
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
