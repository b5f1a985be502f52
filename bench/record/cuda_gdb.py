"""Runs cuda-gdb on broken kernels of the gallery and files the transcripts as JSON. Needs a GPU.

    python3 -m bench.record.cuda_gdb --out bench/results/nvidia-h200/cuda_gdb.json

The gallery's program is built once more with -g -G, so that lines and variables are those of the
source. Each session is a list of commands, run in batch mode with a mark before each.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of

GALLERY = SOURCES / "tests" / "gallery"
MARK = "(cuda-gdb) "
KEPT_LINES = 14  # of one command's output

SESSIONS = {
    "float4_at_offset_one": (
        "stops by itself where the GPU refuses an access",
        (
            "run",
            "info cuda kernels",
            "info cuda lanes",
            "print i",
            "print gA",
            "print $errorpc",
            "x/i $errorpc",
            "cuda thread 1",
            "print &gA[i]",
        ),
    ),
    "barrier_missing_after_use": (
        "stops at a line; shared memory is read from several threads",
        (
            "break races.cu:52",
            "run",
            "info cuda kernels",
            "info cuda blocks",
            "info cuda warps",
            "info cuda devices",
            "info cuda sms",
            "info cuda contexts",
            "info cuda threads",
            "cuda block thread",
            "cuda grid",
            "print k0",
            "print sB[0]",
            "next",
            "print sB[0]",
            "cuda block 0,0,0 thread 3,2,0",
            "print threadIdx",
            "print sB[threadIdx.y][threadIdx.x]",
            "print *(@shared float*)0x0@4",
            "disable",
            "continue",
        ),
    ),
    "everybody_waits": (
        "a kernel that hangs, stopped from outside",
        ("run", "info cuda kernels", "info cuda warps", "bt"),
    ),
}
NOISE = re.compile(
    r"^\[(New Thread|Thread .* exited|Using host|Detaching)|^warning:|^Using host libthread_db|"
    r"^Download failed|debuginfod"
)


def script_of(commands):
    """Commands for gdb's batch mode, each behind its mark."""
    lines = ["set pagination off", "set confirm off", "set width 0"]
    for command in commands:
        lines += [f"echo {MARK}{command}\\n", command]
    return "\n".join(lines) + "\n"


def read_session(text):
    """[{"command", "output": [line]}] of a marked transcript; noise of the host is left out."""
    found = []
    for line in text.splitlines():
        if line.startswith(MARK):
            found.append({"command": line[len(MARK) :], "output": []})
        elif found and line.strip() and not NOISE.match(line):
            line = re.sub(r"(/[\w.+-]+)+/(?=[\w.]+\.(cu|cpp|hpp))", "", line)
            found[-1]["output"].append(line.rstrip())
    for step in found:
        if len(step["output"]) > KEPT_LINES:
            left = len(step["output"]) - KEPT_LINES
            step["output"] = [*step["output"][:KEPT_LINES], f"... {left} lines more"]
    return found


def stopped_by(text):
    """'CUDA_EXCEPTION_6, Warp Misaligned Address', or None where no signal stopped the program."""
    match = re.search(r"received signal (CUDA_EXCEPTION_\d+, [^.\n]+|SIG\w+)", text)
    return match[1] if match else None


def focus_of(text):
    """{"kernel", "block", "thread", "sm", "warp", "lane"} of the last change of focus, or None."""
    found = re.findall(
        r"\[Switching focus to CUDA kernel (\d+), grid \d+, block (\([\d,]+\)), thread "
        r"(\([\d,]+\)), device \d+, sm (\d+), warp (\d+), lane (\d+)\]",
        text,
    )
    names = ("kernel", "block", "thread", "sm", "warp", "lane")
    return dict(zip(names, found[-1])) if found else None


def build(folder):
    """The gallery's program with debug information."""
    program = pathlib.Path(folder) / "gallery_debug"
    sources = [*sorted(GALLERY.glob("*.cu")), GALLERY / "gallery.cpp"]
    command = ["nvcc", "-g", "-G", "-std=c++20", "-arch=native", f"-I{SOURCES}"]
    done = subprocess.run(
        [*command, *map(str, sources), "-o", str(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"cuda_gdb.py: nvcc failed:\n{done.stdout}{done.stderr}")
    return program


def descendants(pid):
    """{process number: name} of a process's children, their children, and so on."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = path.read_text().split(" (", 1)
        except OSError:
            continue  # it has ended meanwhile
        name, _, fields = rest.rpartition(") ")
        found[int(number)] = (int(fields.split()[1]), name)

    def comes_from(number):
        while number in found and number != pid:
            number = found[number][0]
        return number == pid

    return {
        number: name for number, (_, name) in found.items() if number != pid and comes_from(number)
    }


def session(program, kernel, commands, limit):
    """The transcript of one session; what runs longer than `limit` gets a Ctrl-C."""
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write(script_of(commands))
        script.flush()
        process = subprocess.Popen(
            ["cuda-gdb", "-q", "-batch", "-x", script.name, "--args", str(program), kernel],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            return process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            # To the program alone: the debugger sees it stop, and goes on with its script.
            for number, name in descendants(process.pid).items():
                if name == program.name[:15]:
                    os.kill(number, signal.SIGINT)
        try:
            return process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]


def main():
    """Runs all sessions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    parser.add_argument("--limit", type=float, default=60, help="seconds before Ctrl-C")
    options = parser.parse_args()
    if not shutil.which("cuda-gdb"):
        sys.exit("cuda_gdb.py: there is no cuda-gdb: it comes with the CUDA Toolkit")
    context = context_of(options.ladder, "gpu")
    results = {"context": context, "benchmarks": []}
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for kernel, (shows, commands) in SESSIONS.items():
            text = session(program, kernel, commands, options.limit)
            results["benchmarks"].append(
                {
                    "name": kernel,
                    "shows": shows,
                    "stopped_by": stopped_by(text),
                    "focus": focus_of(text),
                    "steps": read_session(text),
                }
            )
            print(f"{kernel}: {stopped_by(text)}", flush=True)
    write_whole(options.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    program.run(main)
