"""Rung 09: copies that run by themselves, several stages ahead."""

from docs.figures.shapes import Picture
from docs.figures.tiles import RIGHT, hierarchy, tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline, staged

TILES = 5


def draw():
    """Stages over time."""
    c = tile_constants(9)
    stages = c["STAGES"]
    stage_bytes = c["BK"] * (c["BM"] + 4 + c["BN"]) * 4
    ahead = stages - 1
    picture = Picture(
        "rung_09",
        540,
        f"Rung 09: {ahead} tiles are on their way while one is read",
        f"{stages} stages of {stage_bytes} bytes; order of events, lengths are not to scale",
        f"Rung 09. Shared memory holds {stages} stages. cp.async starts the copy of a tile and "
        f"returns; {ahead} tiles are on their way or there while one is multiplied, and no "
        "register holds them. When all threads have passed the barrier of a tile, the copy of the "
        f"tile {ahead} later is started over the stage that was read before. One barrier per tile.",
    )
    hierarchy(picture, 9)
    bars, work, barriers = staged(TILES + ahead, stages)
    end = work[TILES - 1][1]
    time = Timeline(picture, RIGHT + 96, 976, end)
    y = 130
    picture.text(RIGHT, 94, "what is in the stages of shared memory", "strong")
    y_work = y + 38 * stages + 16
    for barrier in barriers[:TILES]:
        time.mark(barrier, y - 18, y_work + 36)
    for stage, of_stage in bars.items():
        shown = [
            (begin, min(last, end), style, words)
            for begin, last, style, words in of_stage
            if begin < end
        ]
        time.row(y + 38 * stage, f"stage {stage}", shown, 32)
    time.row(y_work, "FP32 units", work[:TILES], 32)
    at = time.x(barriers[1])
    picture.text(
        at + 8, y - 8, f"barrier: tile 0 was read, copy {stages} may start over it", "soft"
    )
    picture.legend(
        RIGHT,
        y_work + 86,
        [(LOADING, "on its way"), (FULL, "there, not read yet"), (WORKING, "read, multiplied")],
    )
    picture.lines(
        RIGHT,
        y_work + 138,
        [
            "A thread waits for its own copies of a tile, then for all threads at the barrier.",
            "Tiles on their way need no registers. The next copies start when the first k is done.",
        ],
        gap=24,
    )
    picture.text(
        RIGHT,
        picture.height - 24,
        "the FP32 units need no pause between two tiles",
        "large",
    )
    return picture
