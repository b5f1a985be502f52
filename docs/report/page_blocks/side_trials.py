"""Block `side_trials`: rung 21 on the right sides of L2, on wrong ones, on any, and on none.

From bench/results/GPU/side_trials.json, which build/side_trials writes on a GPU.
"""

from bench import results_file
from docs.report.page_blocks.markdown import table
from docs.report.recorded import GPUS, RESULTS, NotRecordedError, described

FILE = "side_trials.json"
NAMES = {
    "sides_off": "off",
    "sides_right": "right",
    "sides_random": "random",
    "sides_wrong": "wrong",
}


def recorded():
    """The record of the first GPU that has one."""
    for gpu in GPUS:
        path = RESULTS.parent / gpu / FILE
        if path.exists():
            return results_file.read(path)
    raise NotRecordedError(f"no GPU has {FILE}: run build/side_trials on one with two sides of L2")


def side_trials_block(_place, _arguments):
    """A row for each size: the share of the best cuBLAS that each trial reaches."""
    data = recorded()
    entries = {(entry["m"], entry["name"]): entry for entry in data["benchmarks"]}
    rows = [
        [size, *(f"{100 * entries[size, name]['ratio_to_best']:.2f} %" for name in NAMES)]
        for size in sorted({size for size, _ in entries})
    ]
    heads = ("M = N = K", *(f"{words}, of best cuBLAS" for words in NAMES.values()))
    context = data["context"]
    note = (
        f"{described(context, context['protocol'] + ' protocol')}. "
        f"{context['sms_of_side_1']} of {context['sms']} SMs are not on SM 0's side; the other "
        f"half of the addresses agrees about {100 * context['held_out']:.1f} % of all SMs."
    )
    return f"{table(heads, rows)}\n\n{note}"


BLOCKS = {"side_trials": side_trials_block}
