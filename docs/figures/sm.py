"""What a streaming multiprocessor holds."""

from docs.figures.shapes import EDGE, Picture, card
from docs.report.recorded import roofs
from docs.report.wavefronts import BANKS, LANES

PARTITIONS = 4
KIB = 1 << 10


def draw(narrow=False):
    """Four partitions over one L1 and shared memory."""
    of_card = card()
    lanes = round(of_card["fp32_tflops"] * 1e6 / (2 * of_card["sms"] * of_card["sm_clock_mhz"]))
    per_partition = lanes // PARTITIONS
    warps = of_card["max_warps_per_sm"] // PARTITIONS
    registers = of_card["registers_per_sm"] // PARTITIONS
    l1 = of_card["l1_and_shared_bytes_per_sm"] // KIB
    shared = of_card["shared_bytes_per_sm"] // KIB
    per_cycle = roofs()["shared_read"] * 1e3 / (of_card["sms"] * of_card["sm_clock_mhz"])
    picture = Picture(
        "sm",
        520,
        f"An SM starts {PARTITIONS} warp instructions per cycle, but has one way to memory",
        f"one of the {of_card['sms']} SMs of an H200",
        f"An SM of an H200. {PARTITIONS} partitions, each with a warp scheduler that starts one "
        f"instruction of one of up to {warps} warps per cycle, a register file of {registers} "
        f"words and {per_partition} FP32 units: {lanes} units in all. They share one pipe to L1 "
        f"and shared memory, {l1} KiB, of which up to {shared} KiB can be shared memory; the pipe "
        f"passes one wavefront of {BANKS * 4} bytes per cycle; {per_cycle:.0f} were measured. "
        "Sources: common/devices/h200.json, bench/results/nvidia-h200/roofs.json; the four "
        "partitions from NVIDIA H100 Tensor Core GPU Architecture, 2022.",
        narrow,
    )
    width, gap, first = (208, 12, picture.top) if narrow else (226, 16, 96)
    left, beside = (EDGE, 2) if narrow else (24, PARTITIONS)
    for i in range(PARTITIONS):
        x, top = left + i % beside * (width + gap), first + i // beside * 242
        picture.frame(x, top, width, 232)
        picture.text(x + 12, top + 24, f"partition {i}", "soft")
        picture.cell(x + 12, top + 36, width - 24, 44, "f1 tint")
        picture.text(x + width / 2, top + 55, "warp scheduler", "strong plain", "middle")
        picture.text(x + width / 2, top + 73, f"1 of up to {warps} warps", "plain", "middle")
        picture.cell(x + 12, top + 88, width - 24, 48, "f2 tint")
        picture.text(x + width / 2, top + 108, "register file", "strong plain", "middle")
        picture.text(
            x + width / 2,
            top + 127,
            f"{registers} words, {registers * 4 // KIB} KiB",
            "plain",
            "middle",
        )
        cell = (width - 24) / 16
        for row in range(per_partition // 16):
            picture.row(x + 12, top + 148 + 20 * row, cell, ["f3"] * 16, height=18)
        picture.text(x + width / 2, top + 214, f"{per_partition} FP32 units", "strong", "middle")
        if i >= PARTITIONS - beside:
            picture.arrow([(x + width / 2, top + 234), (x + width / 2, top + 262)], "axis", 5)
    y, all_of = top + 266, picture.width - 2 * left
    words = f"one pipe for loads and stores: 1 wavefront per cycle, up to {BANKS * 4} bytes"
    lines = words.split(": ") if narrow else [words]
    taller = 21 * (len(lines) - 1)
    middle = left + all_of / 2
    picture.cell(left, y, all_of, 32 + taller, "soft-fill")
    picture.lines(middle, y + 21, lines, "strong plain", anchor="middle")
    y += taller
    picture.cell(left, y + 40, all_of, 54, "f0 tint")
    picture.text(
        middle, y + 62, f"L1 and shared memory: {l1} KiB, {BANKS} banks", "strong plain", "middle"
    )
    picture.text(
        middle,
        y + 83,
        f"up to {shared} KiB of it are shared memory, the rest is L1",
        "plain",
        "middle",
    )
    words = (
        f"a multiply-add of a warp ({LANES} lanes) may cost 1/{PARTITIONS} wavefront, or the lanes "
        "wait"
    )
    picture.conclude(left, y + 128, words)
    return picture
