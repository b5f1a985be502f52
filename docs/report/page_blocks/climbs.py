"""Blocks of what climbs recorded: a rung's figures, all rungs, small sizes."""

from bench.rungs import rung_of
from docs.report.recorded import FigureError, climb, percent, precision_of, provenance, rungs_of
from docs.report.rung_figures import NOT_YET


def measured_block(rung):
    """A rung's recorded figures."""
    lines = [
        f"| M = N = K | time | TFLOP/s | of best cuBLAS | of {rung_of(rung).precision} peak | "
        "over the rung below | spread |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in (4096, 8192):
        entries = climb(size)
        if rung not in entries:
            lines.append(f"| {size} | {NOT_YET} | | | | | |")
            continue
        entry = entries[rung]
        base = rung_of(rung).builds_on
        below = None if base is None else entries.get(base)
        gain = f"{below['time_ms'] / entry['time_ms']:.2f} x" if below else ""
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


def ladder_block(place, arguments):
    """All rungs in one table, for front pages."""
    if arguments:
        raise FigureError("the block takes no arguments")
    small, large = climb(4096), climb(8192)
    lines = [
        "| rung | TFLOP/s at 4096 | of best cuBLAS at 4096 | at 8192 |",
        "|---|---:|---:|---:|",
    ]
    for rung, entry in rungs_of(small).items():
        name, precision = entry["name"], precision_of(entry)
        lines.append(
            f"| [{name.replace('_', ' ', 1)}]({place.link(f'ladder/{name}/README.md')})"
            f"{'' if precision == 'FP32' else f', {precision}'} | "
            f"{entry['tflops']:.1f} | {percent(entry['ratio_to_best'])} | "
            f"{ratio_cell(large, rung)} |"
        )
    lines += ["", f"{provenance('climb_burst_4096.json')}."]
    return "\n".join(lines)


def graph_block(_rung):
    """Small sizes, where launches are replayed as a graph."""
    sizes = (512, 1024, 2048)
    climbs = [climb(size, "graph") for size in sizes]
    names = {rung: entry["name"] for rung, entry in rungs_of(climbs[0]).items()}
    lines = [
        "| rung | " + " | ".join(f"{size}" for size in sizes) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    for rung, name in names.items():
        ratios = " | ".join(ratio_cell(entries, rung) for entries in climbs)
        lines.append(f"| {name.replace('_', ' ', 1)} | {ratios} |")
    lines += ["", f"{provenance('climb_graph_1024.json')}."]
    return "\n".join(lines)
