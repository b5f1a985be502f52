"""The labs' curves as charts, each of them wide and for phones."""

import functools

from docs.report import chart
from docs.report.chart import Axis, Chart, Curve
from docs.report.recorded import described
from docs.report.recorded_labs import OWN, finding, report, series, with_unit

BYTES = "bytes"


def mark(name, key, words):
    """An upright line at what a lab found; nothing where it found nothing, or on another GPU."""
    if OWN and name not in OWN:
        return []
    found = finding(name, key)
    if found["value"] is None:
        return []
    value = found["value"]["value"]
    return [(value, f"{words} {with_unit(value, found['unit'])}".strip())]


def those_of_own(own, pairs, unit):
    """The chosen curves that another report has; for the others, its last ones.

    Names of curves tell sizes, and the sizes of another GPU are others.
    """
    names = [each["name"] for each in own["series"] if unit in (None, each["y_unit"])]
    found = [pair for pair in pairs if any(name.startswith(pair[0]) for name in names)]
    rest = [name for name in names if not any(name.startswith(prefix) for prefix, _ in found)]
    missing = min(len(pairs) - len(found), len(rest))
    return found + [(name, name) for name in rest[len(rest) - missing :]]


def curves(name, *chosen, unit=None, **style):
    """Curves of a lab: (prefix of its recorded name, name in the chart) or one name for both."""
    pairs = [(each, each) if isinstance(each, str) else each for each in chosen]
    if name in OWN:
        pairs = those_of_own(OWN[name], pairs, unit)
    return [Curve(words, series(name, prefix, unit), **style) for prefix, words in pairs]


def latency():
    """L01: the staircase of caches."""
    return {
        "title": "How long a load takes, by how much memory is read in turn",
        "curves": curves(
            "latency", ("ld.ca", "ld.ca, which may use L1"), ("ld.cg", "ld.cg, which goes past L1")
        ),
        "x": Axis("footprint", BYTES, logarithmic=True),
        "y": Axis("latency", "cycles"),
        "marks": mark("latency", "l1_bytes", "L1")
        + mark("latency", "l2_first_bytes", "near L2")
        + mark("latency", "plateau_2_bytes", "all of L2"),
    }


def sectors():
    """L02: what a miss brings."""
    return {
        "title": "Loads of cold data, by how far one is from the next",
        "curves": curves(
            "sectors", ("from L2", "L1 misses, L2 has the data"), ("from memory", "L2 misses, too")
        ),
        "x": Axis("stride", BYTES, logarithmic=True),
        "y": Axis("latency", "cycles"),
    }


def l2_bandwidth():
    """L03: three probes of the same cache."""
    return {
        "title": "Three programs that claim to measure L2's bandwidth",
        "curves": curves(
            "l2_bandwidth",
            ("as printed", "as often printed: ld.ca, own elements"),
            ("ld.cg, blocks", "ld.cg, blocks change places"),
            ("ld.cg, random", "ld.cg, random pieces"),
        ),
        "x": Axis("working set", BYTES, logarithmic=True),
        "y": Axis("bandwidth", "GB/s"),
        "marks": mark("l2_bandwidth", "l2_knee_bytes", "begins to fall:")
        + mark("device_card", "l2_bytes", "L2:"),
    }


def set_aside():
    """L04: what survives a stream."""
    return {
        "title": "How much of a hot array survives a stream of twice the L2",
        "curves": curves(
            "set_aside",
            "nothing set aside",
            ("all set aside, the whole", "all set aside, array marked"),
            ("half of it", "half set aside, array marked"),
            ("all set aside, half", "all set aside, hitRatio 0.5"),
        ),
        "x": Axis("hot array", BYTES),
        "y": Axis("lines that survive", "%"),
        "marks": mark("set_aside", "most_set_aside_bytes", "most that can be set aside:"),
    }


def coalescing():
    """L06: useful bandwidth by stride."""
    return {
        "title": "Useful bandwidth of a warp's 4-byte loads, by stride",
        "curves": curves(
            "coalescing",
            ("L1, 4", "data in L1"),
            ("L2, 4", "data in L2"),
            ("DRAM, 4", "data in DRAM"),
        ),
        "x": Axis("stride in elements", logarithmic=True),
        "y": Axis("useful bandwidth", "GB/s", logarithmic=True),
    }


def memory_bandwidth():
    """L07: Little's law."""
    return {
        "title": "Bandwidth of memory, by how much is asked for at a time",
        "curves": curves("memory_bandwidth", "read"),
        "x": Axis("bytes in flight", BYTES, logarithmic=True),
        "y": Axis("bandwidth", "GB/s"),
        "marks": mark("memory_bandwidth", "bytes_in_flight", "knee of the fit:"),
    }


def shared_memory():
    """L08: a cycle for each wavefront."""
    return {
        "title": "Time of a shared-memory load, by how many lanes want one bank",
        "curves": curves(
            "shared_memory",
            "loads of 4 bytes",
            "loads of 8 bytes",
            "loads of 16 bytes",
            unit="cycles",
        ),
        "x": Axis("lanes that want one bank"),
        "y": Axis("time of a request", "cycles"),
    }


def multiply_adds():
    """L08, too: what hides the latency of arithmetic."""
    return {
        "title": "Multiply-adds of an SM in a cycle, by warps and by independent sums",
        "curves": curves(
            "shared_memory",
            ("8 sums", "8 sums per thread"),
            "4 sums",
            "2 sums",
            ("1 sums", "1 sum"),
        ),
        "x": Axis("warps on an SM", logarithmic=True),
        "y": Axis("multiply-adds per cycle"),
    }


def l2_sides():
    """L09: near and far lines of each SM."""
    return {
        "title": "An atomic addition to lines of either side of L2, from each SM",
        "curves": curves(
            "l2_sides",
            ("lines of side 0", "lines of side 0 (median)"),
            ("lines of side 1", "lines of side 1 (median)"),
            dots=True,
        ),
        "x": Axis("SM"),
        "y": Axis("latency", "cycles"),
    }


def near_memory():
    """L10: energy of each slot, in the order of time."""
    return {
        "title": "Energy of a copy of random bits, slot after slot",
        "curves": curves(
            "near_memory",
            ("copy, off", "off: half of the accesses are near"),
            ("copy, right", "right: all are near"),
            ("copy, wrong", "wrong: none is near"),
            ("copy, random", "random: half"),
            dots=True,
        ),
        "x": Axis("slot of ten seconds"),
        "y": Axis("energy", "J/GB"),
    }


def tlb_reach():
    """L11: steps where translations run out of room."""
    return {
        "title": "Latency of loads that stay in L2, by how much memory they are spread over",
        "curves": curves("tlb_reach", *(f"stride {stride} MiB" for stride in (2, 8, 32, 64))),
        "x": Axis("distance", BYTES, logarithmic=True),
        "y": Axis("latency", "cycles", least=250),
        "marks": mark("tlb_reach", "tlb_1_reach_bytes", "first TLB:")
        + mark("tlb_reach", "tlb_2_reach_bytes", "last TLB:"),
    }


def tlb_sharing():
    """L12: which SMs slow each other down."""
    return {
        "title": "Which SMs share the last TLB: one row of dots for each group",
        "curves": curves(
            "tlb_sharing", ("TLB of 55", "an SM, in the group that shares its TLB"), dots=True
        ),
        "x": Axis("SM"),
        "y": Axis("group"),
    }


def random_sampling():
    """L13: random reads and three cures."""
    return {
        "title": "Random reads of 8 bytes, by how much memory they are spread over",
        "curves": curves(
            "random_sampling",
            "one pass",
            ("passes over 8", "passes over 8.16 GiB"),
            ("passes over 32", "passes over 32.6 GiB"),
            ("one pass, each", "one pass, each SM in its own part"),
        ),
        "x": Axis("region", BYTES, logarithmic=True),
        "y": Axis("reads", "billions per second"),
    }


def hash_grouping():
    """L14: a table that every tuple goes to, and three cures."""
    return {
        "title": "Tuples counted in a hash table, by the size of the table",
        "curves": curves(
            "hash_grouping",
            "one pass",
            ("passes over 32.13 GiB, the", "passes over 32 GiB, the others spilled"),
            ("passes over 8", "over 8 GiB"),
            ("sorted into 264", "sorted into 264 windows"),
        ),
        "x": Axis("table", BYTES, logarithmic=True),
        "y": Axis("tuples", "billions per second"),
    }


def raster_orders():
    """L16: traffic by the width of a group of columns."""
    return {
        "title": "DRAM traffic of a product, by how many columns of tiles a group has",
        "curves": curves(
            "raster_orders", "counted", ("formula", "formula, blocks in step"), unit=BYTES
        ),
        "x": Axis("columns of tiles in a group"),
        "y": Axis("traffic", "MB"),
        "source": "counted by the emulator: 1024 x 1024 x 512 in tiles of 32 x 32, classroom card",
    }


def interference():
    """L17: what is left after the weights have passed."""
    return {
        "title": "Keys and values that are still in L2 after a product has passed, by cure",
        "curves": curves(
            "interference",
            "no cure",
            ("L2 is set aside", "L2 is set aside for them"),
            ("weights are read", "weights are read with evict_first"),
            ("the weights pass", "the weights pass before both reads"),
        ),
        "x": Axis("keys and values", BYTES),
        "y": Axis("still in L2", "%"),
        "marks": mark("set_aside", "most_set_aside_bytes", "most that can be set aside:"),
    }


def remote_memory():
    """L18: the other GPU's memory."""
    return {
        "title": "Latency of loads from the other GPU's memory, and from this GPU's",
        "curves": curves(
            "remote_memory",
            ("own memory", "own memory, ld.cg"),
            "remote memory, ld.cg",
            "remote memory, ld.ca",
        ),
        "x": Axis("footprint", BYTES, logarithmic=True),
        "y": Axis("latency", "cycles"),
        "marks": mark("remote_memory", "remote_knee_bytes", "slower from"),
    }


CHARTS = (
    latency,
    sectors,
    l2_bandwidth,
    set_aside,
    coalescing,
    memory_bandwidth,
    shared_memory,
    multiply_adds,
    l2_sides,
    near_memory,
    tlb_reach,
    tlb_sharing,
    random_sampling,
    hash_grouping,
    raster_orders,
    interference,
    remote_memory,
)
LAB_OF = {multiply_adds: "shared_memory"}  # the others have the name of their lab


def picture(make, width):
    """A lab's chart as a drawing."""
    name = make.__name__
    parts = make()
    lab = LAB_OF.get(make, name)
    if parts["y"].unit == "MB":
        for curve in parts["curves"]:
            curve.points = [(x, y / 1e6) for x, y in curve.points]
    if lab in OWN:
        parts["source"] = OWN[lab]["context"]["device"] + (", quick" if OWN[lab]["quick"] else "")
    elif "source" not in parts:
        parts["source"] = described(report(lab)["context"], "")
    return chart.drawn(Chart(name=f"lab-{name.replace('_', '-')}", **parts), width)


PLOTS = {
    f"lab_{make.__name__}{suffix}": functools.partial(picture, make, width)
    for make in CHARTS
    for suffix, width in (("", chart.WIDTH), ("_narrow", chart.NARROW))
}
