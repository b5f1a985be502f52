"""How often data that is not used evenly is found in L2: Che's approximation for LRU."""

import math

from docs.figures.shapes import Picture
from docs.report.svg import Scale

HOT, COLD = (20, 0.9), (180, 0.1)  # MiB, share of the reads
CACHE = 60  # MiB: that of an H200, and of the text
WHOLE = HOT[0] + COLD[0]


def kept(size, share, time):
    """MiB of a part that are in the cache after reads for `time`."""
    return size * (1 - math.exp(-share / size * time))


def survival(capacity):
    """The time T that fills the cache, by halving."""
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        filled = sum(kept(*part, middle) for part in (HOT, COLD))
        low, high = (middle, high) if filled < capacity else (low, middle)
    return low


def found(capacity):
    """(hits of all reads, of hot ones, of cold ones) at a capacity in MiB."""
    time = survival(capacity)
    hot, cold = (kept(*part, time) / part[0] for part in (HOT, COLD))
    return HOT[1] * hot + COLD[1] * cold, hot, cold


def draw():
    """Two curves over the capacity."""
    whole, hot, cold = found(CACHE)
    picture = Picture(
        "l2_hot",
        500,
        "What has to fit is the hot part",
        f"{HOT[0]} MiB get 90 % of the reads, {COLD[0]} MiB get 10 %; formulas, nothing measured",
        f"Hit rate over the capacity of a cache, by Che's approximation for LRU. {HOT[0]} MiB of "
        f"hot data get 90 % of the reads, {COLD[0]} MiB of cold data 10 %. At {CACHE} MiB "
        f"{100 * whole:.0f} % of all reads hit: {100 * hot:.0f} % of the hot ones and "
        f"{100 * cold:.0f} % of the cold ones. If all {WHOLE} MiB were read evenly, it would be "
        f"{100 * CACHE / WHOLE:.0f} %.",
    )
    left, right, top, bottom = 90, 940, 96, 430
    x = Scale((0, WHOLE), (left, right))
    y = Scale((0, 1), (bottom, top))
    picture.grid(y, (0, 0.25, 0.5, 0.75, 1), left, right)
    for tick in (0, HOT[0], CACHE, 100, 150, WHOLE):
        picture.text(x(tick), bottom + 22, str(tick), "soft", "middle")
    picture.text((left + right) / 2, bottom + 50, "capacity in MiB", "strong", "middle")
    for tick in (HOT[0], CACHE):
        picture.line([(x(tick), top), (x(tick), bottom)], "line soft-line dashed")
    sizes = [0.5 * i for i in range(2 * WHOLE)]
    picture.line([(x(size), y(found(size)[0])) for size in sizes], "line thick l3")
    picture.line([(x(0), y(0)), (x(WHOLE), y(1))], "line thick l0")
    picture.text(x(HOT[0]) + 8, bottom - 14, "hot part", "soft")
    picture.text(x(CACHE) + 8, bottom - 14, "an H200's L2", "soft")
    picture.dot(x(CACHE), y(whole), "f3", f"{whole:.2f}", 7)
    picture.dot(x(CACHE), y(CACHE / WHOLE), "f0", f"{CACHE / WHOLE:.2f}", 7)
    picture.text(x(CACHE) + 12, y(whole) + 24, f"hot and cold: {100 * whole:.0f} %", "strong f3")
    evenly = f"all read evenly: {100 * CACHE / WHOLE:.0f} %"
    picture.text(x(CACHE) + 16, y(CACHE / WHOLE) + 16, evenly, "strong f0")
    return picture
