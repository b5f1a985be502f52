"""Inner product against outer product: words read for each multiply-add."""

from docs.figures.shapes import Picture
from docs.figures.tiles import tile_constants

CELL = 26


def draw():
    """A row times a column, and a column times a row."""
    c, wide = tile_constants(4), tile_constants(10)
    tiles = [(1, 1), (2, 2), (4, 4), (c["TM"], c["TN"]), (wide["TM"], wide["TN"])]
    ratios = [(m + n) / (m * n) for m, n in tiles]
    listed = ", ".join(f"{m} x {n}: {r:.3g}" for (m, n), r in zip(tiles, ratios, strict=True))
    picture = Picture(
        "outer_product",
        520,
        "An outer product uses each word many times",
        "what a thread reads for one step k, and what it multiplies with that",
        "For one result a thread reads a word of A and a word of B per multiply-add: 2 words. "
        f"For {c['TM']} x {c['TN']} results it reads {c['TM']} + {c['TN']} words per k and "
        f"multiplies each with each: {c['TM'] + c['TN']} words for {c['TM'] * c['TN']} "
        f"multiply-adds. Words per multiply-add by thread tile: {listed}.",
    )
    picture.text(24, 100, "inner product: 1 result", "strong")
    picture.row(24, 150, CELL, ["f0 tint"] * 3 + ["f0"] + ["f0 tint"] * 4)
    for k in range(8):
        picture.cell(262, 118 + k * CELL, CELL, CELL, "f1" if k == 3 else "f1 tint")
    picture.text(24 + 3.5 * CELL, 143, "k", "soft", "middle")
    picture.text(254, 118 + 3.5 * CELL + 5, "k", "soft", "end")
    picture.cell(310, 118 + 3 * CELL, CELL, CELL, "f2")
    picture.text(24, 220, "a row of A times", "soft")
    picture.text(24, 241, "a column of B", "soft")
    picture.text(24, 290, "2 words", "strong")
    picture.text(24, 312, "for 1 multiply-add")
    x, y = 480, 112
    tm, tn = c["TM"], c["TN"]
    picture.text(x - 48, 100, f"outer product: {tm} x {tn} results", "strong")
    for n in range(tn):
        picture.cell(x + n * CELL, y, CELL, CELL, "f1")
    for m in range(tm):
        top = y + (m + 1) * CELL + 8
        picture.cell(x - CELL - 8, top, CELL, CELL, "f0")
        picture.row(x, top, CELL, ["f2"] * tn)
    picture.lines(
        x + tn * CELL + 28,
        y + 60,
        [
            (f"{tm} words of A, {tn} of B", "strong"),
            f"for {tm} x {tn} = {tm * tn} multiply-adds",
            "",
            "A word of A meets all",
            f"{tn} of B, in registers.",
        ],
    )
    picture.text(24, 386, "words read for one multiply-add, by thread tile", "strong")
    left, scale = 24, 130 / 2
    for i, ((m, n), ratio) in enumerate(zip(tiles, ratios, strict=True)):
        at = left + 196 * i
        picture.text(at, 418, f"{m} x {n}", "soft")
        picture.bar(at, 430, at + ratio * scale, 456, "f3")
        picture.text(at + ratio * scale + 8, 449, f"{ratio:.3g}", "strong")
    picture.text(
        24,
        496,
        f"rungs 01 to 03: 1 x 1; rungs 04 to 09: {tm} x {tn}; from rung 10: "
        f"{wide['TM']} x {wide['TN']}",
        "soft",
    )
    return picture
