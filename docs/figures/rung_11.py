"""Rung 11: producers fill a ring of stages, consumers read it, barriers connect them."""

from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, tile_constants
from docs.figures.timeline import FULL, LOADING, WORKING, Timeline, ring

TRIPS = 4


def stage_bars(fills, reads, stages):
    """{place in the ring: bars} from the times of filling and reading."""
    found = {place: [] for place in range(stages)}
    for i, (begin, end) in enumerate(reads):
        fill_begin, fill_end = fills[i]
        bars = found[i % stages]
        bars.append((fill_begin, fill_end, LOADING, str(i)))
        if begin > fill_end:
            bars.append((fill_end, begin, FULL, ""))
        bars.append((begin, end, WORKING, str(i)))
    return found


def draw(narrow=False):
    """The ring over time."""
    c = tile_constants(11)
    stages, depth = c["STAGES"], c["BK"]
    consumers = c["BM"] * c["BN"] // (c["WM"] * c["WN"])
    producers = c["kProducerWarps"]
    picture = Picture(
        "rung_11",
        650,
        f"Rung 11: {producers} warps fill a ring of {stages} stages, {consumers} warps multiply",
        f"a stage holds {depth} of K: A through registers, B as a box by TMA; order of events",
        f"Rung 11. {producers} producer warps fill a ring of {stages} stages, each its own, and "
        f"run ahead until the ring is full. {consumers} consumer warps read stage after stage and "
        "never load from global memory. Each stage has two barriers: full tells consumers that it "
        "may be read, empty tells producers that it may be filled again. No warp waits for the "
        "whole block.",
        narrow,
    )
    left, y = hierarchy(picture, 11)
    fills, reads = ring(TRIPS, producers, stages)
    time = Timeline(picture, *picture.extent(left, 90 if narrow else 96), reads[-1][1])
    y += 24
    for warp in range(producers):
        bars = [
            (begin, end, LOADING, f"{'' if narrow else 'fill '}{warp + producers * i}")
            for i, (begin, end) in enumerate(fills[warp::producers])
        ]
        time.row(y + 25 * warp, f"producer {warp}", bars, 23)
    ring_top = y + 25 * producers + 24
    for place, bars in stage_bars(fills, reads, stages).items():
        time.row(ring_top + 27 * place, f"stage {place}", bars, 25)
    bottom = ring_top + 27 * stages
    time.row(
        bottom + 20,
        "consumers",
        [(begin, end, WORKING, str(i)) for i, (begin, end) in enumerate(reads)],
        28,
    )
    draw_waits(picture, time, fills[::producers], y)
    if not narrow:
        empty = ring_top + 27 * producers + 18
        picture.text(time.x(fills[0][1] / 2), empty, "empty", "soft", "middle")
    entries = [(LOADING, "filled"), (FULL, "full, waits"), (WORKING, "read and multiplied")]
    end = picture.legend(left, bottom + (76 if narrow else 84), entries)
    y = picture.paragraph(
        left,
        end + 8 if narrow else bottom + 116,
        "full: a stage that is filled may be read. empty: a stage that was read may be filled "
        f"again. Numbers count k tiles; k tile {stages} takes the stage of k tile 0.",
        "soft",
    )
    words = "in the loop a warp waits for a stage, never for the whole block"
    picture.conclude(left, y + 14, words)
    return picture


def draw_waits(picture, time, fills, y):
    """Words where the first producer waits for a stage."""
    for (_, ready), (begin, _) in zip(fills, fills[1:], strict=False):
        if begin - ready > 0.5:
            middle = time.x((ready + begin) / 2)
            picture.text(middle, y - 8, "ring full: wait for an empty stage", "soft", "middle")
            break
