"""Rung 04: a thread's columns lie 16 apart, so that a warp reads neighbouring words of sB."""

from docs.figures.banks import bank_scale, draw_access, words_of
from docs.figures.shapes import EDGE, B, Picture, request
from docs.figures.tiles import tile_constants
from docs.report.wavefronts import LANES, wavefronts

X, CELL = 24, 7.4  # of the columns of a block tile


def draw_columns(picture, y, columns, lanes):
    """The columns of the block tile; those of two lanes are marked."""
    left, cell = (EDGE, 3.2) if picture.narrow else (X, CELL)
    for col in range(columns):
        owner = next((i for i, owned in enumerate(lanes) if col in owned), None)
        style = {None: "soft-fill", 0: "f2", 1: "f2 half"}[owner]
        picture.cell(left + col * cell, y, cell, 24, style)
    for col in (0, 32, 64, 96, columns - 1):
        middle = "middle" if picture.narrow and col else "start"
        picture.text(left + col * cell, y + 42, str(col), "soft", middle)


def draw(narrow=False):
    """Which columns two lanes own, and the wavefronts of a load, in two layouts."""
    c = tile_constants(4)
    cols, tn = c["BN"] // c["TN"], c["TN"]
    spread = [[lane + n * cols for n in range(tn)] for lane in range(2)]
    side_by_side = [[lane * tn + n for n in range(tn)] for lane in range(2)]
    words, _ = words_of(request(4, "sB", "shared load"))
    others = [lane % cols * tn for lane in range(LANES)]
    passes = [wavefronts(each, 1) for each in (words, others)]
    picture = Picture(
        "rung_04_spread",
        470,
        f"Columns {cols} apart: {passes[0]} wavefront per load of B instead of {passes[1]}",
        f"the {c['BN']} columns of a block tile, and the banks that the load of b0 meets, with "
        "lane numbers",
        f"Rung 04. Lane 0 owns columns 0, {cols}, {2 * cols} and so on; lane 1 owns 1, {cols + 1} "
        f"and so on. The load of b0 then asks for {cols} neighbouring words in {cols} banks: "
        f"{passes[0]} wavefront. If each lane owned {tn} neighbouring columns, the load of b0 "
        f"would ask for words {tn} apart, which lie in only {32 // tn} banks: {passes[1]} "
        "wavefronts.",
        narrow,
    )
    left, y = (EDGE, picture.top + 34) if narrow else (X, 96)
    at = (left, y - 30) if narrow else (X + 760, y)
    picture.legend(*at, [("f2", "lane 0"), ("f2 half", "lane 1")])
    for title, lanes, load in (
        (f"rung 04: lane c owns columns c, c + {cols}, c + {2 * cols}, ...", spread, words),
        (f"instead of neighbours: lane c owns {tn}c to {tn}c + {tn - 1}", side_by_side, others),
    ):
        picture.text(left, y, title, "strong")
        draw_columns(picture, y + 12, c["BN"], lanes)
        count = wavefronts(load, 1)
        words = f"load of b0: {count} wavefront{'s' * (count > 1)}"
        if narrow:
            picture.text(left, y + 82, f"{words}, by banks", "f1")
            y = draw_access(picture, left, y + 92, load, 1, B) + 34
            picture.height = y - 24
            continue
        bank_scale(picture, X + 260, y + 84)
        picture.text(X, y + 110, words, "f1")
        y = draw_access(picture, X + 260, y + 92, load, 1, B) + 34
    return picture
