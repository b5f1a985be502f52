"""Rung 04: a thread computes 8 x 8 results as an outer product in registers."""

from docs.figures.banks import bank_scale, draw_access, words_of
from docs.figures.shapes import B, Picture, request
from docs.figures.tiles import hierarchy, tile_constants
from docs.report.by_hand import by_hand

SIZE = 4096
WIDE, TALL = 44, 26  # a product


def draw_outer(picture, x, y, rows, cols):
    """Words of A at the left, words of B on top, their products. Returns the bottom."""
    for n in range(cols):
        picture.cell(x + (n + 1) * WIDE + 6, y, WIDE, TALL, "f1", f"b{n}", "on")
    for m in range(rows):
        top = y + (m + 1) * TALL + 6
        picture.cell(x, top, WIDE, TALL, "f0", f"a{m}", "on")
        for n in range(cols):
            picture.cell(x + (n + 1) * WIDE + 6, top, WIDE, TALL, "f2 tint", f"a{m}b{n}")
    return y + (rows + 1) * TALL + 6


def draw(narrow=False):
    """64 products from 16 words."""
    c, count, below = tile_constants(4), by_hand(4, SIZE), by_hand(3, SIZE)
    of_a, of_b = request(4, "sA", "shared load"), request(4, "sB", "shared load")
    tm, tn = c["TM"], c["TN"]
    per_k = tn * of_b["wavefronts"] + tm * of_a["wavefronts"] // 4
    picture = Picture(
        "rung_04",
        572,
        f"Rung 04: {tm} + {tn} words from shared memory serve {tm * tn} multiply-adds",
        "what one thread does for one k, all in registers",
        f"Rung 04. For each k a thread reads {tm} words of sA and {tn} of sB into registers and "
        f"adds their {tm * tn} products to {tm * tn} sums. A warp needs {per_k} wavefronts for "
        f"that: {count['wavefronts']:.2f} per multiply-add with the filling of the tiles, where "
        f"rung 03 needs {below['wavefronts']:.2f}. Its load of B takes 16 words in 16 banks, each "
        "for two lanes: 1 wavefront.",
        narrow,
    )
    left, y = hierarchy(picture, 4)
    bottom = draw_outer(picture, left, y - 2 - 16 * narrow, tm, tn)
    x, y = (left, bottom + 28) if narrow else (left + (tn + 1) * WIDE + 34, y + 18)
    picture.lines(
        x,
        y,
        [
            ("per thread and k", "strong"),
            (f"{tm} words of A", "f0"),
            (f"{tn} words of B", "f1"),
            (f"{tm * tn} multiply-adds", "f2"),
        ],
    )
    picture.lines(
        *((x + 180, y) if narrow else (x, y + 105)),
        [
            ("rows and columns of", "strong"),
            (f"lane 0: every {c['BM'] // tm}th", "strong"),
            "so that the 16 columns",
            "of a warp are 16",
            "neighbouring words",
        ],
    )
    y = y + 130 if narrow else 366
    bank_scale(picture, left, y)
    picture.text(left, y + 24, "load of b0: lanes 0-15, and 16-31 the same words", "f1")
    y = draw_access(picture, left, y + 34, *words_of(of_b), B) + 28
    for words in (
        f"wavefronts per k: {tn} loads of B x {of_b['wavefronts']} + {tm} rows of A x "
        f"{of_a['wavefronts']}/4 = {per_k}, for {tm * tn} multiply-adds",
        f"(a load of A brings four k at once: 16 bytes, {of_a['wavefronts']} wavefronts)",
    ):
        y = picture.paragraph(left, y, words, "soft")
    words = (
        f"{count['wavefronts']:.2f} wavefronts per multiply-add; rung 03: "
        f"{below['wavefronts']:.2f}"
    )
    picture.conclude(left, y + 12, words)
    return picture
