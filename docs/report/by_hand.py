"""What the lessons count by hand: what a rung asks of an SM, from the constants of its sources.

by_hand() has wavefronts of the L1 and shared-memory pipe for one multiply-add of a warp (32 of
them), how that is counted, the block tile, and how many blocks an SM holds.
"""

import pathlib
import re

from docs.report.configurations import SMS, configurations, picked, split_us, tiles_of
from docs.report.wavefronts import BANKS, LANES, copy_wavefronts, global_wavefronts, wavefronts

STREAM_K, SMALL_PRODUCTS = 12, 13
LADDER = pathlib.Path("ladder")  # below the root of the sources
def lane_wavefronts(lane_cols):
    """(of an LDS.128 of A, of B) when a warp's lanes lie row by row in `lane_cols` columns."""
    return (
        wavefronts([lane // lane_cols * 4 for lane in range(LANES)]),
        wavefronts([lane % lane_cols * 4 for lane in range(LANES)]),
    )


def sources(rung):
    """The text of a rung's launch.cu, of its kernel.cuh and of its other headers."""
    folder = next(LADDER.glob(f"{rung:02}_*/launch.cu")).parent
    others = sorted(path for path in folder.glob("*.cuh") if path.name != "kernel.cuh")
    return [path.read_text() for path in (folder / "launch.cu", folder / "kernel.cuh", *others)]


def constants(rung):
    """{name: value} of the whole numbers that a rung's sources fix.

    Of rung 13 those of its first configuration, which large products get.
    """
    found = {}
    if rung == SMALL_PRODUCTS:
        first = configurations()[0]
        found = {"BM": first.BM, "BN": first.BN, "BK": first.BK, **first.template}
    for text in sources(rung):
        for constant, digits in re.findall(r"constexpr int (\w+) = (\d+);", text):
            found.setdefault(constant, int(digits))
    return found


def blocks_on_an_sm(rung):
    """How many blocks __launch_bounds__ asks for."""
    asked = re.search(r"__launch_bounds__\(.*, (\d+)\)$", sources(rung)[1], flags=re.M)
    return int(asked[1]) if asked else 1


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


def async_copy(rung, size):
    """Rungs 09 and 10: copies arrive in shared memory without passing a register."""
    c = constants(rung)
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
        "blocks": blocks_on_an_sm(rung),
        "more": f" Per tile a thread starts {copies_a} copies of 4 bytes and {copies_b} of 16: a "
        f"warp issues {copies_a + copies_b} LDGSTS for its {ffmas} multiply-adds.",
    }


def producers(c, size):
    """Rungs 11 to 13: four warps fill stages, A through registers and B as boxes."""
    reads, how = tile_reads(c)
    depth = c["BK"]  # of K in a stage
    ffmas = c["BM"] * c["BN"] // LANES * depth
    loads_a = c["BM"] * depth // (4 * LANES)  # and as many stores
    # Lanes load from rows of A that are 4 apart; with more of K in a stage, some beside each other.
    rows = LANES // min(4, -(-depth // 8))
    at = [(lane % rows * 4, lane // rows * 4) for lane in range(LANES)]
    of_load = global_wavefronts([row * size + k for row, k in at], 4)
    of_store = wavefronts([k * c["BM"] + row for row, k in at])
    of_box = c["BN"] * depth // BANKS
    fill = loads_a * (of_load + of_store) + of_box
    return {
        "wavefronts": reads / (c["TM"] * c["TN"]) + fill / ffmas,
        "how": f"{how} + ({loads_a} * {of_load} to load A + {loads_a} * {of_store} to store A + "
        f"{of_box} for the box of B) / {ffmas}",
        "tile": (c["BM"], c["BN"]),
        "blocks": 1,
        "more": f" A stage of {depth} of K takes {loads_a} LDG.128, {loads_a} STS.128 and a box of "
        f"{of_box * BANKS * 4 // 1024} KiB, for {ffmas} multiply-adds.",
    }


def starts_of(tiles, k_tiles, ranks):
    """[where each rank's share begins] + [end] in the row of the k tiles of split tiles."""
    share, longer = divmod(tiles * k_tiles, ranks)
    return [rank * share + min(rank, longer) for rank in range(ranks + 1)]


def decompose(tiles, k_tiles):
    """(whole tiles, split tiles, starts of the ranks' shares) of rung 12, as its launch.cu says."""
    left = tiles % SMS
    if left == 0:
        return tiles, 0, [0]

    def cost(ranks):  # in k tiles; a partial tile is added in the time of one
        return -(-left * k_tiles // ranks) + -(-ranks // left) - 1

    ranks = min(range(left, max(left, min(SMS, left * k_tiles)) + 1), key=cost)
    return tiles - left, left, starts_of(left, k_tiles, ranks)


def partial_tiles(starts, k_tiles):
    """[(begin, end)] of the parts that the peer with the beginning of their tile adds."""
    borders = sorted({*starts, *range(0, starts[-1], k_tiles)})
    parts = zip(borders, borders[1:])
    return [(begin, end) for begin, end in parts if begin % k_tiles > 0]


def split_words(c, k_tiles, whole, left, starts):
    """How the last wave is split, as a sentence."""
    first = f" {whole // SMS} tiles per block are whole. The other" if whole else " The"
    if left == 0:
        return f" {whole // SMS} tiles per block are whole, and none is left to be split."
    lengths = [end - start for start, end in zip(starts, starts[1:])]
    parts = len(partial_tiles(starts, k_tiles))
    if parts == 0:
        return f"{first} {left} tiles have a block each."
    part_bytes = c["BM"] * c["BN"] * 4
    return (
        f"{first} {left} tiles, {left * k_tiles} k tiles of "
        f"{c['BK']}, are split among {len(lengths)} ranks, {max(lengths)} k tiles or fewer each; "
        f"{parts} partial tiles of {part_bytes // 1024} KiB, {parts * part_bytes * 1e-6:.0f} MB in "
        "all, are added."
    )


def split_evenly(c, size, k_tiles, whole, left, starts):
    """The count for a kernel that splits its last wave."""
    count = producers(c, size)
    longest = max((end - start for start, end in zip(starts, starts[1:])), default=0)
    busiest = whole // SMS * k_tiles + longest  # k tiles of a block
    more = count["more"] + split_words(c, k_tiles, whole, left, starts)
    return {**count, "waves": SMS * busiest / ((whole + left) * k_tiles), "more": more}


def stream_k(size):
    """Rung 12: whole tiles for every block, and an equal share of the others."""
    c = constants(STREAM_K)
    k_tiles = -(-size // c["BK"])
    tiles = -(-size // c["BM"]) * -(-size // c["BN"])
    return split_evenly(c, size, k_tiles, *decompose(tiles, k_tiles))


def copied_by_warps(configuration):
    """Rung 13's kernels for small products and for little K: B as it lies, A along K."""
    c, t = configuration, configuration.template
    lanes_n = LANES // t["LANES_M"]
    depth, row = 16, 16 + 4  # of K in a stage; sA is padded
    of_a = wavefronts([lane // lanes_n * row for lane in range(LANES)])
    of_b = wavefronts([lane % lanes_n * 4 for lane in range(LANES)])
    results = t["TM"] * t["TN"]
    loads_b = t["TN"] // 4
    of_copy = wavefronts([lane // 4 * row + lane % 4 * 4 for lane in range(LANES)])  # of A
    fill = c.BM * depth // (4 * LANES) * of_copy + c.BN * depth // BANKS
    warps = t["WARPS"] if c.kernel == "thin" else 1  # that multiply what is filled
    ffmas = results * depth * warps
    return {
        "wavefronts": (loads_b * of_b + t["TM"] * of_a / 4) / results + fill / ffmas,
        "how": f"({loads_b} * {of_b} for sB + {t['TM']} * {of_a}/4 for sA) / {results} + {fill} / "
        f"{ffmas} to fill a stage",
        "tile": (c.BM, c.BN),
        "blocks": c.blocks,
        "per_tile": c.cluster,
    }


def small_products(size):
    """Rung 13: what its model picks for M = N = K = size."""
    configuration = picked((size, size, size))
    named = f" The model picks {configuration.name}."
    if configuration.kernel != "stream_k":
        return {**copied_by_warps(configuration), "more": named}
    of_tile = {name: getattr(configuration, name) for name in ("BM", "BN", "BK")}
    c = {**constants(SMALL_PRODUCTS), **of_tile}
    tiles, k_tiles = tiles_of(configuration, (size, size, size))
    left = tiles % SMS
    starts = starts_of(left, k_tiles, split_us(configuration, left, k_tiles)[0]) if left else [0]
    count = split_evenly(c, size, k_tiles, tiles - left, left, starts)
    return {**count, "more": named + count["more"]}


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
    9: lambda size: async_copy(9, size),
    10: lambda size: async_copy(10, size),
    11: lambda size: producers(constants(11), size),
    STREAM_K: stream_k,
    SMALL_PRODUCTS: small_products,
}


def by_hand(rung, size):
    """The count for a rung at M = N = K = size."""
    if rung in BY_HAND:
        return BY_HAND[rung]
    return BY_HAND_AT[rung](size)
