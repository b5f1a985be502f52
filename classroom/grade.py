"""Grades one rung of one student.

    python3 -m classroom.grade work/03_shared_tile --rung 03
    python3 -m classroom.grade ada_03.tar.gz --rung 03 --json grade.json --secret-file secret

The exit code is 0 when a grade was written, whatever the score; 2 when there is none.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import textwrap

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import rung_of
from classroom import contained, points, speed
from classroom.allowed import defines_run, object_faults
from classroom.judge_program import NoGradeError, job_of, judged
from classroom.kernel_library import (
    BUILD,
    FLAVOURS,
    CompileError,
    NotBuilt,
    build_libraries,
    contained_words,
)
from classroom.problems import Secret, hidden_tests, memory_runs, visible_tests
from classroom.rooms import remove_left_rooms, room
from classroom.rules import judged_sources
from classroom.submission import BadSubmissionError, read_submission, sha256_of, student_of

SCHEMA = "gemm-ladder/grade/v1"
COLUMNS = 80
FAILED = "The grader failed, and not the student"
CPU_SECONDS, NVCC_CPU_SECONDS = 110, 600
NO_RUN = (
    "The namespace ladder::{} has no function run(const Gemm<...>& gemm, Stream stream) that "
    "others can call, and the grader calls that one. Compare launch.cu with the rung's own."
)
REFERENCE = [BUILD / "lib" / f"lib{name}_rungs.so" for name in ("emulated", "traced")]


def now():
    """When the grade is written; SOURCE_DATE_EPOCH makes it the same every time."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    clock = datetime.timezone.utc
    time = (
        datetime.datetime.fromtimestamp(int(seconds), clock)
        if seconds
        else (datetime.datetime.now(clock))
    )
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def commit():
    """Of the grader; copies of the tree without git have it in a file."""
    copied = SOURCES / "COMMIT"
    if copied.exists():
        return copied.read_text().strip()
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found.stdout.strip() or "unknown"


def cpu():
    """The name of this machine's CPU."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    match = re.search(r"^model name\s*: (.*)$", text, re.M)
    return match[1] if match else platform.machine() or "unknown"


def job_for(rung, tests, secret, libraries, folder):
    """What judge() reads; see judging.hpp."""
    return {
        **job_of(rung, "grade", "grader_worker", folder),
        "submission": [str(libraries[flavour]) for flavour in FLAVOURS],
        "reference": [str(path) for path in REFERENCE],
        "tests": [
            {"id": test.id, "visible": test.visible, "runs": list(test.runs)} for test in tests
        ],
        "memory": memory_runs(rung, secret),
    }


def speed_part(sources, rung, secret, folder, gpu, parts, flags, kept):
    """The part `speed`. gpu: as the judge describes it; parts: those before; kept: names of
    variables that may survive a call."""
    if any(part["id"] == "visible" and part["status"] != "pass" for part in parts):
        return points.speed(
            message="A kernel that is wrong for a visible shape gets no points for " "speed."
        )
    try:
        library, faults = speed.library_for_gpu(
            sources, rung, folder, gpu, contained_words(folder, NVCC_CPU_SECONDS), kept
        )
    except CompileError as error:
        return points.speed(message="nvcc does not compile it:\n" + "\n".join(error.lines))
    for kind, sentence in faults[:5]:
        flags.add(kind, f"Compiled by nvcc: {sentence}")
    if faults:
        return points.speed(message="Nothing was timed.")
    return points.speed(speed.timed_on_gpu(library, rung, secret)["problems"])


def parts_of(rung, tests, result, flags):
    """The parts after `builds`, from what the judge says."""
    runs = {test["id"]: test["runs"] for test in result["tests"]}
    visible = points.correctness("visible", [t for t in tests if t.visible], runs, flags)
    lines = any(test["status"] == "fail" for test in visible["tests"])
    hidden = points.correctness("hidden", [t for t in tests if not t.visible], runs, flags, lines)
    if points.knows_the_list(tests, runs):
        flags.add(
            "shape_list",
            "Right for every visible shape and wrong for every other one: the "
            "kernel knows the list of shapes.",
        )
    return [visible, hidden, points.memory(result["memory"], flags, lines, rung.about)]


def graded(found, rung, secret, flags, machine, gpu):
    """The parts of a submission whose files are there, without speed unless it was timed.

    machine: what the grade says of it; gpu: as the judge describes it, or None
    """
    with room() as folder:
        sources, out = folder / "sources", folder / "build"
        found.write_to(sources)
        wrap = contained_words(out, CPU_SECONDS)
        faults, kept, compile_error = [], (), None
        try:
            faults, kept = judged_sources(sources, rung, out, wrap)
            if not faults:
                libraries = build_libraries(sources, rung, out, wrap=wrap, graded=True)
        except CompileError as error:  # of the linker too, behind which there are objects
            compile_error = error
        if not faults:
            objects = {flavour: out / flavour / "launch.o" for flavour in FLAVOURS}
            there = {name: path for name, path in objects.items() if path.exists()}
            faults = object_faults(there, rung, kept)
            whole = not compile_error and not faults
            if whole and not all(defines_run(path, rung) for path in there.values()):
                compile_error = CompileError([NO_RUN.format(rung.name)])
        if compile_error and not faults:
            why = "It does not compile, so nothing else was tested."
            return [points.builds(why, compile_error.lines), *points.nothing_after(why)]
        if faults:
            for kind, sentence in faults[:5]:
                flags.add(kind, sentence)
            why = "The sources use something that no kernel may use, so nothing was run."
            return [
                points.builds(why, [sentence for _, sentence in faults[:5]]),
                *points.nothing_after(why),
            ]
        tests = [*visible_tests(rung), *hidden_tests(rung, secret)]
        result = judged(job_for(rung, tests, secret, libraries, folder))
        machine["containment"] = result.get("holds") or []
        parts = [points.builds("It compiles."), *parts_of(rung, tests, result, flags)]
        if gpu and not flags.fatal:
            parts.append(speed_part(sources, rung, secret, folder, gpu, parts, flags, kept))
        return parts


def grade(path, number, secret=b"", student=None):
    """The grade of a folder or an archive, as the schema has it. Raises NoGradeError."""
    try:
        rung = rung_of(number)
    except (FigureError, KeyError, ValueError) as error:
        raise NoGradeError(str(error)) from None
    if not rung.tile:
        raise NoGradeError(f"Rung {rung.label} has no kernel of its own: choose another one.")
    if not contained.PROGRAM.exists():
        raise NoGradeError(f"{contained.PROGRAM.name} is not built: run `make build`.")
    if not pathlib.Path(path).exists():
        raise NoGradeError(f"There is no {path}: name the folder or archive that was handed in.")
    flags, hints = points.Flags(), None
    machine = {"cpu": cpu(), "gpu": None, "containment": []}
    try:
        why_untimed, gpu = speed.why_not(rung)
        machine["gpu"] = gpu and gpu["name"]
        found = read_submission(path, rung)
        sha256, hints = found.sha256, found.hints
        parts = graded(found, rung, Secret(secret, rung), flags, machine, gpu)
    except BadSubmissionError as bad:
        sha256 = sha256_of(path)
        flags.add(bad.kind, str(bad))
        why = "There is nothing to grade."
        parts = [points.builds(why, [str(bad)]), *points.nothing_after(why)]
    except NotBuilt as error:
        raise NoGradeError(str(error)) from None
    except contained.GraderFailedError as error:
        raise NoGradeError(f"{FAILED}: {error}") from None
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise NoGradeError(f"{FAILED}: {error.strerror or error}{where}") from None
    if parts[-1]["id"] != "speed":
        parts.append(
            points.speed_not_graded(why_untimed)
            if why_untimed
            else points.speed(message="Nothing was timed.")
        )
    total = 0 if flags.fatal else round(sum(part["points"] or 0 for part in parts), 2)
    return {
        "schema": SCHEMA,
        "generated_at": now(),
        "tool": {"commit": commit()},
        "machine": machine,
        "rung": {"number": rung.number, "name": rung.name, "label": rung.label},
        "submission": {"student": student or student_of(path), "sha256": sha256},
        "score": total,
        "max_score": sum(part["max_points"] or 0 for part in parts),
        "parts": parts,
        "flags": flags.rows,
        "hints_used": hints,
    }


def indented(message, columns):
    """Its lines behind so many spaces, broken where a terminal ends."""
    return [
        part
        for line in message.splitlines()
        for part in textwrap.wrap(
            line,
            COLUMNS,
            initial_indent=" " * columns,
            subsequent_indent=" " * columns,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def text_of(found):
    """A grade for a terminal."""
    lines = [f"{found['rung']['label']}: {found['score']:g} of {found['max_score']:g} points", ""]
    for part in found["parts"]:
        most = part["max_points"]
        worth = "   -" if most is None else f"{part['points']:4g} of {most:g}"
        lines.append(f"  {worth:>12}  {part['name']}")
        if part["id"] == "speed" and not part["tests"]:
            lines += indented(part["message"], 16)
        alike = {}  # {what is said of them: tests that are not right}
        for test in part["tests"]:
            if test["status"] in ("fail", "part"):
                alike.setdefault(test["message"], []).append(test)
        for message, tests in alike.items():
            for test in tests:
                lines.append(f"{'':16}{test['name']}: {test['points']:g} of {test['max_points']:g}")
            lines += indented(message, 18)
    for flag in found["flags"]:
        if flag["fatal"]:
            lines += ["", f"The score is 0: {flag['message']}"]
    return "\n".join(lines)


def write(path, found):
    """Writes a grade whole, or not at all."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    part.replace(path)


def main():
    """Grades what the command line names."""
    parser = argparse.ArgumentParser(description="Grades one rung of one student.")
    parser.add_argument("submission", help="a folder with launch.cu and kernel.cuh, or an archive")
    parser.add_argument("--rung", required=True, type=int, help="03")
    parser.add_argument("--json", help="write grade.json to this file")
    parser.add_argument("--secret-file", help="what the hidden tests depend on; keep it secret")
    parser.add_argument("--student", help="the student's name; else that of the file")
    options = parser.parse_args()
    try:
        secret = pathlib.Path(options.secret_file).read_bytes() if options.secret_file else b""
        remove_left_rooms()
        found = grade(options.submission, options.rung, secret, options.student)
    except NoGradeError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if options.json:
        write(options.json, found)
    print(text_of(found))
    missing = contained.what_is_missing()
    if missing:
        print(missing, file=sys.stderr)


if __name__ == "__main__":
    program.run(main)
