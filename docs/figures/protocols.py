"""The three ways to time: what is a launch, what is rest, and what is a sample."""

from docs.figures.shapes import WORK, A, B, C, Picture

LEFT, UNIT, HEIGHT = 150, 22, 30


def draw_parts(picture, y, parts):
    """Boxes in a row: (units, style, words)."""
    x = LEFT
    for units, style, words in parts:
        picture.cell(x, y, units * UNIT, HEIGHT, style, words)
        x += units * UNIT


def draw():
    """Burst, sustained and graph as rows of boxes; not to scale."""
    picture = Picture(
        "protocols",
        350,
        "Three protocols: burst, sustained, graph",
        "time from left to right, not to scale",
        "Burst: 250 ms of rest, a warm-up, ten launches timed together; five rounds. Sustained: a "
        "second to heat up, then windows of 50 ms one after the other. Graph: a launch for each "
        "set of buffers, replayed as one CUDA graph without the host in between.",
    )
    rest, warm, timed = "soft-fill", f"f{B} tint", f"f{WORK}"
    launches = [(1, timed, "")] * 10
    rows = (
        (
            "burst",
            [(8, rest, "250 ms of rest"), (4, warm, "warm-up"), *launches],
            12,
            22,
            "a sample: 10 launches, divided by 10",
        ),
        (
            "sustained",
            [(12, warm, "1 s to heat up"), (6, timed, ""), (6, timed, ""), (6, timed, "")],
            12,
            18,
            "a sample: a window of 50 ms",
        ),
        (
            "graph",
            [(4, warm, "warm-up"), *[(1, f"f{c}", "") for c in (A, C, A, C) * 5]],
            4,
            24,
            "a sample: one launch per set of buffers, 20 or more",
        ),
    )
    for i, (name, parts, first, last, words) in enumerate(rows):
        y = 96 + 84 * i
        picture.text(LEFT - 14, y + 20, name, "strong", "end")
        draw_parts(picture, y, parts)
        picture.bracket(LEFT + first * UNIT, LEFT + last * UNIT, y + HEIGHT + 8, words, below=True)
    return picture
