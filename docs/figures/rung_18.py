"""Rung 18: a producer fills a ring of stages, two consumers multiply from it."""

from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline

TILES = 9
FILL, MULTIPLY, WAIT = 2.6, 2.0, 0.5  # units: boxes on their way, products, between two products


def times(stages, consumers):
    """({tile: (begin, end)} of filling, [the same of each consumer]); consumers alternate."""
    fills, reads = {}, [{} for _ in range(consumers)]
    free = [0] * consumers
    for tile in range(TILES):
        emptied = (
            max((read[tile - stages][1] for read in reads), default=0) if tile >= stages else 0
        )
        begin = max(emptied, fills[tile - 1][0] + 0.3 if tile else 0)
        fills[tile] = (begin, begin + FILL)
        for i, read in enumerate(reads):
            start = max(fills[tile][1] + i * (MULTIPLY + WAIT) / consumers, free[i])
            read[tile] = (start, start + MULTIPLY)
            free[i] = start + MULTIPLY + WAIT
    return fills, reads


def draw(narrow=False):
    """Who works when."""
    c = tile_constants(18)
    stages, consumers = c["STAGES"], c["kConsumerGroups"]
    fills, reads = times(stages, consumers)
    picture = Picture(
        "rung_18",
        452,
        f"Rung 18: one warpgroup fills {stages} stages, {consumers} multiply",
        f"a stage holds {c['BK']} of K; order of events, lengths are not to scale",
        f"Rung 18. A producer requests the boxes of a tile when its stage is empty, and runs up to "
        f"{stages} tiles ahead. {consumers} consumers multiply tile after tile, each its own rows. "
        "While one of them waits and issues its next products, the tensor cores compute those of "
        "the other. A stage is empty when both have waited for their products.",
        narrow,
    )
    left = EDGE if narrow else 24
    y = picture.top + 24
    end = max(read[TILES - 1][1] for read in reads)
    time = Timeline(picture, *picture.extent(left, 98 if narrow else 110), end)
    for stage in range(stages):
        bars = []
        for tile in range(stage, TILES, stages):
            used = max(read[tile][1] for read in reads)
            bars.append((*fills[tile], LOADING, f"{'' if narrow else 'boxes '}{tile}"))
            bars.append((fills[tile][1], used, FULL, f"{'' if narrow else 'in use, '}{tile}"))
        time.row(y + 30 * stage, f"stage {stage}", bars)
    y += 30 * stages + 18
    for i, read in enumerate(reads):
        bars = [
            (*read[tile], WORKING, f"{'' if narrow else 'tile '}{tile}") for tile in range(TILES)
        ]
        time.row(y + 34 * i, f"consumer {i}", bars, 28)
    y += 34 * consumers + 30
    y_end = picture.legend(
        left,
        y,
        [
            (LOADING, "boxes on their way"),
            (FULL, "there, and multiplied"),
            (WORKING, "products of a consumer"),
        ],
    )
    y = y_end + 10 if narrow else y + 40
    words = (
        "full: all announced bytes have come. empty: both consumers have waited for their products."
    )
    y = picture.paragraph(left, y, words, "soft")
    picture.conclude(left, y + 12, "nobody waits for the whole block")
    return picture
