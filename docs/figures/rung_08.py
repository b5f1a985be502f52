"""Rung 08: a tile per warp, and a walk through the sums that turns at the end of a row."""

from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, tile_constants
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


def draw_warp(picture, x, y, name, lanes):
    """Lanes of a rung in C, with what they read of A at the left and of B above."""
    rows, cols = lanes
    picture.text(min(x, 976 - 190), y - 28, f"{name}: {rows} x {cols} lanes", "strong")
    draw_lanes(picture, x, y, rows, cols)
    picture.bar(x, y - 14, x + cols * LANE, y - 6, "f1")
    picture.bar(x - 14, y, x - 6, y + rows * LANE, "f0")


def draw_walk(picture, x, y, size, turning):
    """The order of a thread's multiply-adds through its rows and columns."""
    at = []
    for m in range(size):
        cols = range(size) if m % 2 == 0 or not turning else range(size - 1, -1, -1)
        at += [(x + (n + 0.5) * STEP, y + (m + 0.5) * STEP) for n in cols]
    for m in range(size):
        picture.row(x, y + m * STEP, STEP, ["f2 tint"] * size)
    picture.arrow(at[: 4 * size], "line ink", 5)


def draw(narrow=False):
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
        narrow,
    )
    left, y = hierarchy(picture, 8)
    y += 28
    x = left + (14 if narrow else 30)
    places = ((x, y), (x, y + 100) if narrow else (left + 560, y))
    for name, at, lanes in zip(("rung 07", "rung 08"), places, (before, after), strict=True):
        draw_warp(picture, *at, name, lanes)
    if narrow:
        y += 100 + after[0] * LANE - 54
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
    y = y + 206 if narrow else 366
    size = c["TN"]
    picture.text(left, y - 14, "plain rows", "strong")
    draw_walk(picture, left, y, size, turning=False)
    picture.text(left + 200, y - 14, "serpentine", "strong")
    draw_walk(picture, left + 200, y, size, turning=True)
    y += 20 + (size * STEP + 10) * narrow
    picture.lines(
        left if narrow else left + 390,
        y,
        [
            "An FFMA reads a, b and its sum from",
            "two register banks. Along a row the",
            "word of A stays; where the walk",
            "turns, the word of B does:",
            ("two fresh reads there, not three", "strong"),
        ],
        gap=24,
    )
    words = (
        f"{floats[1][0]} + {floats[1][1]} floats per k and warp instead of "
        f"{floats[0][0]} + {floats[0][1]}"
    )
    picture.conclude(left, y + 24 * 5 + 12, words)
    return picture
