"""Blocks of what climbs recorded: a rung's figures, all rungs, small sizes."""

from bench import SOURCES
from bench.rungs import own_rungs, rung_of
from docs.report.page_blocks.front import spans
from docs.report.recorded import (
    FigureError,
    MissingFileError,
    NotRecordedError,
    climb,
    gpu_of,
    of_rung,
    percent,
    precision_of,
    provenance,
    rungs_of,
)
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
    # The block stands in lessons alone.
    made = provenance("climb_burst_4096.json").replace(
        "burst protocol", "[burst protocol](../../docs/chapters/measuring.md#three-protocols)"
    )
    lines += [
        "",
        f'{made}. "Best cuBLAS" is the better of cuBLAS and '
        "the best algorithm of cublasLt in the same run.",
    ]
    return "\n".join(lines)


def ratio_cell(entries, rung):
    """A rung's share of the best cuBLAS in one climb."""
    return percent(entries[rung]["ratio_to_best"]) if rung in entries else NOT_YET


def by_gpu():
    """[(a rung, the set of rungs for which its GPU speaks)], the usual GPU first."""
    groups = {}
    for rung in (0, *sorted(own_rungs())):
        groups.setdefault(gpu_of(rung), set()).add(rung)
    return [(min(rungs), rungs) for rungs in groups.values()]


def ladder_block(place, arguments):
    """All rungs in one table, for front pages: those without a recorded figure, too."""
    if arguments:
        raise FigureError("the block takes no arguments")
    lines = [
        "| rung | TFLOP/s at 4096 | of best cuBLAS at 4096 | at 8192 |",
        "|---|---:|---:|---:|",
    ]
    rows, sources = {}, []
    for first, rungs in by_gpu():
        with of_rung(first):
            small, large = climb(4096), climb(8192)
            for rung, entry in rungs_of(small).items():
                if rung not in rungs:
                    continue
                rows[rung] = (
                    f"| {rung_cell(place, entry['name'], precision_of(entry))} | "
                    f"{entry['tflops']:.1f} | {percent(entry['ratio_to_best'])} | "
                    f"{ratio_cell(large, rung)} |"
                )
            sources.append((rungs & rows.keys(), provenance("climb_burst_4096.json")))
    for rung in own_rungs().values():
        cell = rung_cell(place, rung.folder, rung.precision)
        rows.setdefault(rung.number, f"| {cell} | {NOT_YET} | | |")
    return "\n".join([*lines, *in_order(rows), "", told_sources(sources)])


def rung_cell(place, folder, precision):
    """A rung's name, which leads to its lesson if it has one, and what is not FP32."""
    name, lesson = folder.replace("_", " ", 1), f"ladder/{folder}/README.md"
    linked = f"[{name}]({place.link(lesson)})" if (SOURCES / lesson).is_file() else name
    return linked if precision == "FP32" else f"{linked}, {precision}"


def in_order(rows):
    """Rows of rungs, the lowest first."""
    return [rows[rung] for rung in sorted(rows)]


def told_sources(sources):
    """Where the figures of rungs are from; which rungs, where there are several sources."""
    if len(sources) == 1:
        return f"{sources[0][1]}."
    return " ".join(f"Rungs {spans(sorted(rungs))}: {source}." for rungs, source in sources)


def graph_block(_rung):
    """Small sizes, where launches are replayed as a graph."""
    sizes = (512, 1024, 2048)
    lines = [
        "| rung | " + " | ".join(f"{size}" for size in sizes) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    rows, sources = {}, []
    for first, rungs in by_gpu():
        with of_rung(first):
            try:
                climbs = [climb(size, "graph") for size in sizes]
            except (MissingFileError, NotRecordedError):
                continue
            for rung, entry in rungs_of(climbs[0]).items():
                if rung not in rungs:
                    continue
                ratios = " | ".join(ratio_cell(entries, rung) for entries in climbs)
                rows[rung] = f"| {entry['name'].replace('_', ' ', 1)} | {ratios} |"
            sources.append((rungs & rows.keys(), provenance("climb_graph_1024.json")))
    return "\n".join([*lines, *in_order(rows), "", told_sources(sources)])
