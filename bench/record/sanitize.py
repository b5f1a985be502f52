"""Runs all rungs under the four tools of compute-sanitizer and files what they say as JSON.

    python3 -m bench.record.sanitize --out bench/results/nvidia-h200/sanitizer.json

The shapes are ragged in M, N and K, with beta 0 and not 0. Ends with 1 when a tool complains or a
run fails; what the other runs found is filed all the same. With --jobs N, N runs share the GPU.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.rungs import own_rungs

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHAPES = ((260, 132, 36), (77, 45, 131), (129, 300, 4))
# For the rungs of one architecture alone, as others would take too long. On an H200 the first has
# more of K than rings hold, and tiles that are split; for the others rung 14 takes clusters, and a
# kernel for little K.
FOR_THEM = ((639, 636, 640), (60, 64, 1028), (511, 1020, 20))


class RunError(Exception):
    """A run that says nothing about the rungs."""


def last_rungs():
    """['11', ...]: those that only one architecture runs."""
    return [f"{n:02}" for n, rung in own_rungs().items() if rung.architecture_specific]


def main():
    """Runs every tool on every shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="the program to check")
    parser.add_argument("--jobs", type=jobs, default=1, help="runs at a time (1)")
    options = parser.parse_args()
    shapes = (*SHAPES, *FOR_THEM)
    planned = [(tool, shape, beta) for tool in TOOLS for shape in shapes for beta in ("0", "0.5")]
    results = {"context": None, "benchmarks": []}
    failures = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(check, options.ladder, *plan) for plan in planned]
        for run in runs:  # in this order, whichever ends first
            try:
                results["context"], found = run.result()
            except (RunError, OSError, ValueError) as error:
                failures.append(str(error))
                print(f"sanitize.py: {error}", file=sys.stderr, flush=True)
                continue
            results["benchmarks"].append(found)
            print(line_of(found), flush=True)
    write_whole(options.out, json.dumps(results, indent=2) + "\n")
    if failures:
        sys.exit(
            f"sanitize.py: {len(failures)} of {len(planned)} runs failed; "
            f"{options.out} has the others"
        )
    sys.exit(0 if all(run["clean"] for run in results["benchmarks"]) else 1)


def jobs(text):
    """A number of runs at a time."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} runs at a time: at least 1 is needed")
    return number


def check(ladder, tool, shape, beta):
    """One run: the context of the ladder's own results, and what is filed.

    Raises RunError where the tool or the program did not get to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.json"
        command = [
            "compute-sanitizer",
            "--tool",
            tool,
            ladder,
            *(("run", *last_rungs()) if shape in FOR_THEM else ("climb",)),
            "--device",
            "gpu",
            "--no-timing",
            "--json",
            str(path),
            "--beta",
            beta,
        ]
        for name, extent in zip("mnk", shape):
            command += [f"--{name}", str(extent)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        summary = re.findall(r"=========\s+(\w* ?SUMMARY: .*)", done.stdout + done.stderr)
        if not summary or not path.exists():
            raise RunError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        reported = results_file.read(path)
    outcomes = {entry["name"]: entry["outcome"] for entry in reported["benchmarks"]}
    clean = (
        done.returncode == 0
        and bool(re.search(r"SUMMARY: 0 ", summary[-1]))
        and "wrong" not in outcomes.values()
    )
    return reported["context"], {
        "name": tool,
        "m": shape[0],
        "n": shape[1],
        "k": shape[2],
        "beta": float(beta),
        "summary": summary[-1],
        "clean": clean,
        "outcomes": outcomes,
    }


def line_of(run):
    """What is printed of a run."""
    extents = f"({run['m']}, {run['n']}, {run['k']})"
    return f"{run['name']:<10} M, N, K = {extents}, beta {run['beta']:g}: {run['summary']}"


if __name__ == "__main__":
    program.run(main)
