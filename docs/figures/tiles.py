"""The left column of a rung's figure: C in block tiles, and whose results a block tile holds."""

from bench.rungs import rung_of
from docs.figures.shapes import Picture
from docs.report.wavefronts import LANES

EXTENT = 1024  # of the matrix that is drawn
LEFT, SIDE, BLOCK_SIDE = 24, 130, 170
RIGHT = 308  # where the idea of the rung begins


def tile_constants(rung):
    """Constants of a rung; a thread that computes one result has TM = TN = 1."""
    return {"TM": 1, "TN": 1, **rung_of(rung).values()}


def results_of(rung, lane):
    """(rows, columns) of the block tile that a lane of warp 0 computes."""
    c, name = tile_constants(rung), rung_of(rung).name
    if name == "naive":
        return [lane], [0]
    if c["TM"] * c["TN"] == 1:
        return [0], [lane]
    warp_m, warp_n = c.get("WM", c["BM"]), c.get("WN", c["BN"])
    lane_rows, lane_cols = warp_m // c["TM"], warp_n // c["TN"]
    row, col = lane // lane_cols, lane % lane_cols
    if name == "register_tile":  # words apart; above they stand together, for float4
        return (
            [row + m * lane_rows for m in range(c["TM"])],
            [col + n * lane_cols for n in range(c["TN"])],
        )
    return (
        [row * 4 + m // 4 * 4 * lane_rows + m % 4 for m in range(c["TM"])],
        [col * 4 + n // 4 * 4 * lane_cols + n % 4 for n in range(c["TN"])],
    )


def runs(numbers):
    """[(first, last + 1)] of whole numbers that follow each other."""
    found = []
    for at in sorted(set(numbers)):
        if found and found[-1][1] == at:
            found[-1][1] = at + 1
        else:
            found.append([at, at + 1])
    return found


def paint(picture, x, y, scale, rows, cols, style):
    """The elements where rows and columns meet."""
    for top, bottom in runs(rows):
        for left, right in runs(cols):
            picture.bar(
                x + left * scale, y + top * scale, x + right * scale, y + bottom * scale, style
            )


def warp_results(rung):
    """(rows, columns) of the block tile that warp 0 computes."""
    lanes = [results_of(rung, lane) for lane in range(LANES)]
    return ({row for rows, _ in lanes for row in rows}, {col for _, cols in lanes for col in cols})


def hierarchy(picture: Picture, rung):
    """C in block tiles and a block tile with warp 0 and its lane 0, each to scale."""
    c = tile_constants(rung)
    rows_of_tiles, cols_of_tiles = EXTENT // c["BM"], EXTENT // c["BN"]
    top, scale = 104, SIDE / EXTENT
    picture.text(LEFT, 94, f"C, {EXTENT} x {EXTENT}", "strong")
    picture.bar(LEFT, top, LEFT + SIDE, top + SIDE, "f2 tint")
    for i in range(1, rows_of_tiles):
        y = top + i * c["BM"] * scale
        picture.line([(LEFT, y), (LEFT + SIDE, y)], "edge")
    for j in range(1, cols_of_tiles):
        x = LEFT + j * c["BN"] * scale
        picture.line([(x, top), (x, top + SIDE)], "edge")
    tile_right, tile_bottom = LEFT + c["BN"] * scale, top + c["BM"] * scale
    picture.bar(LEFT, top, tile_right, tile_bottom, "f2")
    picture.lines(
        LEFT + SIDE + 12, top + 14, [f"{rows_of_tiles} x {cols_of_tiles}", "block", "tiles"], "soft"
    )
    block_top = top + SIDE + 48
    scale = BLOCK_SIDE / max(c["BM"], c["BN"])
    right, bottom = LEFT + c["BN"] * scale, block_top + c["BM"] * scale
    picture.line([(LEFT, tile_bottom), (LEFT, block_top)], "lead")
    picture.line([(tile_right, tile_bottom), (right, block_top)], "lead")
    picture.text(LEFT + 8, block_top - 10, f"block tile, {c['BM']} x {c['BN']}", "strong")
    picture.bar(LEFT, block_top, right, bottom, "f2 tint")
    if "WM" in c:
        for m in range(c["WM"], c["BM"], c["WM"]):
            y = block_top + m * scale
            picture.line([(LEFT, y), (right, y)], "edge")
        for n in range(c["WN"], c["BN"], c["WN"]):
            x = LEFT + n * scale
            picture.line([(x, block_top), (x, bottom)], "edge")
    paint(picture, LEFT, block_top, scale, *warp_results(rung), "f2 half")
    paint(picture, LEFT, block_top, scale, *results_of(rung, 0), "f2")
    rows, cols = warp_results(rung)
    picture.legend(LEFT, bottom + 28, [("f2 half", f"warp 0: {len(rows)} x {len(cols)}")])
    picture.legend(LEFT, bottom + 52, [("f2", f"its lane 0: {c['TM']} x {c['TN']}")])
    picture.line([(RIGHT - 22, 84), (RIGHT - 22, picture.height - 24)], "rule")
    return bottom + 52
