"""Blocks on main loops in machine code, which bench/record/rank_orders.py counts and
bench/results/sass/orders.json records: `orders` is what the compiler makes of orders of the
multiply-adds, `cycles` compares the cycles computed for each rung with those measured
while SMs have work, and `predicted_cycles` with those of whole launches."""

import re

from bench.record.main_loop import FEWEST_WARPS
from bench.record.rank_orders import table
from docs.report.page_blocks import markdown
from docs.report.recorded import (
    GPUS,
    SIZE,
    FigureError,
    NotRecordedError,
    on_gpu,
    profile,
    provenance,
    sms,
)
from docs.report.recorded_orders import AS_WRITTEN, order, rungs
from docs.report.rung_figures import NOT_YET, busy_cycles_per_ffma

SCHEDULERS = 4  # of an SM
LANES = 32


def line(rung, asked):
    """(name, Counts) of what `worst`, `rows up, columns up` or `10: as written` asks for."""
    match = re.fullmatch(r"(?:(\d\d): )?(\S.*)", asked)
    if not match or rung is None and not match[1]:
        raise FigureError(f"orders: '{asked}' is no order such as '10: {AS_WRITTEN}' or 'worst'")
    of = int(match[1]) if match[1] else rung
    name, counts = order(of, match[2])
    if of != rung:
        name = f"rung {of:02}, {name}"
    return f"({name})" if name.endswith(AS_WRITTEN) else name, counts


def orders_block(place, arguments):
    """The table of the orders that the arguments name, with semicolons between."""
    asked = [each.strip() for each in arguments.split(";")]
    return markdown.fenced("text", "\n".join(table([line(place.rung, each) for each in asked])))


def cycles_row(rung):
    """The cells of a rung."""
    counts = order(rung, AS_WRITTEN)[1]
    computed = [f"{rung:02}", f"{counts.instructions / counts.ffma:.3f}", f"{counts.cycles:.3f}"]
    try:
        measured = busy_cycles_per_ffma(profile(rung, SIZE), SIZE)
    except NotRecordedError:
        return [*computed, NOT_YET, ""]
    return [*computed, f"{measured:.3f}", f"{100 * (measured / counts.cycles - 1):+.0f} %"]


def cycles_block(place, arguments):
    """A line for each rung whose threads compute several results: what its main loop needs, and
    what the whole kernel took."""
    computed = "computed, with register banks"
    heads = ["rung", "instructions", computed, "measured", "more than computed"]
    rows = markdown.table(heads, [cycles_row(rung) for rung in rungs()])
    note = "Cycles of a scheduler per FFMA. Measured: the whole kernel, while its SMs have work."
    return f"{rows}\n\n{note} {provenance(f'profile_{SIZE}.json')}"


def elapsed_cycles_per_ffma(counters, size):
    """Cycles of a launch from its beginning to its end, per multiply-add of a scheduler."""
    return counters["sm__cycles_elapsed.max"] * SCHEDULERS * sms() * LANES / size**3


def elapsed(rung, gpu):
    """Of a rung on a GPU; None where it is not recorded."""
    with on_gpu(gpu):
        try:
            return elapsed_cycles_per_ffma(profile(rung, SIZE), SIZE)
        except NotRecordedError:
            return None


def predicted_row(rung):
    """The cells of a rung."""
    counts = order(rung, AS_WRITTEN)[1]
    parts = (counts.instructions, counts.issue_cycles, counts.alone_cycles / FEWEST_WARPS)
    measured = [elapsed(rung, gpu) for gpu in GPUS]
    return [
        f"{rung:02}",
        *(f"{part / counts.ffma:.3f}" for part in parts),
        f"**{counts.cycles:.3f}**",
        *(NOT_YET if each is None else f"{each:.3f}" for each in measured),
    ]


def predicted_block(place, arguments):
    """A line for each rung whose threads compute several results: the model, and whole launches."""
    heads = ["rung", "instructions", "and banks", "pauses, of two warps", "predicted: the most"]
    heads += [f"measured, {gpu.removeprefix('nvidia-').upper()}" for gpu in GPUS]
    rows = markdown.table(heads, [predicted_row(rung) for rung in rungs()])
    note = f"Cycles of a scheduler per FFMA, at {SIZE}. Measured: the whole launch, elapsed cycles."
    made = []
    for gpu in GPUS:
        with on_gpu(gpu):
            made.append(provenance(f"profile_{SIZE}.json"))
    return "\n\n".join([rows, f"{note} {'; '.join(made)}"])


BLOCKS = {"orders": orders_block, "cycles": cycles_block, "predicted_cycles": predicted_block}
