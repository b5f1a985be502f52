"""The roofline: measured roofs, and rungs at the FLOP per byte that ncu counted."""

import math

from docs.report.label_places import Room, along, around, text_width
from docs.report.recorded import (
    SIZE,
    FigureError,
    flop,
    fp32_entries,
    load,
    profile,
    provenance,
    roofs,
    title_of,
)
from docs.report.svg import WIDTH, Drawing, Scale, log_ticks


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


LEFT, TOP, BOTTOM = 64, 92, 470
MIDDLE = (430, 500)  # where the whole ends and the close-up begins
RIGHT = 830  # of the close-up
CLOSE = 0.35  # of the highest roof: rungs above stand in the close-up


def roofline():
    """Left the measured roofs with all rungs, right a close-up of those near the roof.

    Each rung is at its FLOP per byte of DRAM, and left also at that of L2.
    """
    entries, (level, slanted) = profiled_entries(), measured_roofs()
    points = [(entry, *intensities(entry["rung"])) for entry in entries]
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
    near = [point for point in points if point[0]["tflops"] > CLOSE * level[0][1]]
    frame = close_up(drawing, near, level) if near else None
    whole(drawing, points, near, level, slanted, frame)
    for i, (entry, *_) in enumerate(points):
        number, _, words = title_of(entry["name"]).partition(" ")
        at = TOP + 5 + i * (BOTTOM - TOP) / max(len(points) - 1, 14)
        drawing.text(RIGHT + 16, at, f"{number} {words}")
    drawing.dot(LEFT + 6, 522, "f0")
    drawing.text(LEFT + 18, 527, "FLOP per byte of DRAM")
    drawing.dot(LEFT + 226, 522, "hollow l1")
    drawing.text(LEFT + 238, 527, "FLOP per byte of L2")
    drawing.text(RIGHT, 527, "TFLOP/s over FLOP per byte; both logarithmic", "soft", "end")
    return drawing


def dots_of(drawing, room, point, scales, with_l2):
    """The dots of a rung; returns where its label belongs."""
    entry, dram, l2 = point
    x, y = scales
    at = y(entry["tflops"])
    words = f"{title_of(entry['name'])}: {entry['tflops']:.1f} TFLOP/s"
    if with_l2:
        drawing.line([(x(l2), at), (x(dram), at)], "lead")
        room.add_line([(x(l2), at), (x(dram), at)])
        drawing.dot(x(l2), at, "hollow l1", f"{words}, {l2:.1f} FLOP per byte of L2")
        room.add_dot(x(l2), at)
    drawing.dot(x(dram), at, "f0", f"{words}, {dram:.1f} FLOP per byte of DRAM")
    room.add_dot(x(dram), at)
    return x(dram), at


def label_rungs(drawing, room, places, points):
    """The number of each rung beside its dot, with a line to it where it stands further off."""
    for (at_x, at_y), (entry, *_) in zip(places, points, strict=True):
        words = entry["name"].partition("_")[0]
        found = room.take(words, around(at_x, at_y))
        if found is None:
            raise FigureError(f"the roofline has no room for {entry['name']}")
        x, y = found
        to_x, to_y = x + text_width(words) / 2, y - 5
        if math.hypot(to_x - at_x, to_y - at_y) > 24:
            far = math.hypot(to_x - at_x, to_y - at_y)
            share = (far - 10) / far
            end = (at_x + share * (to_x - at_x), at_y + share * (to_y - at_y))
            drawing.line([(at_x, at_y), end], "lead")
            room.add_line([(at_x, at_y), end])
        drawing.text(x, y, words, "strong")


def ticks_of(drawing, scales, ticks, left, right):
    """The grid of a panel, with its values."""
    x, y = scales
    drawing.grid(y, ticks[1], left, right, "{:g}".format)
    for tick in ticks[0]:
        drawing.text(x(tick), BOTTOM + 20, f"{tick:g}", "soft", "middle")


def close_up(drawing, points, level):
    """The rungs near the roof, by their FLOP per byte of DRAM; returns what the panel shows."""
    left, right = MIDDLE[1], RIGHT
    drams = [dram for _, dram, _ in points]
    span = (min(drams) / 1.4, max(drams) * 1.35)
    low = min(entry["tflops"] for entry, *_ in points) / 1.15
    high = level[0][1] * 1.12
    x, y = Scale(span, (left, right), True), Scale((low, high), (BOTTOM, TOP), True)
    ticks = log_ticks(*span, x, (100, 200, 500, 50, 1000, 300, 150, 20, 10, 5, 2), 40)
    rows = log_ticks(low, high, y, (50, 30, 40, 60, 20, 70, 10, 25, 35, 45, 55, 65), 40)
    ticks_of(drawing, (x, y), (ticks, rows), left, right)
    room = Room(left + 2, TOP, right, BOTTOM - 2)
    places = [dots_of(drawing, room, point, (x, y), False) for point in points]
    for _, tflops, style in level:
        drawing.line([(left, y(tflops)), (right, y(tflops))], style)
        room.add_line([(left, y(tflops)), (right, y(tflops))])
    for words, tflops, _ in level:
        ends = ((left + 6, y(tflops)), (right, y(tflops)))
        found = room.take(words, along(*ends))
        if found is None:
            raise FigureError(f"the roofline has no room for {words}")
        drawing.text(*found, words, "soft")
    label_rungs(drawing, room, places, points)
    drawing.bar(left, TOP, right, BOTTOM, "line soft-line empty")
    return span, (low, high)


def whole(drawing, points, near, level, slanted, frame):
    """All rungs below all roofs; those of the close-up lie in a frame, without names."""
    left, right = LEFT, MIDDLE[0]
    ceiling = level[0][1]
    lowest = min(l2 for *_, l2 in points) / 20
    highest = max(dram for _, dram, _ in points) * 1.5
    x = Scale((lowest, highest), (left, right), logarithmic=True)
    floor = min(min(entry["tflops"] for entry, *_ in points), lowest * slanted[0][1] * 1e-3) / 1.3
    y = Scale((floor, ceiling * 1.5), (BOTTOM, TOP), logarithmic=True)
    ticks = log_ticks(lowest, highest, x, (1, 10, 100, 1000, 0.1))
    rows = log_ticks(floor, ceiling * 1.5, y, (1, 10, 100, 0.1, 2, 5, 20, 50, 0.5, 0.2))
    ticks_of(drawing, (x, y), (ticks, rows), left, right)
    room = Room(left, TOP, right, BOTTOM)
    lines = []
    for words, gbps, color in slanted:
        knee = 1e3 * ceiling / gbps
        ends = [(x(at), y(at * gbps * 1e-3)) for at in (lowest, knee)]
        drawing.line(ends, f"line l{color}")
        room.add_line(ends)
        lines.append((words, ends, color))
    for _, tflops, style in level:
        drawing.line([(left, y(tflops)), (right, y(tflops))], style)
        room.add_line([(left, y(tflops)), (right, y(tflops))])
    places = [dots_of(drawing, room, point, (x, y), True) for point in points]
    if frame:
        (x0, x1), (y0, y1) = frame
        corners = [(x(x0), y(y0)), (x(x1), y(y0)), (x(x1), y(y1)), (x(x0), y(y1)), (x(x0), y(y0))]
        drawing.line(corners, "lead dashed")
        room.add_line(corners)
    for words, ((x0, y0), (x1, y1)), color in lines:
        # The wider roof has its words above it, the narrower one below.
        side = [(0.5 + 0.05 * i, j) for i in (*range(10), -1, -2, -3, -4) for j in (8, 14, 20)]
        places_beside = [
            (
                x0 + s * (x1 - x0) + (gap if color == 0 else -gap),
                y0 + s * (y1 - y0) + (gap + 8 if color == 0 else -gap),
                0 if color == 0 else 1,
            )
            for s, gap in side
        ]
        found = room.take(words, places_beside)
        if found is None:
            raise FigureError(f"the roofline has no room for {words}")
        drawing.text(*found, words, f"strong f{color}")
    shown = [i for i, point in enumerate(points) if point not in near]
    label_rungs(drawing, room, [places[i] for i in shown], [points[i] for i in shown])
    if frame:
        found = room.take(
            "enlarged", [(corners[1][0], corners[1][1] + 18 + 6 * i, 1) for i in range(20)]
        )
        if found:
            drawing.text(*found, "enlarged", "soft")
