"""Rung 11: one stage of the ring, its two barriers, and the phases that they go through."""

from docs.figures.shapes import EDGE, Picture, plural
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
    title = "one phase of full: what is missing after each event; the last two in either order"
    left = EDGE if picture.narrow else 24
    y = picture.paragraph(left, y, title, "strong") - 21
    width = (RIGHT - 24) / len(counts)
    for i, (event, arrivals, count) in enumerate(counts):
        done = arrivals + count == 0
        words = "0 and 0: the phase ends" if done else f"{plural(arrivals, 'arrival')}, {count:,} B"
        x, top, extent, at = 24 + i * width, y + 40, width - 8, y + 30
        if picture.narrow:
            x, top, extent, at = 222, y + 16 + 38 * i, 222, y + 37 + 38 * i
        picture.cell(x, top, extent, 32, "f3 tint" if done else "f2 tint", words)
        picture.text(left if picture.narrow else x, at, event, "soft")


def rows_of(c):
    """[(who, bars)] from above."""
    return [
        (
            "producer",
            [
                (0, FILLED, LOADING, "fill"),
                (FILLED, OTHER, LOADING, f"stage {c['kProducerWarps']}"),
                (OTHER, READ, FULL, "wait for empty"),
                (READ, AGAIN, LOADING, "fill again"),
            ],
        ),
        ("full", phases([FILLED, AGAIN])),
        (
            "consumers",
            [
                (0, FILLED, FULL, "wait for full"),
                (FILLED, READ, WORKING, "read k tile 0"),
                (REREAD, DONE, WORKING, f"read k tile {c['STAGES']}"),
            ],
        ),
        ("empty", phases([READ, DONE])),
    ]


def draw_times(picture, y, c, consumers, begin=0, end=END):
    """Who works and which phase it is from one time to another. Returns the bottom."""
    left, right = picture.extent(EDGE, 84) if picture.narrow else (LEFT, RIGHT)
    time = Timeline(picture, left, right, end - begin)
    time.left -= begin * time.scale
    step = 62
    for i, (name, bars) in enumerate(rows_of(c)):
        shown = [
            (max(a, begin), min(b, end), style, words)
            for a, b, style, words in bars
            if a < end and b > begin
        ]
        picture.text(left - 10, y + step * i + 20.5, name, "", "end")
        time.row(y + step * i, "", shown, 30)
    for at, row, words in (
        (0, 0, "parity 1: passes at once"),
        (OTHER, 0, "parity 0"),
        (0, 2, "parity 0"),
        (REREAD, 2, "parity 1: passes at once"),
    ):
        if begin <= at < end:
            picture.text(time.x(at), y + row * step - 8, words, "soft")
    middle = (READ + REREAD) / 2
    if begin <= middle < end:
        picture.text(time.x(middle), y + 2 * step + 20, "other stages", "soft", "middle")
    for at, row, words in (
        (FILLED, 0, "A stored, box there"),
        (AGAIN, 0, "A stored, box there"),
        (READ, 2, f"{consumers} warps arrive"),
        (DONE, 2, f"{consumers} warps arrive"),
    ):
        if not begin < at <= end:
            continue
        x = time.x(at)
        picture.arrow([(x, y + row * step + 30), (x, y + (row + 1) * step)])
        before = picture.narrow and row == 2
        words_at = (x - 10 if before else x + 10), y + row * step + 46
        picture.text(*words_at, words, "soft", "end" if before else "start")
    return y + 4 * step


def draw(narrow=False):
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
        narrow,
    )
    if narrow:
        y = picture.top + 2
        picture.text(EDGE, y, "first trip", "strong")
        y = draw_times(picture, y + 32, c, consumers, 0, READ) + 2
        picture.text(EDGE, y, "second trip", "strong")
        y = draw_times(picture, y + 20, c, consumers, READ, END) + 10
        draw_counts(picture, y, bytes_of_box)
        picture.height = y + 21 + 16 + 4 * 38 + 10
        return picture
    y = draw_times(picture, 126, c, consumers)
    draw_counts(picture, y + 14, bytes_of_box)
    return picture
