"""Files what the emulator counts for the rungs, to stand beside what a GPU counts.

    python3 -m bench.record.emulator_trace --out bench/results/emulator/traces.json
    python3 -m bench.record.emulator_trace --out bench/results/emulator/traces_ragged.json \\
        --like bench/results/nvidia-h200/profile_ragged.json
    python3 -m bench.record.emulator_trace --out bench/results/emulator/traces_merging.json \\
        --card h100 --like bench/results/nvidia-h100/profile_merging.json

No GPU is needed: runs `ladder trace` for a card, for each rung and size that pages speak of, or
for those of a profile.
"""

import argparse
import json
import pathlib

from bench import program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, results_of
from bench.results_forms.gpu import PROFILE
from bench.rungs import own_rungs

RE_READ = ("shared_tile", "register_tile", "vector_access", "double_buffer", "wave_swizzle")
MULTIPLY_OFTEN = ("split_precision",)  # three products in the place of one: too long at 4096
LARGEST = ("double_buffer", "wave_swizzle")


def traced_at():
    """{size: rungs} that pages speak of."""
    rungs = own_rungs()
    chooses = [number for number, rung in rungs.items() if len(rung.configurations) > 1]
    shares = [number for number, rung in rungs.items() if rung.shared_bytes]
    # Blocks of rungs that plan stay for four tiles at 4096: too long. Where clusters keep in step,
    # the CPU's threads decide how far one is ahead, and what L2 has for the others.
    one_tile = [
        number
        for number, rung in rungs.items()
        if not rung.configurations
        and rung.name not in MULTIPLY_OFTEN
        and "kEpoch" not in rung.constants
    ]
    named = {rung.name: number for number, rung in rungs.items()}
    return {
        256: chooses,
        512: chooses,
        1024: list(rungs),
        2048: shares,
        4096: one_tile,
        8192: [named[name] for name in RE_READ],
        16384: [named[name] for name in LARGEST],
    }


def traced(options):
    """(rung, m, n, k) of all traces."""
    if options.like:
        entries = results_file.read(options.like, PROFILE)["benchmarks"]
        return [(entry["rung"], entry["m"], entry["n"], entry["k"]) for entry in entries]
    return [(rung, size, size, size) for size, rungs in traced_at().items() for rung in rungs]


def main():
    """Traces all rungs at all shapes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--like", type=pathlib.Path, help="a profile: its rungs and shapes")
    parser.add_argument("--card", default="h200", help="the GPU to model: a name or a card file")
    parser.add_argument("--ladder", default="build/ladder", help="the program to run")
    options = parser.parse_args()
    context = context_of(options.ladder, "cpu")
    results = {"context": {**context, "card": options.card}, "benchmarks": []}
    for rung, m, n, k in traced(options):
        shape = ("--m", str(m), "--n", str(n), "--k", str(k))
        found = results_of(options.ladder, "trace", f"{rung:02}", *shape, "--gpu", options.card)
        results["benchmarks"].append(
            {
                "name": f"trace_{rung:02}",
                "rung": rung,
                "m": m,
                "n": n,
                "k": k,
                "launch": found["launch"],
                "metrics": found["metrics"],
            }
        )
        print(f"{rung:02} at {m} x {n} x {k}", flush=True)
    write_whole(options.out, json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    program.run(main)
