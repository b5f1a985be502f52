"""Runs the gallery of broken kernels on the emulator and files what it reports as JSON.

    python3 -m bench.record.gallery_reports --out bench/results/emulator/gallery.json

The program is the gallery's test: it keeps the emulator's sentences as a property of each test.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from bench import program, results_file
from bench.output_file import output_path, write_whole


def reports_of(tests):
    """[{"name", "reported": [sentence]}] of GoogleTest's JSON."""
    found = []
    for suite in tests["testsuites"]:
        for test in suite["testsuite"]:
            if "reported" in test:
                lines = test["reported"].splitlines()[1:]
                name = test["name"].partition("/")[2]
                found.append({"name": name, "reported": [line.strip() for line in lines]})
    return found


def main():
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--program", default="build/tests/gallery_test")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tests.json"
        done = subprocess.run(
            [options.program, "--gtest_filter=*IsExplained*", f"--gtest_output=json:{path}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not path.exists():
            sys.exit(f"gallery_reports.py: {options.program} failed:\n{done.stdout}{done.stderr}")
        found = reports_of(results_file.read(path))
    write_whole(options.out, json.dumps({"benchmarks": found}, indent=1) + "\n")
    print(f"{len(found)} kernels")


if __name__ == "__main__":
    program.run(main)
