"""Rung 20: how often L2 reads each part of A and B from DRAM, over how far clusters are apart."""

from collections import OrderedDict

from docs.figures.shapes import EDGE, Picture, card
from docs.figures.tiles import tile_constants
from docs.report.svg import Scale

K_TILES = 256  # of a tile of C: K is 16384
APART = (*range(0, 104, 8), 112, 128)  # k tiles, of the first and the last cluster
SHUFFLE = 29  # clusters are late in an order that has nothing to do with their tiles


def slices(c):
    """[(row, column)] of the tiles of C that are computed at once, one by each cluster."""
    count = card()["sms"] // c["kPair"]
    return [divmod(tile, c["BAND"])[::-1] for tile in range(count)]


def slices_in_l2(c):
    """How many boxes of A and B, each for a cluster and a k tile, half of L2 holds.

    Each half of L2 keeps copies of what its SMs read from the other one.
    """
    box_bytes = 2 * c["kPair"] * c["BM"] * c["BK"]
    return card()["l2_bytes"] // card()["l2_partitions"] // box_bytes


def k_tiles_in_l2(c):
    """k tiles of what all clusters read that it holds."""
    rows, columns = zip(*slices(c))
    return slices_in_l2(c) // (len(set(rows)) + len(set(columns)))


def reads(c, apart):
    """How often a box comes from DRAM, on average, if L2 gives up what was used longest ago."""
    tiles, room = slices(c), slices_in_l2(c)
    late = [round(i * SHUFFLE % len(tiles) / (len(tiles) - 1) * apart) for i in range(len(tiles))]
    kept, missed = OrderedDict(), 0
    for step in range(K_TILES + apart):
        for (row, column), behind in zip(tiles, late):
            if not 0 <= step - behind < K_TILES:
                continue
            for box in ((0, row, step - behind), (1, column, step - behind)):
                if box in kept:
                    kept.move_to_end(box)
                    continue
                missed += 1
                kept[box] = None
                if len(kept) > room:
                    kept.popitem(last=False)
    rows, columns = zip(*tiles)
    return missed / (K_TILES * (len(set(rows)) + len(set(columns))))


def draw(narrow=False):
    """A curve, and where rung 20 keeps its clusters."""
    c = tile_constants(20)
    bound, window = 2 * c["kEpoch"], k_tiles_in_l2(c)
    found = [reads(c, apart) for apart in APART]
    worst = max(found)
    picture = Picture(
        "rung_20_drift",
        470,
        "What clusters share has to be read again once they are too far apart",
        f"one tile of C for each of {len(slices(c))} clusters, K = {K_TILES * c['BK']}; a model of "
        "an H200's L2, nothing measured",
        f"How often each part of A and B is read from DRAM, over how many k tiles the first "
        f"cluster is ahead of the last, if L2 gives up what was used longest ago. Half of an "
        f"H200's L2 holds {window} k tiles of what all clusters read. Up to about that it is once; "
        f"then it rises, to {found[-1]:.1f} times at {APART[-1]}. Rung 20 keeps clusters less than "
        f"{bound} apart.",
        narrow,
    )
    left, right = (56, 460 - EDGE) if narrow else (90, 940)
    top, bottom = picture.top + 6, picture.top + (220 if narrow else 270)
    x, y = Scale((0, APART[-1]), (left, right)), Scale((0, worst * 1.05), (bottom, top))
    picture.grid(y, range(0, int(worst) + 1), left, right)
    for tick in range(0, APART[-1] + 1, 32 if narrow else 16):
        picture.text(x(tick), bottom + 22, str(tick), "soft", "middle")
    middle = (left + right) / 2
    picture.text(middle, bottom + 48, "k tiles between the first and the last", "strong", "middle")
    picture.bar(x(0), y(worst * 1.05), x(bound), bottom, "f3 tint")
    picture.text(x(0) + 6, top + 18, "rung 20", "strong f3")
    picture.line([(x(window), top), (x(window), bottom)], "line soft-line dashed")
    picture.text(x(window) - 8, top + 18, f"L2 holds {window}", "soft", "end")
    picture.line([(x(apart), y(times)) for apart, times in zip(APART, found)], "line thick l0")
    if narrow:
        words = "Reads from DRAM of each part of A and B."
        bottom = picture.paragraph(EDGE, bottom + 78, words, "soft")
    words = f"in step each part is read once; {APART[-1]} k tiles apart, {found[-1]:.1f} times"
    picture.conclude(EDGE if narrow else 24, bottom + 6, words)
    return picture
