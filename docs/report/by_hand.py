"""What the lessons count by hand: what a rung asks of an SM, from the constants of its sources.

by_hand() has wavefronts of the L1 and shared-memory pipe for one multiply-add of a warp (32 of
them), how that is counted, the block tile, and how many blocks an SM holds.
"""

import pathlib
import re

from docs.report.wavefronts import BANKS, LANES, copy_wavefronts, global_wavefronts, wavefronts

LADDER = pathlib.Path("ladder")  # below the root of the sources
SMS = 132  # of an H200


def lane_wavefronts(lane_cols):
    """(of an LDS.128 of A, of B) when a warp's lanes lie row by row in `lane_cols` columns."""
    return (
        wavefronts([lane // lane_cols * 4 for lane in range(LANES)]),
        wavefronts([lane % lane_cols * 4 for lane in range(LANES)]),
    )


def constants(rung):
    """{name: value} of the whole numbers that a rung's launch.cu and kernel.cuh fix."""
    found = {}
    for name in ("launch.cu", "kernel.cuh"):
        text = next(LADDER.glob(f"{rung:02}_*/{name}")).read_text()
        for constant, digits in re.findall(r"constexpr int (\w+) = (\d+);", text):
            found.setdefault(constant, int(digits))
        # Rung 11 has a family of tiles; the first is the one of large problems.
        family = re.search(r'"(\d+) x (\d+)", ', text)
        if family:
            found.setdefault("BM", int(family[1]))
            found.setdefault("BN", int(family[2]))
    if "kDepth" in found:
        found.setdefault("BK", found["kDepth"])  # of that tile, whose warps do not share K
    return found


def tile_reads(c):
    """(wavefronts of a warp per k, how they add up) for reading operands from shared memory."""
    of_a, of_b = lane_wavefronts(c["WN"] // c["TN"])
    loads_a, loads_b = c["TM"] // 4, c["TN"] // 4
    how = f"({loads_b} * {of_b} for sB + {loads_a} * {of_a} for sA) / {c['TM'] * c['TN']}"
    return loads_a * of_a + loads_b * of_b, how


def naive(size):
    """Rung 01: a warp stands in 32 rows of A."""
    of_a = global_wavefronts([lane * size for lane in range(LANES)])
    where = ", which lie in one bank," if of_a == LANES else ""
    return {
        "wavefronts": of_a + 1,
        "how": f"{of_a} for 32 words of A{where} + 1 for the shared element of B",
        "tile": (32, 32),
        "blocks": 2,
    }


def register_tile(size):
    """Rung 04: 4 rows of 8 words in a load of A."""
    loads, stores = 4, 8  # of a warp for a tile: of either matrix, of both
    of_a = global_wavefronts([lane // 8 * size + lane % 8 for lane in range(LANES)])
    return {
        "wavefronts": (8 + 8 * 2 / 4) / 64 + (loads * of_a + loads + stores) / 512,
        "how": f"(8 for sB + 8 * 2/4 for sA) / 64 + ({loads} * {of_a} to load A + {loads} to load "
        f"B + {stores} to store both) / 512",
        "tile": (128, 128),
        "blocks": 2,
    }


def float4_fill(size):
    """(wavefronts of a warp to fill a tile, how they add up) of rungs 05 to 08.

    A load of A brings 16 rows of 8 words; it is stored in four stores, one of B in one.
    """
    of_a = global_wavefronts([lane // 2 * size + lane % 2 * 4 for lane in range(LANES)], 4)
    return of_a + 4 + 4 + 4, f"({of_a} to load A + 4 to load B + 8 to store both) / 512"


def vector_access(size):
    """Rungs 05 to 07."""
    fill, how = float4_fill(size)
    return {
        "wavefronts": (2 * 4 + 2 * 2) / 64 + fill / 512,
        "how": f"(2 * 4 for sB + 2 * 2 for sA) / 64 + {how}",
        "tile": (128, 128),
        "blocks": 2,
    }


def warp_tile(size):
    """Rung 08: fills its tiles as rung 05 does."""
    c = constants(8)
    fill, how_filled = float4_fill(size)
    reads, how = tile_reads(c)
    of_a, of_b = lane_wavefronts(c["WN"] // c["TN"])
    below = lane_wavefronts(c["BN"] // c["TN"])  # rungs 05 to 07: a warp lies along a block's rows
    warp_rows = LANES * c["TN"] // c["BN"] * c["TM"]
    return {
        "wavefronts": reads / (c["TM"] * c["TN"]) + fill / 512,
        "how": f"{how} + {how_filled}",
        "tile": (c["BM"], c["BN"]),
        "blocks": 2,
        "more": f" A warp reads {c['WM']} + {c['WN']} floats per k, {warp_rows} + {c['BN']} in "
        f"rung 07. An LDS.128 of B takes {of_b} wavefronts and one of A {of_a} (rung 07: "
        f"{below[1]} and {below[0]}).",
    }


def async_copy(size):
    """Rung 09: copies arrive in shared memory without passing a register."""
    c = constants(9)
    reads, how = tile_reads(c)
    warps = c["BM"] * c["BN"] // (c["WM"] * c["WN"])
    threads = LANES * warps
    copies_a = c["BM"] * c["BK"] // threads
    copies_b = c["BK"] * c["BN"] // (4 * threads)
    row = c["BM"] + 4  # sA is padded
    of_a = copy_wavefronts(
        [lane // c["BK"] * size + lane % c["BK"] for lane in range(LANES)],
        [lane % c["BK"] * row + lane // c["BK"] for lane in range(LANES)],
    )
    of_b = wavefronts([lane * 4 for lane in range(LANES)])
    fill = copies_a * of_a + copies_b * of_b
    ffmas = c["TM"] * c["TN"] * c["BK"]
    return {
        "wavefronts": reads / (c["TM"] * c["TN"]) + fill / ffmas,
        "how": f"{how} + ({copies_a} * {of_a} + {copies_b} * {of_b}) / {ffmas} to fill the tiles",
        "tile": (c["BM"], c["BN"]),
        "blocks": 1,
        "more": f" Per tile a thread starts {copies_a} copies of 4 bytes and {copies_b} of 16: a "
        f"warp issues {copies_a + copies_b} LDGSTS for its {ffmas} multiply-adds.",
    }


def producers(rung, size):
    """Rungs 10 and 11: four warps fill slices, A through registers and B as boxes."""
    c = constants(rung)
    reads, how = tile_reads(c)
    depth = c["BK"]  # of K in a slice
    ffmas = c["BM"] * c["BN"] // LANES * depth
    loads_a = c["BM"] * depth // (4 * LANES)  # and as many stores
    # Lanes load from rows of A that are 4 apart.
    of_load = global_wavefronts([lane * 4 * size for lane in range(LANES)], 4)
    of_store = wavefronts([lane * 4 for lane in range(LANES)])
    of_box = c["BN"] * depth // BANKS
    fill = loads_a * (of_load + of_store) + of_box
    return {
        "wavefronts": reads / (c["TM"] * c["TN"]) + fill / ffmas,
        "how": f"{how} + ({loads_a} * {of_load} to load A + {loads_a} * {of_store} to store A + "
        f"{of_box} for the box of B) / {ffmas}",
        "tile": (c["BM"], c["BN"]),
        "blocks": 1,
        "more": f" A slice of {depth} of K takes {loads_a} LDG.128, {loads_a} STS.128 and a box of "
        f"{of_box * BANKS * 4 // 1024} KiB, for {ffmas} multiply-adds.",
    }


def shares(tiles, rounds):
    """(whole tiles, cut tiles, [where each block's share begins] + [end]) of rung 11, in rounds."""
    whole = tiles // SMS * SMS
    work = (tiles - whole) * rounds
    sharers = min(SMS, work) or 1
    starts = [s * (work // sharers) + min(s, work % sharers) for s in range(sharers + 1)]
    return whole, tiles - whole, starts


def handed_over(starts, rounds):
    """[(begin, end)] of the pieces that go to the block with the beginning of their tile."""
    borders = sorted({*starts, *range(0, starts[-1], rounds)})
    pieces = zip(borders, borders[1:])
    return [(begin, end) for begin, end in pieces if begin % rounds > 0]


def stream_k(size):
    """What rung 11 adds to rung 10 at M = N = K = size, as a sentence."""
    c = constants(11)
    rounds = -(-size // c["BK"])
    tiles = -(-size // c["BM"]) * -(-size // c["BN"])
    whole, cut, starts = shares(tiles, rounds)
    if cut == 0:
        return f" {whole // SMS} tiles per block are whole, and none is left to be cut."
    lengths = [end - start for start, end in zip(starts, starts[1:])]
    handed = len(handed_over(starts, rounds))
    part_bytes = c["BM"] * c["BN"] * 4
    depth = c["BK"]
    return (
        f" {whole // SMS} tiles per block are whole. The other {cut}, {cut * rounds} rounds of "
        f"{depth} of K, are {len(lengths)} shares of {max(lengths)} rounds or fewer; {handed} "
        f"parts of {part_bytes // 1024} KiB, {handed * part_bytes * 1e-6:.0f} MB in all, are "
        "handed over."
    )


BY_HAND = {
    2: {
        "wavefronts": 1 + 1,
        "how": "1 for the shared element of A + 1 for a line of B",
        "tile": (32, 32),
        "blocks": 2,
    },
    3: {
        "wavefronts": 1 + 2 / 4 + 8 / 64,
        "how": "1 for sB + 2/4 for sA (four words at once, 2 wavefronts) + 8/64 to fill the tiles",
        "tile": (32, 32),
        "blocks": 2,
    },
}
BY_HAND_AT = {
    1: naive,
    4: register_tile,
    5: vector_access,
    6: vector_access,
    7: vector_access,
    8: warp_tile,
}


def by_hand(rung, size):
    """The count for a rung at M = N = K = size."""
    if rung in BY_HAND:
        return BY_HAND[rung]
    if rung in BY_HAND_AT:
        return BY_HAND_AT[rung](size)
    if rung == 9:
        return async_copy(size)
    count = producers(rung, size)
    if rung == 11:  # no wave is left half empty
        return {**count, "even": True, "more": count["more"] + stream_k(size)}
    return count
