"""Rung 12: whole tiles for every block, and the rest as one row, split into equal shares."""

from bench.rungs import rung_of
from docs.figures.shapes import Picture
from docs.figures.tiles import hierarchy, tile_constants
from docs.report.by_hand import partial_tiles, starts_of
from docs.report.recorded import sms

SIZE = 4096
SHOWN = 3  # tiles of the row


def draw_waves(picture, left, top, k_tiles, whole, left_over, share):
    """SMs downwards, k tiles to the right: without and with a split. Returns the bottom."""
    per_sm, width = 0.8, 428 if picture.narrow else 600
    scale = width / (k_tiles * (whole // sms() + 1))
    for panel, title in enumerate(
        (
            f"rung 11: {whole // sms()} waves, and one of {left_over} tiles",
            "rung 12: equal shares at the end",
        )
    ):
        y = top + panel * 146
        picture.text(left, y - 10, title, "strong")
        height = sms() * per_sm
        for wave in range(whole // sms()):
            x = left + wave * k_tiles * scale
            words = f"{sms()} tiles" if picture.narrow else f"{sms()} whole tiles"
            picture.cell(x, y, k_tiles * scale, height, "f2 tint", words)
        x = left + whole // sms() * k_tiles * scale
        if panel == 0:
            busy = left_over * per_sm
            picture.cell(x, y, k_tiles * scale, busy, "f2 tint", f"{left_over} tiles")
            picture.cell(x, y + busy, k_tiles * scale, height - busy, "soft-fill")
            idle = f"{sms() - left_over} SMs idle"
            picture.text(x + k_tiles * scale / 2, y + height + 19, idle, "soft", "middle")
        else:
            picture.cell(x, y, share * scale, height, "f3 tint", f"{share} k tiles")
    return top + 146 + sms() * per_sm


def draw_row(picture, left, y, first, k_tiles, starts):
    """The first tiles of the row, and whose share covers which part."""
    scale = (428 if picture.narrow else 640) / (SHOWN * k_tiles + 40)
    for tile in range(SHOWN):
        x = left + tile * k_tiles * scale
        picture.cell(x, y, k_tiles * scale, 30, "f2 tint", f"tile {first + tile}")
        picture.text(x, y - 8, str(tile * k_tiles), "soft", "start" if tile == 0 else "middle")
    end = left + (SHOWN * k_tiles + 40) * scale
    picture.cell(left + SHOWN * k_tiles * scale, y, 40 * scale, 30, "f2 tint")
    added = partial_tiles(starts, k_tiles)[:SHOWN]
    borders = sorted({*starts[: SHOWN + 2], *range(0, starts[SHOWN + 1], k_tiles)})
    for begin, stop in zip(borders, borders[1:], strict=False):
        x, right = left + begin * scale, min(left + stop * scale, end)
        partial = (begin, stop) in added
        rank = max(s for s in range(SHOWN + 1) if starts[s] <= begin)
        words = "" if partial or right == end else f"block {sms() - 1 - rank}"
        picture.cell(x, y + 34, right - x, 30, "f1 tint" if partial else "f3 tint", words)
    for begin in starts[1 : SHOWN + 1]:
        picture.text(left + begin * scale, y + 82, str(begin), "soft", "middle")
    return y + 82, added


def draw(narrow=False):
    """How the work is split at 4096."""
    c = tile_constants(12)
    plan = rung_of(12).plan((SIZE, SIZE, SIZE))
    k_tiles, tiles, whole, starts = (
        *(plan[name] for name in ("k_tiles", "tiles", "whole_tiles")),
        starts_of(plan),
    )
    left_over = tiles - whole
    longest = max(b - a for a, b in zip(starts, starts[1:], strict=False))
    ranks, added = len(starts) - 1, len(partial_tiles(starts, k_tiles))
    before, after = (whole // sms() + 1) * k_tiles, whole // sms() * k_tiles + longest
    picture = Picture(
        "rung_12",
        640,
        f"Rung 12: the last {left_over} tiles are split among {ranks} blocks",
        f"M = N = K = {SIZE}: {tiles} tiles of {c['BM']} x {c['BN']}, each {k_tiles} k tiles of "
        f"{c['BK']}, on {sms()} SMs",
        f"Rung 12 at M = N = K = {SIZE}. {tiles} tiles on {sms()} SMs are {whole // sms()} full "
        f"waves "
        f"and a last one of {left_over}, in which {sms() - left_over} SMs idle. Rung 12 gives each "
        f"block {whole // sms()} whole tiles; the other {left_over}, laid end to end, are "
        f"{left_over * k_tiles} k tiles of {c['BK']}, of which each rank takes {longest} or one "
        f"less. {added} partial tiles that do not begin their tile are added by the peer that has "
        f"its beginning. {after} k tiles instead of {before}.",
        narrow,
    )
    left, y = hierarchy(picture, 12)
    bottom = draw_waves(picture, left, y + 28 - 18 * narrow, k_tiles, whole, left_over, longest)
    y = bottom + 82
    title = f"the {left_over} tiles end to end, in k tiles, and the shares"
    picture.text(left, y - 34, title, "strong")
    y, shown = draw_row(picture, left, y, whole, k_tiles, starts)
    begin, stop = shown[0]
    picture.cell(left, y + 14, 15, 15, "f1 tint")
    y = picture.paragraph(
        left + 21,
        y + 26,
        f"partial tile, added by a peer: block {ranks - 2} leaves k tiles {begin} to {stop} to "
        f"block {ranks - 1}",
    )
    words = f"{after} k tiles instead of {before}, and every SM works to the end"
    picture.conclude(left, y + 14, words)
    return picture
