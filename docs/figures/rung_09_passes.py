"""Rung 09: the wavefronts that a copy of A takes, and which two banks each copied word uses."""

from docs.figures.shapes import EDGE, Picture, plural
from docs.figures.tiles import tile_constants
from docs.report.wavefronts import BANKS, LANES, copy_wavefronts

CELL, TALL = 13, 18  # of a bank
READ, WRITTEN = 136, 568  # left edges
SIZE, NEIGHBOUR = 4096, 264  # values of K


def places(depth, row, extent):
    """(word of A, word of sA) of each lane: a row of A is `extent` words, one of sA is `row`."""
    return (
        [lane // depth * extent + lane % depth for lane in range(LANES)],
        [lane % depth * row + lane // depth for lane in range(LANES)],
    )


def passes(sources, targets):
    """[lanes] of each wavefront: a lane goes after all earlier ones that share one of its banks."""
    found = []
    turn = []
    for lane in range(LANES):
        before = [
            turn[other]
            for other in range(lane)
            if sources[other] % BANKS == sources[lane] % BANKS
            or targets[other] % BANKS == targets[lane] % BANKS
        ]
        turn.append(max(before, default=-1) + 1)
        if turn[lane] == len(found):
            found.append([])
        found[turn[lane]].append(lane)
    assert len(found) == copy_wavefronts(sources, targets)
    return found


def draw_passes(picture, y, depth, words, found):
    """A wavefront per line: its banks in A, and at the right in sA; a cell names its row."""
    for i, lanes in enumerate(found):
        picture.text(READ - 12, y + 14, f"{i + 1}", "soft", "end")
        for left, of_lanes in zip((READ, WRITTEN), words, strict=True):
            picture.bar(left, y, left + BANKS * CELL, y + TALL, "soft-fill")
            for lane in lanes:
                row = lane // depth
                x = left + of_lanes[lane] % BANKS * CELL
                style = "f0 half" if row % 2 else "f0 tint"
                picture.cell(x, y, CELL, TALL, style, row)
        y += TALL + 4
    return y


def draw_narrow(picture, depth, found):
    """For phones: where the words are written, below where they are read."""
    y, left, cell = picture.top, EDGE + 46, 11.9
    for title, lanes, each in found:
        y = picture.paragraph(EDGE, y, title, "strong")
        for name, words in zip(("banks of A, read", "banks of sA, written"), lanes, strict=True):
            picture.text(left, y + 4, name, "soft")
            y += 12
            for i, of_pass in enumerate(each):
                picture.text(left - 10, y + 14, f"{i + 1}", "soft", "end")
                picture.bar(left, y, left + BANKS * cell, y + TALL, "soft-fill")
                for lane in of_pass:
                    row = lane // depth
                    style = "f0 half" if row % 2 else "f0 tint"
                    x = left + words[lane] % BANKS * cell
                    picture.cell(x, y, cell, TALL, style, row)
                y += TALL + 4
            picture.text(EDGE, y - len(each) * (TALL + 4) - 8, "cycle", "soft")
            y += 18
        y += 16
    picture.height = y - 22


def draw(narrow=False):
    """One copy of A by a warp, in three settings."""
    c = tile_constants(9)
    depth, padded = c["BK"], c["BM"] + 4
    rows = LANES // depth
    settings = [
        (f"K = {SIZE}: all rows of A begin in the same bank", padded, SIZE),
        (
            f"K = {NEIGHBOUR}: each row of A begins {NEIGHBOUR % BANKS} banks further",
            padded,
            NEIGHBOUR,
        ),
        (f"K = {SIZE} without kPad: the words of a row of A go to one bank", c["BM"], SIZE),
    ]
    found = []
    for words, row, extent in settings:
        lanes = places(depth, row, extent)
        found.append((words, lanes, passes(*lanes)))
    height = 132 + sum(56 + len(each) * (TALL + 4) for *_, each in found)
    counts = "; ".join(f"{words}: {plural(len(each), 'wavefront')}" for words, _, each in found)
    picture = Picture(
        "rung_09_passes",
        height,
        "A copied word uses two banks, and lanes do not overtake",
        f"one cp.async of a warp: {depth} words from each of {rows} rows of A; a cell is a bank, "
        "its number the row",
        f"Rung 09. A warp copies {depth} neighbouring words from each of {rows} rows of A. A "
        "lane goes one wavefront after every earlier lane with which it shares the bank that it "
        f"reads or the bank that it writes. {counts}.",
        narrow,
    )
    if narrow:
        draw_narrow(picture, depth, found)
        return picture
    y = 92
    for left, words in (
        (READ, "banks of A, where a word is read"),
        (WRITTEN, "banks of sA, where it is written"),
    ):
        picture.text(left, y, words, "strong")
    y += 34
    for words, lanes, each in found:
        picture.text(READ, y, words)
        y = draw_passes(picture, y + 12, depth, lanes, each) + 32
    return picture
