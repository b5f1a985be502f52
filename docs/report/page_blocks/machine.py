"""Blocks of the chapters: ridges, measured roofs, waves, occupancy."""

import pathlib

from bench import results_file
from bench.rungs import own_rungs, rung_named
from docs.report.page_blocks import probes, sass
from docs.report.page_blocks.lessons import HIT, MISS, trace
from docs.report.page_blocks.markdown import table
from docs.report.recorded import (
    NotRecordedError,
    climb,
    load,
    percent,
    profile,
    provenance,
    roofs,
    sms,
)

CARDS = pathlib.Path("common/devices")  # below the root of the sources


def cards():
    """[(link from docs/chapters, {figure: value})] of the device cards."""
    found = []
    for path in sorted(CARDS.glob("*.json")):
        card = {name: entry["value"] for name, entry in results_file.read(path).items()}
        name = card["name"].replace("NVIDIA ", "").replace("GeForce ", "")
        found.append((f"[{name}](../../{path})", card))
    return found


def drain_block(_place, _arguments):
    """How long a GPU takes to read all of its memory once."""
    rows = [
        [
            link,
            f"{card['dram_bytes'] * 1e-9:.0f} GB",
            f"{card['dram_bytes_per_second'] * 1e-9:.0f} GB/s",
            f"{1e3 * card['dram_bytes'] / card['dram_bytes_per_second']:.0f} ms",
        ]
        for link, card in cards()
    ]
    return table(["GPU", "DRAM", "bandwidth", "to read all of it"], rows)


def ridges_block(_place, _arguments):
    """Peaks, bandwidth and ridges of the device cards."""
    rows = []
    for link, card in cards():
        bandwidth = card["dram_bytes_per_second"]
        peaks = [card[f"{kind}_tflops"] for kind in ("fp32", "tf32", "bf16")]
        ridges = [f"{peak * 1e12 / bandwidth:.0f}" if peak else "" for peak in peaks]
        crossing = f"{6 * peaks[0] * 1e12 / bandwidth:.0f}"
        row = [link, f"{bandwidth * 1e-9:.0f}", f"{peaks[0]:.1f}"]
        rows.append([*row, *ridges, crossing])
    heads = ["GPU", "DRAM, GB/s", "FP32, TFLOP/s", "ridge FP32", "ridge TF32", "ridge BF16"]
    return table([*heads, "N/6 = ridge FP32 at N ="], rows)


def roofs_block(_place, _arguments):
    """The measured roofs and what the card says."""
    titles = {
        "ffma": "FP32 multiply-adds on registers",
        "fed_ffma": "multiply-adds fed from shared memory, as in a GEMM",
        "dram_memcpy": "DRAM, read and written by cudaMemcpy",
        "dram_copy": "DRAM, read and written by a kernel",
        "l2_read": "L2, 16 MiB read again and again, bypassing L1",
        "shared_read": "shared memory, LDS.128 without conflicts",
    }
    found = roofs()
    units = {entry["name"]: entry["unit"] for entry in load("roofs.json")["benchmarks"]}
    rows = [
        [title, f"{found[name]:.1f}" if units[name] == "TFLOP/s" else f"{found[name]:.0f}"]
        for name, title in titles.items()
    ]
    for row, name in zip(rows, titles, strict=True):
        row[1] += f" {units[name]}"
    return f"{table(['what', 'measured'], rows)}\n\n{provenance('roofs.json')}."


def wave_panels(rung, size):
    """[panels that a wave reads]: rows of A or columns of B as many as a block tile's."""
    tiles = size // rung.tile[0]
    order = [(tile // tiles, tile % tiles) for tile in range(tiles**2)]
    band = rung.values().get("BAND")
    if band:
        order.sort(key=lambda tile: (tile[0] // band, tile[1], tile[0]))
    at_once = sms() * rung.kernels[0]["blocks_per_sm"]
    waves = [order[i : i + at_once] for i in range(0, len(order), at_once)]
    return [sum(len(set(side)) for side in zip(*wave, strict=True)) for wave in waves]


def wave_formula_block(_place, _arguments):
    """Hit rate and DRAM reads as the formula has them, as counted, and as the model has them."""
    rows = []
    for size in (4096, 8192, 16384):
        for rung in (rung_named("double_buffer"), rung_named("wave_swizzle")):
            side = rung.tile[0]  # and the other
            panels = wave_panels(rung, size)
            asked = 2 * (size // side) ** 2
            counters = profile(rung.number, size)
            model = trace(rung.number, size)["metrics"]
            rows.append(
                [
                    f"{rung.number:02} at {size}",
                    f"{max(panels)}",
                    percent(1 - sum(panels) / asked),
                    percent(counters[HIT] / (counters[HIT] + counters[MISS])),
                    *(
                        f"{read * 1e-9:.3g} GB"
                        for read in (
                            sum(panels) * side * size * 4,
                            counters["dram__bytes_read.sum"],
                            model["dram__bytes_read.sum"],
                        )
                    ),
                ]
            )
    heads = ["rung", "most panels a wave", "hits, formula", "hits, counted", "DRAM reads, formula"]
    return (
        table([*heads, "counted", "our cache model"], rows)
        + f"\n\n{provenance('profile_16384.json')}."
    )


def occupancy_block(_place, _arguments):
    """Warps on an SM against what the pipes do; FP32 rungs with shared memory and no plans."""
    rows = []
    timed = climb(2048, "graph")
    for number, rung in own_rungs().items():
        if rung.configurations or not rung.shared_bytes or rung.tensor_cores:
            continue
        try:
            counters = profile(number, 2048)
            tflops = timed[number]["tflops"] if number in timed else None
        except NotRecordedError:
            tflops = None
        if tflops is None:
            continue  # the table is of what is recorded
        shares = [
            counters[f"{name}.avg.pct_of_peak_sustained_active"] / 100
            for name in ("sm__warps_active", "smsp__issue_active", "sm__pipe_fma_cycles_active")
        ]
        row = [f"rung {number:02}", f"{counters['launch__registers_per_thread']:.0f}"]
        row += [f"{100 * share:.0f} %" for share in shares]
        rows.append([*row, f"{tflops:.1f}"])
    heads = ["at 2048", "registers", "warps active", "issue slots busy", "FP32 pipe busy"]
    return f"{table([*heads, 'TFLOP/s'], rows)}\n\n{provenance('profile_2048.json')}."


BLOCKS = {
    **probes.BLOCKS,
    **sass.BLOCKS,
    "drain": drain_block,
    "ridges": ridges_block,
    "roofs": roofs_block,
    "wave_formula": wave_formula_block,
    "occupancy": occupancy_block,
}
