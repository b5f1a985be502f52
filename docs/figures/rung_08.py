"""Rung 08: a tile per warp, and a walk through the sums that turns at the end of a row."""

from docs.figures.shapes import Picture
from docs.figures.tiles import RIGHT, hierarchy, tile_constants
from docs.report.by_hand import lane_wavefronts

LANE = 24
STEP = 20  # of a walk


def draw_lanes(picture, x, y, rows, cols):
    """Lanes as they lie in C; the first quarter of the warp is marked. Returns the bottom."""
    for row in range(rows):
        lanes = range(row * cols, (row + 1) * cols)
        styles = ["f2 half" if lane < 8 else "f2 tint" for lane in lanes]
        picture.row(x, y + row * LANE, LANE, styles, lanes)
    return y + rows * LANE


def draw_walk(picture, x, y, size, turning):
    """The order of a thread's multiply-adds through its rows and columns."""
    at = []
    for m in range(size):
        cols = range(size) if m % 2 == 0 or not turning else range(size - 1, -1, -1)
        at += [(x + (n + 0.5) * STEP, y + (m + 0.5) * STEP) for n in cols]
    for m in range(size):
        picture.row(x, y + m * STEP, STEP, ["f2 tint"] * size)
    picture.arrow(at[: 4 * size], "line ink", 5)


def draw():
    """Lanes of rungs 07 and 08, and two walks."""
    c, below = tile_constants(8), tile_constants(7)
    before = (32 * below["TN"] // below["BN"], below["BN"] // below["TN"])
    after = (c["WM"] // c["TM"], c["WN"] // c["TN"])
    floats = [
        (rows * c["TM"], cols * c["TN"], *lane_wavefronts(cols)) for rows, cols in (before, after)
    ]
    loads = (c["TM"] // 4, c["TN"] // 4)
    sums = [loads[0] * of_a + loads[1] * of_b for _, _, of_a, of_b in floats]
    picture = Picture(
        "rung_08",
        600,
        "Rung 08: a warp's lanes form a tile that is nearly square",
        "lanes of a warp as they lie in C, and the order of a lane's multiply-adds",
        f"Rung 08. In rung 07 the 32 lanes of a warp lie in {before[0]} rows of {before[1]} and "
        f"need {floats[0][0]} floats of A and {floats[0][1]} of B per k. In {after[0]} rows of "
        f"{after[1]} they need {floats[1][0]} + {floats[1][1]}. Wavefronts stay {sums[1]} per k, "
        "as a load of B, 16 bytes a lane, is served quarter by quarter. The multiply-adds of a "
        "thread follow a serpentine, so that at each turn the word of B is still at hand.",
    )
    hierarchy(picture, 8)
    x, y = RIGHT + 30, 122
    names = ("rung 07", "rung 08")
    places = ((x, y), (RIGHT + 560, y))
    for name, (left, top), (rows, cols) in zip(names, places, (before, after), strict=True):
        at = min(left, 976 - 190)
        picture.text(at, top - 28, f"{name}: {rows} x {cols} lanes", "strong")
        draw_lanes(picture, left, top, rows, cols)
        picture.bar(left, top - 14, left + cols * LANE, top - 6, "f1")
        picture.bar(left - 14, top, left - 6, top + rows * LANE, "f0")
    picture.lines(
        x - 14,
        y + 84,
        [
            (f"rung 07: {floats[0][0]} floats of A, {floats[0][1]} of B per k", ""),
            (f"rung 08: {floats[1][0]} floats of A, {floats[1][1]} of B per k", "strong"),
            (f"{sums[0]} and {sums[1]} wavefronts: a load of B, 16 bytes, is", "soft"),
            ("served by quarters; lanes 0-7 are the first", "soft"),
        ],
    )
    y = 366
    size = c["TN"]
    picture.text(RIGHT, y - 14, "plain rows", "strong")
    draw_walk(picture, RIGHT, y, size, turning=False)
    picture.text(RIGHT + 200, y - 14, "serpentine", "strong")
    draw_walk(picture, RIGHT + 200, y, size, turning=True)
    picture.lines(
        RIGHT + 390,
        y + 20,
        [
            "An FFMA reads a, b and its sum from",
            "two register banks. Along a row the",
            "word of A stays; where the walk",
            "turns, the word of B does:",
            ("two fresh reads there, not three", "strong"),
        ],
        gap=24,
    )
    picture.text(
        RIGHT,
        picture.height - 24,
        f"{floats[1][0]} + {floats[1][1]} floats per k and warp instead of "
        f"{floats[0][0]} + {floats[0][1]}",
        "large",
    )
    return picture
