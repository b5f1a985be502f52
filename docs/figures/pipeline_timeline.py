"""Four pipelines on one time axis: rungs 03, 06, 09 and 11."""

from docs.figures.shapes import Picture
from docs.figures.tiles import tile_constants
from docs.figures.timeline import (
    FULL,
    LOAD,
    LOADING,
    STORING,
    WORK,
    WORKING,
    Timeline,
    double,
    ring,
    serial,
    staged,
)

TILES = 4
LEFT = 150


def draw():
    """Loads and arithmetic below each other."""
    stages, ring_stages = tile_constants(9)["STAGES"], tile_constants(11)["STAGES"]
    loads, stores, work, barriers = serial(TILES)
    end = work[-1][1]
    picture = Picture(
        "pipeline_timeline",
        702,
        "From load, then multiply to loading while multiplying",
        "order of events in a block; every tile takes equally long, lengths are not measured",
        "Four pipelines. Rung 03 loads a tile, then multiplies: one after the other. Rung 06 loads "
        "the next tile into registers while it multiplies, with 2 buffers. Rung 09 copies straight "
        f"into {stages} stages of shared memory, {stages - 1} tiles ahead. Rung 11 has warps that "
        f"only load into a ring of {ring_stages} stages and warps that only multiply.",
    )
    time = Timeline(picture, LEFT, 976, end)

    def section(y, title, idea, rows, marks):
        picture.text(24, y, title, "strong")
        picture.text(LEFT, y, idea, "soft")
        height = 32 * len(rows)
        for mark in marks:
            time.mark(mark, y + 6, y + 14 + height)
        for i, (name, bars) in enumerate(rows):
            clipped = [(a, min(b, end), style, words) for a, b, style, words in bars if a < end]
            time.row(y + 14 + 32 * i, name, clipped, 28)

    section(
        98,
        "rung 03",
        "one buffer, two barriers per tile",
        [("loads", sorted(loads + stores)), ("FP32 units", work)],
        barriers,
    )
    loads, stores, work, barriers = double(TILES)
    section(
        222,
        "rung 06",
        "two buffers: the next tile waits in registers, one barrier per tile",
        [("loads", sorted(loads + stores)), ("FP32 units", work)],
        barriers,
    )
    bars, work, barriers = staged(TILES, stages)
    copies = [
        (f"stage {stage}", [bar for bar in of_stage if bar[2] != WORKING])
        for stage, of_stage in bars.items()
    ]
    section(
        346,
        "rung 09",
        f"{stages} stages in shared memory: {stages - 1} tiles ahead, one barrier per tile",
        [*copies, ("FP32 units", work)],
        barriers,
    )
    fills, reads = ring(TILES + ring_stages, 1, ring_stages, LOAD / 2, WORK)
    section(
        566,
        "rung 11",
        f"a ring of {ring_stages} stages: producers run ahead, no barrier for all",
        [
            ("producers", [(a, b, LOADING, f"fill {i}") for i, (a, b) in enumerate(fills)]),
            (
                "consumers",
                [(a, b, WORKING, f"multiply {i}") for i, (a, b) in enumerate(reads[:TILES])],
            ),
        ],
        [],
    )
    x = picture.legend(
        24,
        682,
        [(LOADING, "on its way"), (STORING, "stored"), (FULL, "there"), (WORKING, "multiplied")],
    )
    picture.line([(x + 4, 666), (x + 4, 688)], "line soft-line dashed")
    picture.text(x + 16, 682, "barrier of the block")
    return picture
