"""Rung 21: which side of L2 reads which columns of B: in rung 20 and here."""

import random

from docs.figures.shapes import EDGE, Picture, card
from docs.figures.tiles import tile_constants

EXTENT = 4096  # of the matrices
STYLES = ("f0", "f1")  # of the sides
SEED = 21  # in rung 20, chance decides who computes what


def order(c, rows, columns):
    """[(row, column)] of the tiles of a half of C, or of all of it, one for each turn."""
    places = []
    for first in range(0, rows, c["BAND"]):
        band = min(c["BAND"], rows - first)
        places += [(first + i % band, i // band) for i in range(band * columns)]
    return places


def owners(c, in_halves):
    """{(row, column): the side whose clusters compute this tile}."""
    rows, columns = EXTENT // (c["kPair"] * c["BM"]), EXTENT // c["BN"]
    clusters = card()["sms"] // c["kPair"]
    if not in_halves:
        sides = [i % 2 for i in range(clusters)]
        random.Random(SEED).shuffle(sides)
        return {place: sides[i % clusters] for i, place in enumerate(order(c, rows, columns))}
    half = columns // 2
    return {
        (row, side * half + column): side for side in (0, 1) for row, column in order(c, rows, half)
    }


def columns_read(tiles, side):
    """The columns of tiles whose part of B clusters of a side read."""
    return {column for (_, column), owner in tiles.items() if owner == side}


def panel(picture, left, top, size, tiles):
    """C with the side of each tile, and below it what each side reads of B; returns its bottom."""
    count = max(column for _, column in tiles) + 1
    for (row, column), side in tiles.items():
        picture.cell(left + column * size, top + row * size, size, size, STYLES[side])
    y = top + count * size + 22
    for side, style in enumerate(STYLES):
        read = columns_read(tiles, side)
        picture.text(left - 8, y + 14, f"side {side}", "soft", "end")
        for column in range(count):
            shown = style if column in read else "soft-fill"
            picture.cell(left + column * size, y, size, 18, shown)
        y += 24
    return y


def draw(narrow=False):
    """Two panels: off and on."""
    c = tile_constants(21)
    panels = [
        ("rung 20: whoever comes next", owners(c, False)),
        ("rung 21: a half of the columns for each side", owners(c, True)),
    ]
    counts = [[len(columns_read(tiles, side)) for side in (0, 1)] for _, tiles in panels]
    whole = EXTENT // c["BN"]
    picture = Picture(
        "rung_21",
        600,
        "Rung 21: each side of L2 needs one half of B",
        f"the tiles of C at {EXTENT}, by the side of L2 that computes them; below, the columns of "
        "B that each side reads",
        f"C in {whole} x {whole} tiles of {c['BN']} x {c['BN']}, at M = N = K = {EXTENT}. In rung "
        f"20 any cluster computes any tile, and the clusters of either side read {counts[0][0]} "
        f"and {counts[0][1]} of the {whole} tile columns of B. In rung 21 those of side 0 compute "
        f"the left half, and read {counts[1][0]}; those of side 1 compute the right half, and read "
        f"{counts[1][1]}.",
        narrow,
    )
    size = 16 if narrow else 21
    lefts = (72, 72) if narrow else (96, 600)
    top = picture.top + 18
    y = top
    for (words, tiles), left in zip(panels, lefts):
        picture.text(EDGE if narrow else left, top - 8, words, "strong")
        y = panel(picture, left, top, size, tiles)
        if narrow:
            top = y + 40
    entries = [("f0", "side 0"), ("f1", "side 1"), ("soft-fill", "not read")]
    y = picture.legend(EDGE if narrow else lefts[0], y + 20, entries) if narrow else y
    if not narrow:
        picture.legend(lefts[0], y + 22, entries)
    words = (
        f"a side reads {counts[0][0]} of {whole} columns of B in rung 20, and {counts[1][0]} in "
        "rung 21"
    )
    picture.conclude(EDGE if narrow else 24, y + 8 if narrow else 0, words)
    return picture
