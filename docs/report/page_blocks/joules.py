"""Blocks about energy: joules of products, clocks, bytes per FLOP, and inputs of several kinds.

Energies are power times time of the sustained climb; what bench/benchmark/energy.cpp measures
better comes from GPU/energy.json, once a GPU has written it.
"""

import contextlib
from statistics import fmean, median

from bench import results_file
from bench.rungs import rung_named, rung_of
from docs.report.page_blocks.markdown import table
from docs.report.page_blocks.measuring import title_of
from docs.report.page_blocks.near_product import measured_copies, parts_of_energy
from docs.report.recorded import (
    GPUS,
    RESULTS,
    MissingFileError,
    NotRecordedError,
    card_name,
    climb,
    described,
    gaps,
    load,
    of_rung,
    on_gpu,
    profile,
    provenance,
    sms,
    traced,
)
from docs.report.rung_figures import NOT_YET

SIZE, COUNTED = 8192, 4096  # large enough for the power limit; profiled
TENSOR = "persistent_cluster"  # the GPU that speaks for it speaks for this page
SECTOR, WAVEFRONT = 32, 128  # bytes
LIBRARIES = {
    "best_cublaslt": "best of cublasLt",
    "best_cublaslt_tf32": "best of cublasLt, TF32",
    "best_cublaslt_bf16": "best of cublasLt, BF16",
}
INPUTS = {  # of bench/benchmark/energy.cpp, until it is recorded
    "normal": "normal, as everywhere in this book",
    "uniform": "uniform",
    "sorted": "uniform, sorted by size",
    "short": "normal, cut to two significant bits",
    "ones": "all 1",
    "zeros": "all 0",
}


def flop(size):
    """Operations of a square product."""
    return 2 * size**3


def gpu_of_page():
    """The first GPU whose sustained climb has rungs on tensor cores."""
    rung = rung_named(TENSOR).number
    for gpu in GPUS:
        with on_gpu(gpu), contextlib.suppress(MissingFileError, NotRecordedError):
            if rung in climb(SIZE, "sustained"):
                return gpu
    raise NotRecordedError(f"no GPU has a climb_sustained_{SIZE}.json with rung {rung}")


def this_gpu():
    """Within it, figures are of that GPU."""
    return on_gpu(gpu_of_page())


def name_of(entry):
    """What a table calls a kernel."""
    return LIBRARIES.get(entry["name"]) or title_of(entry["name"])


def hot_entries():
    """[entry] of the sustained climb of which all is recorded; rungs come before libraries."""
    needed = ("power_w", "sm_clock_mhz", "samples_ms", "launches_per_sample")
    entries = climb(SIZE, "sustained").values()
    return [entry for entry in entries if all(entry[name] for name in needed)]


def window_ms(entry):
    """The mean of the windows. Power is a mean as well; the windows differ, so no median."""
    return fmean(entry["samples_ms"])


def joules(entry):
    """Of a product in a sustained climb: power times time."""
    return entry["power_w"]["median"] * window_ms(entry) * 1e-3


def picojoules_per_flop(entry):
    """The same for an operation."""
    return joules(entry) / flop(entry["m"]) * 1e12


def joules_block(*_):
    """`joules`: power, clock, time and energy of the hot kernels."""
    with this_gpu():
        rows = [
            (
                name_of(entry),
                f"{window_ms(entry):.2f}",
                f"{entry['power_w']['median']:.0f}",
                f"{entry['sm_clock_mhz']['median']:.0f}",
                f"{joules(entry):.2f}",
                f"{picojoules_per_flop(entry):.2f}",
            )
            for entry in hot_entries()
        ]
        heads = (
            f"{SIZE}, sustained",
            "ms, mean",
            "W",
            "MHz at the end",
            "J per product",
            "pJ per FLOP",
        )
        context = {**load(f"climb_sustained_{SIZE}.json")["context"], "sm_clock_mhz": None}
        return f"{table(heads, rows)}\n\n{described(context, '')}."


def counted_or_none(recording, rung):
    """{metric: value} of a rung; None where it is not recorded."""
    try:
        return recording(rung, COUNTED)
    except gaps(COUNTED):
        return None


def hot_rungs():
    """[(entry, Rung)] of the sustained climb, without libraries."""
    return [(entry, rung_of(entry["rung"])) for entry in hot_entries() if entry["rung"] is not None]


def launch_clocks_block(*_):
    """`launch_clocks`: cycles over time of a single launch."""
    with this_gpu():
        rows = []
        for _, rung in hot_rungs():
            counted = counted_or_none(profile, rung.number)
            if counted is None:
                continue
            cycles, ns = (
                counted[name] for name in ("sm__cycles_elapsed.max", "gpu__time_duration.sum")
            )
            per_cycle = flop(COUNTED) / cycles / sms()
            rows.append(
                (
                    title_of(rung.label),
                    f"{per_cycle:.0f}",
                    f"{cycles / 1e3:,.0f}",
                    f"{ns / 1e6:.3f}",
                    f"{1e3 * cycles / ns:.0f}",
                )
            )
        if not rows:
            raise NotRecordedError(f"profile_{COUNTED}.json has none of these rungs")
        heads = (
            f"one launch at {COUNTED}",
            "FLOP per cycle and SM",
            "thousand cycles",
            "ms",
            "MHz = cycles / time",
        )
        return f"{table(heads, rows)}\n\n{provenance(f'profile_{COUNTED}.json')}."


def register_bytes(rung):
    """Bytes of registers that instructions name for each FLOP: operands and sums, in and out."""
    if rung.precision == "FP32":
        return 4 * 4 / 2  # FFMA d, a, b, c
    m, n, k = {"tf32_mma": (16, 8, 8), "bf16_mma": (16, 8, 16)}.get(rung.name, (64, None, 16))
    if n is None:  # wgmma: A and B come from shared memory
        return 2 * 4 / (2 * k)
    factors = (m * k + k * n) * rung.element_bytes
    return (factors + 2 * 4 * m * n) / (2 * m * n * k)


def l2_bytes(counted):
    """What SMs read from L2 and write to it, after requests have been merged on the way."""
    return counted["lts__t_sectors_srcunit_tex.sum"] * SECTOR


def asked_bytes(traced_rung):
    """The same before anything is merged: only the emulator knows."""
    return traced_rung["l2_sectors_most"] * SECTOR


def dram_bytes(counted):
    """Read and written."""
    return counted["dram__bytes_read.sum"] + counted["dram__bytes_write.sum"]


def shared_bytes(counted):
    """Wavefronts of shared memory, 128 bytes each."""
    return counted["memory_l1_wavefronts_shared"] * WAVEFRONT


def byte_levels_block(*_):
    """`byte_levels`: bytes per 1000 FLOP at each level, and pJ per FLOP."""
    with this_gpu():
        rows = []
        for entry, rung in hot_rungs():
            counted = counted_or_none(profile, rung.number)
            if counted is None and not rung.tensor_cores:
                continue
            levels = (
                (NOT_YET, "", "")
                if counted is None
                else [
                    f"{1e3 * measure(counted) / flop(COUNTED):.{digits}f}"
                    for measure, digits in ((dram_bytes, 2), (l2_bytes, 1), (shared_bytes, 0))
                ]
            )
            rows.append(
                (
                    title_of(rung.label),
                    *levels,
                    f"{1e3 * register_bytes(rung):.0f}",
                    f"{picojoules_per_flop(entry):.2f}",
                )
            )
        heads = ("bytes per 1000 FLOP", "DRAM", "L2", "shared memory", "registers", "pJ per FLOP")
        return (
            f"{table(heads, rows)}\n\nDRAM, L2 and shared memory: one launch at {COUNTED}, "
            f"{provenance(f'profile_{COUNTED}.json')}. Registers: what the instructions name, by "
            f"hand. Energy: the first table, at {SIZE}."
        )


LEVELS = {
    "DRAM": dram_bytes,
    "L2": l2_bytes,
    "L2, asked": asked_bytes,
    "shared memory": shared_bytes,
}
LEVERS = (  # rung, what it does, size, level, by whom it is counted
    ("wave_swizzle", "tiles of a wave in a square", 16384, "DRAM", profile),
    ("wide_tile", "a tile of 128 × 256 for 128 × 128", COUNTED, "L2", profile),
    ("bf16_mma", "operands of 16 bits for 32", COUNTED, "L2", profile),
    ("wgmma", "tensor cores read tiles themselves", COUNTED, "shared memory", profile),
    (TENSOR, "pairs share by multicast", COUNTED, "L2, asked", traced),
    (TENSOR, "pairs share by multicast", COUNTED, "L2", profile),
    ("in_step", "clusters in step, and the way back", 16384, "DRAM", profile),
)


def lever_row(name, lever, size, level, recording):
    """A line of the table of levers: against the rung that it builds on, on one GPU."""
    rung, found = rung_named(name), []
    for number in (rung.builds_on, rung.number):
        with of_rung(rung.number):
            try:
                found.append(LEVELS[level](recording(number, size)) / 1e9)
            except gaps(size):
                found.append(None)
    words = [NOT_YET if value is None else f"{value:.2f} GB" for value in found]
    change = "" if None in found else f"{100 * (found[1] / found[0] - 1):+.0f} %"
    place = level if size == COUNTED else f"{level} at {size}"
    return (f"{rung.number:02}: {lever}", place, *words, change)


def byte_levers_block(*_):
    """`byte_levers`: what each lever saves, and at which level."""
    heads = ("rung and lever", "level", "rung below", "this rung", "change")
    by_card = {}
    for name in dict.fromkeys(name for name, *_ in LEVERS):
        with of_rung(rung_named(name).number):
            by_card.setdefault(card_name(), []).append(f"{rung_named(name).number:02}")
    cards = "; ".join(f"rungs {', '.join(numbers)}: {card}" for card, numbers in by_card.items())
    return table(heads, [lever_row(*lever) for lever in LEVERS]) + (
        f"\n\nAt {COUNTED} if nothing else is said. *Asked* is counted by the emulator, the rest "
        f"by Nsight Compute ({cards})."
    )


def copies_of(gpu):
    """(W of a waiting GPU, J/GB of a near byte, what a far one takes more) of a GPU's copies."""
    with on_gpu(gpu):
        return parts_of_energy(measured_copies())


def byte_costs_block(*_):
    """`byte_costs`: what records say of a byte's energy, level by level."""
    found = [copies_of(gpu) for gpu in GPUS]
    cards = [gpu.removeprefix("nvidia-").upper() for gpu in GPUS]

    def cells(part, unit, factor=1.0):
        return [f"{factor * each[part]:.0f} {unit}" for each in found]

    rows = [
        ("a byte from DRAM through L2, or back", *cells(1, "pJ", 1e3)),
        ("what it takes more across the chip", *cells(2, "pJ", 1e3)),
        ("a byte from L2, from shared memory, from registers", *["not known"] * len(found)),
        ("the GPU while it waits", *cells(0, "W")),
    ]
    return table(("", *cards), rows) + (
        "\n\nThree figures from three measurements: nothing is left to tell how wrong they are."
    )


def joules_account_block(*_):
    """`joules_account`: how much of a product's energy these costs explain."""
    rung = rung_named(TENSOR)
    with this_gpu():
        entry = climb(SIZE, "sustained")[rung.number]
        counted = profile(rung.number, COUNTED)
        watts, near, far = copies_of(gpu_of_page())
        whole = picojoules_per_flop(entry)
        scale = 1e3 / flop(COUNTED)  # J/GB times bytes to pJ per FLOP
        parts = (
            ("the GPU waits", watts / entry["power_w"]["median"] * whole),
            ("bytes from DRAM and back", near * dram_bytes(counted) * scale),
            ("L2's bytes across the chip, at most half", far * l2_bytes(counted) / 2 * scale),
        )
        rest = whole - sum(value for _, value in parts)
        rows = [
            (words, f"{value:.2f}", f"{100 * value / whole:.0f} %")
            for words, value in (*parts, ("all the rest", rest), ("a FLOP", whole))
        ]
        heads = (f"rung {title_of(rung.label)}", "pJ per FLOP", "share")
        return table(heads, rows)


def energy_recording():
    """What `build/energy` wrote on the first GPU that has it; None: none has."""
    for gpu in (gpu_of_page(), *GPUS):
        path = RESULTS.parent / gpu / "energy.json"
        if path.exists():
            return results_file.read(path)
    return None


def with_interval(interval, form=".2f"):
    """'1.05 (1.04 to 1.06)'; a dash where a round has no figure."""
    if interval is None:
        return "–"
    value, low, high = (format(interval[key], form) for key in ("value", "low", "high"))
    return f"{value} ({low} to {high})"


def largest_measured(data):
    """{kernel: {inputs: entry}} at the largest size of a recording, in its order."""
    size = max(entry["m"] for entry in data["benchmarks"])
    found = {}
    for entry in data["benchmarks"]:
        if entry["m"] == size:
            found.setdefault(entry["name"], {})[entry["inputs"]] = entry
    return found


def measured_on(data):
    """The line below a table of a recording."""
    context, size = data["context"], max(entry["m"] for entry in data["benchmarks"])
    return (
        f"M = N = K = {size}, {context['rounds']:.0f} turns of {context['counted_s']:g} s each; in "
        "parentheses the lowest and the highest. "
        f"{described(context, context['protocol'] + ' protocol')}."
    )


def energy_inputs_block(*_):
    """`energy_inputs`: pJ per FLOP of each kernel on each kind of inputs, by the counter."""
    data = energy_recording()
    if data is None:
        return table(("A and B", "pJ per FLOP"), [(words, NOT_YET) for words in INPUTS.values()])
    kernels = largest_measured(data)
    of_first = next(iter(kernels.values()))
    rows = [
        (
            entry["inputs_are"],
            *(with_interval(of[inputs]["pj_per_flop_by_counter"]) for of in kernels.values()),
        )
        for inputs, entry in of_first.items()
    ]
    names = [name_of(next(iter(of.values()))) for of in kernels.values()]
    return table(("A and B; pJ per FLOP", *names), rows) + f"\n\n{measured_on(data)}"


def clocks_at_ends(entry):
    """(first, last) MHz of the turns, the middle one of the rounds."""
    rounds = [turn["clocks"] for turn in entry["rounds"] if turn["clocks"]]
    return [f"{median(clocks[i][1] for clocks in rounds):.0f}" if rounds else "–" for i in (0, -1)]


def energy_clocks_block(*_):
    """`energy_clocks`: why, for the last rung: time, clock and power, and energy measured twice."""
    data = energy_recording()
    if data is None:
        return f"Clock, power and time on each kind of inputs: {NOT_YET}."
    name, kinds = [each for each in largest_measured(data).items() if each[0] not in LIBRARIES][-1]
    rows = [
        (
            entry["inputs_are"],
            with_interval(entry["time_ms"], ".3g"),
            *clocks_at_ends(entry),
            with_interval(entry["counter_w"], ".0f"),
            with_interval(entry["pj_per_flop_by_counter"]),
            with_interval(entry["pj_per_flop_by_readings"]),
        )
        for entry in kinds.values()
    ]
    heads = ("ms", "MHz, first", "last", "W", "pJ per FLOP: counter", "power × time")
    return table((title_of(name), *heads), rows)


BLOCKS = {
    "joules": joules_block,
    "launch_clocks": launch_clocks_block,
    "byte_levels": byte_levels_block,
    "byte_levers": byte_levers_block,
    "byte_costs": byte_costs_block,
    "joules_account": joules_account_block,
    "energy_inputs": energy_inputs_block,
    "energy_clocks": energy_clocks_block,
}
