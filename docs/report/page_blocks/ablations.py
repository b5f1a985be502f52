"""Block `ablations`: what a rung gains when a part of it is taken away.

Times are from bench/results/GPU/ablations.json, which `make ablate` writes on a GPU; machine code
is from bench/results/sass/ablations.json, which `python3 -m bench.benchmark.ablate count --out`
writes without one.
"""

from bench import results_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import (
    RESULTS,
    MissingFileError,
    NotRecordedError,
    described,
    load,
    percent,
)

TIMES = "ablations.json"
SASS = RESULTS.parent / "sass" / "ablations.json"
HOW = "run `make ablate` on a GPU of compute capability 9.0"


def machine_code():
    """({name: entry}, who compiled it) of the copies; the rungs themselves as '14_unchanged'."""
    if not SASS.exists():
        return {}, ""
    data = results_file.read(SASS)
    return {entry["name"]: entry for entry in data["benchmarks"]}, data["context"]["compiler"]


def timed(rung, size):
    """[entry] of a rung and its copies at a size, the rung first."""
    return [
        entry for entry in load(TIMES)["benchmarks"] if entry["rung"] == rung and entry["m"] == size
    ]


def sizes(rung):
    """The sizes that are recorded for a rung; NotRecordedError where there are none."""
    try:
        found = sorted({e["m"] for e in load(TIMES)["benchmarks"] if e["rung"] == rung})
    except MissingFileError:
        found = []
    if not found:
        raise NotRecordedError(f"{RESULTS / TIMES} has nothing of rung {rung:02}, {HOW}")
    return found


def code_cells(name, codes):
    """Spills and counted cycles per FFMA of a copy, as cells."""
    code = codes.get(name)
    if code is None:
        return ["", "", ""]
    return [code["spill_store_bytes"], code["instructions"], f"{code['cycles_per_ffma']:.3f}"]


def code_table(rung, codes):
    """What the compiler made of each copy, where no times are recorded."""
    rows = [
        [
            entry["taken_away"],
            entry["registers"],
            entry["spill_store_bytes"],
            entry["instructions"],
            entry["lds_128"],
            entry["three_fresh"],
            f"{entry['cycles_per_ffma']:.3f}",
        ]
        for entry in codes.values()
        if entry["rung"] == rung
    ]
    heads = (
        "taken away",
        "registers",
        "spilled bytes",
        "instructions in the loop",
        "LDS.128",
        "FFMA with three fresh reads",
        "cycles per FFMA, computed",
    )
    return table(heads, rows)


def times_table(rung, size, codes):
    """Times at one size beside what the machine code lets expect."""
    rows = []
    for entry in timed(rung, size):
        whole = entry["taken_away"] is None
        name = f"{rung:02}_unchanged" if whole else entry["name"]
        rows.append(
            [
                "nothing: the rung as it is" if whole else entry["taken_away"],
                f"{entry['time_ms']:.3f}",
                f"{entry['tflops']:.2f}",
                f"{100 * (entry['ratio_to_unchanged'] - 1):+.1f} %",
                percent(entry["ratio_to_best"]),
                *code_cells(name, codes),
            ]
        )
    heads = (
        f"taken away, at {size}",
        "ms",
        "TFLOP/s",
        "faster by",
        "of best cuBLAS",
        "spilled bytes",
        "instructions in the loop",
        "cycles per FFMA, computed",
    )
    return table(heads, rows)


def ablations_block(place, arguments):
    """The times of a rung's copies; without a recording, that there is none, and machine code."""
    rung = place.rung_or(arguments)
    codes, compiler = machine_code()
    compiled = f"Compiled by {compiler}." if compiler else ""
    try:
        recorded = sizes(rung)
    except NotRecordedError as error:
        if not any(entry["rung"] == rung for entry in codes.values()):
            raise
        return f"{code_table(rung, codes)}\n\n{compiled} Times are not recorded yet: {error}."
    parts = [times_table(rung, size, codes) for size in recorded]
    context = load(TIMES)["context"]
    note = f"{described(context, context['protocol'] + ' protocol')}. {compiled}".strip()
    return "\n\n".join([*parts, note])


BLOCKS = {"ablations": ablations_block}
