"""Rung 23: a number as the sum of parts, and the order of their products in a chunk of K."""

from docs.figures.shapes import EDGE, A, B, Picture
from docs.figures.tiles import tile_constants

SUMS = "f2"
PARTS = (("hi", 11), ("lo", 11))  # of FP16, with their significant bits
TALL = 30


def draw_number(picture, x, y, width):
    """24 bits of FP32, and what two parts hold of them."""
    bit = width / 24
    picture.cell(x, y, width, TALL, f"f{A} tint", "24 bits of FP32")
    at = x
    for name, bits in PARTS:
        picture.cell(at, y + TALL + 8, bits * bit, TALL, f"f{A}", f"{name}, {bits} bits", "on")
        at += bits * bit
    return y + 2 * TALL + 8


def passes(c):
    """[(words, how many of the chunk's widths)] of a chunk, small products first."""
    return [("lo of A x hi of B", B), ("hi of A x lo of B", B), ("hi x hi", A)]


def draw_chunk(picture, x, y, width, c):
    """The products of a chunk one after the other, and what leaves the tensor cores."""
    each = width / 3.6
    at = x
    for i, (words, color) in enumerate(passes(c)):
        shown = words[:7] if picture.narrow else words
        picture.cell(at, y, each, TALL, f"f{color} tint", shown)
        at += each
        if i > 0:
            picture.cell(at, y, 0.3 * each, TALL, SUMS, "+", "on")
            at += 0.3 * each
    return y + TALL


def draw(narrow=False):
    """Bits, and a chunk."""
    c = tile_constants(23)
    picture = Picture(
        "rung_23",
        330,
        "Rung 23: a number is the sum of parts, and small products come first",
        f"a chunk is {c['CHUNK']} of K; not to scale",
        f"Rung 23. An FP32 number of 24 bits is the sum of two FP16 numbers of 11 bits, hi and lo. "
        f"For each {c['CHUNK']} of K the tensor cores compute lo of A times hi of B, hi of A times "
        "lo of B, add these to the totals, then compute hi times hi and add that.",
        narrow,
    )
    left, width = picture.extent(EDGE if narrow else 24, 0)
    y = draw_number(picture, left, picture.top + 20, width - left if narrow else 640)
    y = draw_chunk(picture, left, y + 34, width - left if narrow else 640, c)
    y = picture.legend(left, y + 30, [(SUMS, "FP32 instructions add the sums to totals")])
    picture.conclude(left, y + 20, "no sum stays in the tensor cores for longer than a chunk")
    return picture
