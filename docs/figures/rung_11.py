"""Rung 11: whole tiles for every block, and the rest as one row that is cut into equal shares."""

from docs.figures.shapes import Picture
from docs.figures.tiles import RIGHT, hierarchy, tile_constants
from docs.report.by_hand import SMS, handed_over, shares

SIZE = 4096
SHOWN = 3  # tiles of the row


def draw_waves(picture, c, rounds, whole, cut, share):
    """SMs downwards, rounds to the right: without and with shares."""
    top, per_sm, left = 122, 0.8, RIGHT
    scale = 600 / (rounds * (whole // SMS + 1))
    for panel, title in enumerate(
        (
            f"rung 10: {whole // SMS} waves, and one of {cut} tiles",
            "rung 11: equal shares at the end",
        )
    ):
        y = top + panel * 146
        picture.text(left, y - 10, title, "strong")
        height = SMS * per_sm
        for wave in range(whole // SMS):
            x = left + wave * rounds * scale
            picture.cell(x, y, rounds * scale, height, "f2 tint", f"{SMS} whole tiles")
        x = left + whole // SMS * rounds * scale
        if panel == 0:
            busy = cut * per_sm
            picture.cell(x, y, rounds * scale, busy, "f2 tint", f"{cut} tiles")
            picture.cell(x, y + busy, rounds * scale, height - busy, "soft-fill")
            picture.text(
                x + rounds * scale / 2, y + height + 19, f"{SMS - cut} SMs idle", "soft", "middle"
            )
        else:
            picture.cell(x, y, share * scale, height, "f3 tint", f"{share} rounds")
    return top + 146 + SMS * per_sm


def draw_row(picture, y, tiles, rounds, starts):
    """The first tiles of the row, and whose share covers which part."""
    left, scale = RIGHT, 640 / (SHOWN * rounds + 40)
    for tile in range(SHOWN):
        x = left + tile * rounds * scale
        picture.cell(x, y, rounds * scale, 30, "f2 tint", f"tile {tiles + tile}")
        picture.text(x, y - 8, str(tile * rounds), "soft", "start" if tile == 0 else "middle")
    end = left + (SHOWN * rounds + 40) * scale
    picture.cell(left + SHOWN * rounds * scale, y, 40 * scale, 30, "f2 tint")
    pieces = handed_over(starts, rounds)[:SHOWN]
    borders = sorted({*starts[: SHOWN + 2], *range(0, starts[SHOWN + 1], rounds)})
    for begin, stop in zip(borders, borders[1:], strict=False):
        x, right = left + begin * scale, min(left + stop * scale, end)
        handed = (begin, stop) in pieces
        sharer = max(s for s in range(SHOWN + 1) if starts[s] <= begin)
        words = "" if handed or right == end else f"block {SMS - 1 - sharer}"
        picture.cell(x, y + 34, right - x, 30, "f1 tint" if handed else "f3 tint", words)
    for begin in starts[1 : SHOWN + 1]:
        picture.text(left + begin * scale, y + 82, str(begin), "soft", "middle")
    return y + 82, pieces


def draw():
    """The division of the work at 4096."""
    c = tile_constants(11)
    rounds = SIZE // c["BK"]
    tiles = SIZE // c["BM"] * (SIZE // c["BN"])
    whole, cut, starts = shares(tiles, rounds)
    longest = max(b - a for a, b in zip(starts, starts[1:], strict=False))
    handed = len(handed_over(starts, rounds))
    before, after = (whole // SMS + 1) * rounds, whole // SMS * rounds + longest
    picture = Picture(
        "rung_11",
        640,
        f"Rung 11: the last {cut} tiles are cut into {SMS} equal shares",
        f"M = N = K = {SIZE}: {tiles} tiles of {c['BM']} x {c['BN']}, each {rounds} rounds of "
        f"{c['BK']} of K, on {SMS} SMs",
        f"Rung 11 at M = N = K = {SIZE}. {tiles} tiles on {SMS} SMs are {whole // SMS} full waves "
        f"and a last one of {cut}, in which {SMS - cut} SMs idle. Rung 11 gives each block "
        f"{whole // SMS} whole tiles; the other {cut}, laid end to end, are {cut * rounds} rounds "
        f"of {c['BK']} of K, of which each block takes {longest} or one less. {handed} parts that "
        f"do not begin their tile are handed over to the block that has its beginning. {after} "
        f"rounds instead of {before}.",
    )
    hierarchy(picture, 11)
    bottom = draw_waves(picture, c, rounds, whole, cut, longest)
    y = bottom + 82
    picture.text(RIGHT, y - 34, f"the {cut} tiles end to end, in rounds, and the shares", "strong")
    y, pieces = draw_row(picture, y, whole, rounds, starts)
    begin, stop = pieces[0]
    picture.cell(RIGHT, y + 14, 15, 15, "f1 tint")
    picture.text(
        RIGHT + 21,
        y + 26,
        f"end of a sum, handed over: block {SMS - 2} gives rounds {begin} to {stop} to block "
        f"{SMS - 1}",
    )
    picture.text(
        RIGHT,
        picture.height - 24,
        f"{after} rounds instead of {before}, and every SM works to the end",
        "large",
    )
    return picture
