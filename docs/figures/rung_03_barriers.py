"""Rung 03: what each of the two barriers of a k tile prevents."""

from docs.figures.shapes import EDGE, Picture, plural
from docs.figures.tiles import tile_constants
from docs.figures.timeline import FULL, STORING, WORKING, Timeline

LEFT, RIGHT = 120, 976
# When a warp stores tile 0, reads it, and stores tile 1: units of the drawing.
WARPS = ((0, 2, 4), (17, 3, 5), (31, 4, 7))


def with_barriers(time, picture, y):
    """Every warp waits for the slowest, twice."""
    stored = max(store for _, store, _ in WARPS)
    read = stored + max(work for _, _, work in WARPS)
    for i, (warp, store, work) in enumerate(WARPS):
        bars = [(0, store, STORING, "store tile 0")]
        if store < stored:
            bars.append((store, stored, FULL, "waits"))
        bars.append((stored, stored + work, WORKING, "multiply tile 0"))
        if stored + work < read:
            bars.append((stored + work, read, FULL, "waits"))
        bars.append((read, read + store, STORING, "store tile 1"))
        time.row(y + 34 * i, f"warp {warp}", bars, 28)
    for at in (stored, read):
        picture.line([(time.x(at), y - 8), (time.x(at), y + 104)], "line ink")
    return stored, read


def without_barriers(time, picture, y):
    """Every warp goes on as soon as it can."""
    slow_store = WARPS[-1][1]
    for i, (warp, store, work) in enumerate(WARPS):
        begin = store + work
        bars = [
            (0, store, STORING, "store tile 0"),
            (store, begin, WORKING, "multiply tile 0"),
            (begin, begin + store, STORING, "store tile 1"),
        ]
        time.row(y + 34 * i, f"warp {warp}", bars, 28)
    store, work = WARPS[0][1:]
    for begin, end in ((store, slow_store), (store + work, 2 * store + work)):
        picture.frame(
            time.x(begin), y - 6, (end - begin) * time.scale, 34 * len(WARPS) + 6, "line ink"
        )
    return store, store + work


def draw_narrow(picture):
    """For phones: numbers instead of words in the bars, and what they mean below."""
    time = Timeline(picture, *picture.extent(EDGE, 70), 15.6)
    y = picture.top
    picture.text(EDGE, y, "as it is", "strong")
    stored, read = with_barriers(time, picture, y + 42)
    for at, words in ((stored, "all have stored"), (read, "all have read")):
        picture.text(time.x(at), y + 26, words, "", "middle")
    y += 186
    picture.text(EDGE, y, "without barriers", "strong")
    without_barriers(time, picture, y + 18)
    entries = [(STORING, "store a tile"), (WORKING, "multiply a tile"), (FULL, "wait")]
    y = picture.legend(EDGE, y + 152, entries)
    words = "The frames: warp 0 reads too early, and overwrites what others still read."
    picture.height = picture.paragraph(EDGE, y + 4, words) - 2
    return picture


def draw(narrow=False):
    """Three of 32 warps, with and without barriers."""
    c = tile_constants(3)
    warps = c["BM"] * c["BN"] // 32
    picture = Picture(
        "rung_03_barriers",
        430,
        "Two barriers per tile: one before reading, one before overwriting",
        f"three of the {plural(warps, 'warp')} of a block; lengths are not measured",
        f"Rung 03. Each of {warps} warps stores a part of tile 0 into shared memory, multiplies "
        "what all of them stored, and then stores its part of tile 1 into the same place. With two "
        "barriers every warp waits until the slowest has stored, and again until the slowest has "
        "read. Without them the fastest warp reads rows that the slowest has not stored yet, and "
        "later overwrites words that the slowest still reads.",
        narrow,
    )
    if narrow:
        return draw_narrow(picture)
    time = Timeline(picture, LEFT, RIGHT, 15.6)
    picture.text(24, 92, "as it is", "strong")
    stored, read = with_barriers(time, picture, 126)
    picture.text(time.x(stored), 108, "1st barrier: all have stored", "strong", "middle")
    picture.text(time.x(read), 108, "2nd barrier: all have read", "strong", "middle")
    picture.text(24, 274, "without barriers", "strong")
    early, late = without_barriers(time, picture, 292)
    picture.text(time.x(early), 414, "warp 0 reads too early", "strong")
    picture.text(time.x(late), 414, "warp 0 overwrites what others still read", "strong")
    return picture
