"""Rung 11: one stage of the ring, its two barriers, and the phases that they go through."""

from docs.figures.shapes import Picture, plural
from docs.figures.tiles import tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline

LEFT, RIGHT, END = 128, 976, 53  # pixels; units of time, of which none is measured
FILLED, OTHER, READ, AGAIN, REREAD, DONE = 7, 12, 20, 27, 34, 44  # when what ends or begins
PHASE = ("f2 tint", "f2 half")  # of even and of odd parity


def phases(ends):
    """Bars of the phases of a barrier that end at these times."""
    borders = [0, *ends, END]
    return [
        (begin, end, PHASE[i % 2], f"phase {i}" + (f", parity {i % 2}" if end - begin > 8 else ""))
        for i, (begin, end) in enumerate(zip(borders, borders[1:], strict=False))
    ]


def draw_counts(picture, y, bytes_of_box):
    """What `full` still waits for during one phase."""
    counts = (
        ("the phase begins", 2, 0),
        ("lane 0 announces the box", 1, bytes_of_box),
        ("TMA has copied the box", 1, 0),
        ("the warp has stored A", 0, 0),
    )
    width = (RIGHT - 24) / len(counts)
    title = "one phase of full: what is missing after each event; the last two in either order"
    picture.text(24, y, title, "strong")
    for i, (event, arrivals, count) in enumerate(counts):
        x = 24 + i * width
        done = arrivals + count == 0
        words = "0 and 0: the phase ends" if done else f"{plural(arrivals, 'arrival')}, {count:,} B"
        picture.cell(x, y + 40, width - 8, 32, "f3 tint" if done else "f2 tint", words)
        picture.text(x, y + 30, event, "soft")


def draw():
    """A stage over two trips."""
    c = tile_constants(11)
    consumers = c["BM"] * c["BN"] // (c["WM"] * c["WN"])
    stages, bytes_of_box = c["STAGES"], c["BK"] * c["BN"] * 4
    picture = Picture(
        "rung_11_phases",
        490,
        "One stage, two barriers: who ends which phase",
        f"stage 0 of {stages} on its first two trips round the ring; order of events, not to scale",
        f"Stage 0 on two trips. Barrier full: its phase 0 ends when k tile 0 is there, its phase "
        f"1 when k tile {stages} is. Barrier empty: its phase 0 ends when all {consumers} consumer "
        f"warps have read k tile 0, its phase 1 when they have read k tile {stages}. The producer "
        f"waits for empty with parity 1, which passes at once, then with parity 0. Consumers wait "
        f"for full with parity 0, then 1. Within a phase, full counts 2 arrivals and "
        f"{bytes_of_box} bytes down to nothing.",
    )
    time = Timeline(picture, LEFT, RIGHT, END)
    y, step = 126, 62
    read = [
        (FILLED, READ, WORKING, "read k tile 0"),
        (REREAD, DONE, WORKING, f"read k tile {stages}"),
    ]
    time.row(y, "producer", [
        (0, FILLED, LOADING, "fill"),
        (FILLED, OTHER, LOADING, f"stage {c['kProducerWarps']}"),
        (OTHER, READ, FULL, "wait for empty"),
        (READ, AGAIN, LOADING, "fill again"),
    ], 30)
    time.row(y + step, "full", phases([FILLED, AGAIN]), 30)
    time.row(y + 2 * step, "consumers", [(0, FILLED, FULL, "wait for full"), *read], 30)
    time.row(y + 3 * step, "empty", phases([READ, DONE]), 30)
    for at, row, words in (
        (0, 0, "parity 1: passes at once"),
        (OTHER, 0, "parity 0"),
        (0, 2, "parity 0"),
        (REREAD, 2, "parity 1: passes at once"),
    ):
        picture.text(time.x(at), y + row * step - 8, words, "soft")
    picture.text(time.x((READ + REREAD) / 2), y + 2 * step + 20, "other stages", "soft", "middle")
    for at, row, words in (
        (FILLED, 0, "A stored, box there"),
        (AGAIN, 0, "A stored, box there"),
        (READ, 2, f"{consumers} warps arrive"),
        (DONE, 2, f"{consumers} warps arrive"),
    ):
        x = time.x(at)
        picture.arrow([(x, y + row * step + 30), (x, y + (row + 1) * step)])
        picture.text(x + 10, y + row * step + 46, words, "soft")
    draw_counts(picture, y + 4 * step + 14, bytes_of_box)
    return picture
