"""A student's way through the ladder: one rung after the other, in the folder work/.

    python3 -m classroom.student start 03       hand out a starter: work/03_shared_tile
    python3 -m classroom.student hint 03        the next of three hints
    python3 -m classroom.student check 03       is it right? needs no GPU
    python3 -m classroom.student watch 03       check after each save
    python3 -m classroom.student trace 03       what it asks of memory, line by line
    python3 -m classroom.student predict 03     write down what you expect; run compares
    python3 -m classroom.student run 03         run it, and compare with what you expected
    python3 -m classroom.student grade 03       points
    python3 -m classroom.student progress       what is done
    python3 -m classroom.student reset 03       begin again; keeps what was there
    python3 -m classroom.student submit 03      pack one archive

`make start RUNG=03` and the like call it. It exits with 0 if all is good, with 1 if the kernel is
wrong, and with 2 if it cannot do what it was asked for.
"""

import argparse
import contextlib
import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import own_rungs
from classroom import progress_file, starters
from classroom.contained import GraderFailedError
from classroom.kernel_library import CompileError, NotBuilt, sources_of
from classroom.progress_file import ProgressFile
from classroom.rules import source_faults
from classroom.student_check import BAD_CALL, GOOD, check, refused, watch
from classroom.student_folder import (
    LADDER,
    MADE,
    WORK,
    CannotDoError,
    digest,
    folder_of,
    made_for,
    now,
    place_of_gap,
    rung_called,
    say,
    shown,
)
from classroom.student_trace import predict, run, trace
from classroom.verdicts import paragraph


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


FLAGS = WORK / "compile_flags.txt"


def tell_editor():
    """Puts the emulator's words beside the student's files, for clangd: as `glassbox init` does.
    Where the tree was moved, it names the new place; what a student has changed stays."""
    known = (SOURCES / "glassbox" / "rung_flags.txt").read_text()
    ours = re.escape(known).replace(re.escape("{tree}"), ".+")
    if not FLAGS.exists() or re.fullmatch(ours, FLAGS.read_text()):
        FLAGS.write_text(known.replace("{tree}", str(SOURCES)))


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
    tell_editor()
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
        for word in ("right", "computes", "right_files", "with_the_idea"):
            entry.pop(word, None)
    said = f"Your files are in {shown(backup)} now; {shown(folder)} is as it was handed out."
    say(*paragraph(said, ""))
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
        say("That was the last one. The lesson explains the rest:", f"  {rung.path / 'README.md'}")
    return GOOD


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
        unseen = f"`make check RUNG={rung.number:02}` has not called these files right, as they are"
        say(*paragraph(f"{unseen} now. You may hand them in all the same: parts count, too.", ""))
        with contextlib.suppress(CompileError, NotBuilt):  # what check says in its own words
            out = MADE / rung.folder
            with progress_file.alone_in(out):
                faults = refused(source_faults(folder, rung, out))
            if faults:
                say(*faults)
    elif not entry.get("with_the_idea", True):
        say(f"It is right, but without what rung {rung.number:02} is about: {rung.idea}.")
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


def state_of(rung, entry):
    """How far a rung is, in a word or two."""
    if "right" in entry or entry.get("grade", (0, 1))[0] == entry.get("grade", (0, 1))[1]:
        return "right"
    if "computes" in entry:
        return "idea missing"
    if "started" not in entry:
        return "-"
    return "started" if folder_of(rung).is_dir() else "folder is gone"


def show_progress(progress):
    """A line for each rung."""
    entries = progress.read()
    table = own_rungs()
    states = {rung.number: state_of(rung, entries.get(rung.folder, {})) for rung in table.values()}
    say(f"{'rung':<23}{'state':<16}{'checks':>6}{'hints':>7}{'points':>10}  handed in")
    for rung in table.values():
        entry = entries.get(rung.folder, {})
        points = entry.get("grade")
        say(
            f"{rung.label:<23}{states[rung.number]:<16}{entry.get('checks', '') or '-':>6}"
            f"{entry.get('hints', '') or '-':>7}"
            f"{f'{points[0]:g} of {points[1]:g}' if points else '-':>10}"
            f"  {entry.get('submitted', '-')[:10]}"
        )
    right = sum(state == "right" for state in states.values())
    say("", f"Right: {right} of {len(table)} rungs.")
    todo = [rung for rung in table.values() if states[rung.number] != "right"]
    begun = [rung for rung in todo if folder_of(rung).is_dir()]
    if begun:
        say(f"Next: make watch RUNG={begun[0].number:02}")
    elif todo:
        say(f"Next: make start RUNG={todo[0].number:02}")
    return GOOD


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


OF_THE_LADDER = ("check", "watch", "trace", "run")  # what build/ladder takes, these take, too
NAMES = (
    *("start", "hint", "check", "watch", "trace", "predict", "run"),
    *("grade", "reset", "submit", "progress"),
)


def arguments(words=None):
    """The command line. words: instead of this program's."""
    parser = argparse.ArgumentParser(
        prog="student", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name in NAMES:
        command = commands.add_parser(name)
        if name == "check":
            command.add_argument("rungs", nargs="+")
        elif name != "progress":
            command.add_argument("rung")
        if name in OF_THE_LADDER:
            command.add_argument("--size", help="M = N = K, instead of the usual")
            command.epilog = f"Further options are those of build/ladder {name}."
        if name == "trace":
            command.add_argument("--html", help="also write a page for a browser")
        if name == "predict":
            command.add_argument("--answers", help="instead of asking for them: 1.5,2")
        if name == "hint":
            command.add_argument("--level", type=int, help="1 to 3, to read one again")
    options, others = parser.parse_known_args(words)
    if others and options.command not in OF_THE_LADDER:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    options.others = others
    return options


def do(options):
    """Does what the command line asks for; returns the exit code."""
    progress = ProgressFile(WORK)
    size = getattr(options, "size", None)
    shape = (*(("--size", size) if size else ()), *options.others)
    if options.command == "progress":
        return show_progress(progress)
    if options.command == "check":
        return check_all(options.rungs, progress, shape)
    rung = rung_called(options.rung)
    if FLAGS.exists():
        tell_editor()
    if options.command == "hint":
        return hint(rung, progress, options.level)
    if options.command == "watch":
        return watch(rung, progress, shape)
    if options.command == "trace":
        return trace(rung, shape, options.html)
    if options.command == "run":
        return run(rung, shape)
    if options.command == "predict":
        return predict(rung, options.answers)
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
