"""Runs the programs of tests/glassbox/cases/streams under compute-sanitizer and files what it says.

    python3 -m bench.record.stream_sanitizer --out bench/results/nvidia-h100/stream_sanitizer.json

Each program lacks one order between streams, graphs and the host, and has a sound twin; those whose
name starts with sound_ only look wrong. For each of them the file says which of the four tools
found something, and how each tool summed up.
"""

import argparse
import json
import pathlib
import re
import tempfile

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.record.gallery import TOOLS, run_with_limit
from bench.record.ladder_program import context_of, output_of, stop, version_of

PROGRAMS = SOURCES / "tests" / "glassbox" / "cases" / "streams"
SOUND = "sound_"  # how the name of a program begins that is right as it stands
FOUND = 9  # the exit code of a tool that has found something


def variants(folder):
    """[(program's name, whether it is right)]"""
    names = sorted(path.stem for path in folder.glob("*.cu"))
    return [
        (name, sound)
        for name in names
        for sound in ((True,) if name.startswith(SOUND) else (False, True))
    ]


def check(name, sound, options):
    """One program under all tools, as an entry of the results."""
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder, name)
        words = [options.nvcc, "-std=c++17", f"-arch={options.arch}", "-lineinfo"]
        words += ["-DSOUND"] * sound
        output_of([*words, str(options.programs / f"{name}.cu"), "-o", str(binary)])
        found, summaries = [], {}
        for tool in TOOLS:
            command = [options.sanitizer, "--tool", tool, "--error-exitcode", str(FOUND)]
            text, code = run_with_limit([*command, str(binary)], options.limit)
            said = re.findall(r"^=+ (\w+ SUMMARY: .*)$", text, re.MULTILINE)
            if code not in (0, FOUND) or not said:
                stop(f"{tool} broke down on {name} (exit code {code}):\n{text}")
            summaries[tool] = said[-1].strip()
            found += [tool] if code == FOUND else []
    return {"name": name, "sound": sound, "found_by": found, "summaries": summaries}


def main():
    """Runs every tool on every program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, default=PROGRAMS)
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90", help="to compile for")
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--limit", type=float, default=60, help="seconds that one run may take")
    options = parser.parse_args()
    context = context_of(options.ladder, "gpu")
    context["sanitizer"] = version_of(options.sanitizer)
    results = {"context": context, "benchmarks": []}
    for name, sound in variants(options.programs):
        entry = check(name, sound, options)
        results["benchmarks"].append(entry)
        found = ", ".join(entry["found_by"]) or "nothing"
        print(f"{name} ({'sound' if sound else 'broken'}): {found}", flush=True)
    write_whole(options.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    program.run(main)
