"""From a grid to a lane: rung 02 at 1024."""

from bench.rungs import rung_of
from docs.figures.shapes import EDGE, Picture, card
from docs.report.wavefronts import LANES

SIZE = 1024
BLOCKS_PER_SM = 2
SIDE = 160
TOP = 128


def draw(narrow=False):
    """Grid, SM, block, warp and lane, left to right."""
    c, of_card = rung_of(2).values(), card()
    cols, rows = SIZE // c["BN"], SIZE // c["BM"]
    blocks, threads = rows * cols, c["BM"] * c["BN"]
    warps = threads // LANES
    at_once = BLOCKS_PER_SM * of_card["sms"]
    assert BLOCKS_PER_SM == of_card["max_threads_per_sm"] // threads
    picture = Picture(
        "kernel_launch",
        450,
        f"{blocks} blocks, {blocks * threads:,} threads: who runs where",
        f"rung 02 at M = N = K = {SIZE} on an H200: launch grid ({cols}, {rows}), block "
        f"({c['BN']}, {c['BM']})",
        f"Rung 02 at {SIZE}. The grid has {cols} x {rows} = {blocks} blocks. Each of "
        f"{of_card['sms']} SMs holds {BLOCKS_PER_SM} blocks of {threads} threads at a time, as it "
        f"has room for {of_card['max_threads_per_sm']} threads: {at_once} blocks run at once, "
        f"{blocks / at_once:.1f} waves. A block is {warps} warps of {LANES} lanes; a warp computes "
        f"a row of {LANES} elements of C, and a lane one element.",
        narrow,
    )
    xs, tops = (24, 262, 478, 716), (TOP,) * 4
    if narrow:
        first = picture.top + 30
        xs, tops = (EDGE, 240) * 2, (first, first, first + 300, first + 300)
    for x, top, words in zip(xs, tops, ("grid", "SM", "block", "warp"), strict=True):
        picture.text(x, top - 28, words, "large")
    x, top = xs[0], tops[0]
    cell = SIDE / cols
    picture.bar(x, top, x + SIDE, top + SIDE, "f2 tint")
    full_rows, rest = divmod(at_once, cols)
    picture.bar(x, top, x + SIDE, top + full_rows * cell, "f2 half")
    picture.bar(x, top + full_rows * cell, x + rest * cell, top + (full_rows + 1) * cell, "f2 half")
    for i in range(1, cols):
        picture.line([(x + i * cell, top), (x + i * cell, top + SIDE)], "edge")
        picture.line([(x, top + i * cell), (x + SIDE, top + i * cell)], "edge")
    picture.lines(
        x,
        top + SIDE + 28,
        [
            (f"{cols} x {rows} blocks", "strong"),
            f"marked: the first {at_once},",
            "which run at once",
        ],
    )
    x, top = xs[1], tops[1]
    for i in range(BLOCKS_PER_SM):
        picture.cell(x, top + 62 * i, 130, 56, "f2 half", "a block")
    picture.frame(x - 8, top - 8, 146, 134)
    picture.text(x, top + 152, "...", "strong")
    picture.lines(
        x,
        top + SIDE + 28,
        [
            (f"{BLOCKS_PER_SM} blocks on each", "strong"),
            f"{of_card['sms']} SMs, each with room",
            f"for {of_card['max_threads_per_sm']} threads",
        ],
    )
    x, top = xs[2], tops[2]
    for warp in range(warps):
        style = "f2" if warp == 0 else "f2 tint"
        picture.cell(x, top + warp * SIDE / warps, SIDE, SIDE / warps, style)
    picture.lines(
        x,
        top + SIDE + 28,
        [
            (f"{warps} warps", "strong"),
            f"{c['BN']} x {c['BM']} threads,",
            "a row of them is a warp",
        ],
    )
    x, top = xs[3], tops[3]
    cell = 24 if narrow else 30
    for row in range(LANES // 8):
        lanes = range(row * 8, row * 8 + 8)
        styles = ["f2" if lane == 0 else "f2 tint" for lane in lanes]
        picture.row(x, top + row * cell, cell, styles, lanes)
    picture.lines(
        x,
        top + SIDE + 28,
        [
            (f"{LANES} lanes, one instruction", "strong"),
            "a row of C, drawn here in 4",
            "lines; a lane: one element",
        ],
    )
    if narrow:
        ways = (((EDGE + SIDE + 6, 226), tops[0]), ((EDGE + SIDE + 6, 234), tops[2]))
    else:
        ways = tuple((ends, TOP) for ends in ((190, 246), (406, 470), (644, 708)))
    for (begin, end), top in ways:
        picture.arrow([(begin, top + 60), (end, top + 60)], "axis", 5)
    if narrow:
        turn = tops[2] - 50
        picture.line([(xs[1] + 66, tops[1] + 240), (xs[1] + 66, turn)], "axis")
        picture.arrow([(xs[1] + 66, turn), (90, turn), (90, tops[2] - 12)], "axis", 5)
    words = f"{blocks} blocks / {at_once} at once = {blocks / at_once:.1f} waves"
    picture.conclude(xs[0], tops[2] + SIDE + 112, words)
    return picture
