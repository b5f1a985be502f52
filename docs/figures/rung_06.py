"""Rung 06: two buffers; the next tile travels while this one is multiplied."""

from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, tile_constants
from docs.figures.timeline import FULL, LOADING, STORING, WORKING, Timeline, double, serial

TILES = 3


def buffers(stores, work):
    """{buffer: bars}: when it is written, and when it is read."""
    found = {0: [], 1: []}
    for tile, (store, read) in enumerate(zip(stores, work, strict=True)):
        found[tile % 2] += [store, (read[0], read[1], FULL, f"read {tile}")]
    return found


def draw(narrow=False):
    """Rung 05 and rung 06 on one time axis."""
    c = tile_constants(6)
    shared = 2 * c["BK"] * (c["BM"] + 4 + c["BN"]) * 4
    picture = Picture(
        "rung_06",
        572,
        "Rung 06: tile t + 1 is on its way while tile t is multiplied",
        "order of events in a block; lengths are not to scale",
        "Rung 06. In rung 05 a block loads a tile, stores it, multiplies, and loads the next: "
        "nothing overlaps, and each tile takes two barriers. In rung 06 the load of tile t + 1 "
        "starts before the multiply-adds of tile t and waits in registers; it is stored into the "
        f"other of two buffers, {shared} bytes in all, when tile t is done. One barrier per tile "
        "remains.",
        narrow,
    )
    left, y = hierarchy(picture, 6)
    loads, stores, work, barriers = serial(TILES)
    time = Timeline(picture, *picture.extent(left, 92 if narrow else 116), work[-1][1])
    picture.text(left, y, "rung 05: one after the other", "strong")
    for barrier in barriers:
        time.mark(barrier, y + 8, y + 108)
    time.row(y + 14, "loads", loads)
    time.row(y + 44, "stores", stores)
    time.row(y + 74, "FP32 units", work)
    before, top = work[-1][1], y + 78
    loads, stores, work, barriers = double(TILES)
    y += 148
    picture.text(left, y, "rung 06: two buffers", "strong")
    for barrier in barriers:
        time.mark(barrier, y + 8, y + 138)
    time.row(y + 14, "loads", loads)
    for buffer, bars in buffers(stores, work).items():
        time.row(y + 44 + 30 * buffer, f"buffer {buffer}", bars)
    time.row(y + 104, "FP32 units", work)
    end = time.x(work[-1][1])
    picture.line([(end, y + 138), (end, y + 162)], "lead")
    picture.line([(time.x(before), top), (time.x(before), y + 162)], "lead")
    picture.arrow([(time.x(before), y + 154), (end, y + 154)], "lead l3")
    picture.text(end - 10, y + 160, f"{TILES} tiles are done earlier", "strong f3", "end")
    y += 204
    picture.legend(left, y, [(LOADING, "on its way"), (STORING, "stored"), (WORKING, "multiplied")])
    at = (left, y + 24) if narrow else (left + 396, y)
    picture.legend(*at, [(FULL, "buffer is read")])
    y += 32 + 24 * narrow
    picture.line([(left + 8, y - 16), (left + 8, y + 6)], "line soft-line dashed")
    y = picture.paragraph(left + 21, y, "barrier of the block: two per tile in rung 05, one here")
    words = "no less work, fewer pauses: the way from memory is hidden"
    picture.conclude(left, y + 12, words)
    return picture
