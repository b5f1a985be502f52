"""Corrupts every recorded file in many ways, and runs what reads it.

Each tool must say in a sentence which file is wrong, and never fall with a traceback or go on.

    python3 -m tests.bench.corrupt_files [--seed 1] [--cases 3] [--only climb_]

It takes a quarter of an hour; `make test-all` runs it.

Every file is corrupted as a whole (truncated, empty, another tool's JSON, ...) and at places that
the seed draws (a key is missing, text where a number belongs, NaN, negative, huge, ...).
"""

import argparse
import concurrent.futures
import contextlib
import copy
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from bench import SOURCES, probes_file, results_file
from tests import ROOMS

PROBES = "tests/fidelity/probes_h200.csv"
ANOTHER_TOOLS = '[{"directory": "/tmp", "command": "g++ -c a.cpp", "file": "a.cpp"}]'
GOOGLE_BENCHMARKS = (
    '{"context": {"date": "2026-01-01", "executable": "./b"}, "benchmarks": '
    '[{"name": "BM_copy/8", "run_name": "BM_copy/8", "run_type": "iteration", "real_time": 7.5}]}'
)
WHOLE = {
    "empty": lambda text: "",
    "cut in the middle": lambda text: text[: len(text) // 2],
    "cut at the end": lambda text: text.rstrip()[:-1],
    "null": lambda text: "null",
    "a list": lambda text: "[]",
    "a list of numbers": lambda text: "[1, 2]",
    "an empty object": lambda text: "{}",
    "text": lambda text: '"text"',
    "words": lambda text: "no JSON\n",
    "nested": lambda text: "[" * 5_000,
    "another tool's": lambda text: ANOTHER_TOOLS,
    "Google Benchmark's": lambda text: GOOGLE_BENCHMARKS,
}
BINARY = b"\x89PNG\r\n\x1a\n\xff\xfe\x00\x00"
MARK = "put a value here"
VALUES = {
    "text": '"fast"',
    "NaN": "NaN",
    "infinite": "1e999",
    "negative": "-1",
    "huge": "1e300",
    "null": "null",
    "a list": "[]",
    "an object": "{}",
    "true": "true",
    "many digits": "9" * 400,
}


def recorded_files():
    """The recorded files of JSON, and the table of probes."""
    paths = [
        path
        for folder in ("bench", "common", "docs", "ladder")
        for path in sorted((SOURCES / folder).rglob("*.json"))
    ]
    names = [str(path.relative_to(SOURCES)) for path in paths]
    return [name for name in names if results_file.form_of(name)] + [PROBES]


def places(value, at=()):
    """[path of keys] of all values in a JSON value."""
    found = [at] if at else []
    entries = (
        value.items()
        if isinstance(value, dict)
        else (enumerate(value) if isinstance(value, list) else ())
    )
    for key, entry in entries:
        found += places(entry, (*at, key))
    return found


def changed(data, at, value):
    """JSON text with another value at a place; None: nothing there."""
    data = copy.deepcopy(data)
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    if value is None:
        del inner[at[-1]]
        return json.dumps(data)
    inner[at[-1]] = MARK
    return json.dumps(data).replace(json.dumps(MARK), value)


def of_json(text, draws, numbers):
    """[(what is done, the bytes)]"""
    data = json.loads(text)
    found = [(name, change(text).encode()) for name, change in WHOLE.items()]
    found.append(("binary", BINARY))
    # Each kind of place as often as any other: lists repeat theirs hundreds of times.
    kinds = {}
    for at in places(data):
        kinds.setdefault(tuple("*" if isinstance(key, int) else key for key in at), []).append(at)
    for _ in range(draws):
        at = numbers.choice(kinds[numbers.choice(sorted(kinds))])
        where = ".".join(map(str, at))
        found.append((f"without {where}", changed(data, at, None).encode()))
        name, value = numbers.choice(sorted(VALUES.items()))
        found.append((f"{where} is {name}", changed(data, at, value).encode()))
    return found


def of_table(text, draws, numbers):
    """[(what is done, the bytes)] of a table of probes."""
    lines = text.splitlines()
    found = [(name, change(text).encode()) for name, change in WHOLE.items()]
    found.append(("binary", BINARY))
    for _ in range(draws):
        row = numbers.randrange(6, len(lines))
        cells = lines[row].split(",")
        cell = numbers.randrange(1, len(cells))
        for name in ("nan", "-1", "1e300", "fast", "1.5"):
            now = [
                *lines[:row],
                ",".join([*cells[:cell], name, *cells[cell + 1 :]]),
                *lines[row + 1 :],
            ]
            found.append((f"row {row}, cell {cell} is {name}", "\n".join(now).encode()))
        short = [*lines[:row], ",".join(cells[:cell]), *lines[row + 1 :]]
        found.append((f"row {row} has {cell} cells", "\n".join(short).encode()))
    return found


def corruptions(name, draws, seed):
    """[(what is done, the bytes)] of a file."""
    text = (SOURCES / name).read_text()
    numbers = random.Random(f"{seed} {name}")
    return (of_table if name == PROBES else of_json)(text, draws, numbers)


def is_plausible(done):
    """Whether the file may say so: a text is another one, an entry of a list is gone."""
    return done.startswith("without ") or done.endswith((" is text", " is null"))


class FaultError(Exception):
    """What a tool did wrong."""


def judged(name, code, said, stale_is_wrong=True):
    """Raises FaultError where a tool fell, went on with a wrong file, or did not name it."""
    if "Traceback" in said or "terminate called" in said:
        raise FaultError(f"fell:\n{said[-1500:]}")
    if code < 0 or code > 128:
        raise FaultError(f"was ended by signal ({code}):\n{said[-500:]}")
    if code == 0:
        return
    shown = re.sub(r"\s+", "", said)  # C++ wraps its lines
    if pathlib.Path(name).name in shown:
        return
    stale = "is stale" in said
    if not stale or stale_is_wrong:
        what = "it took the file" if stale else "no file is named"
        raise FaultError(f"exit code {code}, and {what}:\n{said[:500]}")


def environment(**more):
    """With the emulator's library of this tree, which the copy has not built."""
    library = SOURCES / "build" / "lib" / "libladder_emulator.so"
    return {"LADDER_EMULATOR": str(library), **os.environ, **more}


def called(module, arguments, root):
    """(exit code, what is said) of a program of the copy of the tree."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=root,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def tools_of(name):
    """[(program, arguments)] of Python's tools that read a file."""
    found = [("docs.everything", ["--check"]), ("docs.report.maths", ["11"])]
    if name.endswith("rungs.json"):
        found += [("docs.report.rung_diff", ["05"]), ("classroom.lesson", ["03"])]
    if "/climb_" in name or "/benchmark_" in name or "drawn" in name:
        found.append(("bench.benchmark.compare", [SOURCES / name, name]))
        found.append(("bench.benchmark.compare", [name, SOURCES / name]))
    if "/benchmark_" in name or "drawn" in name:
        found.append(("bench.benchmark.compact", [name, "out.json"]))
    return found


class Sandbox:
    """A copy of the tree in which one file at a time is corrupt."""

    def __init__(self, folder):
        """Copies what tools read."""
        self.root = pathlib.Path(folder)
        for name in ROOMS:
            shutil.copytree(
                SOURCES / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in ("README.md", "mkdocs.yml"):
            shutil.copy2(SOURCES / name, self.root / name)

    @contextlib.contextmanager
    def corrupt(self, name, data):
        """The file with these bytes, and then as it was."""
        path = self.root / name
        path.write_bytes(data)
        try:
            yield path
        finally:
            shutil.copy2(SOURCES / name, path)


def read_corrupt(name, data):
    """What reading a corrupt file says; FaultError where it is no sentence that names the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        try:
            probes_file.read(path) if name == PROBES else results_file.read(path)
        except results_file.ResultsError as error:
            if not str(error).startswith(f"{path}: ") or "\n" in str(error):
                raise FaultError(f"is no sentence that names the file: {error}") from error
            return str(error)
        except Exception as error:
            raise FaultError(f"{type(error).__name__}: {error}") from error
    return None


def program_cases(name, path):
    """[command line] of the C++ programs for a file that its user names."""
    if "/devices/" in name:
        return [["build/ladder", "trace", "03", "--size", "32", "--gpu", str(path)]]
    if "/lab_" in name:
        return [["build/memory_lab", "report", str(path)]]
    return []


def mounted_cases(name):
    """[command line] that read a file of the sources, at its place."""
    if name.endswith(("rungs.json", "climb_burst_4096.json")):
        return [
            ["build/ladder", "climb", "--size", "32", "--device", "cpu"],
            ["build/ladder", "run", "03", "--size", "32", "--device", "cpu"],
        ]
    if name.endswith("ladder/questions.json"):
        return [["build/ladder", "predict", "03", "--answers", "1,1"]]
    if "/profile_" in name:
        return [["build/ladder", "trace", "03", "--size", "32"]]
    return []


MOUNTED = 'mount --bind "$0" "$1" && shift && exec "$@"'


def can_mount():
    """Whether this machine lets us put a corrupt file in the place of a recorded one."""
    done = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    return done.returncode == 0


def run_ladder(name, path, mounts):
    """FaultErrors of the C++ program."""
    commands = [(command, command) for command in program_cases(name, path)]
    if mounts:
        commands += [
            (
                ["unshare", "-rm", "sh", "-c", MOUNTED, str(path), str(SOURCES / name), *command],
                command,
            )
            for command in mounted_cases(name)
        ]
    with tempfile.TemporaryDirectory() as folder:
        for whole, command in commands:
            done = subprocess.run(
                whole,
                cwd=SOURCES,
                env=environment(LADDER_PREDICTIONS=f"{folder}/kept.json"),
                capture_output=True,
                check=False,
                text=True,
                errors="replace",
                timeout=120,
            )
            yield " ".join(command[:3]), done.returncode, done.stdout + done.stderr


def notebooks_of(name):
    """Notebooks that read a file."""
    folder = SOURCES / "notebooks"
    readers = {
        "climb_": ("01_roofline", "02_ladder_explorer"),
        "roofs.json": ("01_roofline",),
        "profile_": ("01_roofline", "04_waves_and_l2"),
        "probes_h200": ("03_access_patterns",),
        "rungs.json": ("01_roofline", "04_waves_and_l2"),
        "h200.json": ("04_waves_and_l2",),
    }
    found = {each for part, names in readers.items() if part in name for each in names}
    return [folder / f"{each}.ipynb" for each in sorted(found)]


NOTEBOOK = """
import contextlib, io, json, sys
import matplotlib
matplotlib.use("Agg")
cells = json.load(open(sys.argv[1]))["cells"]
code = "\\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
from bench import program
def main():
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, sys.argv[1], "exec"), {"__name__": "notebook"})
program.run(main)
"""


def run_notebook(path, root):
    """(exit code, what is said) of a notebook's cells; a FigureError is shown as its sentence."""
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK, path.name],
        cwd=root / "notebooks",
        env=environment(PYTHONPATH=str(root)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def has(module):
    """Whether a package is installed."""
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def run_file(name, seed, draws, mounts, plots):
    """[(what was done, what a tool did wrong, or None)] of one file, in a copy of its own."""
    found = []
    built = (SOURCES / "build" / "ladder").exists()
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        for done, data in corruptions(name, draws, seed):
            with sandbox.corrupt(name, data) as path:
                runs = [
                    (tool, *called(tool, arguments, sandbox.root))
                    for tool, arguments in tools_of(name)
                ]
                if built:
                    runs += run_ladder(name, path, mounts)
                if plots:
                    runs += [
                        (each.name, *run_notebook(each, sandbox.root))
                        for each in notebooks_of(name)
                    ]
            for tool, code, said in runs:
                try:
                    judged(name, code, said, not is_plausible(done))
                    found.append((done, None))
                except FaultError as fault:
                    found.append((done, f"{tool} {fault}"))
    return found


def run_all(seed, draws, only):
    """Prints each fault; returns how many there were."""
    mounts, plots = can_mount(), has("matplotlib")
    for what, there in (("commands that read files of the sources", mounts), ("notebooks", plots)):
        if not there:
            print(f"corrupt_files.py: left out, because this machine cannot: {what}")
    names = [name for name in recorded_files() if only in name]
    ran = faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = [pool.submit(run_file, name, seed, draws, mounts, plots) for name in names]
        for name, file in zip(names, files, strict=True):
            found = file.result()
            wrong = [f"{name}, {done}: {fault}" for done, fault in found if fault]
            ran += len(found)
            faults += len(wrong)
            print(*wrong, f"{name}: {len(found)} tries, {len(wrong)} faults", sep="\n", flush=True)
    print(f"{ran} tries, {faults} faults, seed {seed}")
    return faults


def main():
    """Corrupts all files, or those whose name has a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=3, help="places in each file (%(default)s)")
    parser.add_argument("--only", default="", help="files with this in their name")
    options = parser.parse_args()
    sys.exit(1 if run_all(options.seed, options.cases, options.only) else 0)


if __name__ == "__main__":
    main()
