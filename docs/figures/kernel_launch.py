"""From a grid to a lane: rung 02 at 1024."""

from bench.rungs import rung_of
from docs.figures.shapes import Picture, card
from docs.report.wavefronts import LANES

SIZE = 1024
BLOCKS_PER_SM = 2
SIDE = 160
TOP = 128


def draw():
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
    )
    x = 24
    picture.text(x, 100, "grid", "large")
    cell = SIDE / cols
    picture.bar(x, TOP, x + SIDE, TOP + SIDE, "f2 tint")
    full_rows, rest = divmod(at_once, cols)
    picture.bar(x, TOP, x + SIDE, TOP + full_rows * cell, "f2 half")
    picture.bar(x, TOP + full_rows * cell, x + rest * cell, TOP + (full_rows + 1) * cell, "f2 half")
    for i in range(1, cols):
        picture.line([(x + i * cell, TOP), (x + i * cell, TOP + SIDE)], "edge")
        picture.line([(x, TOP + i * cell), (x + SIDE, TOP + i * cell)], "edge")
    picture.lines(
        x,
        TOP + SIDE + 28,
        [
            (f"{cols} x {rows} blocks", "strong"),
            f"marked: the first {at_once},",
            "which run at once",
        ],
    )
    x = 262
    picture.text(x, 100, "SM", "large")
    for i in range(BLOCKS_PER_SM):
        picture.cell(x, TOP + 62 * i, 130, 56, "f2 half", "a block")
    picture.frame(x - 8, TOP - 8, 146, 134)
    picture.text(x, TOP + 152, "...", "strong")
    picture.lines(
        x,
        TOP + SIDE + 28,
        [
            (f"{BLOCKS_PER_SM} blocks on each", "strong"),
            f"{of_card['sms']} SMs, each with room",
            f"for {of_card['max_threads_per_sm']} threads",
        ],
    )
    x = 478
    picture.text(x, 100, "block", "large")
    for warp in range(warps):
        style = "f2" if warp == 0 else "f2 tint"
        picture.cell(x, TOP + warp * SIDE / warps, SIDE, SIDE / warps, style)
    picture.lines(
        x,
        TOP + SIDE + 28,
        [
            (f"{warps} warps", "strong"),
            f"{c['BN']} x {c['BM']} threads,",
            "a row of them is a warp",
        ],
    )
    x = 716
    picture.text(x, 100, "warp", "large")
    cell = 30
    for row in range(LANES // 8):
        lanes = range(row * 8, row * 8 + 8)
        styles = ["f2" if lane == 0 else "f2 tint" for lane in lanes]
        picture.row(x, TOP + row * cell, cell, styles, lanes)
    picture.lines(
        x,
        TOP + SIDE + 28,
        [
            (f"{LANES} lanes, one instruction", "strong"),
            "a row of C, drawn here in 4",
            "lines; a lane: one element",
        ],
    )
    for begin, end in ((190, 246), (406, 470), (644, 708)):
        picture.arrow([(begin, TOP + 60), (end, TOP + 60)], "axis", 5)
    picture.text(
        24,
        picture.height - 24,
        f"{blocks} blocks / {at_once} at once = {blocks / at_once:.1f} waves",
        "large",
    )
    return picture
