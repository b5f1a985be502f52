"""Records which addresses the first warp of each rung asks for, from the emulator's trace.

    python3 -m docs.figures.record [build/ladder]            write data/*.json
    python3 -m docs.figures.record [build/ladder] --check    fail when they are not what it says

requests.json: of each access of the source the first request of a warp. first_steps.json: all that
a warp of the first rungs asks for in the first steps of k. trace.json: one rung's trace with its
first requests, for the trace page in the book. M = N = K = 256, so that a row of A or B is 1024
bytes, or 512 in BF16. Figures need these files alone, and no program.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from bench import program, results_file
from bench.rungs import own_rungs, rung_of

DATA = pathlib.Path(__file__).resolve().parent / "data"
SIZE = 256
KEPT = ("array", "operation", "access_bytes", "sectors", "lines", "wavefronts", "addresses")
FIRST_RUNGS = (1, 2)  # of first_steps.json
STEPS = 8  # of k: the words of a sector
SHOWN = 3  # the rung of trace.json
SHOWN_REQUESTS = 24
STEP_KEPT = ("array", "operation", "line", "sectors", "addresses")
# The first warp that asks for memory: a producer has its boxes brought.
FIRST_WARP = {
    "producer_warpgroup": 4,
    "persistent_cluster": 4,
    "in_step": 4,
    "l2_sides": 4,
    "hopper_summit": 4,
}


def one_kernel():
    """Rungs with one kernel for all shapes: others pick one, or launch several."""
    rungs = own_rungs().items()
    return [n for n, rung in rungs if len(rung.configurations) <= 1 and len(rung.kernels) <= 1]


def traced(ladder, rung):
    """The trace of a rung, with the requests of a warp of block 0."""
    warp = f"0,{FIRST_WARP.get(rung_of(rung).name, 0)}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        subprocess.run(
            [ladder, "trace", f"{rung:02}", "--size", str(SIZE), "--warp", warp, "--json", path],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return results_file.read(path)


def first_requests(trace):
    """[request] of the traced warp: the first of each access."""
    found = {}
    for entry in trace["warp"]["requests"]:
        found.setdefault(
            (entry["line"], entry["operation"], entry["array"]), {key: entry[key] for key in KEPT}
        )
    return list(found.values())


def first_steps(trace):
    """[request] of the traced warp in the first steps of k: in each it loads from A and from B."""
    found = trace["warp"]["requests"][: 2 * STEPS]
    return [{key: entry[key] for key in STEP_KEPT} for entry in found]


def page_data(trace):
    """What a trace page needs of a trace: without what changes from day to day."""
    requests = trace["warp"]["requests"][:SHOWN_REQUESTS]
    kept = {key: value for key, value in trace.items() if key != "context"}
    return {**kept, "warp": {**trace["warp"], "requests": requests}}


def as_text(rungs):
    """{rung: entries} with an entry per line."""
    entries = [
        f'"{rung:02}": [\n' + ",\n".join(json.dumps(entry) for entry in found) + "\n]"
        for rung, found in rungs.items()
    ]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def main():
    """Writes or checks the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ladder", nargs="?", default="build/ladder", help="the traced program")
    parser.add_argument("--check", action="store_true", help="fail when the file is stale")
    options = parser.parse_args()
    traces = {rung: traced(options.ladder, rung) for rung in one_kernel()}
    files = {
        "requests.json": {rung: first_requests(trace) for rung, trace in traces.items()},
        "first_steps.json": {rung: first_steps(traces[rung]) for rung in FIRST_RUNGS},
    }
    texts = {name: as_text(rungs) for name, rungs in files.items()}
    texts["trace.json"] = json.dumps(page_data(traces[SHOWN])) + "\n"
    for name, text in texts.items():
        path = DATA / name
        if options.check and path.read_text() != text:
            sys.exit(f"{path} is stale: run python3 -m docs.figures.record")
        if not options.check:
            path.write_text(text)
            print(f"wrote {path}")


if __name__ == "__main__":
    program.run(main)
