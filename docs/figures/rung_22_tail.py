"""Rung 22: the last round at 8192, with whole tiles and with split ones."""

from docs.figures.shapes import EDGE, Picture, card
from docs.figures.tiles import tile_constants

SIZE = 8192
PAIR = 2  # blocks in a cluster, at this size
ROUNDS = 2  # of whole tiles that are drawn


def cut(c):
    """(clusters, tiles, k tiles of each, tiles left after full rounds, share of a cluster).

    As the kernel's cut: a share is a multiple of the k tiles under which results leave.
    """
    clusters, k_tiles = card()["sms"] // PAIR, SIZE // c["BK"]
    tiles = SIZE // (PAIR * c["BM"]) * (SIZE // c["BN"])
    rest = tiles % clusters
    boxes = c["BM"] // c["BOX"]
    share = -(-rest * k_tiles // clusters)
    return clusters, tiles, k_tiles, rest, -(-share // boxes) * boxes


def draw_panel(picture, x, y, scale, height, words, last):
    """The end of a launch: clusters downwards, k tiles to the right."""
    clusters, tiles, k_tiles, rest, share = last["cut"]
    sharing = -(-rest * k_tiles // share)
    picture.text(x, y - 10, words, "strong")
    for number in range(ROUNDS):
        name = f"round {tiles // clusters - ROUNDS + number + 1}"
        picture.cell(x + number * k_tiles * scale, y, k_tiles * scale, height, "f2 tint", name)
    at = x + ROUNDS * k_tiles * scale
    if last["shared"]:
        busy = height * sharing / clusters
        picture.cell(at, y, share * scale, busy, "f3 tint", f"{share} k tiles")
        return
    busy = height * rest / clusters
    picture.cell(at, y, k_tiles * scale, busy, "f2 tint", f"{rest} tiles")
    picture.cell(at, y + busy, k_tiles * scale, height - busy, "soft-fill")
    words = f"{clusters - rest} clusters idle"
    picture.text(at + k_tiles * scale / 2, y + (busy + height) / 2 + 5, words, "soft", "middle")


def draw_row(picture, x, y, width, found):
    """The first of the split tiles end to end, and whose share covers which part."""
    _, _, k_tiles, _, share = found
    shown = 3
    scale = width / (shown * k_tiles)
    for tile in range(shown):
        picture.cell(x + tile * k_tiles * scale, y, k_tiles * scale, 28, "f2 tint", f"tile {tile}")
    begin = cluster = 0
    while begin < shown * k_tiles:
        borders = [begin, min(begin + share, shown * k_tiles)]
        middle = (begin // k_tiles + 1) * k_tiles
        if borders[0] < middle < borders[1]:
            borders.insert(1, middle)
        for first, last in zip(borders, borders[1:]):
            style = "f3 tint" if first % k_tiles == 0 else "f1 tint"
            wide = (last - first) * scale
            words = f"cluster {cluster}" if wide > 80 else str(cluster) if wide > 12 else ""
            picture.cell(x + first * scale, y + 32, wide, 28, style, words)
        begin, cluster = begin + share, cluster + 1
    return y + 60


def draw(narrow=False):
    """Two panels, and the split tiles in a row."""
    c = tile_constants(22)
    found = cut(c)
    clusters, tiles, k_tiles, rest, share = found
    sharing = -(-rest * k_tiles // share)
    picture = Picture(
        "rung_22_tail",
        580,
        f"The last {rest} tiles are split among {sharing} clusters",
        f"M = N = K = {SIZE}: {tiles} tiles of {PAIR * c['BM']} x {c['BN']}, {k_tiles} k tiles "
        f"each; the end of the launch",
        f"The end of a launch at {SIZE}. {tiles} tiles on {clusters} clusters are "
        f"{tiles // clusters} full rounds and {rest} tiles. With whole tiles {clusters - rest} "
        f"clusters are idle in the last round of {k_tiles} k tiles. With split tiles {sharing} "
        f"clusters take {share} k tiles each of the {rest}, laid end to end. All clusters of a "
        f"tile leave their sums, and the one that is done last adds them.",
        narrow,
    )
    left, width = (EDGE, 428) if narrow else (24, 936)
    scale, height = width / ((ROUNDS + 1) * k_tiles), 96
    y = picture.top + 18
    for shared, words in ((False, "rung 20: whole tiles"), (True, "rung 22: split last tiles")):
        last = {"cut": found, "shared": shared}
        draw_panel(picture, left, y, scale, height, words, last)
        y += height + 46
    picture.text(left, y - 12, "the first of the split tiles, end to end", "strong")
    y = draw_row(picture, left, y, width, found)
    entries = [("f3 tint", "the beginning of a tile"), ("f1 tint", "the rest of it")]
    y = picture.legend(left, y + 32, entries)
    words = f"the last round takes {share} k tiles and the adding, instead of {k_tiles} k tiles"
    picture.conclude(left, y + 8 if narrow else 0, words)
    return picture
