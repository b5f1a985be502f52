"""How often a buffer is found in a cache that is smaller: three ways to read it, three answers."""

import math

from docs.figures.shapes import Picture
from docs.report.svg import Scale

RATIOS = [0.5 + i / 50 for i in range(176)]  # of buffer to cache, to 4


def replaced_at_random(ratio):
    """The share h with h = exp(-ratio * (1 - h)) of a sweep; 1 where the buffer fits."""
    share = 1.0 if ratio <= 1 else 0.0
    for _ in range(10000):
        share = math.exp(-ratio * (1 - share))
    return share


def least_recently_used(ratio):
    """Of a sweep: what comes next is what was dropped last."""
    return 1.0 if ratio <= 1 else 0.0


def random_reads(ratio):
    """Whatever the cache drops."""
    return min(1.0, 1 / ratio)


def draw():
    """Curves of formulas, nothing measured."""
    picture = Picture(
        "l2_sweep",
        500,
        "Hit rate = C / W is right for random reads, not for sweeps",
        "a buffer of W bytes, read through a cache of C bytes; curves of formulas",
        "Hit rate over W / C, the size of the buffer over that of the cache, formulas only. All "
        "curves are at 1 as long as the buffer fits. Beyond, random reads hit with C / W: 0.5 at "
        "2. A sweep through a cache that replaces at random hits less: "
        f"{replaced_at_random(1.2):.2f} at 1.2, {replaced_at_random(2):.2f} at 2, "
        f"{replaced_at_random(4):.2f} at 4. A sweep through a cache that drops the least recently "
        "used (LRU) falls from 1 to 0 as soon as the buffer does not fit.",
    )
    left, right, top, bottom = 90, 700, 96, 430
    x = Scale((RATIOS[0], RATIOS[-1]), (left, right))
    y = Scale((0, 1), (bottom, top))
    picture.grid(y, (0, 0.25, 0.5, 0.75, 1), left, right)
    for tick in (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4):
        picture.text(x(tick), bottom + 22, str(tick), "soft", "middle")
    picture.text((left + right) / 2, bottom + 50, "W / C", "strong", "middle")
    for curve, color, words, lower in (
        (random_reads, 0, ["random reads,", "any replacement"], 0),
        (replaced_at_random, 3, ["sweep, random replacement"], -14),
        (least_recently_used, 1, ["sweep, LRU"], 6),
    ):
        points = [(x(ratio), y(curve(ratio))) for ratio in RATIOS]
        if curve is least_recently_used:
            points = [(x(0.5), y(1)), (x(1), y(1)), (x(1), y(0)), (x(RATIOS[-1]), y(0))]
        picture.line(points, f"line thick l{color}")
        picture.lines(right + 12, points[-1][1] + lower, words, f"strong f{color}")
    return picture
