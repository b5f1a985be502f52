"""Rung 09: copies that run by themselves, several stages ahead."""

from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline, staged

TILES = 5


def draw(narrow=False):
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
        narrow,
    )
    left, y = hierarchy(picture, 9)
    bars, work, barriers = staged(TILES + ahead, stages)
    end = work[TILES - 1][1]
    time = Timeline(picture, *picture.extent(left, 96), end)
    picture.text(left, y, "what is in the stages of shared memory", "strong")
    y += 36 - 10 * narrow
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
    words = f"barrier: tile 0 was read, copy {stages} may start over it"
    if narrow:
        words = f"The second {words}."
        y_work = picture.paragraph(left, y_work + 60, words, "soft") - 60
    else:
        picture.text(time.x(barriers[1]) + 8, y - 8, words, "soft")
    y = y_work + (62 if narrow else 86)
    end = picture.legend(
        left,
        y,
        [(LOADING, "on its way"), (FULL, "there, not read yet"), (WORKING, "read, multiplied")],
    )
    y = end + 12 if narrow else y + 52
    for words in (
        "A thread waits for its own copies of a tile, then for all threads at the barrier.",
        "Tiles on their way need no registers. The next copies start when the first k is done.",
    ):
        y = picture.paragraph(left, y, words, gap=21 if narrow else 24)
    picture.conclude(left, y + 12, "the FP32 units need no pause between two tiles")
    return picture
