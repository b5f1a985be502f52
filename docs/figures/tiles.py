"""The left column of a rung's figure: C in block tiles, and whose results a block tile holds."""

from bench.rungs import rung_of
from docs.figures.shapes import EDGE, Picture
from docs.report.wavefronts import LANES

EXTENT = 1024  # of the matrix that is drawn
LEFT, SIDE, BLOCK_SIDE = 24, 130, 170
NARROW_SIDE, NARROW_BLOCK = 110, 216  # pixels of both squares, and where the second begins
RIGHT = 308  # where the idea of the rung begins


def by_mma(rung):
    """Whether warps multiply, and not threads: such a rung has warp tiles and no thread tiles."""
    c = rung_of(rung).values()
    return "WM" in c and "TM" not in c


def tile_constants(rung):
    """Constants of a rung; a thread that computes one result has TM = TN = 1.

    An mma leaves each lane a row in 8 and two columns in 8 of its sums.
    """
    c = {"TM": 1, "TN": 1, **rung_of(rung).values()}
    return {**c, "TM": c["WM"] // 8, "TN": c["WN"] // 4} if by_mma(rung) else c


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
    if by_mma(rung):
        return (
            [m * lane_rows + row for m in range(c["TM"])],
            [n // 2 * 2 * lane_cols + col * 2 + n % 2 for n in range(c["TN"])],
        )
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


def draw_tiles(picture, x, y, side, c):
    """C in block tiles. Returns right and bottom of the first one."""
    scale = side / EXTENT
    picture.text(x, y - 10, f"C, {EXTENT} x {EXTENT}", "strong")
    picture.bar(x, y, x + side, y + side, "f2 tint")
    for i in range(1, EXTENT // c["BM"]):
        at = y + i * c["BM"] * scale
        picture.line([(x, at), (x + side, at)], "edge")
    for j in range(1, EXTENT // c["BN"]):
        at = x + j * c["BN"] * scale
        picture.line([(at, y), (at, y + side)], "edge")
    right, bottom = x + c["BN"] * scale, y + c["BM"] * scale
    picture.bar(x, y, right, bottom, "f2")
    return right, bottom


def draw_block(picture, x, y, scale, rung):
    """A block tile with warp 0 and its lane 0."""
    c = tile_constants(rung)
    right, bottom = x + c["BN"] * scale, y + c["BM"] * scale
    picture.bar(x, y, right, bottom, "f2 tint")
    if "WM" in c:
        for m in range(c["WM"], c["BM"], c["WM"]):
            at = y + m * scale
            picture.line([(x, at), (right, at)], "edge")
        for n in range(c["WN"], c["BN"], c["WN"]):
            at = x + n * scale
            picture.line([(at, y), (at, bottom)], "edge")
    paint(picture, x, y, scale, *warp_results(rung), "f2 half")
    paint(picture, x, y, scale, *results_of(rung, 0), "f2")
    rows, cols = warp_results(rung)
    picture.legend(x, bottom + 28, [("f2 half", f"warp 0: {len(rows)} x {len(cols)}")])
    picture.legend(x, bottom + 52, [("f2", f"its lane 0: {c['TM']} x {c['TN']}")])


def hierarchy(picture: Picture, rung):
    """C in block tiles and a block tile with warp 0 and its lane 0, each to scale.

    Returns where the idea of the rung begins: at the right, or in a narrow picture below.
    """
    c = tile_constants(rung)
    words = f"{EXTENT // c['BM']} x {EXTENT // c['BN']}", "block", "tiles"
    left, top = (EDGE if picture.narrow else LEFT), picture.top + 10
    side, block_side = (NARROW_SIDE,) * 2 if picture.narrow else (SIDE, BLOCK_SIDE)
    scale = block_side / max(c["BM"], c["BN"])
    right, bottom = draw_tiles(picture, left, top, side, c)
    block = f"block tile, {c['BM']} x {c['BN']}"
    if picture.narrow:
        x, y = NARROW_BLOCK, top + c["BM"] * scale
        picture.text(left, top + side + 18, " ".join(words), "soft")
        picture.line([(right, top), (x, top)], "lead")
        picture.line([(right, bottom), (x, y)], "lead")
        picture.text(x, top - 10, block, "strong")
        draw_block(picture, x, top, scale, rung)
        y = max(y + 52, top + side + 18) + 16
        picture.line([(left, y), (picture.width - EDGE, y)], "rule")
        return EDGE, y + 30
    picture.lines(left + side + 12, top + 14, words, "soft")
    y = top + side + 48
    picture.line([(left, bottom), (left, y)], "lead")
    picture.line([(right, bottom), (left + c["BN"] * scale, y)], "lead")
    picture.text(left + 8, y - 10, block, "strong")
    draw_block(picture, left, y, scale, rung)
    picture.line([(RIGHT - 22, 84), (RIGHT - 22, picture.height - 24)], "rule")
    return RIGHT, picture.top
