"""The block of a lesson that sets what Nsight Compute counted beside what the emulator counts."""

import re

from bench.record import ncu_profile
from bench.rungs import rung_of
from docs.report.page_blocks.lessons import HIT, MISS, SIZES, STALL, stalls, trace
from docs.report.recorded import MissingFileError, NotRecordedError, card_name, profile, provenance
from docs.report.rung_figures import NCU_PERCENT, NOT_YET

COPIES = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"


def ratio(*names):
    """A figure that divides one counter by another; None by a counter of nothing."""
    return lambda counters: counters[names[0]] / counters[names[1]] if counters[names[1]] else None


def counter(*names):
    """A figure that is a counter, or a sum of counters; None where one was not counted."""

    def figure(counters):
        found = [counters[name] for name in names]
        return None if None in found else sum(found)

    return figure


def hit_rate(counters):
    """L2's hits of all its lookups for L1, in percent."""
    return None if counters[HIT] is None else 100 * counters[HIT] / (counters[HIT] + counters[MISS])


def excess(counters):
    """Wavefronts beyond the ideal: what bank conflicts cost."""
    return counters["memory_l1_wavefronts_shared"] - counters["memory_l1_wavefronts_shared_ideal"]


REQUESTS, SECTORS = COPIES.format("requests"), COPIES.format("sectors")
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
LDS, STS = ("smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum")
WAVEFRONTS = "memory_l1_wavefronts_shared"

# (what it is, ncu's name, its figure, unit); both machines have these.
COUNTED = (
    ("global loads, requests", REQUESTS, counter(REQUESTS), ""),
    ("their sectors of 32 bytes", SECTORS, counter(SECTORS), ""),
    (
        "sectors per request",
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        ratio(SECTORS, REQUESTS),
        "ratio",
    ),
    ("shared loads, instructions", LDS, counter(LDS), ""),
    ("shared stores, instructions", STS, counter(STS), ""),
    ("shared wavefronts", WAVEFRONTS, counter(WAVEFRONTS), ""),
    ("the fewest possible", f"{WAVEFRONTS}_ideal", counter(f"{WAVEFRONTS}_ideal"), ""),
    ("the rest: bank conflicts", "derived__memory_l1_wavefronts_shared_excessive", excess, ""),
    ("L2 hits of L1's lookups", HIT, hit_rate, "percent"),
    ("DRAM, read and written", f"{READ}`, `{WRITTEN}", counter(READ, WRITTEN), "bytes"),
)

REQUESTED = (REQUESTS, SECTORS, LDS, STS, WAVEFRONTS, f"{WAVEFRONTS}_ideal")
REQUESTED += (HIT, MISS, READ, WRITTEN)

# Of time: the emulator has none.
BUSY = (
    ("L1 and shared memory busy", NCU_PERCENT["wavefronts_busy"]),
    ("issue slots busy", NCU_PERCENT["issue"]),
    ("FP32 pipe busy", NCU_PERCENT["fma"]),
)
OF_TENSOR_CORES = (  # and of the copy engine; only where a rung has them
    ("products on the tensor cores, by warps", "sm__inst_executed_pipe_tensor.sum", ""),
    ("boxes", "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", "bytes"),
    ("stored boxes", "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum", "bytes"),
)
TENSOR_CORES_BUSY = ("tensor cores busy", NCU_PERCENT["tensor"])


def shown(figure, unit):
    """A figure with its unit."""
    if figure is None:
        return "not modelled"
    if unit == "ratio":
        return f"{figure:.2f}"
    if unit == "thousandths":
        return f"{figure:.3f}"
    if unit == "percent":
        return f"{figure:.1f} %"
    if unit == "bytes":
        return f"{figure / 1e6:,.0f} MB"
    return f"{figure:,.0f}"


def difference(hardware, emulator, unit):
    """'equal', 'below 0.1 %', '+1.2 %' or, of percentages, '+1.2 points'"""
    if hardware is None or emulator is None:
        return ""
    if unit == "percent":
        return f"{emulator - hardware:+.1f} points"
    if hardware == emulator:
        return "equal"
    if not hardware:
        return ""
    percents = 100 * (emulator / hardware - 1)
    return f"{percents:+.1f} %" if abs(percents) >= 0.05 else "below 0.1 %"


def ncu_command(rung, size, names):
    """What a reader types to count these metrics."""
    kernel = ncu_profile.LADDER_KERNEL if rung.number else ncu_profile.VENDOR_KERNEL
    return [
        f"Nsight Compute counts this at {size}:",
        "",
        "```sh",
        f"ncu --kernel-name '{kernel}' --launch-count 1 \\",
        "--section SourceCounters --metrics \\",
        *(f"{name},\\" for name in names[:-1]),
        f"{names[-1]} \\",
        f"build/ladder run {rung.number:02} --size {size} --device gpu --no-timing",
        "```",
    ]


def busy(rung):
    """[(what it is, ncu's name)] of what a rung's kernel keeps busy."""
    return (*BUSY[:-1], TENSOR_CORES_BUSY) if rung.tensor_cores else BUSY


def hardware(counters, top):
    """[(what it is, ncu's name, its figure)] of one kernel; `top`: its stalls."""
    rows = [(what, name, shown(figure(counters), unit)) for what, name, figure, unit in COUNTED]
    rows += [(what, name, f"{counters[name]:.1f} %") for what, name in BUSY]
    return rows + [
        (f"stalled: {stall}", STALL.format(stall), f"{warps:.2f}") for stall, warps in top
    ]


def per_ffma(name):
    """A figure: a counter per multiply-add of a warp."""
    return lambda counters: counters[name] / (counters[FFMA] / 32)


FFMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
TO_L2 = "lts__t_sectors_srcunit_tex.sum"

# (what it is, its figure, unit), for kernels side by side.
BESIDE = (
    ("time, ms", lambda counters: counters["gpu__time_duration.sum"] / 1e6, "ratio"),
    *((what, counter(name), "percent") for what, name in reversed(BUSY)),
    ("instructions per FFMA", per_ffma("smsp__inst_executed.sum"), "thousandths"),
    ("shared wavefronts per FFMA", per_ffma(WAVEFRONTS), "thousandths"),
    ("of these, bank conflicts", lambda c: 100 * excess(c) / c[WAVEFRONTS], "percent"),
    ("looked up in L2", lambda counters: 32 * counters[TO_L2], "bytes"),
    ("DRAM, read and written", counter(READ, WRITTEN), "bytes"),
    *(
        (f"stalled warps per instruction: {stall}", counter(STALL.format(stall)), "ratio")
        for stall in ("not_selected", "short_scoreboard", "long_scoreboard", "barrier")
    ),
)


def beside_block(_place, arguments):
    """`beside SIZE RUNG ...`: what ncu counted of cuBLAS's kernel and of rungs."""
    size, *numbers = (int(word) for word in arguments.split())
    kernels = [profile(number, size) for number in (0, *numbers)]
    names = ["cuBLAS", *(f"{number:02}" for number in numbers)]
    rows = [f"| M = N = K = {size} | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    for what, figure, unit in BESIDE:
        rows.append(f"| {what} | " + " | ".join(shown(figure(k), unit) for k in kernels) + " |")
    return "\n".join([*rows, "", f"{provenance(f'profile_{size}.json')}."])


def traced_alone(rung, size):
    """Lines of what the emulator counted, for a rung that no GPU has profiled yet."""
    try:
        counters = trace(rung.number, size)["metrics"]
    except NotRecordedError:
        return []
    figures = [(what, name, figure(counters), unit) for what, name, figure, unit in COUNTED]
    figures += [(what, name, counters.get(name), unit) for what, name, unit in OF_TENSOR_CORES]
    rows = [
        f"| {what}<br>`{name}` | {shown(figure, unit)} |"
        for what, name, figure, unit in figures
        if figure is not None
    ]
    return ["", f"| M = N = K = {size} | emulator |", "|---|---:|", *rows]


def profile_block(place, arguments):
    """`profile [SIZE]`: how to profile, and what ncu and the emulator counted."""
    wanted = int(arguments) if re.fullmatch(r"\d{3,}", arguments) else None
    rung = rung_of(place.rung_or("" if wanted else arguments))
    sizes = (wanted,) if wanted else SIZES

    def has(recording, size):
        try:
            return recording(rung.number, size)
        except (NotRecordedError, MissingFileError):
            return None

    both = [size for size in sizes if has(profile, size) and has(trace, size)]
    some = [size for size in sizes if has(profile, size)]
    size = next(iter([*both, *some, *sizes]))
    counters = has(profile, size)
    top = stalls(counters)[:3] if counters else [(stall, 0) for stall in ncu_profile.STALLS]
    names = [
        *REQUESTED,
        *(name for _, name in busy(rung)),
        *(STALL.format(name) for name, _ in top),
    ]
    lines = ncu_command(rung, size, names)
    if not counters:
        text = f"What it counts on an {card_name()} is {NOT_YET}."
        return "\n".join([*lines, "", text, *traced_alone(rung, size)])
    source = provenance(f"profile_{size}.json")
    if rung.number == 0:  # a library has no source to trace
        rows = [f"| M = N = K = {size} | {card_name()} |", "|---|---:|"]
        rows += [f"| {what}<br>`{name}` | {text} |" for what, name, text in hardware(counters, top)]
        return "\n".join([*lines, "", *rows, "", f"{source}."])
    traced = has(trace, size)
    rows = [
        f"| M = N = K = {size} | {card_name()} | emulator | difference |",
        "|---|---:|---:|---:|",
    ]
    for what, name, figure, unit in COUNTED:
        if "shared" in name and counters[LDS] == 0:
            continue
        real = figure(counters)
        model = figure(traced["metrics"]) if traced else None
        cells = [shown(model, unit), difference(real, model, unit)] if traced else [NOT_YET, ""]
        rows.append(f"| {what}<br>`{name}` | {shown(real, unit)} | " + " | ".join(cells) + " |")
    timeless = "time: not counted"
    for what, name in busy(rung):
        rows.append(f"| {what}<br>`{name}` | {counters[name]:.1f} % | {timeless} | |")
    for stall, warps in top:
        rows.append(f"| stalled: {stall}<br>`{STALL.format(stall)}` | {warps:.2f} | {timeless} | |")
    more = "" if traced else " Traces of this rung are not recorded yet."
    return "\n".join([*lines, "", *rows, "", f"{source}.{more}"])


BLOCKS = {"profile": profile_block, "beside": beside_block}
