"""Rung 00: what the library reaches, below the roofs of the FP32 units."""

from docs.figures.shapes import Picture, card
from docs.report.recorded import SIZE, climb, fp32_peak_tflops, provenance, roofs


def draw():
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
    )
    left, right = 190, 860
    for i, (name, tflops, style, how) in enumerate(bars):
        y = 92 + 46 * i
        end = left + (right - left) * tflops / peak
        picture.text(left - 12, y + 21, name, "strong", "end")
        picture.bar(left, y, end, y + 32, style)
        picture.text(left + 12, y + 21, how, "on" if style == "f0" else "plain")
        picture.text(end + 10, y + 21, f"{tflops:.1f}", "strong")
    x = left + (right - left) * max(cublas, best) / peak
    picture.line([(x, 84), (x, 326)], "line ink dashed")
    picture.text(x, 346, "100 % in all lessons: the better of the two libraries", "soft", "middle")
    return picture
