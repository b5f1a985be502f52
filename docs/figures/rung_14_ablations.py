"""Rung 14: how much faster it is without one of its parts, measured and counted."""

from docs.figures.shapes import EDGE, Picture
from docs.report.page_blocks.ablations import machine_code, timed
from docs.report.recorded import SIZE, provenance

SHOWN = (  # copies of bench/benchmark/ablations.py that take one part away, and what to call it
    ("14_whole_tiles", "splitting along K"),
    ("14_c_not_stored", "storing C"),
    ("14_boxes_only", "loading and storing A"),
    ("14_a_only", "boxes of B"),
    ("14_idle_producers", "loading and storing A, and boxes of B"),
    ("14_operands_stay", "reading operands from shared memory"),
    ("14_arithmetic_only", "all but the splitting: only FFMAs are left"),
)
ZERO, PIXELS = 500, 24  # pixels: no change, and a percent
STEP = 44


def gains():
    """[(words, percent measured, percent that the counted cycles predict)]"""
    codes, _ = machine_code()
    times = {entry["name"]: entry for entry in timed(14, SIZE)}
    whole = codes["14_unchanged"]["cycles_per_ffma"]
    return [
        (
            words,
            100 * (times[name]["ratio_to_unchanged"] - 1),
            100 * (whole / codes[name]["cycles_per_ffma"] - 1),
        )
        for name, words in SHOWN
    ]


def draw(narrow=False):
    """A bar for each part, and a mark where the machine code predicts its end."""
    found = gains()
    said = "; ".join(
        f"{words}: {measured:+.1f} %, counted {counted:+.1f} %"
        for words, measured, counted in found
    )
    picture = Picture(
        "rung_14_ablations",
        136 + STEP * len(found) + 40,
        f"What a part of the 128 x 256 kernel costs at {SIZE}: take it away and time the rest",
        provenance("ablations.json"),
        f"Speed gained at {SIZE} without a part of the kernel. {said}.",
        narrow,
    )
    left, zero, pixels = (EDGE, 120, 20) if narrow else (24, ZERO, PIXELS)
    y, step = picture.top + 2, 62 if narrow else STEP
    picture.text(left, y, "taken away, and faster by" if narrow else "taken away", "strong")
    if not narrow:
        picture.text(zero, y, "faster by", "strong", "middle")
    for i, (words, measured, counted) in enumerate(found):
        top = y + 18 + i * step
        picture.text(left, top + (10 if narrow else 20), words)
        top += 18 * narrow
        end = zero + measured * pixels
        style = "f3" if measured > 0 else "f1"
        picture.bar(min(zero, end), top + 2, max(zero, end), top + 28, style)
        at = zero + counted * pixels
        picture.line([(at, top - 3), (at, top + 33)], "line ink")
        picture.text(max(zero, end, at) + 12, top + 20, f"{measured:+.1f} %", "strong")
    bottom = y + 18 + step * len(found)
    entries = [("f3", "faster without it"), ("f1", "slower without it")]
    if narrow:
        end = picture.legend(left, bottom + 26, entries)
        picture.line([(left + 6, end - 16), (left + 6, end + 6)], "line ink")
        words = "predicted from the machine code's cycles per FFMA"
        picture.height = picture.paragraph(left + 21, end, words) - 4
        return picture
    picture.line([(zero, y + 10), (zero, bottom - 6)], "axis")
    x = picture.legend(24, bottom + 26, entries)
    picture.line([(x + 6, bottom + 10), (x + 6, bottom + 32)], "line ink")
    picture.text(x + 18, bottom + 26, "predicted from the machine code's cycles per FFMA")
    return picture
