"""A student's way through the ladder: one rung after the other, in the folder work/.

    python3 -m classroom.student start 03       hand out a starter: work/03_shared_tile
    python3 -m classroom.student hint 03        the next of three hints
    python3 -m classroom.student check 03       is it right? needs no GPU
    python3 -m classroom.student watch 03       check after each save
    python3 -m classroom.student grade 03       points
    python3 -m classroom.student progress       what is done
    python3 -m classroom.student reset 03       begin again; keeps what was there
    python3 -m classroom.student submit 03      pack one archive

`make start RUNG=03` and the like call it. It exits with 0 if all is good, with 1 if the kernel is
wrong, and with 2 if it cannot do what it was asked for.
"""

import argparse
import contextlib
import dataclasses
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from bench import SOURCES, program
from bench.copies import ROW
from bench.results_file import FigureError
from bench.rungs import own_rungs
from bench.sections import sections
from classroom import progress_file, starters
from classroom.allowed import object_faults
from classroom.compiler_messages import remarks
from classroom.contained import GraderFailedError
from classroom.kernel_library import (
    ROOM,
    WARNINGS,
    CompileError,
    NotBuilt,
    build_libraries,
    sources_of,
    text_of,
)
from classroom.progress_file import ProgressFile
from classroom.rules import judged_sources, source_faults
from classroom.verdicts import MOST_HAZARDS, OF_THE_KERNEL, findings_of, meanings, paragraph

GOOD, WRONG, BAD_CALL = 0, 1, 2
LADDER = SOURCES / "build" / "ladder"
# Tests have rooms of their own.
WORK = pathlib.Path(os.environ.get("LADDER_WORK") or SOURCES / ROOM)
FINDINGS = "findings.json"  # of the last check, beside the library that was checked
MADE = pathlib.Path(os.environ.get("LADDER_CLASSROOM") or SOURCES / "build" / "classroom")
CHECK_SECONDS = 60
HANG_SECONDS = "1"  # of CPU time without progress: a loop without an end
POLL_SECONDS = 0.2
HAS_GRADER = (SOURCES / "classroom" / "grade.py").exists()  # else the teacher has it
MOST_FAULTS = 5
MOST_CONFIGURATIONS = 3  # that check compiles, of a rung that chooses one for each shape


class CannotDoError(Exception):
    """What cannot be done, why, and what to do instead."""


def say(*lines):
    """Prints lines at once, so that a watching terminal shows them."""
    print("\n".join(lines), flush=True)


def rung_called(name):
    """A Rung by '3', '03', 'shared_tile' or '03_shared_tile'."""
    table = own_rungs()
    for number, rung in table.items():
        if name in (str(number), f"{number:02}", rung.name, rung.folder):
            return rung
    known = " ".join(f"{number:02}" for number in table)
    raise CannotDoError(f"There is no rung {name!r} to work on. RUNG is one of {known}.")


def folder_of(rung):
    """Where a student works on a rung."""
    return WORK / rung.folder


def shown(path):
    """A path as it is typed in the folder of the ladder."""
    path = pathlib.Path(path)
    return str(path.relative_to(SOURCES)) if path.is_relative_to(SOURCES) else str(path)


def made_for(rung):
    """The folder of a rung where a student has started; CannotDoError elsewhere."""
    folder = folder_of(rung)
    if not folder.is_dir():
        raise CannotDoError(
            f"There is no {shown(folder)} yet. `make start RUNG={rung.number:02}` " f"makes it."
        )
    return folder


def digest(folder):
    """A fingerprint of the kernel's files."""
    whole = hashlib.sha256()
    for path in sources_of(folder):
        whole.update(f"{path.name}\n{path.stat().st_size}\n".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def place_of_gap(folder, exercise):
    """'section "Main loop over K" of kernel.cuh, line 38'"""
    path = folder / exercise["file"]
    title = exercise["section"]
    for section in sections(text_of(path)) if path.is_file() else ():
        if section.title == title:
            return f'section "{title.split(":")[0]}" of {exercise["file"]}, line {section.first}'
    return f'section "{title.split(":")[0]}" of {exercise["file"]}'


def introduce(rung, exercise):
    """What a student reads after `start`."""
    folder, number = folder_of(rung), f"{rung.number:02}"
    files = " ".join(path.name for path in sources_of(folder))
    say(
        f"Rung {rung.label}: {rung.idea}",
        f"Your folder is {shown(folder)}: {files}",
        "",
        f"Your turn: {place_of_gap(folder, exercise)}",
        *paragraph(starters.task_of(exercise)),
        "",
        f"The lesson is in {rung.path / 'README.md'}. Then:",
        f"  make watch RUNG={number}     checks your kernel at each save; Ctrl-C ends it",
        f"  make check RUNG={number}     checks it once",
        f"  make hint RUNG={number}      helps, in three steps",
    )


def start(rung, progress):
    """Hands out the starter."""
    folder = folder_of(rung)
    if folder.exists():
        raise CannotDoError(
            f"{shown(folder)} is there already, and stays as it is. `make check "
            f"RUNG={rung.number:02}` "
            f"checks it, `make reset RUNG={rung.number:02}` begins again."
        )
    exercise = starters.exercise_of(rung)
    starters.write_to(folder, starters.starter(rung))
    with progress.change(rung) as entry:
        entry.setdefault("started", now())
    introduce(rung, exercise)
    return GOOD


def reset(rung, progress):
    """Hands out the starter again, after it has put aside what was there."""
    folder = made_for(rung)
    backups = WORK / "backup"
    backups.mkdir(exist_ok=True)
    number = 1
    while (backup := backups / f"{rung.folder}-{number}").exists():
        number += 1
    texts = starters.starter(rung)
    folder.rename(backup)
    starters.write_to(folder, texts)
    with progress.change(rung) as entry:
        entry["resets"] = entry.get("resets", 0) + 1
        entry.pop("right", None)
    say(f"Your files are in {shown(backup)} now; {shown(folder)} is as it was handed out.")
    return GOOD


def plain_text(markdown):
    """A hint as a terminal shows it."""
    text = re.sub(r"<!--.*?-->", "", markdown, flags=re.S)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", lambda link: " ".join(link[1].split()), text)
    return [line for part in text.split("\n\n") for line in paragraph(" ".join(part.split()))]


def hint(rung, progress, level=None):
    """Prints the next hint, or one that was read before."""
    exercise = starters.exercise_of(rung)
    hints = exercise["hints"]
    with progress.change(rung) as entry:
        read = entry.get("hints", 0)
        number = level or min(read + 1, len(hints))
        if not 1 <= number <= len(hints):
            raise CannotDoError(f"There are hints 1 to {len(hints)}, and no hint {number}.")
        entry["hints"] = max(read, number)
    say(
        f"Rung {rung.label}: {exercise['title']}",
        f"Hint {number} of {len(hints)}",
        *plain_text(hints[number - 1]),
        "",
    )
    if number < len(hints):
        say(f"`make hint RUNG={rung.number:02}` gives the next one.")
    else:
        say(f"That was the last one. The lesson explains the rest: {rung.path / 'README.md'}")
    return GOOD


def changed_files(texts, rung):
    """Names of the files that the exercise is about, or that differ from the ladder's, and of those
    that include one of them."""
    original = starters.whole(rung)
    changed = {name for name, text in texts.items() if text != original.get(name)}
    changed.add(starters.exercise_of(rung)["file"])
    includes = {name: f'#include "{ROOM}/{rung.folder}/{name}"' for name in texts}
    while True:
        more = {
            name
            for name, text in texts.items()
            if any(includes.get(other, "\0") in text for other in changed)
        }
        more.discard("launch.cu")  # includes all
        if more <= changed:
            return changed
        changed |= more


def changed_kernels(texts, rung):
    """Names of the rung's kernels that stand in files that have changed."""
    original = starters.whole(rung)
    changed = changed_files(texts, rung) - {"launch.cu"}
    lines = [line.lstrip() for name in changed for line in original.get(name, "").splitlines()]
    functions = {kernel["function"] for kernel in rung.kernels}
    return {each for each in functions if any(line.startswith(f"{each}(") for line in lines)}


def fewer_configurations(texts, rung):
    """(texts, (compiled, all)) of a rung with a table of configurations.

    Some stay: lines of the table that are not the ladder's, and some configurations of the kernels
    that the student has changed. All take too long to wait for.
    """
    launch = texts["launch.cu"]
    rows = list(ROW.finditer(launch))
    if len(rows) <= MOST_CONFIGURATIONS:
        return texts, None
    known = {
        each["name"]: rung.kernels[each["kernels"][0]]["function"] for each in rung.configurations
    }
    original = {row[0] for row in ROW.finditer(starters.whole(rung)["launch.cu"])}
    kept = [row for row in rows if row[0] not in original or row[1] not in known]
    groups = {}
    for row in rows:
        if row not in kept:
            groups.setdefault(known[row[1]], []).append(row)
    changed = changed_kernels(texts, rung) & set(groups) or set(groups)
    room = max(len(changed), MOST_CONFIGURATIONS - len(kept))  # one of each at least
    for kernel in sorted(changed):
        group = groups[kernel]
        count = min(len(group), room // len(changed))
        kept += [group[i * (len(group) - 1) // max(1, count - 1)] for i in range(count)]
    names = {row[1] for row in kept}
    thinned = ROW.sub(lambda row: row[0] if row[1] in names else "\n", launch)  # lines keep numbers
    return {**texts, "launch.cu": thinned}, (len(names), len(rows))


def kernel_to_check(rung, folder):
    """(folder to compile, note about what is left out)"""
    texts = {path.name: text_of(path) for path in sources_of(folder)}
    if "launch.cu" not in texts:
        return folder, None
    texts, counts = fewer_configurations(texts, rung)
    if counts is None:
        return folder, None
    smaller = MADE / rung.folder / "fewer" / rung.folder
    shutil.rmtree(smaller, ignore_errors=True)
    starters.write_to(smaller, texts)
    return smaller, (
        f"Checked with {counts[0]} of its {counts[1]} configurations, to save you the "
        "wait; the grade is for all of them."
    )


@dataclasses.dataclass(frozen=True)
class Checked:
    """What came of a check."""

    code: int  # GOOD, WRONG or BAD_CALL
    output: str  # for the student
    findings: tuple = ()  # as `ladder check --json` has them


def run_check(rung, libraries, shape):
    """What `ladder check` says with the student's library in front: a Checked."""
    known = os.environ.get("LD_LIBRARY_PATH")
    path = f"{libraries}:{known}" if known else str(libraries)
    environment = {**os.environ, "LD_LIBRARY_PATH": path}
    environment.setdefault("LADDER_HANG_SECONDS", HANG_SECONDS)
    report = pathlib.Path(libraries, FINDINGS)
    report.unlink(missing_ok=True)
    process = subprocess.Popen(
        [
            LADDER,
            "check",
            f"{rung.number:02}",
            *shape,
            "--hazards",
            str(MOST_HAZARDS),
            "--json",
            report,
        ],
        cwd=SOURCES,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    try:
        output, _ = process.communicate(timeout=CHECK_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Checked(
            WRONG,
            f"The kernel was not done after {CHECK_SECONDS} s, and was stopped. "
            "Is there a loop without an end, or far too much work?\n",
        )
    except BaseException:
        process.kill()
        raise
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        return Checked(
            WRONG,
            f"The kernel's program was ended by {name}. Look at launch.cu: "
            "outside of a kernel, nobody can say where.\n",
        )
    return checked(process.returncode, output, report)


def checked(code, output, path):
    """A Checked of a program that has ended with this code and has written this report, or not."""
    try:
        report = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        if code == BAD_CALL:  # it did not understand what it was asked for
            return Checked(code, output)
        return Checked(
            WRONG,
            f"{output}The program ended before it had judged the kernel. Look at " "launch.cu.\n",
        )
    findings = tuple(findings_of(report))
    outcomes = {subject["outcome"] for subject in report["subjects"]}
    if code == GOOD == report["exit_code"] and outcomes == {"right"}:
        return Checked(GOOD, output)
    if code == GOOD or any(each["code"] in OF_THE_KERNEL for each in report["findings"]):
        code = WRONG
    return Checked(code, output, findings)


def untouched(rung, folder):
    """Whether the folder is as it was handed out."""
    with contextlib.suppress(OSError):
        texts = starters.starter(rung)
        return all(text_of(folder / name) == text for name, text in texts.items())
    return False


def compiled(rung, folder):
    """(where the library lies, lines about it, lines about what no grader takes)"""
    out = MADE / rung.folder
    sources, note = kernel_to_check(rung, folder)
    faults, counters = judged_sources(sources, rung, out)
    build_libraries(sources, rung, out, flavours=("traced",), look=True)
    faults = faults or object_faults({"traced": out / "traced" / "launch.o"}, rung, counters)
    said = (out / WARNINGS).read_text()
    notes = [*remarks(said, out / ROOM / rung.folder), *paragraph(note or "", "")]
    return out, notes, refused(faults)


def refused(faults):
    """Lines about what makes the score 0."""
    if not faults:
        return []
    return [
        "",
        "A grader does not run this, and gives it no points:",
        *(line for _, sentence in faults[:MOST_FAULTS] for line in paragraph(sentence)),
    ]


def check(rung, progress, shape=()):
    """Compiles and checks a student's kernel; explains what is wrong."""
    folder = made_for(rung)
    began = time.monotonic()
    say(f"Your kernel: {shown(folder)} (the ladder's own: build/ladder check {rung.number:02})")
    of_files = digest(folder)
    with progress.change(rung) as entry:
        entry.setdefault("started", now())
        entry["checks"] = entry.get("checks", 0) + 1
    try:
        with progress_file.alone_in(MADE / rung.folder):
            libraries, notes, faults = compiled(rung, folder)
            result = run_check(rung, libraries, shape)
    except CompileError as error:
        say("It does not compile yet.", "", *error.lines, "", next_step(rung, False, began))
        return WRONG
    right = result.code == GOOD
    say(result.output.rstrip("\n"))
    if not right:
        explain(rung, folder, result.findings)
    if notes:
        say("", *notes)
    if faults:
        say(*faults)
        right, result = False, dataclasses.replace(result, code=max(result.code, WRONG))
    if right and not shape:
        with progress.change(rung) as entry:
            entry.setdefault("right", now())
            entry["right_files"] = of_files
    say("", next_step(rung, right, began))
    return result.code


def explain(rung, folder, findings):
    """What the findings mean."""
    if untouched(rung, folder):
        exercise = starters.exercise_of(rung)
        say(
            "",
            "This is the starter as it was handed out. Your turn:",
            f"  {place_of_gap(folder, exercise)}",
            *paragraph(starters.task_of(exercise)),
        )
        return
    lines = meanings(findings, folder, rung)
    if lines:
        say("", "What this means", *lines)


def next_step(rung, right, began):
    """The last line of a check."""
    seconds = time.monotonic() - began
    number = f"{rung.number:02}"
    if not right:
        return f"({seconds:.1f} s) Stuck? make hint RUNG={number}"
    steps = ["grade", "submit"] if HAS_GRADER else ["submit"]
    following = ", ".join(f"make {step} RUNG={number}" for step in steps)
    above = [other.number for other in own_rungs().values() if other.number > rung.number]
    climb = f",\nor climb on: make start RUNG={min(above):02}" if above else ""
    return f"({seconds:.1f} s) Well done. Next: {following}{climb}"


def watch(rung, progress, shape=()):
    """Checks a kernel again whenever one of its files is saved, until Ctrl-C."""
    made_for(rung)
    seen = None
    try:
        while True:
            state = files_state(folder_of(rung))
            if state and state != seen:
                if seen is not None:
                    say("", "-" * 40 + time.strftime(" %H:%M:%S"))
                seen = state
                try:
                    check(rung, progress, shape)
                except OSError as error:  # a file that is being replaced at this moment
                    say(f"cannot read {error.filename}: {error.strerror}")
                say("Waiting for you to save. Ctrl-C ends this.")
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        say("")
        return GOOD


def files_state(folder):
    """What changes when a file is saved."""
    try:
        found = [(path.name, path.stat()) for path in sources_of(folder)]
        return [(name, status.st_mtime_ns, status.st_size) for name, status in found]
    except OSError:
        return None


def archive_of(rung, folder, hints):
    """The bytes of an archive that depends on the files and on the hints that were read alone."""
    content = {path.name: path.read_bytes() for path in sources_of(folder)}
    content[progress_file.NAME] = progress_file.text_of({rung.folder: {"hints": hints}}).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(content.items()):
            member = tarfile.TarInfo(f"{rung.folder}/{name}")
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def submit(rung, progress):
    """Packs one archive."""
    folder = made_for(rung)
    entry = progress.read().get(rung.folder, {})
    data = archive_of(rung, folder, entry.get("hints", 0))
    path = WORK / f"{rung.folder}.tar.gz"
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(data)
    unfinished.replace(path)
    with progress.change(rung) as entry:
        entry["submitted"] = now()
    say(
        f"Hand in {shown(path)} ({len(data)} bytes, SHA-256 "
        f"{hashlib.sha256(data).hexdigest()[:16]})."
    )
    if entry.get("right_files") != digest(folder):
        say(
            f"`make check RUNG={rung.number:02}` has not called these files right, as they are "
            f"now. You "
            "may hand them in all the same: parts count, too."
        )
        with contextlib.suppress(CompileError, NotBuilt):  # what check says in its own words
            out = MADE / rung.folder
            with progress_file.alone_in(out):
                faults = refused(source_faults(folder, rung, out))
            if faults:
                say(*faults)
    return GOOD


def grade(rung, progress):
    """Grades a student's kernel as the teacher's grader does, with the public seed."""
    folder = made_for(rung)
    report, packed = MADE / f"{rung.folder}.grade.json", MADE / f"{rung.folder}.tar.gz"
    MADE.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    hints = progress.read().get(rung.folder, {}).get("hints", 0)
    packed.write_bytes(archive_of(rung, folder, hints))
    command = [
        sys.executable,
        "-m",
        "classroom.grade",
        packed,
        "--rung",
        f"{rung.number:02}",
        "--json",
        report,
        "--student",
        "you",
    ]
    code = subprocess.run(command, cwd=SOURCES, check=False).returncode
    if report.exists():
        progress.grade(rung, report)
        say(f"The whole grade is in {shown(report)}.")
    return code


def show_progress(progress):
    """A line for each rung."""
    entries = progress.read()
    table = own_rungs()
    say(f"{'rung':<19}{'state':<18}{'checks':>6}{'hints':>7}{'points':>10}  handed in")
    right = 0
    for rung in table.values():
        entry = entries.get(rung.folder, {})
        state = "right" if "right" in entry else "started" if "started" in entry else "-"
        if state == "started" and not folder_of(rung).is_dir():
            state = "folder is gone"
        right += state == "right"
        points = entry.get("grade")
        line = (
            f"{rung.label:<19}{state:<18}{entry.get('checks', '') or '-':>6}"
            f"{entry.get('hints', '') or '-':>7}"
            f"{f'{points[0]:g} of {points[1]:g}' if points else '-':>10}"
            f"  {entry.get('submitted', '-')[:10]}"
        )
        say(line)
    todo = [rung for rung in table.values() if "right" not in entries.get(rung.folder, {})]
    say("", f"Right: {right} of {len(table)} rungs.")
    if todo:
        number = f"{todo[0].number:02}"
        verb = "watch" if folder_of(todo[0]).is_dir() else "start"
        say(f"Next: make {verb} RUNG={number}")
    return GOOD


def now():
    """The time as files record it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def check_all(names, progress, shape):
    """Checks the student's kernels among some rungs, and the ladder's own for the rest."""
    rungs = [rung_called(name) for name in names]
    mine = [rung for rung in rungs if folder_of(rung).is_dir()]
    others = [f"{rung.number:02}" for rung in rungs if rung not in mine]
    for rung in rungs:
        if rung not in mine and starters.has_gap(rung):
            made_for(rung)
    codes = [check(rung, progress, shape) for rung in mine]
    if others:
        codes.append(subprocess.run([LADDER, "check", *others, *shape], check=False).returncode)
    return max(codes)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="student", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name in ("start", "hint", "check", "watch", "grade", "reset", "submit", "progress"):
        command = commands.add_parser(name)
        if name == "check":
            command.add_argument("rungs", nargs="+")
        elif name != "progress":
            command.add_argument("rung")
        if name in ("check", "watch"):
            command.add_argument("--size", help="M = N = K, instead of 256")
        if name == "hint":
            command.add_argument("--level", type=int, help="1 to 3, to read one again")
    return parser.parse_args()


def do(options):
    """Does what the command line asks for; returns the exit code."""
    progress = ProgressFile(WORK)
    shape = ("--size", options.size) if getattr(options, "size", None) else ()
    if options.command == "progress":
        return show_progress(progress)
    if options.command == "check":
        return check_all(options.rungs, progress, shape)
    rung = rung_called(options.rung)
    if options.command == "hint":
        return hint(rung, progress, options.level)
    if options.command == "watch":
        return watch(rung, progress, shape)
    doing = {"start": start, "reset": reset, "submit": submit, "grade": grade}
    return doing[options.command](rung, progress)


def main():
    """Runs one command."""
    try:
        sys.exit(do(arguments()))
    except (CannotDoError, NotBuilt, FigureError, GraderFailedError) as error:
        print("\n".join(paragraph(str(error), "")), file=sys.stderr)
        sys.exit(BAD_CALL)


if __name__ == "__main__":
    program.run(main)
