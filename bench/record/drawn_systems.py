"""Records how often the labs' analyses are right about systems drawn at random.

    python3 -m bench.record.drawn_systems --out bench/results/drawn_systems.json
    python3 -m bench.record.drawn_systems --out FILE --only 'DrawnTlbs*'

The program is the labs' own test: it keeps the counts as properties. --only runs some of its tests
and leaves the others' counts in the file as they are. 200 systems for each take about an hour.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from bench import program, results_file
from bench.output_file import output_path, write_whole

COUNTS = ("recovered", "not_found", "wrong")


def tallies_of(tests, systems):
    """[{"name", "family", "systems", "recovered", ...}] of GoogleTest's JSON."""
    found = {}
    for suite in tests["testsuites"]:
        for test in suite["testsuite"]:
            for key, value in test.items():
                if match := re.fullmatch(r"tally: (.+): (\w+)", key):
                    found.setdefault(match[1], {})[match[2]] = value
    rows = []
    for name, values in sorted(found.items()):
        width = values.get("width_percent")
        rows.append(
            {
                "name": name,
                "family": values["family"],
                "systems": systems,
                **{count: int(values[count]) for count in COUNTS},
                "width_percent": None if width is None else round(float(width), 1),
            }
        )
    return rows


def merged(known, new):
    """The new counts, and those of analyses that were not asked this time."""
    return sorted(
        {row["name"]: row for row in [*known, *new]}.values(), key=lambda row: row["name"]
    )


def main():
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--program", default="build/tests/memory_drawn_tests")
    parser.add_argument("--only", default="Drawn*", help="GoogleTest's filter")
    parser.add_argument("--draws", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tests.json"
        done = subprocess.run(
            [options.program, f"--gtest_filter={options.only}", f"--gtest_output=json:{path}"],
            env={**os.environ, "LADDER_DRAWS": str(options.draws)},
            capture_output=True,
            text=True,
            check=False,
        )
        if not path.exists():
            sys.exit(f"drawn_systems.py: {options.program} failed:\n{done.stdout}{done.stderr}")
        new = tallies_of(results_file.read(path), options.draws)
    known = results_file.read(options.out)["benchmarks"] if options.out.exists() else []
    rows = merged(known, new)
    write_whole(options.out, json.dumps({"benchmarks": rows}, indent=1) + "\n")
    wrong = sum(row["wrong"] for row in new)
    print(f"{len(new)} analyses, {wrong} wrong answers")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    program.run(main)
