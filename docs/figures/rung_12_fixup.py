"""Rung 12 on four SMs: a wave and a bit, split into equal shares, and who adds what."""

from docs.figures.shapes import EDGE, Picture, plural
from docs.figures.timeline import Timeline
from docs.report.by_hand import partial_tiles, starts_of

SMS, TILES, K_TILES = 4, 7, 8  # of the example
LEFT, RIGHT, HEIGHT = 92, 930, 30
WHOLE, OWN, PARTIAL, ADDED = "f2 tint", "f3 tint", "f1 tint", "f3"


def shares():
    """[where each rank's share begins] + [end] of the example."""
    row = TILES % SMS * K_TILES
    plan = {"ranks": SMS, "share": row // SMS, "longer": row % SMS}
    return starts_of(plan)


def parts_of(rank, starts):
    """[(tile, begin, end)] of a rank's share, begin and end in its tile."""
    found, at = [], starts[rank]
    while at < starts[rank + 1]:
        end = min(starts[rank + 1], (at // K_TILES + 1) * K_TILES)
        tile = at // K_TILES
        found.append((TILES - TILES % SMS + tile, at - tile * K_TILES, end - tile * K_TILES))
        at = end
    return found


def draw_split(picture, time, y, starts):
    """Each block's whole tile, its parts, and who waits for whose partial tile."""
    stored, ready = {}, {}
    for block in range(SMS):
        rank, now = SMS - 1 - block, K_TILES
        bars = [(0, K_TILES, WHOLE, f"tile {block}")]
        for tile, begin, end in parts_of(rank, starts):
            style = OWN if begin == 0 else PARTIAL
            bars.append((now, now + end - begin, style, f"{tile}: {begin} to {end}"))
            now += end - begin
            (ready if begin == 0 else stored)[tile] = (block, now)
        if any(begin == 0 and end < K_TILES for _, begin, end in parts_of(rank, starts)):
            bars.append((now, now + 1, ADDED, "+"))
        time.row(y + 44 * block, f"block {block}", bars, HEIGHT)
    for tile, (block, at) in stored.items():
        owner, _ = ready[tile]
        x, top = time.x(at) - 8, y + 44 * block + HEIGHT
        target = time.x(ready[tile][1] + 0.5)
        middle = top + 7
        picture.arrow([(x, top), (x, middle), (target, middle), (target, y + 44 * owner)])


def draw(narrow=False):
    """Seven tiles on four SMs."""
    starts = shares()
    longest = max(b - a for a, b in zip(starts, starts[1:], strict=False))
    left_over, added = TILES % SMS, len(partial_tiles(starts, K_TILES))
    waves = -(-TILES // SMS)
    picture = Picture(
        "rung_12_fixup",
        640,
        f"Stream-K in small: {TILES} tiles of {K_TILES} k tiles on {SMS} SMs",
        "time to the right; 6: 2 to 8 is k tiles 2 to 7 of tile 6; + is drawn as long as a k tile",
        f"{TILES} tiles on {SMS} SMs. Whole tiles take {waves} waves, {waves * K_TILES} k tiles, "
        f"and {SMS - left_over} SM is idle in the last. Split: each block has one whole tile, then "
        f"{longest} k tiles of the {left_over} tiles left, laid end to end. "
        f"{plural(added, 'partial tile')} go to the block with the beginning of that tile, which "
        f"waits for them and adds them.",
        narrow,
    )
    edge, left, right = (EDGE, EDGE + 66, picture.width - EDGE) if narrow else (24, LEFT, RIGHT)
    time = Timeline(picture, left, right, waves * K_TILES)
    y = picture.top + 18
    picture.text(edge, y - 14, f"whole tiles: {waves * K_TILES} k tiles", "strong")
    for block in range(SMS):
        bars = [
            (wave * K_TILES, (wave + 1) * K_TILES, WHOLE, f"tile {tile}")
            if (tile := wave * SMS + block) < TILES
            else (wave * K_TILES, (wave + 1) * K_TILES, "soft-fill", "idle")
            for wave in range(waves)
        ]
        time.row(y + 34 * block, f"SM {block}", bars, HEIGHT)
    y += 34 * SMS + 38
    words = f"equal shares at the end: {K_TILES} + {longest} k tiles, and one partial tile added"
    if narrow:
        words, rest = words.split(",")
        picture.text(edge, y + 7, rest.strip(), "strong")
    picture.text(edge, y - 14, words, "strong")
    y += 22 * narrow
    draw_split(picture, time, y, starts)
    y += 44 * SMS + 36
    row = starts[-1]
    scale = (right - left) / row
    first = TILES - left_over
    words = "how the shares were cut: the tiles left over, end to end"
    y = picture.paragraph(edge, y - 14, words, "strong") - 7
    for tile in range(left_over):
        x = left + tile * K_TILES * scale
        picture.cell(x, y, K_TILES * scale, HEIGHT, WHOLE, f"tile {first + tile}")
    for rank in range(SMS):
        at = starts[rank]
        for _, begin, end in parts_of(rank, starts):
            x = left + at * scale
            style = OWN if begin == 0 else PARTIAL
            words = str(rank) if narrow else f"rank {rank}"
            picture.cell(x, y + HEIGHT + 4, (end - begin) * scale, HEIGHT, style, words)
            at += end - begin
    for at in starts:
        picture.text(left + at * scale, y + 2 * HEIGHT + 24, str(at), "soft", "middle")
    if narrow:
        picture.text(left - 10, y + HEIGHT + 24, "rank", "", "end")
    end = picture.legend(
        edge,
        y + 2 * HEIGHT + 56 if narrow else picture.height - 22,
        [
            (WHOLE, "whole tile"),
            (OWN, "beginning of a tile"),
            (PARTIAL, "partial tile, stored for the peer"),
            (ADDED, "waits for flags, adds, stores C"),
        ],
    )
    if narrow:
        picture.height = end - 8
    return picture
