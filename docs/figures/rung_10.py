"""Rung 10: 8 x 16 results per thread, and the registers that hold them."""

from bench.rungs import rung_of
from docs.figures.shapes import Picture, text_width
from docs.figures.tiles import hierarchy, tile_constants

CELL, NARROW_CELL, TALL = 37, 24.4, 24  # a product
REGISTERS = 65536  # of an SM
MOST = 255  # that a thread can have


def budget(rung, sets):
    """(sums, words of operands in `sets` sets, the most registers that a thread can have)"""
    c = tile_constants(rung)
    kernel = rung_of(rung).kernels[0]
    room = min(MOST, REGISTERS // (kernel["threads"] * kernel["blocks_per_sm"]))
    return c["TM"] * c["TN"], sets * (c["TM"] + c["TN"]), room


def draw_tile(picture, x, y, tm, tn, before):
    """A thread's words of A and B around its results; those that rung 09 has are darker."""
    cell = NARROW_CELL if picture.narrow else CELL
    for n in range(tn):
        word = f"b{n}" if text_width(f"b{n}") <= cell else str(n)
        picture.cell(x + (n + 1) * cell + 6, y, cell, TALL, "f1", word, "on")
    for m in range(tm):
        top = y + (m + 1) * TALL + 6
        picture.cell(x, top, cell, TALL, "f0", f"a{m}", "on")
        styles = ["f2 half" if n < before else "f2 tint" for n in range(tn)]
        picture.row(x + cell + 6, top, cell, styles, height=TALL)
    return y + (tm + 1) * TALL + 6


def draw_registers(picture, x, y, rung, sets):
    """A thread's registers as a bar of the right length."""
    sums, operands, room = budget(rung, sets)
    left, scale = x + 80, (348 if picture.narrow else 560) / MOST
    picture.text(left - 12, y + 19, f"rung {rung:02}", "strong", "end")
    rest = room - sums - operands
    picture.cell(left, y, sums * scale, 28, "f2 half", f"{sums} sums")
    at = left + sums * scale
    picture.cell(at, y, operands * scale, 28, "f0 tint", f"{operands}")
    picture.cell(at + operands * scale, y, rest * scale, 28, "soft-fill", f"{rest}")
    return left + room * scale


def draw(narrow=False):
    """The thread tile and its registers."""
    c, below = tile_constants(10), tile_constants(9)
    tm, tn = c["TM"], c["TN"]
    (sums, operands, room), (sums_below, operands_below, room_below) = budget(10, 2), budget(9, 1)
    per = [(t["TM"] + t["TN"]) / (t["TM"] * t["TN"]) for t in (below, c)]
    picture = Picture(
        "rung_10",
        560,
        f"Rung 10: {tm} + {tn} words from shared memory serve {tm * tn} multiply-adds",
        "what one thread reads and multiplies for one k, and its registers",
        f"Rung 10. A thread computes {tm} x {tn} results instead of {below['TM']} x "
        f"{below['TN']}: for each k it reads {tm + tn} words for {tm * tn} multiply-adds, "
        f"{per[1]:.4g} words each instead of {per[0]:.4g}. With one block on an SM it may have "
        f"{room} registers, not {room_below}: {sums} for sums and {operands} for two sets of "
        f"operands, so that the next k is read while this one is multiplied. Rung 09 has "
        f"{sums_below} sums and {operands_below} words of operands.",
        narrow,
    )
    left, y = hierarchy(picture, 10)
    bottom = draw_tile(picture, left, y - 2 - 16 * narrow, tm, tn, below["TN"])
    end = picture.legend(
        left,
        bottom + 28,
        [
            ("f2 half", f"results of a thread in rung 09: {below['TM']} x {below['TN']}"),
            ("f2 tint", f"in rung 10 as well: {tm} x {tn}"),
        ],
    )
    y = end + 34 if narrow else bottom + 82
    picture.text(left, y - 16, "registers of a thread", "strong")
    end = draw_registers(picture, left, y, 9, 1)
    blocks_below = rung_of(9).kernels[0]["blocks_per_sm"]
    words = f"{blocks_below} blocks on an SM: {room_below}"
    picture.text(*((left + 80, y + 46) if narrow else (end + 10, y + 19)), words, "soft")
    y += 18 * narrow
    draw_registers(picture, left, y + 42, 10, 2)
    last = f"addresses and all else; one block on an SM: {room}"
    if narrow:
        y += 18
        picture.text(left + 80, y + 70, last.split("; ")[1], "soft")
        last = last.split("; ")[0]
    end = picture.legend(
        left, y + 106, [("f0 tint", "operands; in rung 10 of two k"), ("soft-fill", last)]
    )
    words = f"{per[1]:.4g} words per multiply-add instead of {per[0]:.4g}"
    picture.conclude(left, end + 14, words)
    return picture
