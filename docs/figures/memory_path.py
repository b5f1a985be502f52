"""The way of a byte from DRAM to a register: capacity and bandwidth of each stop."""

from docs.figures.shapes import EDGE, Picture, card
from docs.report.recorded import described, load, roofs

GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
TOP, BOTTOM = 150, 296


def draw(narrow=False):
    """Boxes from HBM to registers with their figures below."""
    of_card, found = card(), roofs()
    sms, clock = of_card["sms"], of_card["sm_clock_mhz"] * 1e6
    l1 = of_card["l1_and_shared_bytes_per_sm"]
    registers = of_card["registers_per_sm"] * 4
    dram_gbps = max(found["dram_copy"], found["dram_memcpy"])

    def per_cycle(bytes_per_second):
        return f"{bytes_per_second / sms / clock:.0f}"

    stops = [
        (
            "HBM",
            f"{of_card['dram_bytes'] / GIB:.0f} GiB",
            f"{dram_gbps / 1000:.2f} TB/s",
            per_cycle(dram_gbps * 1e9),
        ),
        (
            "L2",
            f"{of_card['l2_bytes'] / MIB:.0f} MiB",
            f"{found['l2_read'] / 1000:.2f} TB/s",
            per_cycle(found["l2_read"] * 1e9),
        ),
        (
            "L1 and shared",
            f"{sms} x {l1 // KIB} KiB",
            f"{found['shared_read'] / 1000:.1f} TB/s",
            per_cycle(found["shared_read"] * 1e9),
        ),
        ("registers", f"{sms} x {registers // KIB} KiB", "", ""),
    ]
    words = "; ".join(
        f"{name}: {capacity}"
        + (f", measured {rate}, {cycle} bytes per SM and cycle" if rate else "")
        for name, capacity, rate, cycle in stops
    )
    picture = Picture(
        "memory_path",
        484,
        "The nearer the memory, the more bytes it gives per cycle",
        f"{described(load('roofs.json')['context'], '')}; {sms} SMs",
        f"The path of a byte on an H200: HBM, memory controllers, {of_card['l2_partitions']} "
        "partitions of L2, crossbar, L1 and shared memory of an SM, register file. "
        f"{words}. Peak of HBM {of_card['dram_bytes_per_second'] * 1e-12:.2f} TB/s. Sources: "
        "capacities and the peak from common/devices/h200.json, where each has its own source; "
        "bandwidths from bench/results/nvidia-h200/roofs.json: copy in DRAM counts bytes read and "
        "written, L2 and shared memory bytes read.",
        narrow,
    )
    peaks = (
        f"HBM at its peak: {of_card['dram_bytes_per_second'] * 1e-12:.2f} TB/s. "
        f"FP32 peak: {of_card['fp32_tflops']:.1f} TFLOP/s."
    )
    if narrow:
        picture.height = picture.paragraph(EDGE, draw_below(picture, stops), peaks, "soft") - 2
        return picture
    centers = draw_boxes(picture, of_card)
    rows = ("capacity", "measured", "bytes per SM", "and cycle")
    picture.lines(24, 350, [(rows[0], "soft"), (rows[1], "soft"), (rows[2], "soft")], gap=32)
    picture.text(24, 432, rows[3], "soft")
    for center, (_, capacity, rate, cycle) in zip(centers, stops, strict=True):
        picture.text(center, 350, capacity, "strong", "middle")
        if rate:
            picture.text(center, 382, rate, "strong", "middle")
            picture.text(center, 416, cycle, "large", "middle")
    picture.text(24, 466, peaks, "soft")
    return picture


def draw_below(picture, stops):
    """For phones: the stops from top to bottom. Returns the base line below them."""
    y, width, height = picture.top, 150, 52
    ways = ("memory controllers", "crossbar", "each SM for itself", "")
    for (name, capacity, rate, cycle), way, color in zip(stops, ways, (1, 0, 2, 3), strict=True):
        picture.cell(EDGE, y, width, height, f"f{color} tint", name, "strong plain")
        lines = [(capacity, "strong")]
        if rate:
            lines += [f"measured: {rate},", f"{cycle} bytes per SM and cycle"]
        picture.lines(EDGE + width + 16, y + 10, lines)
        y += height
        if way:
            picture.arrow([(EDGE + width / 2, y + 2), (EDGE + width / 2, y + 38)], "axis", 5)
            picture.text(EDGE + width / 2 + 12, y + 25, way, "soft")
            y += 42
    return y + 34


def draw_boxes(picture, of_card):
    """The stops from left to right; returns the middle of those with figures."""
    middle = (TOP + BOTTOM) / 2
    for i in range(3):
        picture.cell(150 + 6 * i, TOP + 12 - 6 * i, 100, BOTTOM - TOP - 12, "f1 tint")
    picture.text(212, middle + 5, "HBM", "strong plain", "middle")
    picture.cell(282, TOP, 34, BOTTOM - TOP, "soft-fill")
    picture.lines(299, TOP - 34, [("memory", "soft"), ("controllers", "soft")], anchor="middle")
    halves = of_card["l2_partitions"]
    height = (BOTTOM - TOP) / halves
    for half in range(halves):
        picture.cell(
            352, TOP + half * height, 120, height - 3, "f0 tint", f"L2, part {half}", "strong plain"
        )
    picture.cell(508, TOP, 34, BOTTOM - TOP, "soft-fill")
    picture.text(525, TOP - 13, "crossbar", "soft", "middle")
    picture.frame(578, TOP - 8, 398, BOTTOM - TOP + 16)
    picture.text(588, TOP - 15, f"one of {of_card['sms']} SMs", "soft")
    picture.cell(592, TOP + 8, 150, BOTTOM - TOP - 16, "f2 tint")
    picture.lines(
        667, middle - 5, [("L1 and", "strong plain"), ("shared", "strong plain")], anchor="middle"
    )
    picture.cell(778, TOP + 8, 96, BOTTOM - TOP - 16, "f3 tint")
    picture.lines(
        826, middle - 5, [("register", "strong plain"), ("file", "strong plain")], anchor="middle"
    )
    picture.cell(906, TOP + 8, 58, BOTTOM - TOP - 16, "f3")
    picture.lines(935, middle - 5, ["FP32", "lanes"], "on", anchor="middle")
    for begin, end in ((264, 280), (318, 350), (474, 506), (544, 590), (744, 776), (876, 904)):
        picture.arrow([(begin, middle), (end, middle)], "axis", 5)
    return 206, 412, 667, 826
