#!/usr/bin/env python3
"""Runs all rungs under the four tools of compute-sanitizer and files what they say as JSON.

    bench/sanitize.py --out bench/results/nvidia-h200/sanitizer.json

The shapes are ragged in M, N and K, with beta 0 and not 0. Ends with 1 when a tool complains.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHAPES = ((260, 132, 36), (77, 45, 131), (129, 300, 4))


def main():
    """Runs every tool on every shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="the program to check")
    options = parser.parse_args()
    results = {"context": None, "benchmarks": []}
    for tool in TOOLS:
        for rows, cols, depth in SHAPES:
            for beta in ("0", "0.5"):
                results["context"] = check(
                    options, results["benchmarks"], tool, (rows, cols, depth), beta
                )
    options.out.write_text(json.dumps(results, indent=2) + "\n")
    sys.exit(0 if all(run["clean"] for run in results["benchmarks"]) else 1)


def check(options, runs, tool, shape, beta):
    """Appends one run to `runs`; returns the context of the ladder's own results."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.json"
        command = [
            "compute-sanitizer",
            "--tool",
            tool,
            options.ladder,
            "climb",
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
            sys.exit(f"sanitize.py: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        ladder = json.loads(path.read_text())
    outcomes = {entry["name"]: entry["outcome"] for entry in ladder["benchmarks"]}
    clean = (
        done.returncode == 0
        and bool(re.search(r"SUMMARY: 0 ", summary[-1]))
        and "wrong" not in outcomes.values()
    )
    runs.append(
        {
            "name": tool,
            "m": shape[0],
            "n": shape[1],
            "k": shape[2],
            "beta": float(beta),
            "summary": summary[-1],
            "clean": clean,
            "outcomes": outcomes,
        }
    )
    print(f"{tool:<10} M, N, K = {shape}, beta {beta}: {summary[-1]}", flush=True)
    return ladder["context"]


if __name__ == "__main__":
    main()
