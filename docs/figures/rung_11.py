"""Rung 11: producers fill a ring of stages, consumers read it, barriers connect them."""

from docs.figures.shapes import Picture
from docs.figures.tiles import RIGHT, hierarchy, tile_constants
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


def draw():
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
    )
    hierarchy(picture, 11)
    fills, reads = ring(TRIPS, producers, stages)
    time = Timeline(picture, RIGHT + 96, 976, reads[-1][1])
    y = 118
    for warp in range(producers):
        bars = [
            (begin, end, LOADING, f"fill {warp + producers * i}")
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
    empty = ring_top + 27 * producers + 18
    picture.text(time.x(fills[0][1] / 2), empty, "empty", "soft", "middle")
    picture.legend(
        RIGHT,
        bottom + 84,
        [(LOADING, "filled"), (FULL, "full, waits"), (WORKING, "read and multiplied")],
    )
    picture.lines(
        RIGHT,
        bottom + 116,
        [
            "full: a stage that is filled may be read. empty: a stage that was read may be filled",
            f"again. Numbers count k tiles; k tile {stages} takes the stage of k tile 0.",
        ],
        "soft",
    )
    picture.text(
        RIGHT,
        picture.height - 20,
        "in the loop a warp waits for a stage, never for the whole block",
        "large",
    )
    return picture


def draw_waits(picture, time, fills, y):
    """Words where the first producer waits for a stage."""
    for (_, ready), (begin, _) in zip(fills, fills[1:], strict=False):
        if begin - ready > 0.5:
            middle = time.x((ready + begin) / 2)
            picture.text(middle, y - 8, "ring full: wait for an empty stage", "soft", "middle")
            break
