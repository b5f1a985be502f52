"""How the bound of the verification grows with K, and how the worst case does."""

import math

from docs.figures.shapes import Picture
from docs.report.svg import Scale

U = 2.0**-24  # unit roundoff of FP32
TF32 = 2.0**-11
KS = [16 * 2**i for i in range(13)]  # 16 to 65536


def bound(k):
    """The bound of common/verify.hpp over sqrt(sum (a*b)^2), without its last term."""
    return 12 * U * math.sqrt(k)


def worst(k):
    """K*u*sum |a*b| over sqrt(sum (a*b)^2) for normal data: the mean of |a*b| is 2/pi."""
    return k * U * (2 / math.pi) * math.sqrt(k)


def draw():
    """Curves of formulas, nothing measured."""
    picture = Picture(
        "numerics",
        524,
        "Worst-case bounds soon stop noticing that inputs were rounded",
        "curves of formulas, relative to sqrt(sum of (a*b)^2), for normal data with mean 0",
        "Error bounds over K, formulas only. The bound of the verification, 12*u*sqrt(K), grows "
        "with the root of K, as roundings of random sign do. The worst case, u*K*sum |a*b|, grows "
        "as K^1.5 on this scale and passes 2^-11, the unit roundoff of TF32 inputs, below K = "
        "1024; the bound of the verification stays under it up to K = 65536. u = 2^-24.",
    )
    left, right, top, bottom = 100, 760, 96, 460
    x = Scale((KS[0], KS[-1]), (left, right), logarithmic=True)
    y = Scale((1e-6, 1), (bottom, top), logarithmic=True)
    for power in range(-6, 1):
        picture.line([(left, y(10.0**power)), (right, y(10.0**power))], "rule")
        picture.text(left - 8, y(10.0**power) + 5, f"1e{power}" if power else "1", "soft", "end")
    for k in KS[::2]:
        picture.text(x(k), bottom + 22, str(k), "soft", "middle")
    picture.text((left + right) / 2, bottom + 50, "K", "strong", "middle")
    picture.line([(left, y(TF32)), (right, y(TF32))], "line ink dashed")
    picture.text(right + 12, y(TF32) + 5, "2^-11: roundoff of TF32")
    for curve, color, words in (
        (bound, 3, ["12*u*sqrt(K):", "what is asked for here"]),
        (worst, 1, ["u*K*sum |a*b|:", "the worst case"]),
    ):
        picture.line([(x(k), y(curve(k))) for k in KS], f"line thick l{color}")
        end = y(curve(KS[-1]))
        picture.lines(right + 12, end + 5, [(words[0], f"strong f{color}"), (words[1], "")])
    picture.lines(
        x(20),
        y(0.06),
        ["above the dashed line a bound lets", "rounded TF32 inputs pass as FP32"],
        "soft",
    )
    return picture
