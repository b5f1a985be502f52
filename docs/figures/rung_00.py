"""Rung 00: what the library reaches, below the roofs of the FP32 units."""

from docs.figures.shapes import EDGE, Picture, card, text_width
from docs.report.recorded import SIZE, climb, fp32_peak_tflops, provenance, roofs


def draw_beside(picture, bars, peak):
    """Names at the left of the bars, and how they were found inside. Returns (left, right)."""
    left, right = 190, 860
    for i, (name, tflops, style, how) in enumerate(bars):
        y = 92 + 46 * i
        end = left + (right - left) * tflops / peak
        picture.text(left - 12, y + 21, name, "strong", "end")
        picture.bar(left, y, end, y + 32, style)
        picture.text(left + 12, y + 21, how, "on" if style == "f0" else "plain")
        picture.text(end + 10, y + 21, f"{tflops:.1f}", "strong")
    return left, right


def draw_below(picture, bars, peak):
    """For phones: the words above each bar. Returns (left, right)."""
    left, right = EDGE, picture.width - EDGE - 50
    for i, (name, tflops, style, how) in enumerate(bars):
        y = picture.top + 52 * i
        end = left + (right - left) * tflops / peak
        picture.text(left, y, name, "strong")
        x = left + text_width(name, "strong") + 8
        picture.text(x, y, how.removeprefix("measured: "), "soft")
        picture.bar(left, y + 8, end, y + 26, style)
        picture.text(end + 10, y + 22, f"{tflops:.1f}", "strong")
    return left, right


def draw(narrow=False):
    """Bars: peak, measured roofs, cuBLAS."""
    entries, found, of_card = climb(SIZE), roofs(), card()
    peak = fp32_peak_tflops()
    cublas, best = entries[0]["tflops"], entries[None]["tflops"]
    clock_ghz = of_card["sm_clock_mhz"] / 1000
    bars = [
        ("FP32 peak", peak, "f3 tint", f"{of_card['sms']} SMs x 128 x 2 x {clock_ghz:.2f} GHz"),
        ("FFMA", found["ffma"], "f3 half", "measured: registers alone"),
        ("FFMA fed by LDS", found["fed_ffma"], "f3 half", "measured: operands from shared memory"),
        ("cuBLAS", cublas, "f0", f"measured: {100 * cublas / peak:.0f} % of the peak"),
        ("best cublasLt", best, "f0", "measured: the best of its algorithms"),
    ]
    words = "; ".join(f"{name} {tflops:.1f} ({how})" for name, tflops, _, how in bars)
    picture = Picture(
        "rung_00",
        360,
        f"Rung 00: cuBLAS reaches {cublas:.1f} of {peak:.1f} TFLOP/s",
        provenance(f"climb_burst_{SIZE}.json"),
        f"Rung 00. TFLOP/s in FP32 at M = N = K = {SIZE}: {words}.",
        narrow,
    )
    left, right = (draw_below if narrow else draw_beside)(picture, bars, peak)
    x = left + (right - left) * max(cublas, best) / peak
    words = "100 % in all lessons: the better of the two libraries"
    if narrow:
        bottom = picture.top + 52 * len(bars)
        picture.height = picture.paragraph(left, bottom + 4, words, "soft") - 2
        return picture
    picture.line([(x, 84), (x, 326)], "line ink dashed")
    picture.text(x, 346, words, "soft", "middle")
    return picture
