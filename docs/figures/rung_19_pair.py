"""Rung 19: two blocks one below the other, and which of them asks for which box of B."""

from docs.figures.shapes import EDGE, A, B, C, Picture
from docs.figures.tiles import tile_constants


def asked_by(c, rank):
    """The boxes of B that a block of the pair asks for, as produce() has them."""
    half = c["BN"] // c["kBoxColumns"] // c["kPair"]
    return range(rank * half, (rank + 1) * half)


def draw_block(picture, at, c, rank, scale):
    """A block's tile of A, and the boxes of B in its shared memory. Returns the right edge."""
    x, y = at
    gap = 5 if picture.narrow else 10
    wide, tall = c["BK"] * scale, c["BM"] * scale
    picture.text(x, y - 10, f"block {rank} of the pair", "strong")
    picture.cell(x, y, wide, tall, f"f{A} half", "A")
    x += wide + 3 * gap
    side = c["kBoxColumns"] * scale * (0.85 if picture.narrow else 1)
    own = asked_by(c, rank)
    for box in range(c["BN"] // c["kBoxColumns"]):
        style = f"f{B}" if box in own else f"f{B} tint"
        on = "on" if box in own else "plain"
        picture.cell(x, y, side, c["BK"] * scale, style, f"B{box}", on)
        x += side + gap
    words = "dark: it asks for these," if picture.narrow else "dark: it asks for these, for both;"
    left = at[0] + wide + 3 * gap
    picture.text(left, y + c["BK"] * scale + 20, words, "soft")
    words = "tint: the other block sends them"
    picture.text(left, y + c["BK"] * scale + 40, words, "soft")
    return x


def draw(narrow=False):
    """A k tile of both blocks, and the pair's tile of C."""
    c = tile_constants(19)
    pair, boxes = c["kPair"], c["BN"] // c["kBoxColumns"]
    half = boxes // pair
    rows = pair * c["BM"]
    alone, shared = c["BM"] + c["BN"], c["BM"] + c["BN"] // pair
    picture = Picture(
        "rung_19_pair",
        482,
        f"Rung 19: each of {pair} blocks asks for {half} of {boxes} boxes of B, and both get all",
        f"a k tile of {c['BK']}: what each block finds in its stage",
        f"Rung 19. A cluster of {pair} blocks computes {rows} x {c['BN']} results, block 0 the "
        f"upper {c['BM']} rows and block 1 the lower ones. Each needs its own {c['BM']} rows of A "
        f"and the same {c['BN']} columns of B. Block 0 asks for boxes 0 to {half - 1} of B and "
        f"block 1 for the others; each box is sent to both. For each k a block asks for {shared} "
        f"elements instead of {alone}.",
        narrow,
    )
    x = EDGE if narrow else 24
    scale = 0.9 if narrow else 1.1
    y = picture.top + 20
    step = c["BM"] * scale + (44 if narrow else 32)
    right = max(draw_block(picture, (x, y + rank * step), c, rank, scale) for rank in range(pair))
    if narrow:
        y += pair * step
        words = f"For each k: {shared} elements asked for, instead of {alone}."
        y = picture.paragraph(x, y, words, "soft")
        picture.conclude(x, y + 10, f"B is read once for {rows} rows of C")
        return picture
    x = right + 60
    wide, tall = c["BN"] * scale, c["BM"] * scale
    picture.text(x, y - 10, f"their tile of C, {rows} x {c['BN']}", "strong")
    for rank in range(pair):
        style = f"f{C} half" if rank == 0 else f"f{C} tint"
        words = f"block {rank}: {c['BM']} rows"
        picture.cell(x, y + rank * tall, wide, tall, style, words)
    picture.conclude(24, y, f"for each k a block asks for {shared} elements instead of {alone}")
    return picture
