"""Recorded orders of multiply-adds, results/sass/orders.json: what rank_orders.py counted."""

import dataclasses
import re

from bench import results_file
from bench.record.main_loop import Counts
from bench.rungs import rung_of
from docs.report.recorded import RESULTS, FigureError, MissingFileError, NotRecordedError

ORDERS = RESULTS.parent / "sass" / "orders.json"
HOW = f"run python3 -m bench.record.rank_orders --out {ORDERS}"
AS_WRITTEN = "as written"


def recorded():
    """The file."""
    if not ORDERS.exists():
        raise MissingFileError(f"{ORDERS} is not there: {HOW}")
    return results_file.read(ORDERS)


def rungs():
    """The numbers of the rungs that it has."""
    return sorted({entry["rung"] for entry in recorded()["benchmarks"]})


def ranked(rung):
    """[(name, Counts)] of a rung's orders, the best first; the rung's own is AS_WRITTEN."""
    fields = [field.name for field in dataclasses.fields(Counts)]
    found = [
        (entry["order"].strip("()"), Counts(**{field: entry[field] for field in fields}))
        for entry in recorded()["benchmarks"]
        if entry["rung"] == rung
    ]
    if not found:
        raise NotRecordedError(f"{ORDERS} has no rung {rung:02}: {HOW}")
    return found


def order(rung, name):
    """(name, Counts) of a rung's order; `best` and `worst` are the ends of its ranking."""
    found = ranked(rung)
    of_16 = [entry for entry in found if entry[0] != AS_WRITTEN]
    named = {"best": of_16[0], "worst": of_16[-1], **{entry[0]: entry for entry in found}}
    if name not in named:
        raise FigureError(f"rung {rung:02} has no order '{name}': name one of {', '.join(named)}")
    return named[name]


def order_value(name, rung):
    """A figure of the rung's order, as text; None where the name is unknown.

    `three_fresh` and all other counts, `cycles` per FFMA, and `peak`, the share of the FP32 peak
    that they leave. `cycles_worst` is of the last of the ranking, `cycles_rows_up_columns_up` of
    another order. `gain` is over the rung below. `compiler` made them.
    """
    if name == "compiler":
        return recorded()["context"]["compiler"]
    if name == "gain":
        own, below = (order(each, AS_WRITTEN)[1] for each in (rung, rung_of(rung).builds_on))
        return f"{below.cycles / own.cycles:.2f}"
    known = {
        **{field.name: count_of(field.name) for field in dataclasses.fields(Counts)},
        "cycles": lambda counts: f"{counts.cycles:.3f}",
        "peak": lambda counts: f"{100 / counts.cycles:.0f} %",
    }
    what = max((what for what in known if f"{name}_".startswith(f"{what}_")), key=len, default=None)
    if what is None:
        return None
    which = name[len(what) + 1 :] or "as_written"
    names = {re.sub("[^a-z]+", "_", each): each for each, _ in ranked(rung)}
    return known[what](order(rung, names.get(which, which))[1])


def count_of(field):
    """A function that gives this count as text."""
    return lambda counts: f"{getattr(counts, field):,}"
