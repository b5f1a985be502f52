"""Block `orders`: what the compiler makes of orders of the multiply-adds, counted by
bench/record/rank_orders.py and recorded in bench/results/sass/orders.json."""

import re

from bench.record.rank_orders import table
from docs.report.page_blocks.markdown import fenced
from docs.report.recorded import FigureError
from docs.report.recorded_orders import AS_WRITTEN, order


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
    return fenced("text", "\n".join(table([line(place.rung, each) for each in asked])))


BLOCKS = {"orders": orders_block}
