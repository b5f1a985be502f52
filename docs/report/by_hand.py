"""What the lessons count by hand: what a rung asks of an SM, from the constants of its sources.

by_hand() has wavefronts of the L1 and shared-memory pipe for one multiply-add of a warp (32 of
them, also where a tensor core does many at once), how that is counted, the block tile, and how many
blocks an SM holds; where blocks load together, their tile, and who they are ("owner").
"""

from bench.rungs import FigureError, rung_of
from docs.report.recorded import sms
from docs.report.wavefronts import BANKS, LANES, copy_wavefronts, global_wavefronts, wavefronts


def lane_wavefronts(lane_cols):
    """(of an LDS.128 of A, of B) when a warp's lanes lie row by row in `lane_cols` columns."""
    return (
        wavefronts([lane // lane_cols * 4 for lane in range(LANES)]),
        wavefronts([lane % lane_cols * 4 for lane in range(LANES)]),
    )


def tile_reads(c):
    """(wavefronts of a warp per k, how they add up) for reading operands from shared memory."""
    of_a, of_b = lane_wavefronts(c["WN"] // c["TN"])
    loads_a, loads_b = c["TM"] // 4, c["TN"] // 4
    how = f"({loads_b} * {of_b} for sB + {loads_a} * {of_a} for sA) / {c['TM'] * c['TN']}"
    return loads_a * of_a + loads_b * of_b, how


def naive(_rung, size):
    """A warp reads from 32 rows of A."""
    of_a = global_wavefronts([lane * size for lane in range(LANES)])
    where = ", all in one bank," if of_a == LANES else ""
    return {
        "wavefronts": of_a + 1,
        "how": f"{of_a} for 32 words of A{where} + 1 for the shared element of B",
    }


def coalesced(_rung, _size):
    """A warp reads a line of B."""
    return {"wavefronts": 1 + 1, "how": "1 for the shared element of A + 1 for a line of B"}


def shared_tile(_rung, _size):
    """Both operands from shared memory."""
    return {
        "wavefronts": 1 + 2 / 4 + 8 / 64,
        "how": "1 for sB + 2/4 for sA (four words at once, 2 wavefronts) + 8/64 to fill the tiles",
    }


def register_tile(_rung, size):
    """4 rows of 8 words in a load of A."""
    loads, stores = 4, 8  # of a warp for a tile: of either matrix, of both
    of_a = global_wavefronts([lane // 8 * size + lane % 8 for lane in range(LANES)])
    return {
        "wavefronts": (8 + 8 * 2 / 4) / 64 + (loads * of_a + loads + stores) / 512,
        "how": f"(8 for sB + 8 * 2/4 for sA) / 64 + ({loads} * {of_a} to load A + {loads} to load "
        f"B + {stores} to store both) / 512",
    }


def float4_fill(size):
    """(wavefronts of a warp to fill a tile, how they add up) of rungs 05 to 08.

    A load of A brings 16 rows of 8 words; it is stored in four stores, one of B in one.
    """
    of_a = global_wavefronts([lane // 2 * size + lane % 2 * 4 for lane in range(LANES)], 4)
    return of_a + 4 + 4 + 4, f"({of_a} to load A + 4 to load B + 8 to store both) / 512"


def vector_access(_rung, size):
    """Of vector_access, and of what only fetches earlier or in another order."""
    fill, how = float4_fill(size)
    return {
        "wavefronts": (2 * 4 + 2 * 2) / 64 + fill / 512,
        "how": f"(2 * 4 for sB + 2 * 2 for sA) / 64 + {how}",
    }


def warp_tile(rung, size):
    """Fills its tiles as vector_access does."""
    c = rung.values()
    fill, how_filled = float4_fill(size)
    reads, how = tile_reads(c)
    of_a, of_b = lane_wavefronts(c["WN"] // c["TN"])
    below = lane_wavefronts(c["BN"] // c["TN"])  # rungs 05 to 07: a warp lies along a block's rows
    warp_rows = LANES * c["TN"] // c["BN"] * c["TM"]
    return {
        "wavefronts": reads / (c["TM"] * c["TN"]) + fill / 512,
        "how": f"{how} + {how_filled}",
        "more": f" A warp reads {c['WM']} + {c['WN']} floats per k, {warp_rows} + {c['BN']} in "
        f"rung 07. An LDS.128 of B takes {of_b} wavefronts and one of A {of_a} (rung 07: "
        f"{below[1]} and {below[0]}).",
    }


def async_copy(rung, size):
    """Copies arrive in shared memory without passing a register."""
    c = rung.values()
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
        "more": f" Per tile a thread starts {copies_a} copies of 4 bytes and {copies_b} of 16: a "
        f"warp issues {copies_a + copies_b} copies (LDGSTS in machine code) for its {ffmas} "
        "multiply-adds.",
    }


def producers(c, size):
    """Four warps fill stages, A through registers and B as boxes."""
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
        "more": f" A stage of {depth} of K takes {loads_a} LDG.128, {loads_a} STS.128 and a box of "
        f"{of_box * BANKS * 4 // 1024} KiB, for {ffmas} multiply-adds.",
    }


def producer_warps(rung, size):
    """Some warps only load."""
    return producers(rung.values(), size)


def starts_of(plan):
    """[where each rank's share begins] + [end] in the row of the k tiles of split tiles."""
    ranks = range(plan["ranks"] + 1)
    return [rank * plan["share"] + min(rank, plan["longer"]) for rank in ranks]


def partial_tiles(starts, k_tiles):
    """[(begin, end)] of the parts that the peer with the beginning of their tile adds."""
    borders = sorted({*starts, *range(0, starts[-1], k_tiles)})
    parts = zip(borders, borders[1:])
    return [(begin, end) for begin, end in parts if begin % k_tiles > 0]


def split_words(c, plan):
    """How the last wave is split, as a sentence."""
    k_tiles, whole = plan["k_tiles"], plan["whole_tiles"]
    left, starts = plan["tiles"] - whole, starts_of(plan)
    first = f" {whole // sms()} tiles per block are whole." if whole else ""
    if left == 0:
        return f"{first} None is left to be split."
    rest = f"the other {left} tiles" if whole else f"the {left} tiles"
    lengths = [end - start for start, end in zip(starts, starts[1:])]
    parts = len(partial_tiles(starts, k_tiles))
    if parts == 0:
        return f"{first} Each of {rest} has a block of its own."
    part_bytes = c["BM"] * c["BN"] * 4
    return (
        f"{first} {len(lengths)} ranks share {rest}, {left * k_tiles} k tiles of {c['BK']}: at "
        f"most {max(lengths)} each. They add up {parts} partial tiles of {part_bytes // 1024} KiB, "
        f"{parts * part_bytes * 1e-6:.0f} MB in all."
    )


def split_evenly(c, size, plan):
    """The count for a kernel that splits its last wave."""
    count = producers(c, size)
    starts = starts_of(plan)
    longest = max((end - start for start, end in zip(starts, starts[1:])), default=0)
    busiest = plan["whole_tiles"] // sms() * plan["k_tiles"] + longest  # k tiles of a block
    waves = sms() * busiest / (plan["k_tiles"] * plan["tiles"])
    return {**count, "waves": waves, "more": count["more"] + split_words(c, plan)}


def stream_k(rung, size):
    """Whole tiles for every block, and an equal share of the others."""
    return split_evenly(rung.values(), size, rung.plan((size, size, size)))


def copied_by_warps(configuration, c, thin):
    """Kernels for small products and for little K: B as it lies, A along K."""
    depth = c["DEPTH"] if "DEPTH" in c else c["kDepth"]  # of K in a stage
    row = depth + 4  # sA is padded
    of_a = wavefronts([lane // c["LANES_N"] * row for lane in range(LANES)])
    of_b = wavefronts([lane % c["LANES_N"] * 4 for lane in range(LANES)])
    results = c["TM"] * c["TN"]
    loads_b = c["TN"] // 4
    of_copy = wavefronts([lane // 4 * row + lane % 4 * 4 for lane in range(LANES)])  # of A
    fill = c["BM"] * depth // (4 * LANES) * of_copy + c["BN"] * depth // BANKS
    ffmas = results * depth * (c["WARPS"] if thin else 1)  # of the warps that share what is filled
    return {
        "wavefronts": (loads_b * of_b + c["TM"] * of_a / 4) / results + fill / ffmas,
        "how": f"({loads_b} * {of_b} for sB + {c['TM']} * {of_a}/4 for sA) / {results} + {fill} / "
        f"{ffmas} to fill a stage",
        "per_tile": configuration["cluster"],
    }


def chosen(rung, size):
    """What a rung that chooses takes for M = N = K = size."""
    plan = rung.plan((size, size, size))
    configuration = rung.configuration(plan["configuration"])
    (kernel,) = configuration["kernels"]
    c, function = rung.values(kernel), rung.kernels[kernel]["function"]
    tile = (configuration["BM"], configuration["BN"])
    of_block = {"tile": tile, "blocks": configuration["blocks_per_sm"]}
    who = "model picks" if rung.name == "every_shape" else "rule takes"
    named = f" The {who} {configuration['name']}."
    if function != "kernel":
        counted = copied_by_warps(configuration, c, function == "thin_kernel")
        return {**of_block, **counted, "more": named}
    count = split_evenly(c, size, plan)
    return {**of_block, **count, "more": named + count["more"]}


def mma_count(c, reads, copies, depth):
    """The count of a kernel whose warps multiply by mma.sync, `depth` of K in an instruction.

    reads: (wavefronts of a load, loads per `depth` of K) of B and of A; copies: (wavefronts of a
    copy, copies of a warp per tile) of A and of B.
    """
    products = c["WM"] * c["WN"] // LANES
    read, fill = (sum(each * count for each, count in some) for some in (reads, copies))
    (of_b, loads_b), (of_a, loads_a) = reads
    mmas = c["WM"] // 16 * c["WN"] // 8
    return {
        "wavefronts": read / (products * depth) + fill / (products * c["BK"]),
        "how": f"({loads_b} * {of_b} for B + {loads_a} * {of_a} for A) / {products * depth} + ("
        + " + ".join(f"{count} * {each}" for each, count in copies)
        + f") / {products * c['BK']} to fill the tiles",
        "more": f" For {depth} of K a warp issues {loads_a + loads_b} loads and {mmas} mma.",
    }


def tf32_mma(rung, size):
    """Words of A and of B in swizzled rows: A by ldmatrix, of B a word to a lane in each load."""
    c, lanes = rung.values(), range(LANES)

    def at_a(m, k):
        return m * c["BK"] + (k // 4 ^ m // 2 % 4) * 4 + k % 4

    def at_b(k, n):
        return k * c["BN"] + (n // 4 ^ k % 4 * 2) * 4 + n % 4

    of_a = wavefronts([at_a(lane % 16, lane // 16 * 4) for lane in lanes])
    of_b = wavefronts([at_b(lane % 4, lane // 4) for lane in lanes], 1)
    pieces = c["BK"] // 4  # of a row of A
    copied = [(lane // pieces, lane % pieces * 4) for lane in lanes]  # (m, k)
    copy_a = copy_wavefronts([m * size + k for m, k in copied], [at_a(m, k) for m, k in copied], 4)
    copy_b = copy_wavefronts([lane * 4 for lane in lanes], [at_b(0, lane * 4) for lane in lanes], 4)
    per_copy = 4 * c["kThreads"]  # elements
    counted = mma_count(
        c,
        [(of_b, 2 * c["WN"] // 8), (of_a, c["WM"] // 16)],
        [(copy_a, c["BM"] * c["BK"] // per_copy), (copy_b, c["BK"] * c["BN"] // per_copy)],
        8,
    )
    return {**counted, "instruction": ("mma.sync alone", "mma_tf32")}


def bf16_mma(rung, size):
    """Rows of 16 bytes, four tiles of 8 x 8 in each ldmatrix."""
    c = rung.values()
    lanes = range(LANES)

    def at_a(m, k):
        return (m * c["BK"] + (k // 8 ^ m // 2 % 4) * 8) // 2

    def at_b(k, n):
        return (k * c["BN"] + (n // 8 ^ k % 8) * 8) // 2

    of_a = wavefronts([at_a(lane % 16, lane // 16 * 8) for lane in lanes])
    of_b = wavefronts([at_b(lane % 16, lane // 16 * 8) for lane in lanes])
    pieces = c["BK"] // 8  # of a row of A
    copied = [(lane // pieces, lane % pieces * 8) for lane in lanes]
    copy_a = copy_wavefronts(
        [(m * size + k) // 2 for m, k in copied], [at_a(m, k) for m, k in copied], 4
    )
    copy_b = copy_wavefronts([lane * 4 for lane in lanes], [at_b(0, lane * 8) for lane in lanes], 4)
    per_copy = 8 * c["kThreads"]
    counted = mma_count(
        c,
        [(of_b, c["WN"] // 16), (of_a, c["WM"] // 16)],
        [(copy_a, c["BM"] * c["BK"] // per_copy), (copy_b, c["BK"] * c["BN"] // per_copy)],
        16,
    )
    return {**counted, "instruction": ("mma.sync alone", "mma_bf16")}


def tensor_reads(c):
    """(wavefronts in which tensor cores read a tile, its multiply-adds of a warp, words on boxes).

    Each warpgroup has its own rows of A read, and all of B; in rung 22 its own columns of B, and
    all of A. Boxes do not take this pipe.
    """
    own, whole = (c["BN"], c["BM"]) if "BOX" in c else (c["BM"], c["BN"])
    read = own // 64 * 2 * (64 + whole) * c["BK"] // (4 * BANKS)
    box_kib = 2 * (c["BM"] + c["BN"]) * c["BK"] / 1024
    words = f" Threads load nothing: a tile of {c['BK']} of K comes as boxes, {box_kib:.0f} KiB."
    return read, c["BM"] * c["BN"] // LANES * c["BK"], words


def wgmma(rung, _size):
    """The tensor cores read shared memory themselves."""
    read, products, words = tensor_reads(rung.values())
    return {
        "wavefronts": read / products,
        "how": f"{read} in which tensor cores read a tile / {products}",
        "more": words,
    }


def persistent_cluster(rung, size):
    """Results pass shared memory, too, and the blocks of a cluster load together."""
    c = rung.values()
    rows, columns = c.get("kPair"), 1
    if rung.configurations:
        taken = rung.configuration(rung.plan((size, size, size))["configuration"])
        c = rung.values(taken["kernels"][0])
        rows, columns = taken["BM"] // c["BM"], taken["BN"] // c["BN"]
    read, products, words = tensor_reads(c)
    results = 2 * c["BM"] * c["BN"] // (4 * BANKS)
    sums = c["BM"] * c["BN"] // LANES * size
    counted = {
        "wavefronts": read / products + results / sums,
        "how": f"{read} in which tensor cores read a tile / {products} + {results} to write "
        f"results / {sums}",
        "more": words,
    }
    if rows * columns == 1:
        return counted
    owner = {
        "per_tile": rows * columns,
        "owner": "pair of blocks" if rows * columns == 2 else "cluster",
    }
    return {**counted, "tile": (rows * c["BM"], columns * c["BN"]), **owner}


def split_precision(rung, _size):
    """Three products of FP16 parts; a pair of blocks loads for its rows together."""
    c = rung.values()
    products, part_bytes = 3, 2
    read, made, words = tensor_reads(c)
    return {
        "wavefronts": products * read / made,
        "how": f"{products} products * {read} in which tensor cores read a tile / {made}",
        "more": words,
        "tile": (c["kPair"] * c["BM"], c["BN"]),
        "per_tile": c["kPair"],
        "owner": "pair of blocks",
        "loaded_bytes": products * part_bytes,
        "products": products,
    }


COUNTS = {  # by the name of the rung
    "naive": naive,
    "coalesced": coalesced,
    "shared_tile": shared_tile,
    "register_tile": register_tile,
    "vector_access": vector_access,
    "double_buffer": vector_access,
    "wave_swizzle": vector_access,
    "warp_tile": warp_tile,
    "async_copy": async_copy,
    "wide_tile": async_copy,
    "producer_warps": producer_warps,
    "stream_k": stream_k,
    "shared_k": chosen,
    "every_shape": chosen,
    "tf32_mma": tf32_mma,
    "bf16_mma": bf16_mma,
    "wgmma": wgmma,
    "producer_warpgroup": wgmma,
    "persistent_cluster": persistent_cluster,
    "in_step": persistent_cluster,
    "l2_sides": persistent_cluster,
    "hopper_summit": persistent_cluster,
    "split_precision": split_precision,
}


def by_hand(number, size):
    """The count for a rung at M = N = K = size; `blocks` is None until the rung was profiled."""
    rung = rung_of(number)
    if rung.name not in COUNTS:
        raise FigureError(f"rung {rung.label} has no hand count in docs/report/by_hand.py")
    blocks = rung.kernels[0]["blocks_per_sm"]
    return {"tile": rung.tile, "blocks": blocks, **COUNTS[rung.name](rung, size)}
