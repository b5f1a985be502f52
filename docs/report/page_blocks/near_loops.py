"""Blocks about side-aware kernels in machine code, as bench/record/near_loops.py recorded them."""

from bench import results_file
from docs.report.page_blocks.markdown import fenced, table
from docs.report.recorded import RESULTS, MissingFileError

LOOPS = RESULTS.parent / "sass" / "near_loops.json"
# Of the listing on github.com/ademeure/cuda-side-boost: its loop copies four vectors.
PUBLISHED = ("published copy", 39, 4, 4)
LISTED = {
    "listed_copy": "copy, as its header is printed",
    "listed_rope": "rope, as its header is printed",
    "listed_rope_skips_at_once": "the same, but `return true` at once",
}


def recorded():
    """({operation: row}, who compiled them)"""
    if not LOOPS.exists():
        raise MissingFileError(f"{LOOPS} is not there")
    data = results_file.read(LOOPS)
    return {row["name"]: row for row in data["benchmarks"]}, data["context"]["compiler"]


def near_loops_block(*_):
    """Instructions of each operation's loop, beside those of the published copy."""
    rows, compiler = recorded()
    counted = [
        (LISTED.get(row["name"], row["name"]), row["instructions"], row["loads"], row["stores"])
        for row in rows.values()
    ]
    cells = [
        (name, instructions, loads, stores, f"{instructions / loads:.2f}")
        for name, instructions, loads, stores in [*counted[:1], PUBLISHED, *counted[1:]]
    ]
    heads = ("loop", "instructions", "vectors loaded", "vectors stored", "per vector loaded")
    return f"{table(heads, cells)}\n\n{compiler}, compute capability 9.0."


def near_copy_block(*_):
    """The loop of the copy."""
    return fenced("text", "\n".join(recorded()[0]["copy"]["loop"]))


BLOCKS = {"near_loops": near_loops_block, "near_copy": near_copy_block}
