"""Blocks of the page about debugging: one bug, and what each tool says of it."""

import pathlib
import re
import textwrap

from bench import results_file
from docs.report.page_blocks.markdown import fenced
from docs.report.page_blocks.nvcc import record_at
from docs.report.recorded import GPUS, RESULTS, FigureError, load, provenance

GALLERY = pathlib.Path("tests/gallery")  # below the root of the sources
EMULATOR = pathlib.Path("bench/results/emulator/gallery.json")
GDB_HOST = pathlib.Path("bench/results/cuda_gdb_host.json")
COLUMNS = 84  # of a block of text on a page
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def kernel_source(name):
    """The text of a kernel of the gallery, with the numbers of its marked lines."""
    for path in sorted(GALLERY.glob("*.cu")):
        found = re.search(rf"^__global__ void {name}\(.*?^}}$", path.read_text(), re.M | re.S)
        if found:
            before = path.read_text()[: found.start()].count("\n") + 1
            text = [f"// {path}, line {before}", *found[0].splitlines()]
            return fenced("cuda", "\n".join(text))
    raise FigureError(f"{GALLERY} has no kernel {name}")


def emulated(name):
    """The emulator's sentences."""
    for entry in record_at(EMULATOR)["benchmarks"]:
        if entry["name"] == name:
            return entry["reported"]
    raise FigureError(f"{EMULATOR} has no kernel {name}")


def sanitized(name):
    """What each tool of compute-sanitizer said first."""
    runs = {run["tool"]: run for run in load("gallery.json")["benchmarks"] if run["name"] == name}
    lines = []
    for tool in TOOLS:
        run = runs[tool]
        if run["killed_after_s"]:
            said = f"killed after {run['killed_after_s']:.0f} s"
        elif run["count"]:
            message = re.sub(r"ladder::gallery_kernels::|\(int.*?\*\)", "", run["message"])
            places = ", ".join(run["places"])
            text = f"{message.rstrip('.')}; counted: {run['count']}; at {places}"
            said = textwrap.fill(text, COLUMNS - 14, subsequent_indent=" " * 14)
        else:
            said = f"nothing; cudaDeviceSynchronize() gives {run['cuda']}"
        lines.append(f"{tool:<14}{said}")
    return "\n".join(lines)


def case(name):
    """A block that shows a kernel and the reports of both."""

    def block(*_):
        return "\n\n".join(
            [
                kernel_source(name),
                "The emulator:",
                fenced(
                    "text",
                    "\n".join(
                        textwrap.fill(line, COLUMNS, subsequent_indent="  ")
                        for line in emulated(name)
                    ),
                ),
                "compute-sanitizer on the GPU:",
                fenced("text", sanitized(name)),
            ]
        )

    return block


def gallery_source_block(*_):
    """Where the reports are from."""
    return (
        f"compute-sanitizer: {provenance('gallery.json')}, recorded by "
        "`bench/record/gallery.py`. The emulator: `build/tests/gallery_test`, recorded by "
        "`bench/record/gallery_reports.py`."
    )


def transcripts(sessions):
    """Sessions of cuda-gdb as they looked."""
    parts = []
    for session in sessions:
        words = session.get("words")
        lines = [" ".join(["$ cuda-gdb", *words])] if words is not None else []
        if "screen" in session:  # the commands that were typed are on it
            lines += session["screen"]
        else:
            for step in session["steps"]:
                lines += [f"(cuda-gdb) {step['command']}", *step["output"]]
        parts += [f"`{session['name']}`: {session['shows']}.", fenced("text", "\n".join(lines))]
    return parts


def cuda_gdb_host_block(*_):
    """The recorded sessions of cuda-gdb that need no GPU."""
    sessions = record_at(GDB_HOST)["benchmarks"]
    versions = ", ".join(f"`{each['name']}` by {each['cuda_gdb']}" for each in sessions)
    made = f"cuda-gdb: {versions}: [{GDB_HOST.name}](../../{GDB_HOST})."
    return "\n\n".join([*transcripts(sessions), made])


def cuda_gdb_block(*_):
    """The recorded sessions of cuda-gdb, of the GPU that has recorded them last."""
    paths = [RESULTS.with_name(gpu) / "cuda_gdb.json" for gpu in GPUS]
    recorded = [results_file.read(path) for path in paths if path.exists()]
    if not recorded:
        return (
            "*Not recorded yet: no GPU machine with cuda-gdb has run "
            "`python3 -m bench.record.cuda_gdb --out bench/results/nvidia-h200/cuda_gdb.json`.*"
        )
    data = max(recorded, key=lambda each: each["context"]["date"])
    parts = transcripts(data["benchmarks"])
    return "\n\n".join(
        [
            *parts,
            f"{data['context']['device']}, cuda-gdb of CUDA " f"{data['context']['cuda_toolkit']}.",
        ]
    )


BLOCKS = {
    "gallery_source": gallery_source_block,
    "bug_misaligned": case("float4_at_offset_one"),
    "bug_race": case("barrier_missing_after_use"),
    "bug_shared_bounds": case("shared_indices_swapped"),
    "bug_uninitialised": case("accumulator_never_zeroed"),
    "bug_barrier": case("barrier_in_both_branches"),
    "bug_hang": case("everybody_waits"),
    "cuda_gdb": cuda_gdb_block,
    "cuda_gdb_host": cuda_gdb_host_block,
}
