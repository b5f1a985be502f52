"""Figures of a rung: what its climbs and counters say, and what arithmetic predicts.

A rung that a recording does not have yet raises NotRecordedError; or_not_yet() makes words of it.
"""

import re
import statistics

from bench import results_file
from bench.rungs import FACTS, rung_of
from docs.reading import paths
from docs.report.by_hand import by_hand
from docs.report.recorded import (
    GPUS,
    RESULTS,
    Benchmark,
    FigureError,
    MissingFileError,
    NotRecordedError,
    climb,
    drawn_benchmarks,
    gaps,
    load,
    of_rung,
    on_gpu,
    peak_tflops,
    percent,
    profile,
    roofs,
    sms,
    traced,
)
from docs.report.recorded_labs import lab_value
from docs.report.recorded_orders import order_value

NOT_YET = "not recorded yet"

# H200: the clock that the driver reports, and what one SM does in a clock.
CLOCK_HZ = 1.98e9
ISSUES_PER_CLOCK = 4
WAVEFRONTS_PER_CLOCK = 1  # L1 and shared memory, 128 bytes each


def timed(rung, size, protocol="burst"):
    """The entry of a rung in a recorded climb."""
    entries = climb(size, protocol)
    if rung not in entries:
        raise NotRecordedError(f"climb_{protocol}_{size}.json has no rung {rung}")
    return entries[rung]


def or_not_yet(text, *arguments):
    """text(*arguments), or that the rung is not in the recording."""
    try:
        return text(*arguments)
    except NotRecordedError:
        return NOT_YET


def own_roofs():
    """The measured roofs of the GPU that figures are of; none where it has not measured any."""
    try:
        return roofs()
    except (MissingFileError, NotRecordedError):
        return {}


def bounds(rung, size):
    """[(resource, milliseconds)] for a rung; without issue slots until it has been profiled."""
    warp_fmas = size**3 / 32
    hand = by_hand(rung, size)
    rows, cols = hand["tile"]
    if hand["blocks"] is None:
        raise NotRecordedError(f"{FACTS} has no registers of rung {rung_of(rung).label}")
    blocks = -(-size // rows) * -(-size // cols) * hand.get("per_tile", 1)
    at_once = sms() * hand["blocks"]
    # The last wave is not full, unless the rung splits it.
    waves = hand.get("waves", -(-blocks // at_once) * at_once / blocks)
    per_ms = sms() * CLOCK_HZ * 1e-3
    products = hand.get("products")  # of 16-bit parts, in the place of one in FP32
    peak = peak_tflops("BF16" if products else rung_of(rung).precision)
    multiplying = 2 * size**3 * (products or 1) / (peak * 1e9)
    pipe = "tensor cores" if products or rung_of(rung).tensor_cores else "FP32 pipe"
    found = [(pipe, multiplying * waves)]
    words, roof = hand.get("instruction", (None, None))
    if roof in own_roofs():  # an instruction that cannot fill the tensor cores
        found.append((words, 2 * size**3 / (own_roofs()[roof] * 1e9) * waves))
    try:
        instructions = profile(rung, size)["smsp__inst_executed.sum"]
        found.append(("issue slots", instructions / (ISSUES_PER_CLOCK * per_ms) * waves))
    except gaps(size):
        pass
    per_fma = hand["wavefronts"] / (WAVEFRONTS_PER_CLOCK * per_ms)
    return [*found, ("L1 and shared memory", warp_fmas * per_fma * waves)]


def predicted(rung, size):
    """(resource, milliseconds) of the slowest of the rung's resources."""
    if "issue slots" not in dict(bounds(rung, size)):
        raise NotRecordedError(f"profile_{size}.json has no rung {rung}")
    return max(bounds(rung, size), key=lambda bound: bound[1])


NCU_PERCENT = {
    "wavefronts_busy": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "fma": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "tensor": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "warps_active": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1_hit": "l1tex__t_sector_hit_rate.pct",
    "l2_hit": "lts__t_sector_hit_rate.pct",
}

# Of one counter to another.
NCU_RATIOS = {
    "sectors_per_request": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ),
    "sectors_per_store": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ),
    "wavefronts_per_lds": (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__inst_executed_op_shared_ld.sum",
    ),
}


def dram_value(name, counters, matrix_bytes, size):
    """Bytes that passed between DRAM and L2, as text; None where the name is unknown."""
    read = counters["dram__bytes_read.sum"]
    if name == "dram_gb":
        return f"{read * 1e-9:.{2 if size <= 4096 else 1}f} GB"
    if name == "dram_read_mb":
        return f"{read * 1e-6:.1f} MB"
    if name == "dram_written_mb":
        return f"{counters['dram__bytes_write.sum'] * 1e-6:.1f} MB"
    if name == "reads_of_a_and_b":
        return f"{read / (2 * matrix_bytes):.2f}"
    return None


def busy_cycles_per_ffma(counters, size):
    """Cycles of a scheduler per multiply-add that it issues, while its SM has work."""
    issued = counters[NCU_PERCENT["issue"]] / 100  # of the cycles in which the SM was active
    return counters["smsp__inst_executed.sum"] / (size**3 / 32) / issued


def counted_value(name, rung, size, recording=profile):
    """What Nsight Compute counted for a rung, as text; None where the name is unknown."""
    counters = recording(rung, size)
    if name in NCU_PERCENT:
        return f"{counters[NCU_PERCENT[name]]:.0f} %"
    if name.startswith("stall_"):
        stall = name.removeprefix("stall_").replace("dispatch", "dispatch_stall")
        metric = f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio"
        return f"{counters[metric]:.2f}" if metric in counters else None
    if name in NCU_RATIOS:
        of, per = NCU_RATIOS[name]
        return f"{counters[of] / counters[per]:.1f}"
    if name == "l2_found":  # of what L1 asks for; the hit rate above counts L2's own look-ups, too
        hits, misses = (
            counters[f"lts__t_sectors_srcunit_tex_lookup_{what}.sum"] for what in ("hit", "miss")
        )
        return f"{100 * hits / (hits + misses):.0f} %"
    if name == "cycles":
        return f"{counters['sm__cycles_elapsed.max'] * 1e-6:.1f} million"
    if name == "time":
        return f"{counters['gpu__time_duration.sum'] * 1e-6:.1f} ms"
    if name == "warps":  # on an SM, on average
        return f"{counters['sm__warps_active.avg.pct_of_peak_sustained_active'] * 0.64:.0f}"
    if name == "loaded_gb":  # asked for by warps' loads and copies, without boxes
        loaded = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] * 32
        return f"{loaded * 1e-9:.2f} GB"
    if name == "registers":
        return f"{counters['launch__registers_per_thread']:.0f}"
    if name == "instructions_per_ffma":
        return f"{counters['smsp__inst_executed.sum'] / (size**3 / 32):.2f}"
    if name == "cycles_per_ffma":
        return f"{busy_cycles_per_ffma(counters, size):.3f}"
    return dram_value(name, counters, rung_of(rung).element_bytes * size**2, size)


def milliseconds(time_ms):
    """'13.6 ms', '2196 ms': three digits, and all of those in front of the point."""
    return f"{time_ms:.3g} ms" if time_ms < 999.5 else f"{time_ms:.0f} ms"


def time_below(rung, size, protocol):
    """Milliseconds of the rung that a rung builds on."""
    base = rung_of(rung).builds_on
    if base is None:
        raise FigureError(f"rung {rung:02} builds on no other: it gains on none")
    return timed(base, size, protocol)["time_ms"]


def gain(rung, size, protocol):
    """Over the rung that a rung builds on, on the first GPU that has timed both."""
    for gpu in GPUS:
        with on_gpu(gpu):
            try:
                ratio = time_below(rung, size, protocol) / timed(rung, size, protocol)["time_ms"]
            except (NotRecordedError, MissingFileError):
                continue
            return f"{ratio:.2f}"
    raise NotRecordedError(f"no GPU has timed rung {rung:02} and the one below at {size}")


def timed_value(name, rung, size, protocol):
    """What a climb measured of a rung, as text."""
    if name == "gain":
        return gain(rung, size, protocol)
    entry = timed(rung, size, protocol)
    return {
        "time": lambda: milliseconds(entry["time_ms"]),
        "tflops": lambda: f"{entry['tflops']:.1f}",
        "best": lambda: percent(entry["ratio_to_best"]),
        "clock": lambda: f"{entry['sm_clock_mhz']['median']:.0f} MHz",
        "power": lambda: f"{entry['power_w']['median']:.0f} W",
    }[name]()


def roof_value(name):
    """A measured roof with its unit, as text; None where there is none of this name."""
    for entry in load("roofs.json")["benchmarks"]:
        if entry["name"] == name:
            return f"{entry['value']:.{0 if entry['unit'] == 'GB/s' else 1}f} {entry['unit']}"
    return None


def trial_value(name, figure):
    """What a copy of a rung with a part changed or left out reached, as text."""
    for entry in load("trials.json")["benchmarks"]:
        if entry["name"] == name:
            whole = f"{entry['tflops']:.0f}"
            return whole if figure == "tflops" else percent(entry["ratio_to_best"])
    return None


def trial_costs(rung, name, size):
    """How much longer a rung takes with a part changed or left out, as text.

    Of the trials "RUNG_NAME_SIZE" and "RUNG_whole_SIZE", which ran in one process.
    """
    try:
        times = {entry["name"]: entry["time_ms"] for entry in load("trials.json")["benchmarks"]}
        ratio = times[f"{rung:02}_{name}_{size}"] / times[f"{rung:02}_whole_{size}"]
    except (KeyError, MissingFileError) as error:
        raise NotRecordedError(f"trials.json has no trial {error}") from error
    return f"{100 * (ratio - 1):+.1f} %"


def counted_shapes(rung, faster, shapes):
    """'3 of 200': of the chosen or the drawn shapes, those on which the best library is faster.

    faster: "behind" for these, "level" for all others
    """
    benchmark = drawn_benchmarks()[0] if shapes == "drawn" else Benchmark()
    name = rung_of(rung).folder
    if name not in benchmark.rungs():
        raise NotRecordedError(f"the {shapes} shapes have no rung {name}")
    ratios = [benchmark.ratio(name, *job[1:]) for job in benchmark.usual_jobs()]
    behind = sum(ratio < 1 for ratio in ratios)
    return f"{behind if faster == 'behind' else len(ratios) - behind} of {len(ratios)}"


def shapes_value(rung, name, figure):
    """How a rung does on a set of shapes of tensor_shapes.json, against the best library, as text.

    figure: "typical" for the geometric mean, "lowest", or "behind" as in "164 of 195"
    """
    ratios = [
        entry["tflops"] / entry["best_tflops"]
        for entry in load("tensor_shapes.json")["benchmarks"]
        if (entry["name"], entry["rung"]) == (name, rung)
    ]
    if not ratios:
        raise NotRecordedError(f"tensor_shapes.json has no {name} of rung {rung}")
    if figure == "behind":
        return f"{sum(ratio < 1 for ratio in ratios)} of {len(ratios)}"
    return percent(min(ratios) if figure == "lowest" else statistics.geometric_mean(ratios))


def machine_code_value(name, rung):
    """How many instructions of a kind a rung's main loop has in machine code, as text.

    `instructions` are all of them, `other` those that neither move data nor multiply; `registers` a
    thread has.
    """
    entries = results_file.read(RESULTS.parent / "sass" / "loops.json")["benchmarks"]
    for entry in entries:
        if (entry["rung"], entry["change"]) == (rung, ""):
            counts = {
                **entry["counts"],
                **{key: entry[key] for key in ("instructions", "registers")},
            }
            return str(counts[name]) if name in counts else None
    raise NotRecordedError(f"loops.json has no rung {rung}")


def about_value(part, rung):
    """What a rung is about, as the table has it: 'is' with its words, 'below' without."""
    about = rung_of(rung).about
    if about is None:
        raise NotRecordedError(f"rung {rung} is about nothing that is counted")
    return f"{about['text']} {about['words']}" if part == "is" else about["below_text"]


def value(name, rung):
    """A figure for a sentence.

    `ncu_NAME` and `ncu16384_NAME` are counters, `emulator_NAME` is what the emulator counted of
    those that know no time, `best_4096` and `best_graph_512` are of a climb,
    `predicted_4096` and `off_4096` are the prediction and how far the time is from it,
    `behind_drawn` and `behind_chosen` tell on how many shapes it is behind, `level_drawn` and
    `level_chosen` on how many it is not, `shapes_llm_typical`, `shapes_llm_lowest` and
    `shapes_drawn_behind` are of tensor_shapes.json, `roof_l2_read` is a measured roof,
    `trial_NAME_tflops` of a copy with a part left out, `costs_NAME_8192` is how much longer that
    takes than the rung, `sass_FFMA` is of the main loop in machine code, and
    `order_cycles_worst` of the main loop with another order of the multiply-adds. `about_is` and
    `about_below` are what the rung is about, its own figure and that of the rung below.
    `needs` and `read_minutes` are of its lesson, `lab:latency:l2_cycles` is what a lab found; see
    docs/reading/paths.py and recorded_labs.py.
    """
    if name.startswith("lab:"):
        try:
            return lab_value(*name.split(":")[1:])
        except TypeError as error:
            raise FigureError(f"'{name}' should be lab:NAME:FINDING") from error
    match = re.fullmatch(r"(?:(\d\d):)?(\w+)", name)
    rung = int(match[1]) if match and match[1] else rung
    plain = match[2] if match else ""
    with of_rung(rung):
        text = value_of(plain, rung)
    if text is None:
        raise FigureError(f"'{name}' is no name of a figure")
    return text


def value_of(plain, rung):
    """The text of value(), of a rung and on the GPU that figures are of; None: no such name."""
    text = None
    if match := re.fullmatch(r"(ncu|emulator)(\d*)_(\w+)", plain):
        recording = profile if match[1] == "ncu" else traced
        text = counted_value(match[3], rung, int(match[2] or 4096), recording)
    elif match := re.fullmatch(r"(time|tflops|best|clock|power|gain)_(?:(\w+)_)?(\d+)", plain):
        text = timed_value(match[1], rung, int(match[3]), match[2] or "burst")
    elif match := re.fullmatch(r"trial_(\w+)_(tflops|best)", plain):
        text = trial_value(*match.groups())
    elif match := re.fullmatch(r"costs_(\w+)_(\d+)", plain):
        text = trial_costs(rung, *match.groups())
    elif match := re.fullmatch(r"roof_(\w+)", plain):
        text = roof_value(match[1])
    elif match := re.fullmatch(r"sass_(\w+)", plain):
        text = machine_code_value(match[1], rung)
    elif match := re.fullmatch(r"order_(\w+)", plain):
        text = order_value(match[1], rung)
    elif match := re.fullmatch(r"shapes_(\w+)_(typical|lowest|behind)", plain):
        text = shapes_value(rung, *match.groups())
    elif match := re.fullmatch(r"(behind|level)_(chosen|drawn)", plain):
        text = counted_shapes(rung, *match.groups())
    elif match := re.fullmatch(r"about_(is|below)", plain):
        text = about_value(match[1], rung)
    elif plain == "needs":
        text = paths.needs_text(paths.lesson(rung))
    elif plain == "read_minutes":
        text = f"{paths.minutes_of(paths.lesson(rung))}"
    elif plain == "predicted_4096":
        text = milliseconds(predicted(rung, 4096)[1])
    elif plain == "off_4096":
        ratio = timed(rung, 4096)["time_ms"] / predicted(rung, 4096)[1]
        text = f"{100 * (ratio - 1):+.0f} %"
    return text
