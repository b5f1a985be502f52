"""Rung 07: the order of blocks, so that a wave is a square of C."""

from docs.figures.shapes import Picture, card
from docs.figures.tiles import hierarchy, tile_constants
from docs.figures.waves import by_bands, by_rows, draw_wave, panels

SIZE = 4096
BLOCKS_PER_SM = 2
CELL = 8


def draw(narrow=False):
    """The first wave in both orders."""
    c = tile_constants(7)
    tiles, band = SIZE // c["BM"], c["BAND"]
    wave = BLOCKS_PER_SM * card()["sms"]
    orders = [
        ("rung 06: along the rows", [by_rows(i, tiles) for i in range(wave)], 2 * tiles + 6),
        (f"rung 07: in bands of {band}", [by_bands(i, tiles, band) for i in range(wave)], 5 * band),
    ]
    counts = [tuple(map(len, panels(places))) for _, places, _ in orders]
    sums = [rows + cols for rows, cols in counts]
    picture = Picture(
        "rung_07",
        572,
        f"Rung 07: a wave reads {sums[1]} panels instead of {sums[0]}",
        f"the first {wave} blocks, {BLOCKS_PER_SM} on each of {card()['sms']} SMs, at "
        f"M = N = K = {SIZE}",
        f"Rung 07. The {wave} blocks that run at a time, in tiles of C of {c['BM']} x {c['BN']}. "
        f"In rung 06 they go along rows of tiles and read {counts[0][0]} panels of A and "
        f"{counts[0][1]} of B. In rung 07 they go down columns of a band of {band} tiles and read "
        f"{counts[1][0]} + {counts[1][1]}. The difference grows with the matrix: a row of tiles "
        "gets longer, the band does not.",
        narrow,
    )
    left, y = hierarchy(picture, 7)
    cell, apart = (5.5, 220) if narrow else (CELL, 346)
    for i, (title, places, path) in enumerate(orders):
        x = left + apart * i
        rows, cols = counts[i]
        picture.text(x, y, title, "strong")
        bottom = draw_wave(picture, x, y + 14, cell, tiles, places, path)
        picture.lines(
            x,
            bottom + 30,
            [
                (f"{rows} panels of A", "f0"),
                (f"{cols} panels of B", "f1"),
                (f"{rows} + {cols} = {rows + cols}", "strong"),
            ],
        )
    y = bottom + 102 if narrow else 482
    entries = [("f2 half", "tiles of the wave"), ("f0", "panels of A"), ("f1", "panels of B")]
    end = picture.legend(left, y, entries)
    picture.text(*((left, end) if narrow else (left + 470, y)), "line: order", "soft")
    picture.conclude(left, end + 38, "the shorter the sides of a wave, the less it reads")
    return picture
