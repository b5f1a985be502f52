"""Rung 03: a block stages tiles of A and B in shared memory and works from the copies."""

from docs.figures.banks import bank_scale, draw_access, words_of
from docs.figures.shapes import A, B, Picture, request
from docs.figures.tiles import hierarchy, tile_constants
from docs.report.by_hand import by_hand

SCALE = 2.2  # pixels an element
SIZE = 4096


def draw_product(picture, x, y, c):
    """sB above C's tile, sA at its left, to scale; a warp's row and step k are marked."""
    width_a, height_a = c["BK"] * SCALE, c["BM"] * SCALE
    width_b, height_b = c["BN"] * SCALE, c["BK"] * SCALE
    left_b, top_a = x + width_a + 14, y + height_b + 14
    picture.bar(left_b, y, left_b + width_b, y + height_b, "f1 tint")
    picture.bar(x, top_a, x + width_a, top_a + height_a, "f0 tint")
    picture.bar(left_b, top_a, left_b + width_b, top_a + height_a, "f2 tint")
    row = top_a + 12 * SCALE
    k = 40
    picture.bar(x, row, x + width_a, row + SCALE, "f0 half")
    picture.bar(x + k * SCALE, row - 1, x + (k + 4) * SCALE, row + SCALE + 1, "f0")
    picture.bar(left_b, y + k * SCALE, left_b + width_b, y + (k + 1) * SCALE, "f1")
    picture.bar(left_b, row, left_b + width_b, row + SCALE, "f2")
    picture.text(left_b + width_b / 2, y + 30, "sB", "strong plain", "middle")
    picture.text(x + 30, top_a + height_a - 12, "sA", "strong plain", "middle")
    picture.text(left_b + width_b / 2, top_a + height_a - 12, "sums", "strong plain", "middle")
    picture.upright(left_b + width_b + 14, y, y + height_b, [f"BK = {c['BK']}"])
    picture.upright(left_b + width_b + 14, top_a, top_a + height_a, [f"BM = {c['BM']}"])
    return top_a + height_a


def draw(narrow=False):
    """Copies in shared memory, and how a warp reads them."""
    c, count = tile_constants(3), by_hand(3, SIZE)
    of_a, of_b = request(3, "sA", "shared load"), request(3, "sB", "shared load")
    loads = 2 * c["BK"] * c["BM"] // (c["BM"] * c["BN"])
    picture = Picture(
        "rung_03",
        572,
        "Rung 03: a block loads each word once, and 32 threads read the copy",
        f"tiles of A and B in shared memory, {c['BM'] * c['BK'] * 4 // 1024} KiB each; "
        "one step k of warp 0",
        f"Rung 03. A block of {c['BM']} x {c['BN']} threads copies {c['BM']} x {c['BK']} words of "
        f"A and {c['BK']} x {c['BN']} of B into shared memory, passes a barrier, and does "
        f"{c['BK']} steps of its sums from the copies. A warp reads a row of sB, 32 words in 32 "
        "banks, in 1 wavefront, and four words of sA at once, the same for all lanes, in "
        f"{of_a['wavefronts']}. With the filling of the tiles that is "
        f"{count['wavefronts']:g} wavefronts for one multiply-add.",
        narrow,
    )
    left, y = hierarchy(picture, 3)
    bottom = draw_product(picture, left, y + 2 - 20 * narrow, c)
    picture.lines(
        *((left, bottom + 32) if narrow else (left + 330, y + 22)),
        [
            (f"1: each thread copies {loads} words", "strong"),
            f"{loads // 2} of A and {loads // 2} of B, all at once",
            ("2: barrier", "strong"),
            (f"3: {c['BK']} multiply-adds per thread", "strong"),
            "from the copies alone",
            ("4: barrier, next tiles", "strong"),
            "",
            f"A word of sA serves {c['BN']} threads,",
            f"a word of sB {c['BM']}.",
        ],
        gap=22,
    )
    y = bottom + 32 + 22 * 9 + 12 if narrow else 362
    bank_scale(picture, left, y)
    for entry, color, words in (
        (of_b, B, "a row of sB: each lane its own word"),
        (of_a, A, "four words of sA, k to k + 3, the same for all lanes of each half warp"),
    ):
        y = picture.paragraph(left, y + 22, words, f"f{color}") - 13
        y = draw_access(picture, left, y, *words_of(entry), color)
    words = f"1 + {of_a['wavefronts']}/4 wavefronts per multiply-add, and 8/64 to fill"
    picture.conclude(left, y + 30, words)
    return picture
