"""Block `sass`: main loops in machine code, as bench/record/sass_order.py recorded them."""

from bench import results_file
from bench.record.sass_order import INNER_PRODUCT, ffma_between, listing
from bench.rungs import rung_table
from docs.report.page_blocks.markdown import table
from docs.report.recorded import RESULTS, FigureError
from docs.report.rung_figures import NOT_YET

LOOPS = RESULTS.parent / "sass" / "loops.json"


def loops():
    """({name: entry} of the recorded machine code, who compiled it)"""
    data = results_file.read(LOOPS)
    return {entry["name"]: entry for entry in data["benchmarks"]}, data["context"]["compiler"]


def number_of(entry, *names):
    """How many of these mnemonics the loop has."""
    return sum(count for name, count in entry["counts"].items() if name in names)


def orders_table(found):
    """Loads, stores and what lies between them."""
    titles = {
        "05": "rung 05",
        "06": "rung 06",
        "06_inner": "rung 06, k innermost, unrolled",
        "06_inner_rolled": "rung 06, k innermost, not unrolled",
        "06_3_blocks": "rung 06, registers for 3 blocks",
    }
    heads = ["kernel", "registers", "FFMA", "LDS", "FFMA from LDG to STS", "spilled bytes"]
    rows = [
        [
            title,
            f"{found[name]['registers']}",
            f"{number_of(found[name], 'FFMA')}",
            f"{number_of(found[name], 'LDS', 'LDS.64', 'LDS.128')}",
            f"{ffma_between(found[name]['order'], 'LDG', 'STS')}",
            f"{found[name]['spill_store_bytes']}",
        ]
        for name, title in titles.items()
    ]
    return table(heads, rows)


def merged_table(found):
    """Shared loads by width."""
    rows = []
    for name in ("03", "04", "05", "08"):
        entry = found[name]
        narrow, wide = number_of(entry, "LDS"), number_of(entry, "LDS.128")
        words = narrow + 4 * wide
        rows.append([f"rung {name}", f"{number_of(entry, 'FFMA')}", f"{words}", f"{narrow}"])
        rows[-1].append(f"{wide}")
    return table(["main loop of", "FFMA", "words read", "LDS", "LDS.128"], rows)


def registers_table(found):
    """What ptxas gave, and what an SM of an H200 then holds."""
    rows = []
    for number, rung in rung_table().items():
        if f"{number:02}" not in found:
            continue
        entry = found[f"{number:02}"]
        kernel = rung.main_kernel
        threads, blocks = kernel["threads"], kernel["blocks_per_sm"]
        held = [f"{blocks}", f"{blocks * threads // 32}"] if blocks else [NOT_YET, ""]
        row = [f"rung {number:02}", f"{threads}", f"{entry['registers']}"]
        rows.append([*row, f"{entry['spill_store_bytes']}", *held])
    heads = ["kernel", "threads", "registers", "spilled bytes", "blocks on an SM", "warps"]
    return table(heads, rows)


def spills_table(found):
    """Rung 06 with ever fewer registers."""
    rows = [
        [
            title,
            f"{found[name]['registers']}",
            f"{found[name]['stack_bytes']}",
            f"{found[name]['spill_store_bytes']}",
            f"{number_of(found[name], 'LDL', 'LDL.64', 'LDL.128')}",
            f"{number_of(found[name], 'STL', 'STL.64', 'STL.128')}",
            f"{found[name]['instructions']}",
        ]
        for name, title in (
            ("06", "unchanged"),
            ("06_3_blocks", "for 3 blocks on an SM"),
            ("06_4_blocks", "for 4 blocks on an SM"),
            ("06_inner_plain", "k innermost, not unrolled by hand"),
        )
    ]
    heads = ["rung 06", "registers", "stack bytes", "spilled bytes", "LDL in the loop"]
    return table([*heads, "STL in the loop", "instructions in the loop"], rows)


def listings(found):
    """Main loops in phases, as text."""
    lines = ["```text"]
    for name in ("05", "06", "06_3_blocks"):
        lines += [name, *(f"    {line}" for line in listing(found[name]["order"]))]
    return "\n".join([*lines, "```"])


SASS = {
    "orders": orders_table,
    "merged": merged_table,
    "registers": registers_table,
    "spills": spills_table,
    "loops": listings,
}


def sass_block(_place, arguments):
    """The recorded machine code, seen in one of several ways."""
    if arguments == "inner":
        return f"```cuda\n{INNER_PRODUCT.rstrip()}\n```"
    if arguments not in SASS:
        raise FigureError(f"sass: name one of inner, {', '.join(SASS)}")
    found, compiler = loops()
    return f"{SASS[arguments](found)}\n\nCompiled by {compiler} for compute capability 9.0."


BLOCKS = {"sass": sass_block}
