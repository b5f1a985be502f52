"""Grades what a class handed in, and keeps what is done.

    python3 -m classroom.grade_all submissions
    python3 -m classroom.grade_all submissions --out graded --roster names.csv

One submission is one rung of one student. In the folder it is called ada_03.tar.gz, or it lies in
ada/ as 03_shared_tile.tar.gz or as the folder 03_shared_tile.

Each grade is a file of OUT/grades as soon as it is known. The same command goes on where it was
interrupted, and grades again only what has changed. `make grade-all DIR=submissions` calls this.

It exits with 0 when everything has a grade, with 1 when something has none (the report says why),
and with 2 when it cannot begin.
"""

import argparse
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import time

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import own_rungs
from classroom import class_feedback, class_report, class_table, contained, rooms
from classroom.grade import SCHEMA, write
from classroom.kernel_library import BUILD, ENDINGS
from classroom.submission import MOST_ARCHIVE_BYTES, MOST_FILE_BYTES, RECORD

ARCHIVE = r"(?:\.tar\.gz|\.tgz|\.zip)"
OF_A_CLASS = re.compile(rf"(?P<student>.+)_(?P<rung>\d\d)(?:_[a-z]\w*)?{ARCHIVE}?")
OF_A_STUDENT = re.compile(rf"(?P<rung>\d\d)(?:_\w+)?{ARCHIVE}?")
NAMES = (
    "call it ada_03.tar.gz, or put it into the folder ada as 03_shared_tile.tar.gz or as the "
    "folder 03_shared_tile"
)
GRADER = (sys.executable, "-m", "classroom.grade")
GRADE_SECONDS = 7200  # more than all limits inside of a grade
CLEANING_SECONDS = 10
MOST_NAME_BYTES = 200  # of a student, whose files have some more
TOO_LONG = f"The student's name is longer than {MOST_NAME_BYTES} bytes: shorten it."
SETTINGS = "settings.json"  # what all grades of a folder have in common


@dataclasses.dataclass(frozen=True)
class Entry:
    """Something that was handed in."""

    student: str  # empty where the name does not say
    number: int | None  # of the rung
    path: pathlib.Path
    problem: str = ""  # why nobody can grade it

    @property
    def name(self):
        """Of its file or folder."""
        return readable(self.path.name)

    @property
    def key(self):
        """'ada_03', the name of its grade's file."""
        return f"{self.student}_{self.number:02}"


@dataclasses.dataclass(frozen=True)
class Row:
    """What became of an entry: a grade, or a sentence that says why there is none."""

    entry: Entry
    grade: dict | None = None
    note: str = ""


def readable(name):
    """A file's name as text, whatever its bytes are."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else "?" for c in text)


def entry_of(path, student, pattern, rungs):
    """The entry that a file or a folder is, by its name."""
    name = readable(path.name)
    match = pattern.fullmatch(name)
    if not match:
        return Entry(student or "", None, path, f"Nobody can tell whose rung this is: {NAMES}.")
    student, number = student or match["student"], int(match["rung"])
    if len(os.fsencode(student)) > MOST_NAME_BYTES:
        return Entry("", None, path, TOO_LONG)
    if path.is_symlink():
        return Entry(student, number, path, "It is a link: hand in the file itself.")
    if number not in rungs:
        known = " ".join(f"{each:02}" for each in rungs)
        return Entry(student, number, path, f"There is no rung {number:02} to grade, only {known}.")
    return Entry(student, number, path)


def entries_in(folder, rungs):
    """All entries of a folder of submissions, in the order of their names."""
    found = []
    for path in sorted(pathlib.Path(folder).iterdir()):
        name = readable(path.name)
        if name.startswith((".", "__MACOSX")):
            continue
        if not path.is_dir() or path.is_symlink() or OF_A_CLASS.fullmatch(name):
            found.append(entry_of(path, None, OF_A_CLASS, rungs))
            continue
        inside = [each for each in sorted(path.iterdir()) if not each.name.startswith(".")]
        if len(os.fsencode(name)) > MOST_NAME_BYTES:
            found.append(Entry("", None, path, TOO_LONG))
            continue
        if not inside:
            found.append(Entry(name, None, path, "The folder is empty."))
        found += [entry_of(each, name, OF_A_STUDENT, rungs) for each in inside]
    return without_doubles(sorted(found, key=lambda entry: (entry.student, entry.number or 0)))


def without_doubles(entries):
    """Of a rung that a student handed in twice there is one entry, and nobody can grade it."""
    seen = {}
    for entry in entries:
        seen.setdefault((entry.student, entry.number), []).append(entry)
    kept = []
    for (_, number), same in seen.items():
        if number is None or len(same) == 1:
            kept += same
            continue
        names = ", ".join(entry.name for entry in same)
        problem = f"It was handed in {len(same)} times ({names}): keep the one that counts."
        kept.append(dataclasses.replace(same[0], problem=problem))
    return kept


def fingerprint(path):
    """Changes when what was handed in changes."""
    whole = hashlib.sha256()
    files = [path] if path.is_file() else sorted(path.iterdir())
    most = MOST_ARCHIVE_BYTES if path.is_file() else MOST_FILE_BYTES
    for file in files:
        size = -1 if file.is_symlink() or not file.is_file() else file.stat().st_size
        whole.update(f"{readable(file.name)}\0{size}\0".encode())
        if 0 <= size <= most and (file == path or file.suffix in ENDINGS or file.name == RECORD):
            whole.update(file.read_bytes())
    return whole.hexdigest()


class Results:
    """The folder OUT: grades that are done, and pages about them."""

    def __init__(self, out):
        """out: a folder of the class alone."""
        self.out = pathlib.Path(out)
        self.grades = self.out / "grades"
        self.lock = None

    @contextlib.contextmanager
    def held(self):
        """Nobody else grades into the folder meanwhile."""
        self.grades.mkdir(parents=True, exist_ok=True)
        with open(self.out / ".lock", "w") as self.lock:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FigureError(
                    f"{self.out} is being graded already: wait until that is done, "
                    "or name another folder with OUT="
                ) from None
            yield

    def settle(self, secret):
        """All grades of a folder depend on one secret."""
        path = self.out / SETTINGS
        settings = {"secret_sha256": hashlib.sha256(secret).hexdigest()}
        if path.exists() and json.loads(path.read_text()) != settings:
            raise FigureError(
                f"the grades in {self.out} were made with another secret: give that "
                "one, or name another folder with OUT="
            )
        write(path, settings)

    def path(self, entry):
        """Where the grade of an entry is kept."""
        return self.grades / f"{entry.key}.json"

    def kept(self, entry, print_of):
        """The grade of an entry that has not changed since, or None."""
        try:
            grade = json.loads(self.path(entry).read_text())
            same = grade["submission"]["fingerprint"] == print_of
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return grade if same and grade.get("schema") == SCHEMA else None

    def keep(self, entry, grade):
        """Writes a grade, whole. The one before it stays in grades/older."""
        path = self.path(entry)
        if path.exists():
            older = self.grades / "older"
            older.mkdir(exist_ok=True)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            os.replace(path, older / f"{entry.key}.{digest}.json")
        write(path, grade)

    def without_submission(self, rows):
        """Names of grades whose submission is gone."""
        known = {row.entry.key for row in rows if row.entry.number is not None}
        return sorted(path.stem for path in self.grades.glob("*.json") if path.stem not in known)


class Class:
    """Grades many entries at once, each in a process of its own."""

    def __init__(self, results, secret_file=None, grader=GRADER, seconds=GRADE_SECONDS):
        """results: Results; grader: the words that start it."""
        self.results, self.secret_file = results, secret_file
        self.grader, self.seconds = grader, seconds
        self.running, self.stopped = set(), False
        self.guard = threading.Lock()

    def graded(self, entry, print_of):
        """The Row of one entry, from a process that may do anything but harm."""
        with rooms.room("grade_all_") as room:
            file = room / "grade.json"
            command = [
                *self.grader,
                str(entry.path.resolve()),
                "--rung",
                f"{entry.number:02}",
                f"--student={entry.student}",
                "--json",
                str(file),
            ]
            if self.secret_file:
                command += ["--secret-file", str(pathlib.Path(self.secret_file).resolve())]
            code, said = self.run(command, room)
            if self.stopped:
                return None
            if code is None:
                return Row(entry, note=f"The grading was not done after {self.seconds:g} s.")
            try:
                grade = json.loads(file.read_text())
                grade["submission"]["fingerprint"] = print_of
            except (OSError, ValueError, KeyError, TypeError):
                last = (said.strip().splitlines() or [f"it ended with {code}"])[-1]
                return Row(entry, note=f"The grading broke off: {last[:300]}")
        self.results.keep(entry, grade)
        return Row(entry, grade)

    def run(self, command, room):
        """(exit code, what it said on standard error); no code if it took too long."""
        with self.guard:
            if self.stopped:
                return 0, ""
            process = subprocess.Popen(
                command,
                cwd=SOURCES,
                env={**os.environ, "TMPDIR": str(room)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self.running.add(process)
        try:
            _, said = process.communicate(timeout=self.seconds)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            end(process)
            process.communicate()
            return None, ""
        finally:
            with self.guard:
                self.running.discard(process)

    def stop(self):
        """Ends what is running; what is finished is kept."""
        with self.guard:
            self.stopped = True
            for process in self.running:
                end(process)

    def all_rows(self, entries, jobs, told):
        """A Row for each entry, in their order. told(row, seconds, how many are done)."""
        rows, waiting, done = {}, queue.SimpleQueue(), queue.SimpleQueue()
        for entry in entries:
            if entry.problem:
                rows[entry] = Row(entry, note=entry.problem)
                continue
            try:
                print_of = fingerprint(entry.path)
            except OSError as error:
                rows[entry] = Row(entry, note=f"It cannot be read: {error.strerror}.")
                continue
            kept = self.results.kept(entry, print_of)
            if kept:
                rows[entry] = Row(entry, kept)
            else:
                waiting.put((entry, print_of))
        todo = waiting.qsize()
        told(None, 0, sum(row.grade is not None for row in rows.values()))

        def work():
            with contextlib.suppress(queue.Empty):
                while not self.stopped:
                    entry, print_of = waiting.get_nowait()
                    began = time.monotonic()
                    try:
                        row = self.graded(entry, print_of)
                    except Exception as error:  # one row is lost, and says so; the others go on
                        row = Row(entry, note=f"The grading broke off: {error}")
                    done.put((row, time.monotonic() - began))

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, todo))]
        for thread in threads:
            thread.start()
        try:
            for _ in range(todo):
                row, seconds = done.get()
                rows[row.entry] = row
                told(row, seconds, len(rows))
        finally:
            self.stop()
            for thread in threads:  # they remove their folders
                thread.join(CLEANING_SECONDS)
        return [rows[entry] for entry in entries]


def end(process):
    """Ends a process and those that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def roster_of(path):
    """Names of a CSV with a column `student`, or of its first column."""
    try:
        return class_table.names_in(pathlib.Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise FigureError(f"the roster {path} cannot be read: {error}") from None


def write_text(path, text):
    """Writes a page whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(text)
    part.replace(path)


def write_pages(results, rows, roster):
    """class.csv, a page for each student, and the report."""
    write_text(results.out / "class.csv", class_table.csv_of(rows))
    for student in class_table.students_of(rows):
        theirs = [row for row in rows if row.entry.student == student]
        write_text(
            results.out / "feedback" / f"{student}.html", class_feedback.feedback(student, theirs)
        )
    gone = results.without_submission(rows)
    write_text(results.out / "report.html", class_report.report(rows, roster, gone))


def teller(total):
    """Says what is done, a line each."""

    def told(row, seconds, done):
        if row is None:
            if done:
                print(f"{done} of {total} were graded before, and stay as they are.", flush=True)
            return
        entry, grade = row.entry, row.grade
        what = f"{grade['score']:g} of {grade['max_score']:g}" if grade else row.note
        print(f"{done:4} of {total}  {entry.key}: {what}  ({seconds:.0f} s)", flush=True)

    return told


def grade_class(folder, out, *, roster=None, secret_file=None, jobs=None, grader=GRADER):
    """Grades a class and writes its pages; returns the rows."""
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    if not folder.is_dir():
        raise FigureError(f"there is no folder {folder}: DIR= names the one with the submissions")
    if out.resolve().is_relative_to(folder.resolve()):
        raise FigureError(f"{out} lies inside of {folder}: name another folder with OUT=")
    names = roster_of(roster) if roster else None
    secret = pathlib.Path(secret_file).read_bytes() if secret_file else b""
    rungs = {number: rung for number, rung in own_rungs().items() if rung.tile}
    entries = entries_in(folder, rungs)
    if not entries:
        raise FigureError(f"there is no submission in {folder}: {NAMES}")
    results = Results(out)
    with results.held():
        results.settle(secret)
        rows = Class(results, secret_file, grader).all_rows(
            entries, jobs or len(os.sched_getaffinity(0)), teller(len(entries))
        )
        write_pages(results, rows, names)
    return rows


def main():
    """Grades what the command line names."""
    parser = argparse.ArgumentParser(
        prog="grade-all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("submissions", type=pathlib.Path, help="the folder that they are in")
    parser.add_argument("--out", type=pathlib.Path, help="for the grades; else submissions_graded")
    parser.add_argument("--roster", help="a CSV with a column student: who has no submission?")
    parser.add_argument("--secret-file", help="decides the hidden tests; keep it to yourself")
    parser.add_argument(
        "--uncontained",
        action="store_true",
        help="grade on a machine that cannot keep submissions from your files, too",
    )
    parser.add_argument("--jobs", type=int, help="how many at once; else one for each core")
    options = parser.parse_args()
    submissions = options.submissions
    out = options.out or submissions.resolve().with_name(f"{submissions.resolve().name}_graded")
    if not (BUILD / "grader_judge").exists():
        raise FigureError("grader_judge is not built: run `make build`, then grade again")
    if not options.secret_file:
        print(
            "There is no secret, so whoever has GEMM Ladder can compute the hidden tests: write "
            "any text into a file, and give it with --secret-file (make grade-all SECRET=file).",
            file=sys.stderr,
        )
    rooms.remove_left_rooms()
    missing = contained.what_is_missing()
    if missing and not options.uncontained:
        raise FigureError(
            f"{missing} Grade on another machine, or as root in a container; or trust the class, "
            "with --uncontained (make grade-all UNCONTAINED=1)"
        )
    try:
        rows = grade_class(
            submissions,
            out,
            roster=options.roster,
            secret_file=options.secret_file,
            jobs=options.jobs,
        )
    except KeyboardInterrupt:
        print(
            f"\nInterrupted. What is graded is in {out}; the same command goes on.", file=sys.stderr
        )
        raise
    without = [row for row in rows if row.grade is None]
    print(f"\n{len(rows) - len(without)} of {len(rows)} have a grade. Open {out / 'report.html'}.")
    for row in without:
        print(f"  {row.entry.name}: {row.note}")
    sys.exit(1 if without else 0)


if __name__ == "__main__":
    program.run(main)
