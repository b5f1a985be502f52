"""Rung 13: who multiplies which part of K, and where the sums meet."""

from bench.rungs import rung_named
from docs.figures.shapes import EDGE, Picture, text_width

EXTENT = 192  # of K
LEFT, RIGHT, STEP = 236, 756, 66
BLOCKS = 2  # of the cluster
STYLES = ("f0 tint", "f1 tint", "f2 tint", "f3 tint")


def turns(count, depth):
    """[(begin, end, who)]: `count` take turns, `depth` of K each."""
    return [(k, min(k + depth, EXTENT), k // depth % count) for k in range(0, EXTENT, depth)]


def rows(rung):
    """(title, words below it, [(begin, end, style, words)], where sums meet, more words)."""
    names = [configuration["name"] for configuration in rung.configurations]
    whole, middle, small = (rung.configuration(name) for name in names)
    c_middle, c_small = (rung.values(each["kernels"][0]) for each in (middle, small))
    groups, depth = c_middle["WARPS_K"], middle["BK"] // c_middle["WARPS_K"]
    in_turn = [(b, e, STYLES[who], str(who)) for b, e, who in turns(groups, depth)]
    warps, depth = c_small["WARPS"], c_small["kDepth"]
    own = [(b, e, STYLES[who], str(who)) for b, e, who in turns(warps, depth)]
    together = [
        (b, e, STYLES[who // warps], f"{who % warps}") for b, e, who in turns(BLOCKS * warps, depth)
    ]
    third = EXTENT // 3
    peers = [(i * third, (i + 1) * third, STYLES[i], f"rank {i}") for i in range(3)]
    of_group = c_middle["WARPS_M"] * c_middle["WARPS_N"]
    return (
        (
            whole["name"],
            "nobody shares K",
            [(0, EXTENT, STYLES[0], "all 8 warps, each 64 x 64")],
            "nowhere: a warp has all",
            "of K for its results",
        ),
        (
            middle["name"],
            f"{groups} groups of {of_group} warps",
            in_turn,
            "shared memory,",
            "at the end of a part",
        ),
        (
            small["name"],
            f"{warps} warps, {depth} of K each",
            own,
            "shared memory,",
            "at the end of the tile",
        ),
        (
            f"{small['name']}, a cluster",
            f"{BLOCKS} blocks of {warps} warps",
            together,
            "shared memory of all",
            f"{BLOCKS} blocks (DSMEM)",
        ),
        ("stream-K", "peers: blocks of the grid", peers, "global memory,", "after a flag"),
    )


def draw_narrow(picture, found):
    """For phones: the words above and below each strip. Returns the base line below them."""
    y, scale = picture.top, (picture.width - 2 * EDGE) / EXTENT
    for title, below, bars, meet, more in found:
        picture.text(EDGE, y, title, "strong")
        picture.text(EDGE + text_width(title, "strong") + 10, y, below, "soft")
        for begin, end, style, words in bars:
            picture.cell(EDGE + begin * scale, y + 10, (end - begin) * scale, 28, style, words)
        picture.text(EDGE, y + 56, f"sums meet in: {meet} {more}".replace("in: nowhere", "nowhere"))
        y += 90
    return y


def draw(narrow=False):
    """A strip of K for each way."""
    rung = rung_named("shared_k")
    found = rows(rung)
    picture = Picture(
        "rung_13",
        128 + STEP * len(found) + 46,
        "Who multiplies which part of K, and where the sums meet",
        f"the first {EXTENT} of K; a number is a group, a warp or a rank; of the cluster, a colour "
        "is a block",
        "Ways to share the K of one tile. "
        + "; ".join(
            f"{title}: {below}, sums meet in {meet} {more}" for title, below, _, meet, more in found
        )
        + ".",
        narrow,
    )
    conclusion = "the nearer the sharers, the cheaper the sum; the farther, the more SMs can help"
    if narrow:
        picture.conclude(EDGE, draw_narrow(picture, found) + 12, conclusion)
        return picture
    y = 100
    picture.text(24, y, "configuration", "strong")
    picture.text(LEFT, y, "K of one tile", "strong")
    picture.text(RIGHT + 20, y, "sums meet in", "strong")
    scale = (RIGHT - LEFT) / EXTENT
    for i, (title, below, bars, meet, more) in enumerate(found):
        top = y + 22 + i * STEP
        picture.text(24, top + 16, title)
        picture.text(24, top + 37, below, "soft")
        for begin, end, style, words in bars:
            picture.cell(LEFT + begin * scale, top + 4, (end - begin) * scale, 32, style, words)
        picture.text(RIGHT + 20, top + 16, meet)
        picture.text(RIGHT + 20, top + 37, more)
    picture.text(24, picture.height - 20, conclusion, "large")
    return picture
