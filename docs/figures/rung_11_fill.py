"""Rung 11: how a stage is filled: B as a box, A through the registers of a producer warp."""

from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants

PIXEL, NARROW_PIXEL = 2, 1.7  # of a row of A or a column of sA
CELL, NARROW_CELL = 24, 19  # pixels of a float in a register


def draw_box(picture, c, x, y):
    """B in global memory, a box of it, and where it goes."""
    width, height = 330, 150
    picture.text(x, y - 12, "B in global memory, (K, N)", "strong")
    picture.bar(x, y, x + width, y + height, "f1 tint")
    left, top = x + 120, y + 62
    picture.bar(left, top, left + 128, top + 16, "f1")
    picture.text(left - 8, top + 13, "k0", "soft", "end")
    picture.text(left, y + 50, "col0", "soft")
    picture.arrow([(left + 64, top + 16), (left + 64, y + height + 72)], "line l1")
    picture.lines(left + 80, y + height + 30, ["one lane asks,", "TMA copies it"], "soft")
    bottom = y + height + 72
    picture.bar(x + 120, bottom, x + 248, bottom + 16, "f1")
    picture.lines(
        x,
        bottom + 42,
        [
            (f"B of the stage: {c['BK']} x {c['BN']} floats, as they are", "strong"),
            f"{c['BK'] * c['BN'] * 4:,} bytes, which full counts down;",
            "what lies outside B arrives as zeros",
        ],
    )


def draw_transpose(picture, c, x, y):
    """What a lane loads of A, its registers, and where it stores them."""
    rows, depth = c["BM"], c["BK"]
    pixel, cell = (NARROW_PIXEL, NARROW_CELL) if picture.narrow else (PIXEL, CELL)
    picture.text(x, y - 12, f"A, {rows} rows, {depth} of K", "strong")
    width = depth * 9
    picture.bar(x, y, x + width, y + rows * pixel, "f0 tint")
    first = 16  # row of the lane that is shown
    picture.bar(x, y + first * pixel, x + width, y + (first + 4) * pixel, "f0")
    left, top = x + 190, y + 26
    middle = y + (first + 2) * pixel
    picture.arrow([(x + width, middle), (left - 8, middle)], "line l0")
    picture.text(x + width + 12, middle - 12, f"{depth} LDG.128", "soft")
    picture.text(left, top - 12, f"lane {first // 4}: 4 rows, {depth} of K", "strong")
    for m in range(4):
        for k in range(depth):
            style = "f0" if k == 1 else "f0 half" if k < 4 else "f0 tint"
            picture.cell(left + k * cell, top + m * cell, cell, cell, style)
    picture.upright(left + depth * cell + 12, top, top + 4 * cell)
    picture.text(left + depth * cell + 22, top + 2 * cell + 5, "a float4", "soft")
    below = y + 200
    at = left + 1.5 * cell
    words = [f"{depth} STS.128: a column of four", "becomes a float4"]
    if picture.narrow:
        words = [f"{depth} STS.128:", "a column of four", "becomes a float4"]
    picture.lines(at + 14, top + 4 * cell + 26, words, "soft")
    for k in range(depth):
        edge = below + 4 + k * 16
        picture.cell(x + 190, edge, rows * pixel, 16, "f0 tint")
        style = "f0" if k == 1 else "f0 half"
        picture.cell(x + 190 + first * pixel, edge, 4 * pixel, 16, style)
    picture.arrow([(at, top + 4 * cell), (at, below + 20)], "line l0")
    return below


def draw(narrow=False):
    """Both ways into a stage."""
    c = tile_constants(11)
    picture = Picture(
        "rung_11_fill",
        470,
        "Two ways into a stage: B as a box, A through registers",
        f"a stage holds {c['BK']} of K; one producer warp fills it",
        f"B: lane 0 asks for a box of {c['BK']} x {c['BN']} floats, and TMA copies it as it is. A: "
        f"each lane loads 4 rows of {c['BK']} of K with {c['BK']} LDG.128, rearranges them in its "
        f"registers, and stores them transposed, as {c['BK']} rows of {c['BM']} floats, with "
        f"{c['BK']} STS.128.",
        narrow,
    )
    if narrow:
        y = picture.top + 14
        draw_box(picture, c, EDGE, y)
        y += 340
        picture.line([(EDGE, y - 20), (picture.width - EDGE, y - 20)], "rule")
        below = draw_transpose(picture, c, EDGE, y + 22)
        words = f"A of the stage, {c['BK']} x {c['BM']}"
        picture.text(EDGE + 190, below + 156, words, "strong")
        picture.height = below + 176
        return picture
    draw_box(picture, c, 24, 108)
    picture.line([(416, 90), (416, 446)], "rule")
    below = draw_transpose(picture, c, 440, 108)
    picture.lines(
        910, below + 40, [("A of", "strong"), ("the stage", "strong"), f"{c['BK']} x {c['BM']}"]
    )
    return picture
