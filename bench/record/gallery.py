"""Runs the gallery of broken kernels under compute-sanitizer and files what each tool finds.

    python3 -m bench.record.gallery --out bench/results/nvidia-h200/gallery.json

For each kernel of tests/gallery and each of four tools the file says how many errors the tool
counted, its first message, which source lines that names, and whether they are the marked ones. A
launch that does not end within the limit is killed, and the file says so. Ends with 1 when a tool
broke down; what the tools find is data.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop, version_of

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
GALLERY = SOURCES / "tests" / "gallery"

# What compute-sanitizer says of itself and of the end of the program rather than of a kernel.
REMARKS = (
    "COMPUTE-SANITIZER",
    "Target application returned an error",
    "Error: process didn't terminate successfully",
    "Error: Target application terminated before first instrumented API call",
)


def main():
    """Runs every tool on every kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--program", default="build/tests/gallery_gpu", help="runs one kernel")
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    parser.add_argument("--limit", type=float, default=20, help="seconds that one run may take")
    parser.add_argument("--jobs", type=int, default=4, help="runs side by side on the one GPU")
    parser.add_argument("--logs", type=pathlib.Path, help="keep the tools' whole output here")
    options = parser.parse_args()
    marks = read_marks(GALLERY)
    kernels = read_kernels(options.program, marks)
    context = context_of(options.ladder, "gpu")
    context["sanitizer"] = version_of("compute-sanitizer")
    results = {"context": context, "benchmarks": []}
    # What hangs keeps the GPU busy, so it comes last and is in nobody's way.
    for hanging in (False, True):
        runs = [
            (kernel, tool) for kernel in kernels for tool in TOOLS if kernel["hangs"] == hanging
        ]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for entry in pool.map(lambda run: check(options, *run), runs):
                results["benchmarks"].append(entry)
                print(summary_of(entry), flush=True)
    write_whole(options.out, json.dumps(results, indent=2) + "\n")
    broken = [
        f"{entry['name']} ({entry['tool']})"
        for entry in results["benchmarks"]
        if entry["count"] is None and entry["killed_after_s"] is None
    ]
    if broken:
        stop(f"ended without a summary: {', '.join(broken)}")


def read_marks(folder):
    """{words of the fault: {"fault": "file.cu:line", "lines": [that and its partners]}}."""
    marks = {}
    for path in sorted(folder.glob("*.cu")):
        words, lines = None, []
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            fault = re.search(r"// fault: (.*)$", line)
            if line.startswith(("__global__", "__device__")):
                words, lines = None, []
            if fault or line.endswith("// and here"):
                lines.append(f"{path.name}:{number}")
            if fault:
                words = fault[1]
                marks[words] = {"fault": lines[-1], "lines": lines}
    return marks


def read_kernels(program, marks):
    """[{"name", "fault", "hangs", "fault_at", "lines"}]; sound kernels have no fault."""
    kernels = []
    for line in output_of([program, "--list"]).splitlines():
        name, ending, fault = line.split("\t")
        if fault and fault not in marks:
            stop(f"no line of {GALLERY} has the comment: // fault: {fault}")
        mark = marks.get(fault, {"fault": None, "lines": []})
        kernels.append(
            {
                "name": name,
                "fault": fault or None,
                "hangs": ending == "hangs",
                "fault_at": mark["fault"],
                "lines": mark["lines"],
            }
        )
    return kernels


def check(options, kernel, tool):
    """One run of one tool, as an entry of the results."""
    command = ["compute-sanitizer", "--tool", tool, "--show-backtrace", "no"]
    command += [options.program, kernel["name"]]
    text, code = run_with_limit(command, options.limit)
    if options.logs:
        options.logs.mkdir(parents=True, exist_ok=True)
        (options.logs / f"{kernel['name']}.{tool}.txt").write_text(text)
    found = read_report(text)
    statuses = dict(re.findall(r"^(cuda\w+): (cuda\w+) ", text, re.MULTILINE))
    return {
        "name": kernel["name"],
        "tool": tool,
        "fault": kernel["fault"],
        "fault_at": kernel["fault_at"],
        **found,
        "at_the_fault": any(place in kernel["lines"] for place in found["places"]),
        "cuda": statuses.get("cudaDeviceSynchronize"),
        "killed_after_s": options.limit if code is None else None,
    }


def run_with_limit(command, limit):
    """(standard output and error, exit code); the code is None if the run had to be killed."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        return process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        # The sanitizer runs the program as a process of its own; both are in the new session.
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate(timeout=limit)[0], None


def read_report(text):
    """{"count", "message", "places"} of what compute-sanitizer printed.

    The count is the summary's; without one it is None. The message is the first that is about a
    kernel, or about a failed call of CUDA if there is no other; its places are ["file.cu:line"].
    """
    lines = [line[9:] for line in text.splitlines() if line.startswith("=========")]
    summaries = [line for line in lines if "SUMMARY:" in line]
    count = re.search(r"SUMMARY: (\d+)", summaries[-1]) if summaries else None
    reports = []
    for line in lines:
        if not line.strip() or "SUMMARY:" in line or line.strip().startswith(REMARKS):
            continue
        if line.startswith("  ") and reports:
            reports[-1].append(line.strip())
        else:
            reports.append([line.strip()])
    # Every tool reports calls of CUDA that fail; the kernel's own message says more.
    reports.sort(key=lambda report: report[0].startswith("Program hit"))
    first = reports[0] if reports else []
    # Newer sanitizers name files without their folders, older ones with them.
    first = [re.sub(r" in \S*/([\w.-]+:\d+)", r" in \1", line) for line in first]
    places = re.findall(r" in ([\w.-]+\.cuh?:\d+)", "\n".join(first))
    return {
        "count": int(count[1]) if count else None,
        "message": first[0] if first else None,
        "places": list(dict.fromkeys(places)),
    }


def summary_of(entry):
    """One line for the screen."""
    if entry["killed_after_s"] is not None:
        ending = f"killed after {entry['killed_after_s']:g} s"
    elif entry["count"] is None:
        ending = "no summary"
    else:
        ending = f"{entry['count']} errors"
    place = "at the fault" if entry["at_the_fault"] else ", ".join(entry["places"])
    text = f"{entry['name']:<32} {entry['tool']:<10} {ending:<18} {place:<14}"
    return f"{text} {entry['message'] or ''}".rstrip()


if __name__ == "__main__":
    program.run(main)
