"""Who works when: bars over a common time axis, and the order of events in four pipelines.

Times are units of the drawing, not measured. What is real: what waits for what, how many stages
there are, and which buffer is used.
"""

from docs.figures.shapes import text_width

LOAD, STORE, WORK = 5, 1, 7  # units: a tile on its way, its way into shared memory, its arithmetic
FILL, READ = 5.2, 2.4  # units: a producer warp fills a stage, consumers read one

LOADING, STORING, WORKING, FULL = "f0 tint", "f1", "f3", "soft-fill"


class Timeline:
    """Rows of bars below each other."""

    def __init__(self, picture, left, right, units):
        """The pixels of time 0 and of the last unit."""
        self.picture, self.left = picture, left
        self.scale = (right - left) / units

    def x(self, time):
        """The pixel of a time."""
        return self.left + time * self.scale

    def row(self, y, name, bars, height=26):
        """Bars (from, to, style, words) with the name of who works at the left."""
        if name:
            self.picture.text(self.left - 10, y + height / 2 + 5.5, name, "", "end")
        for begin, end, style, words in bars:
            width = (end - begin) * self.scale
            fits = self.fitting(words, width)
            on = "plain" if {"tint", "soft-fill", "half"} & set(style.split()) else "on"
            self.picture.bar(self.x(begin), y, self.x(end), y + height, "ground")  # over marks
            self.picture.cell(self.x(begin), y, width, height, style, fits, on)

    def fitting(self, words, room):
        """Words, or for phones what comes before a comma, or at least their number."""
        shorter = ()
        if self.picture.narrow and words:
            shorter = words.split(",")[0], words.split(":")[0].split()[-1]
        return next((some for some in (words, *shorter) if text_width(some) <= room), "")

    def mark(self, time, top, bottom):
        """A barrier: an upright dashed line."""
        x = self.x(time)
        self.picture.line([(x, top), (x, bottom)], "line soft-line dashed")


def serial(tiles):
    """Rungs 03 to 05: (loads, stores, arithmetic, barriers); nothing overlaps."""
    loads, stores, work, barriers = [], [], [], []
    time = 0
    for tile in range(tiles):
        loads.append((time, time + LOAD, LOADING, f"load {tile}"))
        stores.append((time + LOAD, time + LOAD + STORE, STORING, str(tile)))
        barriers.append(time + LOAD + STORE)
        time += LOAD + STORE + WORK
        work.append((time - WORK, time, WORKING, f"multiply {tile}"))
        barriers.append(time)
    return loads, stores, work, barriers


def double(tiles):
    """Rung 06: the next tile travels while this one is multiplied."""
    loads = [(0, LOAD, LOADING, "load 0")]
    stores = [(LOAD, LOAD + STORE, STORING, "0")]
    barriers, work = [LOAD + STORE], []
    time = LOAD + STORE
    for tile in range(tiles):
        work.append((time, time + WORK, WORKING, f"multiply {tile}"))
        if tile + 1 < tiles:
            loads.append((time, time + LOAD, LOADING, f"load {tile + 1}"))
            stores.append((time + WORK, time + WORK + STORE, STORING, str(tile + 1)))
            barriers.append(time + WORK + STORE)
        time += WORK + STORE
    return loads, stores, work, barriers


def staged(tiles, stages):
    """Rungs 09 and 10: {stage: bars}, arithmetic, barriers; stages - 1 tiles are on their way."""
    bars = {stage: [] for stage in range(stages)}
    begin = [max(0, tile - stages + 1) * WORK + LOAD for tile in range(tiles)]
    begin[: stages - 1] = range(stages - 1)  # started one after the other
    work = []
    for tile in range(tiles):
        start = LOAD + tile * WORK
        work.append((start, start + WORK, WORKING, f"multiply {tile}"))
        arrived = begin[tile] + LOAD
        bars[tile % stages] += [
            (begin[tile], arrived, LOADING, f"copy {tile}"),
            *([(arrived, start, FULL, "there")] if start > arrived else []),
            (start, start + WORK, WORKING, f"read {tile}"),
        ]
    return bars, work, [LOAD + tile * WORK for tile in range(tiles)]


def ring(trips, producers, stages, fill_time=FILL, read_time=READ):
    """Rung 11: ([(begin, end)] of filled stages, [(begin, end)] of read ones).

    On a trip each producer fills one stage. It waits until that was read on the trip before; who
    reads a stage frees it after the next one is full, too.
    """
    fills, reads = [], []
    for i in range(trips * producers):
        ready = fills[i - producers][1] if i >= producers else 0
        if i >= stages:
            ready = max(ready, reads[i - stages][1])
        fills.append((ready, ready + fill_time))
        start = max(fills[-1][1], reads[-1][1] if reads else 0)
        reads.append((start, start + read_time))
    return fills, reads
