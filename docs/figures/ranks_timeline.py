"""Lesson 24: how many of a rank's blocks multiply, and how many travel, over the time of a product.

Drawn from what `build/many_gpus --stamps` recorded on GPUs, and only if that is there.
"""

from bench import SOURCES, results_file
from docs.figures.shapes import EDGE, Picture
from docs.figures.timeline import LOADING, WORKING
from docs.report.recorded import NotRecordedError

RESULTS = SOURCES / "bench" / "results"
BINS = 100
RANK = 0  # whose blocks are drawn: all do the same at the same time
TRAVELS = ("fetch", "deliver")


def recording():
    """The results of the recording on the most ranks, of BF16 if there is one."""
    found = [results_file.read(path) for path in sorted(RESULTS.glob("*/ranks_timeline_*.json"))]
    if not found:
        raise NotRecordedError("bench/results/*/ranks_timeline_*.json is not there")
    return max(found, key=lambda data: (data["benchmarks"][0]["ranks"], is_bf16(data)))


def is_bf16(data):
    """Whether the copies of a recording are hard to hide."""
    return data["benchmarks"][0]["precision"] == "BF16"


def is_recorded():
    """Whether there is something to draw."""
    return any(RESULTS.glob("*/ranks_timeline_*.json"))


def shares(intervals, end, kinds, without=()):
    """[share of the blocks] that are busy with `kinds`, and not with `without`, in each bin."""
    blocks = 1 + max(block for block, *_ in intervals)
    busy = [0.0] * BINS

    def add(what, sign, inside):
        for block, kind, _, begin, stop in intervals:
            if kind not in what:
                continue
            for low, high in inside(block, begin, stop):
                first, last = int(low * BINS / end), min(int(high * BINS / end), BINS - 1)
                for bin_of in range(first, last + 1):
                    left, right = bin_of * end / BINS, (bin_of + 1) * end / BINS
                    busy[bin_of] += sign * max(0.0, min(high, right) - max(low, left))

    tiles = {}
    for block, kind, _, begin, stop in intervals:
        if kind in kinds:
            tiles.setdefault(block, []).append((begin, stop))

    def within(block, begin, stop):
        """The part of a wait that falls into what it holds up: a producer waits ahead of it."""
        return [
            (max(begin, low), min(stop, high))
            for low, high in tiles.get(block, ())
            if max(begin, low) < min(stop, high)
        ]

    add(kinds, 1, lambda _, begin, stop: [(begin, stop)])
    add(without, -1, within)
    return [max(0.0, value) / (blocks * end / BINS) for value in busy]


def panels(entry):
    """[(name, style, shares)] of a form."""
    intervals = entry["tracks"][RANK]["intervals"]
    end = max(stop for *_, stop in intervals)
    return end, [
        ("multiply", WORKING, shares(intervals, end, ("tile",), ("wait",))),
        ("travel", LOADING, shares(intervals, end, TRAVELS)),
    ]


def draw(narrow=False):
    """Two rows for each form."""
    data = recording()
    first = data["benchmarks"][0]
    height = 64
    picture = Picture(
        "ranks_timeline",
        100 + len(data["benchmarks"]) * (2 * height + 96),
        "Blocks multiply and their couriers travel at the same time",
        f"{first['precision']} {first['m']} x {first['n']} x {first['k']}, rank {RANK} of "
        f"{first['ranks']}, {data['context']['device']}; stamps of its blocks",
        "For each form of the product in the kernel, the share of a rank's blocks that multiply, "
        "and the share whose couriers are under way, over time.",
        narrow,
    )
    left, right = picture.extent(EDGE if narrow else 24, 90)
    y = picture.top + 10
    for entry in data["benchmarks"]:
        end, rows = panels(entry)
        picture.text(EDGE if narrow else 24, y + 8, entry["name"], "strong")
        y += 22
        for name, style, values in rows:
            picture.text(left - 10, y + height / 2 + 5, name, "", "end")
            width = (right - left) / BINS
            for i, share in enumerate(values):
                if share > 0:
                    top = y + height * (1 - min(share, 1.0))
                    x = left + i * width
                    picture.bar(x, top, x + width, y + height, style)
            picture.frame(left, y, right - left, height)
            y += height + 10
        picture.text(left, y + 10, "0", "soft")
        picture.text(right, y + 10, f"{end * 1e-3:.0f} µs", "soft", "end")
        y += 42
    words = "each row is full where all blocks are busy"
    picture.conclude(EDGE if narrow else 24, y, words)
    return picture
