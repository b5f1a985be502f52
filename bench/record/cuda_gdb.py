"""Runs cuda-gdb and files the transcripts as JSON.

    python3 -m bench.record.cuda_gdb --out bench/results/nvidia-h200/cuda_gdb.json
    python3 -m bench.record.cuda_gdb --host --out bench/results/cuda_gdb_host.json

The first needs a GPU: broken kernels of the gallery, the core that one of them leaves, and a
program whose kernels are compiled at run time. The second needs none: help, options, the core of a
program on the host, and the text user interface, which tmux shows. Not every build of cuda-gdb has
that one; a session that does not run here stays in the file as it was.

The gallery's program is built once more with -g -G, so that lines and variables are those of the
source. Each session is a list of commands, run in batch mode with a mark before each.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bench import SOURCES, program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop
from bench.results_forms import FORMS
from bench.results_forms.gpu import LAB

GALLERY = SOURCES / "tests" / "gallery"
ROPE_LISTING = SOURCES / "tests" / "common" / "side_aware" / "listings" / "rope.txt"
MARK = "(cuda-gdb) "
PROGRAMS = ("gallery_debug", "side_boost_rope")
KEPT_LINES = 14  # of one command's output
KEPT_OF_HELP = 6

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
CORE = (  # of the kernel of the first session
    "target cudacore kernel.nvcudmp",
    "info cuda kernels",
    "info cuda devices",
    "bt",
    "print i",
    "print gA",
    "print $errorpc",
    "x/i $errorpc",
)
AT_RUN_TIME = (
    "set cuda break_on_launch application",
    "run",
    "info cuda kernels",
    "cuda grid",
    "cuda block thread",
    "bt",
    "x/2i $pc",
    "set cuda break_on_launch none",
    "set breakpoint pending on",
    "break elementwise_aligned",
    "continue",
    "info cuda kernels",
    "bt",
    "delete",
    "continue",
)
HELP = (
    "help",
    "help running",
    "help next",
    "apropos cuda",
    "info cuda kernels",
    "cuda grid",
    "file gallery_debug",
    "info line ladder::gallery_kernels::everybody_waits",
    "quit",
)
CORE_OF_HOST = ("info files", "bt", "show directories", "list main", "quit")
NOISE = re.compile(
    r"^\[(New Thread|Thread .* exited|Using host|Detaching)|^warning:|^Using host libthread_db|"
    r"^Download failed|debuginfod|^BFD: "
)


def script_of(commands):
    """Commands for gdb's batch mode, each after its mark."""
    lines = ["set pagination off", "set confirm off", "set width 0", f"directory {GALLERY}"]
    for command in commands:
        lines += [f"echo {MARK}{command}\\n", command]
    return "\n".join(lines) + "\n"


def read_session(text, kept=KEPT_LINES):
    """[{"command", "output": [line]}] of a marked transcript; noise of the host is left out."""
    found = []
    for line in text.replace(MARK, f"\n{MARK}").splitlines():
        if line.startswith(MARK):
            found.append({"command": line[len(MARK) :], "output": []})
        elif found and line.strip() and not NOISE.match(line):
            line = re.sub(r"[\w.+-]*(/[\w.+-]+)*/(?=[\w.]+\.(cu|cpp|hpp))", "", line)
            found[-1]["output"].append(line.rstrip())
    for step in found:
        if len(step["output"]) > kept:
            left = len(step["output"]) - kept
            step["output"] = [*step["output"][:kept], f"... {left} lines more"]
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
    made = pathlib.Path(folder) / "gallery_debug"
    sources = [*sorted(GALLERY.glob("*.cu")), GALLERY / "gallery.cpp"]
    arch = "native" if shutil.which("nvidia-smi") else "sm_90"
    command = ["nvcc", "-g", "-G", "-std=c++20", f"-arch={arch}", f"-I{SOURCES}"]
    done = subprocess.run(
        [*command, *map(str, sources), "-o", str(made)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"cuda_gdb.py: nvcc failed:\n{done.stdout}{done.stderr}")


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


def session(folder, words, commands, limit):
    """The transcript of one session in a folder that it does not name."""
    script = [word for line in script_of(commands).splitlines() for word in ("-ex", line)]
    process = subprocess.Popen(
        ["cuda-gdb", "-q", "-batch", *script, *words],  # -ex: after an error it goes on
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    text = transcript_of(process, limit)
    return text.replace(f"{folder}/", "").replace(f"{SOURCES}/", "")


def transcript_of(process, limit):
    """What a debugger prints; a program that runs longer than `limit` gets a Ctrl-C."""
    try:
        return process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        # To the program alone: the debugger sees it stop, and goes on with its script.
        for number, name in descendants(process.pid).items():
            if name in PROGRAMS:
                os.kill(number, signal.SIGINT)
    try:
        return process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def screen(folder, words, keys, size=(90, 24)):
    """What cuda-gdb shows on a terminal of so many columns and rows, after some keys; nothing, if
    it ends before.
    """
    tmux = ["tmux", "-S", str(folder / "tmux")]
    width, height = map(str, size)
    command = shlex.join(["cuda-gdb", "-q", *words])
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", width, "-y", height, command],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,  # a debugger that ends takes the terminal along
    )
    shown = ""
    for command in [*(["send-keys", key, "Enter"] for key in keys), ["-u", "capture-pane", "-p"]]:
        time.sleep(3)
        done = subprocess.run([*tmux, *command], capture_output=True, text=True, check=False)
        shown = done.stdout
    subprocess.run([*tmux, "kill-server"], stderr=subprocess.DEVNULL, check=False)
    return shown


def entry(name, shows, text, words=(), kept=KEPT_LINES):
    """One session for the file."""
    return {
        "name": name,
        "shows": shows,
        "words": list(words),
        "stopped_by": stopped_by(text),
        "focus": focus_of(text),
        "steps": read_session(text, kept),
    }


def gpu_sessions(folder, rope, limit):
    """All that need a GPU."""
    for kernel, (shows, commands) in SESSIONS.items():
        words = ["--args", "gallery_debug", kernel]
        yield entry(kernel, shows, session(folder, words, commands, limit), words)

    words = ["--args", str(rope), str(ROPE_LISTING)]
    shows = "stops at kernels that are compiled at run time"
    shown = ["--args", rope.name, ROPE_LISTING.name]
    text = session(folder, words, AT_RUN_TIME, limit)
    yield entry("compiled_at_run_time", shows, text, shown)

    settings = {
        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "1",
        "CUDA_COREDUMP_FILE": str(folder / "kernel.nvcudmp"),
    }
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(  # it ends with an error: that is what it is for
            [folder / "gallery_debug", "float4_at_offset_one"],
            env={**os.environ, **settings},
            cwd=folder,
            timeout=limit,
            capture_output=True,
            check=False,
        )
    if not (folder / "kernel.nvcudmp").exists():
        stop("float4_at_offset_one left no core")
    shows = "the core that the first of these kernels leaves"
    yield entry("core_of_a_kernel", shows, session(folder, [], CORE, limit))


def version_here():
    """'13.0'"""
    text = output_of(["cuda-gdb", "--version"])
    found = re.search(r"\d+\.\d+", text)
    return found[0] if found else stop(f"cuda-gdb does not say which it is: {text}")


def host_sessions(folder, limit):
    """All that need no GPU, each with the version of this cuda-gdb."""
    version = version_here()
    for each in sessions_of_host(folder, limit):
        yield {**each, "cuda_gdb": version}


def sessions_of_host(folder, limit):
    """The sessions alone."""
    text = session(folder, [], HELP, limit)
    yield entry("help", "help, and how to leave", text, kept=KEPT_OF_HELP)

    commands = ("break main", "run", "generate-core-file program.core", "kill")
    words = ["--args", "gallery_debug", "everybody_waits"]
    text = session(folder, words, commands, limit)
    if not (folder / "program.core").exists():
        stop(f"there is no core of the gallery's program: {text}")
    options = ["--exec=gallery_debug", "--symbols=gallery_debug", "--core=program.core"]
    words = [*options, f"--directory={GALLERY}"]
    text = session(folder, words, CORE_OF_HOST, limit)
    shown = [*options, "--directory=tests/gallery"]
    yield entry("core_of_a_program", "the core of a program on the host", text, shown, 10)

    if not shutil.which("tmux"):
        print("text_user_interface: left out, there is no tmux")
        return
    words = ["--tui", f"--directory={GALLERY}", "gallery_debug"]
    keys = ["list main", "info win"]
    lines = screen(folder, words, keys).rstrip().splitlines()
    if not lines:
        print("text_user_interface: left out, cuda-gdb ended")
        return
    shown = ["--tui", "gallery_debug"]
    found = entry("text_user_interface", "the source above, the commands below", "", shown)
    typed = [{"command": key, "output": []} for key in keys]
    yield {**found, "steps": typed, "screen": lines}


def main():
    """Runs all sessions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--host", action="store_true", help="what needs no GPU")
    parser.add_argument("--program", type=pathlib.Path, help="the gallery, built with -g -G before")
    parser.add_argument("--rope", type=pathlib.Path, default=SOURCES / "build" / "side_boost_rope")
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    parser.add_argument("--beside", type=pathlib.Path, help="a lab's report from the same GPU")
    parser.add_argument("--limit", type=float, default=60, help="seconds before Ctrl-C")
    options = parser.parse_args()
    if not shutil.which("cuda-gdb"):
        sys.exit("cuda_gdb.py: there is no cuda-gdb: it comes with the CUDA Toolkit")
    if options.host:
        context = {}  # each session has its own
    elif options.beside:
        context = results_file.read(options.beside, LAB)["context"]
    else:
        context = context_of(options.ladder, "gpu")
    results = {"context": context, "benchmarks": []}
    if options.host and options.out.exists():
        results = dict(results_file.read(options.out, FORMS["bench/results/cuda_gdb_host.json"]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.program:
            shutil.copy(options.program, folder / "gallery_debug")
        else:
            build(folder)
        sessions = (
            host_sessions(folder, options.limit)
            if options.host
            else gpu_sessions(folder, options.rope.resolve(), options.limit)
        )
        for each in sessions:
            others = [other for other in results["benchmarks"] if other["name"] != each["name"]]
            results["benchmarks"] = [*others, each]
            print(f"{each['name']}: {each['stopped_by']}", flush=True)
            write_whole(options.out, json.dumps(results, indent=1) + "\n")  # a later one may hang


if __name__ == "__main__":
    program.run(main)
