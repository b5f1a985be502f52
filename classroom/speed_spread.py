"""How much points for speed differ from run to run, on this machine's GPU.

    python3 -m classroom.speed_spread --out bench/results/nvidia-h200/speed_points.json

Times some rungs as they are, and slower versions of them, five times each, as the grader does.
"""

import argparse
import json
import pathlib
import tempfile

from bench import program
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, stop
from bench.rungs import rung_of
from classroom import points, speed
from classroom.problems import Secret
from classroom.starters import whole, write_to

RUNS = 5
SLOW_SMS = (("const int sms = multiprocessors();", "const int sms = multiprocessors() / 3;"),)
SMALL_THREADS = (
    ("constexpr int TM = 8;", "constexpr int TM = 4;"),
    ("constexpr int TN = 8;", "constexpr int TN = 4;"),
)
ALONG_COLUMNS = (
    ("blockIdx.y * BM + threadIdx.y;", "blockIdx.y * BM + threadIdx.x;"),
    ("blockIdx.x * BN + threadIdx.x;", "blockIdx.x * BN + threadIdx.y;"),
)
# (rung, what its version does, edits)
VERSIONS = (
    (2, "as it is", ()),
    (2, "neighbouring threads along a column", ALONG_COLUMNS),
    (4, "as it is", ()),
    (4, "4 x 4 results per thread", SMALL_THREADS),
    (12, "as it is", ()),
    (12, "on a third of the SMs", SLOW_SMS),
    (14, "as it is", ()),
)


def files_of(rung, edits):
    """{name: text} of a rung with edits, each of which fits one place."""
    files = whole(rung)
    for text, replacement in edits:
        names = [name for name, of in files.items() if of.count(text) == 1]
        if len(names) != 1:
            raise ValueError(f"{rung.label} must hold once: {text}")
        files[names[0]] = files[names[0]].replace(text, replacement)
    return files


def runs_of(number, edits, gpu):
    """[{points, ratios}] of a version."""
    rung = rung_of(number)
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        folder.chmod(0o755)
        write_to(folder / "sources", files_of(rung, edits))
        library, faults = speed.library_for_gpu(folder / "sources", rung, folder, gpu)
        if faults:
            stop(f"{rung.label}: {faults}")
        for run in range(RUNS):
            found = speed.timed_on_gpu(library, rung, Secret(f"spread {run}".encode(), rung))
            part = points.speed(found["problems"])
            if any("ratio" not in test["data"] for test in part["tests"]):
                stop(f"{rung.label}: {part}")
            yield {
                "points": part["points"],
                "ratios": [round(test["data"]["ratio"], 4) for test in part["tests"]],
            }


def main():
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    options = parser.parse_args()
    why, gpu = speed.why_not(rung_of(max(number for number, *_ in VERSIONS)))
    if why:
        stop(why)
    entries = []
    for number, version, edits in VERSIONS:
        runs = list(runs_of(number, edits, gpu))
        entries.append({"rung": number, "version": version, "runs": runs})
        print(rung_of(number).label, version, *(run["points"] for run in runs), flush=True)
    found = {"context": context_of("build/ladder", "gpu"), "benchmarks": entries}
    write_whole(options.out, json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    program.run(main)
