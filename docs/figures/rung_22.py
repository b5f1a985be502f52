"""Rung 22: what a consumer warpgroup does between two tiles: in rung 20 and here."""

from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants
from docs.figures.timeline import WORKING, Timeline

TILES, K_TILES = 2, 6  # that are drawn: tiles of C, and of A and B for each
MULTIPLY, BOX, PACK = 2.0, 0.9, 0.6  # units: a k tile, a box of results is stored, all are packed
LEAVING, PACKING = "f2", "f2 tint"


def at_the_end(boxes):
    """([(begin, end)] of k tiles, of boxes, of packing) of rung 20: one after the other."""
    products, leaving, now = [], [], 0.0
    for _ in range(TILES):
        for _ in range(K_TILES):
            products.append((now, now + MULTIPLY))
            now += MULTIPLY
        for _ in range(boxes):
            leaving.append((now, now + BOX))
            now += BOX
    return products, leaving, []


def under_the_next(boxes):
    """The same of rung 22: a box leaves while a k tile of the next tile is multiplied."""
    products, leaving, packing, now = [], [], [], 0.0
    for tile in range(TILES):
        for k_tile in range(K_TILES):
            products.append((now, now + MULTIPLY))
            if tile > 0 and k_tile < boxes:
                leaving.append((now + 0.2, now + 0.2 + BOX))
            now += MULTIPLY
        packing.append((now, now + PACK))
        now += PACK
    leaving += [(now + box * BOX, now + (box + 1) * BOX) for box in range(boxes)]
    return products, leaving, packing


def draw_rung(picture, time, y, words, work):
    """What tensor cores do for the warpgroup, and what its threads do."""
    products, leaving, packing = work
    wide = not picture.narrow
    picture.text(EDGE if picture.narrow else 24, y - 12, words, "strong")
    bars = [
        (*span, WORKING, f"{'k ' if wide else ''}{number % K_TILES}")
        for number, span in enumerate(products)
    ]
    time.row(y, "products" if wide else "wgmma", bars)
    bars = [
        (*span, LEAVING, f"{number % (len(leaving) // TILES)}" if wide else "")
        for number, span in enumerate(leaving)
    ]
    bars += [(*span, PACKING, "") for span in packing]
    time.row(y + 32, "threads", bars)
    return y + 62


def draw(narrow=False):
    """Two timelines over the same time."""
    c = tile_constants(22)
    boxes = c["BM"] // c["BOX"]
    before, after = at_the_end(boxes), under_the_next(boxes)
    gap, left_over = boxes * BOX, PACK
    picture = Picture(
        "rung_22",
        392,
        "Rung 22: results leave while the next tile is multiplied",
        f"one consumer warpgroup, {TILES} tiles of {K_TILES} k tiles; time to the right, in units "
        "of the drawing; on a GPU a tile has far more k tiles",
        f"What tensor cores do for one warpgroup, and what its threads do, over time. In rung 20 "
        f"the warpgroup stores {boxes} boxes of results after the last k tile, and nothing is "
        f"multiplied for it meanwhile. In rung 22 it only packs its sums. Each of the first "
        f"{boxes} k tiles of the next tile is multiplied while a box leaves. Only the boxes of the "
        f"last tile leave with nothing above them.",
        narrow,
    )
    left, right = (EDGE + 66, 460 - EDGE) if narrow else (112, 960)
    time = Timeline(picture, left, right, max(span[1] for span in before[1] + after[1]))
    y = picture.top + 24
    y = draw_rung(picture, time, y, "rung 20: results leave at the end of a tile", before)
    y = draw_rung(picture, time, y + 44, "rung 22: they leave under the next tile", after)
    entries = [(WORKING, "a k tile"), (LEAVING, "a box leaves"), (PACKING, "sums are packed")]
    y = picture.legend(EDGE if narrow else left, y + 34, entries)
    words = (
        f"without products between two tiles: {gap:.1f} units in rung 20, {left_over:.1f} in "
        "rung 22"
    )
    picture.conclude(EDGE if narrow else 24, y + 8 if narrow else 0, words)
    return picture
