"""Rung 19: a block stays: stages of its next tile are filled while results of this one leave."""

from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline

TILES, K_TILES = 2, 5  # that are drawn: tiles of C, and of A and B for each
FILL, MULTIPLY, WAIT, BOX = 2.6, 2.0, 0.5, 0.7  # units; BOX: a box of results is written
LEAVING = "f2"


def times(stages, consumers, boxes):
    """[(begin, end)] of filling, and of each consumer {of multiplying} and {of writing results}.

    As the kernel waits: a stage is filled when all consumers have multiplied it; a consumer
    multiplies a stage that is full, and writes its results after the last k tile of a tile.
    """
    fills, reads = [], [[] for _ in range(consumers)]
    results = [[] for _ in range(consumers)]
    free = [0.0] * consumers
    for number in range(TILES * K_TILES):
        emptied = max(read[number - stages][1] for read in reads) if number >= stages else 0
        begin = max(emptied, fills[-1][0] + 0.3 if fills else 0)
        fills.append((begin, begin + FILL))
        for i, read in enumerate(reads):
            late = i * (MULTIPLY + WAIT) / consumers if number == 0 else 0
            start = max(fills[-1][1] + late, free[i])
            read.append((start, start + MULTIPLY))
            free[i] = start + MULTIPLY + WAIT
            if number % K_TILES == K_TILES - 1:
                results[i].append((free[i] - WAIT, free[i] + boxes * BOX - WAIT))
                free[i] = results[i][-1][1]
    return fills, reads, results


def draw_stages(picture, time, y, stages, fills, reads):
    """Who is in each stage."""
    wide = not picture.narrow
    for stage in range(stages):
        bars = []
        for number in range(stage, TILES * K_TILES, stages):
            name = f"{number // K_TILES}.{number % K_TILES}"
            used = max(read[number][1] for read in reads)
            bars.append((*fills[number], LOADING, f"{'boxes ' if wide else ''}{name}"))
            bars.append((fills[number][1], used, FULL, f"{'in use, ' if wide else ''}{name}"))
        time.row(y + 30 * stage, f"stage {stage}", bars)
    return y + 30 * stages + 18


def draw(narrow=False):
    """Stages and consumers of a block over two tiles of C."""
    c = tile_constants(19)
    stages, consumers = c["STAGES"], c["kConsumerGroups"]
    boxes = c["BN"] // c["kBoxColumns"]
    fills, reads, results = times(stages, consumers, boxes)
    ahead = sum(begin < results[-1][0][1] for begin, _ in fills) - K_TILES
    picture = Picture(
        "rung_19",
        472,
        f"Rung 19: while results leave, {ahead} k tiles of the next tile are fetched",
        "a block over two tiles of C; 1.0 is the first k tile of the second; not to scale",
        f"Rung 19. A block computes one tile of C after another. Its producer goes on to the "
        f"next tile as soon as a stage is empty: while the {consumers} consumers write the "
        f"results of the first tile, as {boxes} boxes each, it has {ahead} k tiles of the second "
        "fetched. When a consumer comes back, it multiplies at once.",
        narrow,
    )
    left = EDGE if narrow else 24
    y = picture.top + 24
    end = max(some[-1][1] for some in results)
    time = Timeline(picture, *picture.extent(left, 98 if narrow else 110), end)
    y = draw_stages(picture, time, y, stages, fills, reads)
    for i, (read, written) in enumerate(zip(reads, results)):
        bars = [
            (*at, WORKING, f"{'' if narrow else 'k '}{number // K_TILES}.{number % K_TILES}")
            for number, at in enumerate(read)
        ]
        bars += [(*at, LEAVING, "C" if narrow else f"C, {tile}") for tile, at in enumerate(written)]
        time.row(y + 34 * i, f"consumer {i}", bars, 28)
    y += 34 * consumers + 30
    entries = [
        (LOADING, "boxes on their way"),
        (FULL, "there, and multiplied"),
        (WORKING, "products of a consumer"),
        (LEAVING, f"its results, {boxes} boxes"),
    ]
    y_end = picture.legend(left, y, entries)
    y = y_end + 10 if narrow else y + 40
    words = (
        "In rung 18 the block would end with its results, and the next would begin with empty "
        "stages."
    )
    y = picture.paragraph(left, y, words, "soft")
    picture.conclude(left, y + 12, "the producer does not wait for results")
    return picture
