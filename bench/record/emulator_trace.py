"""Files what the emulator counts for the rungs, to stand beside what a GPU counts.

    python3 -m bench.record.emulator_trace --out bench/results/emulator/traces.json

No GPU is needed: runs `ladder trace` for each rung and size, for an H200.
"""

import argparse
import json

from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, results_of

SIZES = {
    256: ("11",),
    512: ("11",),
    1024: ("01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"),
    2048: ("03", "04", "05", "06", "07", "08", "09", "10", "11"),
    4096: ("01", "02", "03", "04", "05", "06", "07", "08", "09", "10"),
    8192: ("03", "04", "05", "06", "07"),
    16384: ("06", "07"),
}


def main():
    """Traces all rungs at all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="the program to run")
    options = parser.parse_args()
    context = context_of(options.ladder, "cpu")
    results = {"context": {**context, "card": "h200"}, "benchmarks": []}
    for size, rungs in SIZES.items():
        for rung in rungs:
            found = results_of(options.ladder, "trace", rung, "--size", str(size))
            results["benchmarks"].append(
                {
                    "name": f"trace_{rung}",
                    "rung": int(rung),
                    "m": size,
                    "n": size,
                    "k": size,
                    "launch": found["launch"],
                    "metrics": found["metrics"],
                }
            )
            print(f"{rung} at {size}", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.out, json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
