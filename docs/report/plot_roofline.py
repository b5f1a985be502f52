"""The roofline: measured roofs, and rungs at the FLOP per byte that ncu counted."""

from docs.report.recorded import (
    SIZE,
    flop,
    fp32_entries,
    load,
    profile,
    provenance,
    roofs,
    title_of,
)
from docs.report.svg import WIDTH, Drawing, Scale


def intensities(rung):
    """FLOP per byte of DRAM and of L2 that ncu counted."""
    counters = profile(rung, SIZE)
    work = flop((SIZE, SIZE, SIZE))
    dram_bytes = counters["dram__bytes_read.sum"] + counters["dram__bytes_write.sum"]
    return work / dram_bytes, work / (32 * counters["lts__t_sectors_srcunit_tex.sum"])


def profiled_entries():
    """Timed rungs whose bytes were counted."""
    profiled = {kernel["rung"] for kernel in load(f"profile_{SIZE}.json")["benchmarks"]}
    return [entry for entry in fp32_entries() if entry["rung"] in profiled]


def measured_roofs():
    """[(words, value, style)] of the level roofs and of the slanted ones."""
    found = roofs()
    dram = max(found["dram_copy"], found["dram_memcpy"])
    level = [
        (f"FFMA {found['ffma']:.1f}", found["ffma"], "line ink"),
        (f"FFMA fed by LDS {found['fed_ffma']:.1f}", found["fed_ffma"], "line ink dashed"),
    ]
    slanted = [
        (f"HBM {dram / 1000:.2f} TB/s", dram, 0),
        (f"L2 {found['l2_read'] / 1000:.2f} TB/s", found["l2_read"], 1),
    ]
    return level, slanted


def roofline_words():
    """The roofline for readers who cannot see it."""
    level, slanted = measured_roofs()
    names = ", ".join(words for words, *_ in [*slanted, *level])
    rungs = ", ".join(
        f"{title_of(entry['name'])} {intensities(entry['rung'])[0]:.0f}"
        for entry in profiled_entries()
    )
    return f"Roofline at {SIZE}. Measured roofs: {names}. FLOP per byte of DRAM: {rungs}."


def roofline():
    """Measured roofs, and each rung at its FLOP per byte of DRAM and of L2."""
    entries, (level, slanted) = profiled_entries(), measured_roofs()
    left, right, top, bottom = 64, WIDTH - 210, 86, 470
    points = [(entry, *intensities(entry["rung"])) for entry in entries]
    lowest = min(point[2] for point in points) / 5
    highest = max(point[1] for point in points) * 1.3
    x = Scale((lowest, highest), (left, right), logarithmic=True)
    y_floor = min(min(entry["tflops"] for entry in entries), lowest * slanted[0][1] * 1e-3) / 1.3
    y = Scale((y_floor, 100), (bottom, top), True)
    drawing = Drawing(
        "roofline",
        WIDTH,
        540,
        f"Measured roofs and rungs: FP32, M = N = K = {SIZE}",
        f"{provenance('roofs.json')}; bytes counted by Nsight Compute",
        roofline_words(),
    )
    drawing.lacks += [
        f"profile_{SIZE}.json lacks {entry['name']}"
        for entry in fp32_entries()
        if entry not in entries
    ]
    drawing.grid(
        y, [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if y(t) <= bottom], left, right
    )
    for tick in [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if lowest < t < highest]:
        drawing.text(x(tick), bottom + 20, str(tick), "soft", "middle")
    ceiling = level[0][1]
    for words, gbps, color in slanted:
        draw_slanted(drawing, words, gbps, color, (x, y), ceiling, lowest)
    for _, tflops, style in level:
        drawing.line([(left, y(tflops)), (right, y(tflops))], style)
    draw_rungs(drawing, points, level, x, y, right, top, bottom)
    drawing.dot(left + 6, 522, "f0")
    drawing.text(left + 18, 527, "FLOP per byte of DRAM")
    drawing.dot(left + 226, 522, "hollow l1")
    drawing.text(left + 238, 527, "FLOP per byte of L2")
    drawing.text(right, 527, "TFLOP/s over FLOP per byte, logarithmic", "soft", "end")
    return drawing


def draw_slanted(drawing, words, gbps, color, scales, ceiling, lowest):
    """A bandwidth: TFLOP/s = bytes per second * FLOP per byte; words stand at its free side."""
    x, y = scales
    tflops_per_intensity = gbps * 1e-3
    knee = ceiling / tflops_per_intensity
    drawing.line([(x(at), y(at * tflops_per_intensity)) for at in (lowest, knee)], f"line l{color}")
    place = lowest * (knee / lowest) ** (0.5 if color == 0 else 0.7)
    at_x, at_y = x(place), y(place * tflops_per_intensity)
    if color == 0:
        drawing.text(at_x + 8, at_y + 16, words, "strong f0")
    else:
        drawing.text(at_x - 8, at_y - 8, words, f"strong f{color}", "end")


def draw_rungs(drawing, points, level, x, y, right, top, bottom):
    """Two dots for each rung, joined; where dots are near, their names stand in a column."""
    column = [(right, y(tflops), words, "soft") for words, tflops, _ in level]
    heights = [y(entry["tflops"]) for entry, _, _ in points]
    for entry, dram, l2 in points:
        at, name = y(entry["tflops"]), title_of(entry["name"])
        words = f"{name}: {entry['tflops']:.1f} TFLOP/s"
        drawing.line([(x(l2), at), (x(dram), at)], "lead")
        drawing.dot(x(l2), at, "hollow l1", f"{words}, {l2:.1f} FLOP per byte of L2")
        drawing.dot(x(dram), at, "f0", f"{words}, {dram:.1f} FLOP per byte of DRAM")
        if sum(abs(at - other) < 20 for other in heights) == 1:
            drawing.text(x(dram) + 11, at + 5, name)
        else:
            column.append((x(dram) + 6, at, name, ""))
    drawing.labels(column, right + 36, top, bottom)
