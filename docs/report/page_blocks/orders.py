"""Blocks on main loops in machine code, which bench/record/rank_orders.py counts and
bench/results/sass/orders.json records: `orders` is what the compiler makes of orders of the
multiply-adds, `cycles` compares the cycles computed for each rung with those measured."""

import re

from bench.record.rank_orders import table
from docs.report.page_blocks import markdown
from docs.report.recorded import SIZE, FigureError, NotRecordedError, profile, provenance
from docs.report.recorded_orders import AS_WRITTEN, order, rungs
from docs.report.rung_figures import NOT_YET, busy_cycles_per_ffma


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


BLOCKS = {"orders": orders_block, "cycles": cycles_block}
