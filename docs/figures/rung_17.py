"""Rung 17: where a tile of A and one of B lie in shared memory, and what descriptors say of it."""

from docs.figures.shapes import EDGE, A, B, Picture
from docs.figures.tiles import tile_constants

PIECES = 8  # of 16 bytes in a row of 128
ROWS = 8  # of a group
ELEMENTS = 8  # of BF16 in a piece
PIECE_BYTES = 16


def swizzled(row, piece):
    """Where in its row a piece lies."""
    return piece ^ row % ROWS


def draw_group(picture, x, y, cell, shown):
    """Eight rows of a box with the number of the piece at each place; `shown` stands out."""
    for row in range(ROWS):
        for piece in range(PIECES):
            style = f"f{A}" if piece == shown else f"f{A} tint"
            place = x + swizzled(row, piece) * cell
            on = "on" if piece == shown else "plain"
            picture.cell(place, y + row * 24, cell, 24, style, piece, on)
        picture.text(x - 8, y + row * 24 + 17, str(row), "soft", "end")


def draw_boxes(picture, x, y, c):
    """The boxes of a stage, to scale: A's rows along K, B's across."""
    scale = 1.1 if picture.narrow else 1.25
    wide, gap = c["BK"] * scale, 14
    tall_a, tall_b = c["BM"] * scale, c["BK"] * scale
    picture.text(x, y - 8, "A" if picture.narrow else f"A: {c['BM']} rows", "strong")
    picture.bar(x, y, x + wide, y + tall_a, f"f{A} tint edge")
    picture.bar(x, y, x + wide, y + tall_a / 2, f"f{A} half edge")
    step = ROWS * scale
    picture.bar(x, y, x + wide, y + step, f"f{A} edge")
    picture.text(x + wide / 2, y + tall_a + 18, f"{c['BK']} of K", "soft", "middle")
    left = x + wide + (20 if picture.narrow else 60)
    picture.text(left, y - 8, f"B: {c['BN'] // c['kBoxColumns']} boxes of {c['BK']} k", "strong")
    side = c["kBoxColumns"] * scale * (0.78 if picture.narrow else 1)
    for box in range(c["BN"] // c["kBoxColumns"]):
        at = left + box * (side + (5 if picture.narrow else gap))
        picture.bar(at, y, at + side, y + tall_b, f"f{B} tint edge")
        picture.bar(at, y, at + side, y + step, f"f{B} edge")
        words = f"{c['kBoxColumns']}" if picture.narrow else f"{c['kBoxColumns']} columns"
        picture.text(at + side / 2, y + tall_b + 18, words, "soft", "middle")
    return y + tall_a + 46


def draw(narrow=False):
    """The stage, and eight rows of it."""
    c = tile_constants(17)
    row_bytes = PIECES * PIECE_BYTES
    group_bytes = ROWS * row_bytes
    box_bytes = c["BK"] * row_bytes
    picture = Picture(
        "rung_17",
        500,
        "Rung 17: a stage as boxes of rows of 128 bytes, and how a box is swizzled",
        f"dark: 8 rows, {group_bytes:,} bytes; half dark: the rows of one warpgroup",
        f"Rung 17. A stage holds A as one box of {c['BM']} rows of {c['BK']} elements, and B as "
        f"{c['BN'] // c['kBoxColumns']} boxes of {c['BK']} rows of {c['kBoxColumns']} elements. "
        f"All rows have {row_bytes} bytes. Eight rows are a group of {group_bytes} bytes, the "
        f"stride of a descriptor; from box to box of B it is {box_bytes} bytes, the leading "
        "distance. Within a group, piece p of row r lies at place p XOR r: the eight pieces of a "
        "column are in eight different places, so in all 32 banks.",
        narrow,
    )
    x = EDGE if narrow else 24
    y = picture.top + 10
    y = draw_boxes(picture, x, y, c)
    grid = x + 24 if narrow else 640
    top = y + 24 if narrow else picture.top + 128
    cell = 46 if narrow else 38
    if narrow:
        picture.text(x, top - 30, "8 rows of a box: the piece at each place", "strong")
    else:
        picture.text(grid, top - 30, "8 rows of a box: the piece at each place", "strong")
    draw_group(picture, grid, top, cell, 2)
    picture.text(grid, top - 8, "4 banks each", "soft")
    below = top + ROWS * 24 + 26
    if narrow:
        y = picture.paragraph(
            x, below, f"stride: {group_bytes:,} bytes to the next 8 rows.", "soft"
        )
        words = f"leading: {box_bytes:,} bytes to the next 64 columns of B."
        y = picture.paragraph(x, y, words, "soft")
        picture.conclude(x, y + 10, "8 pieces of a column, 32 banks")
        return picture
    picture.text(grid, below, "piece 2 of eight rows: eight places, 32 banks")
    picture.lines(
        x,
        y + 40,
        [
            f"stride: {group_bytes:,} bytes, from 8 rows to the next 8, in A and in B",
            f"leading: {box_bytes:,} bytes, from 64 columns of B to the next 64",
            "16 of K further: 32 bytes along A's row, or 16 rows of B's box",
        ],
        gap=26,
    )
    picture.conclude(
        x, y + 10, "the descriptor of an operand: where it begins, stride, leading, swizzle"
    )
    return picture
