"""A class that nobody teaches: submissions of all kinds, made from a seed, and graded twice.

    python3 -m tests.classroom.made_up_class make FOLDER [--count 60] [--seed 1]
    python3 -m tests.classroom.made_up_class check [--count 60] [--seed 1] [--out FOLDER]

check grades the class in one go, then again with the grader killed half way and started anew. Both
times every byte must be the same. It prints how long the first took, and the scores of each kind.
"""

import argparse
import collections
import contextlib
import dataclasses
import gzip
import io
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from bench import SOURCES, program
from bench.copies import edited
from bench.record.cuda_tools import InputError
from bench.results_file import FigureError
from bench.rungs import own_rungs
from classroom import starters
from tests.classroom.cheats import CHEATS
from tests.classroom.graded_mutants import GRADED_MUTANTS
from tests.ladder.mutants.mutants import MUTANTS
from tests.ladder.mutants.pipeline_mutants import PIPELINE_MUTANTS
from tests.ladder.mutants.subtle_mutants import SUBTLE_MUTANTS

NAMES = (
    "ada",
    "blaise",
    "carl_friedrich",
    "dorothy",
    "emmy",
    "fatima",
    "grace",
    "henri",
    "issai",
    "julia",
    "kurt",
    "lise",
    "maryam",
    "niels",
    "o'neil",
    "pia",
    "quentin",
    "rosa",
    "sofja",
    "zoë",
)
EPOCH = "1800000000"  # of all grades: two runs can be compared
RUN_SECONDS = 1800
SHARES = {"reference": 13, "starter": 8, "mutant": 21, "cheat": 8, "broken": 8, "nameless": 2}


@dataclasses.dataclass(frozen=True)
class MadeUp:
    """A submission: what kind it is, of which rung, and its files or its bytes."""

    kind: str
    what: str
    rung: object  # Rung
    files: dict | None = None  # name -> text
    data: bytes | None = None  # instead of files, as the archive


def tar_of(entries):
    """A .tar.gz, always the same. entries: [(TarInfo, bytes)]"""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for member, data in entries:
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def archive_of(rung, files):
    """A rung's files as `make submit` packs them."""
    return tar_of(
        [
            (tarfile.TarInfo(f"{rung.folder}/{name}"), text.encode())
            for name, text in sorted(files.items())
        ]
    )


def zip_of(rung, files):
    """The same as a .zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{rung.folder}/{name}"), text)
    return file.getvalue()


def link():
    """An archive's entry that leads out of it."""
    member = tarfile.TarInfo("kernel.cuh")
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return member


def broken(rung):
    """{what: bytes} of archives that nobody can grade."""
    whole = archive_of(rung, starters.whole(rung))
    kernel = starters.whole(rung)["kernel.cuh"].encode()
    return {
        "empty": b"",
        "cut short": whole[: len(whole) // 2],
        "a text": b"I could not upload my file, please see my mail.\n",
        "no launch.cu": tar_of([(tarfile.TarInfo("kernel.cuh"), kernel)]),
        "a path that leads out": tar_of([(tarfile.TarInfo("../../launch.cu"), kernel)]),
        "a link": tar_of([(link(), b"")]),
        "unpacks to 64 MiB": gzip.compress(bytes(64 << 20), mtime=0),
        "many files": tar_of([(tarfile.TarInfo(f"{i}.cuh"), b"") for i in range(500)]),
    }


def mutants():
    """[(name, rung, files)] of the ladder's mutants, as students' files."""
    rungs = {rung.folder: rung for rung in own_rungs().values()}
    found = []
    for copy in (*MUTANTS, *PIPELINE_MUTANTS, *SUBTLE_MUTANTS, *GRADED_MUTANTS):
        name = copy.name.removeprefix("mutant_")
        if copy.rung not in rungs or copy.preamble or copy.configuration:
            continue
        with contextlib.suppress(InputError):  # its text names a folder of the ladder
            files = edited(starters.whole(rungs[copy.rung]), copy)
            found.append((name, rungs[copy.rung], files))
    return found


def of_kind(kind, draw):
    """All submissions of a kind, in an order that is drawn."""
    table = own_rungs()
    rungs = [rung for rung in table.values() if rung.tile]
    if kind == "reference":
        return [MadeUp(kind, rung.label, rung, starters.whole(rung)) for rung in rungs]
    if kind == "starter":
        found = [MadeUp(kind, rung.label, rung, starters.starter(rung)) for rung in rungs]
    elif kind == "mutant":
        found = [MadeUp(kind, name, rung, files) for name, rung, files in mutants()]
    elif kind == "cheat":
        found = [MadeUp(kind, cheat.name, table[cheat.rung], cheat.files()) for cheat in CHEATS]
    elif kind == "broken":
        rung = draw.choice(rungs)
        found = [
            MadeUp(kind, what, draw.choice(rungs), data=data) for what, data in broken(rung).items()
        ]
    else:
        rung = draw.choice(rungs)
        return [MadeUp(kind, "a name that says no rung", rung, starters.whole(rung))]
    draw.shuffle(found)
    return found


def made_up(count, seed):
    """Submissions in a mixed order, the kinds in proportion to SHARES, each kind at least once."""
    draw = random.Random(seed)
    total = sum(SHARES.values())
    numbers = {kind: max(1, round(share * count / total)) for kind, share in SHARES.items()}
    while (over := sum(numbers.values()) - count) != 0:
        most = max(numbers, key=numbers.get)
        if over > 0 and numbers[most] == 1:
            raise FigureError(f"a class has at least {len(SHARES)} submissions")
        numbers[most] -= 1 if over > 0 else -1
    found = []
    for kind, many in numbers.items():
        found += itertools.islice(itertools.cycle(of_kind(kind, draw)), many)
    draw.shuffle(found)
    return found


def write_class(folder, submissions):
    """Writes them under names of students; returns {file or folder, below `folder`: MadeUp}."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written, handed_in = {}, set()
    for index, each in enumerate(submissions):
        if each.kind == "nameless":
            path = folder / f"final version ({index}).zip"
            path.write_bytes(zip_of(each.rung, each.files))
            written[path.name] = each
            continue
        turn = 0
        while ((name := _name(index + turn)), each.rung.number) in handed_in:
            turn += 1
        handed_in.add((name, each.rung.number))
        number = f"{each.rung.number:02}"
        if each.files and index % 3 == 0:
            path = folder / name / each.rung.folder
            starters.write_to(path, each.files)
        elif each.files and index % 3 == 1:
            path = folder / f"{name}_{number}.zip"
            path.write_bytes(zip_of(each.rung, each.files))
        else:
            path = folder / f"{name}_{number}.tar.gz"
            path.write_bytes(each.data if each.files is None else archive_of(each.rung, each.files))
        written[str(path.relative_to(folder))] = each
    return written


def _name(index):
    """Of a student."""
    again = index // len(NAMES) % 10
    return NAMES[index % len(NAMES)] + (f"_{again}" if again > 2 else "")


# -- Graded twice


class Run:
    """`make grade-all` without make."""

    def __init__(self, folder, out):
        """Starts it."""
        self.out = pathlib.Path(out)
        self.log = open(self.out.with_suffix(".log"), "a")  # noqa: SIM115  # closed by end()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "classroom.grade_all", str(folder), "--out", str(self.out)],
            cwd=SOURCES,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            stdout=self.log,
            stderr=self.log,
        )

    def done(self):
        """How many grades there are."""
        return len(list((self.out / "grades").glob("*.json")))

    def kill_at(self, count):
        """Kills it when there are so many grades; returns how many there were."""
        ends = time.monotonic() + RUN_SECONDS
        while self.done() < count and self.process.poll() is None and time.monotonic() < ends:
            time.sleep(0.05)
        if self.process.poll() is not None:
            raise FigureError(f"it was done before there were {count} grades: see {self.log.name}")
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
        return self.done()

    def end(self):
        """The exit code."""
        code = self.process.wait(timeout=RUN_SECONDS)
        self.log.close()
        return code


def contents(folder):
    """{path: bytes} of all results."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file() and path.name != ".lock" and not path.name.endswith(".part")
    }


def graded_twice(folder, room):
    """Grades a folder at once, and with a break; returns (differences, seconds, results)."""
    once, broken_off = pathlib.Path(room, "once"), pathlib.Path(room, "broken_off")
    began = time.monotonic()
    first = Run(folder, once)
    code = first.end()
    seconds = time.monotonic() - began
    if code not in (0, 1):
        raise FigureError(f"grade_all ended with {code}: see {once.with_suffix('.log')}")
    half = max(1, first.done() // 2)
    before = Run(folder, broken_off).kill_at(half)
    kept = {path: path.stat().st_mtime_ns for path in (broken_off / "grades").glob("*.json")}
    again = Run(folder, broken_off).end()
    different = [] if again == code else [f"exit codes {code} and {again}"]
    different += [
        f"{path.name} was graded again"
        for path, time_ns in kept.items()
        if path.stat().st_mtime_ns != time_ns
    ]
    left, right = contents(once), contents(broken_off)
    different += [
        f"{name} differs"
        for name in sorted(set(left) | set(right))
        if left.get(name) != right.get(name)
    ]
    print(f"Killed when {before} of {first.done()} grades were there, and started again.")
    return different, seconds, once


def wrong_scores(written, out):
    """Sentences about submissions whose score is not what their kind says."""
    wrong, scores = [], collections.defaultdict(list)
    grades = {}
    for path in (pathlib.Path(out) / "grades").glob("*.json"):
        grades[path.stem] = json.loads(path.read_text())
    for name, each in written.items():
        path = pathlib.PurePosixPath(name)
        student = path.parts[0] if len(path.parts) > 1 else path.name.rpartition("_")[0]
        grade = grades.pop(f"{student}_{each.rung.number:02}", None)
        if each.kind == "nameless":
            wrong += [f"{name} has a grade"] * (grade is not None)
            continue
        if grade is None:
            wrong.append(f"{name} ({each.kind}: {each.what}) has no grade")
            continue
        score, most = grade["score"], grade["max_score"]
        scores[each.kind].append(score)
        fits = {
            "reference": score == most,
            "cheat": score == 0 and grade["flags"],
            "broken": score == 0 and grade["flags"],
        }.get(each.kind, score < most)
        if not fits:
            wrong.append(f"{name} ({each.kind}: {each.what}) has {score:g} of {most:g}")
    return wrong + [f"{name} belongs to nobody" for name in grades], scores


def check(count, seed, out):
    """Makes a class, grades it twice, prints what came out; returns whether all is right."""
    with tempfile.TemporaryDirectory(prefix="class_", ignore_cleanup_errors=True) as room:
        os.chmod(room, 0o755)  # the worker is another user, where there is one
        os.environ["TMPDIR"] = room  # a killed grader leaves its folders there
        folder = pathlib.Path(room, "submissions")
        written = write_class(folder, made_up(count, seed))
        different, seconds, once = graded_twice(folder, room)
        wrong, scores = wrong_scores(written, once)
        if out:
            shutil.copytree(once, out, dirs_exist_ok=True)
    print(f"{count} submissions in {seconds:.0f} s on {len(os.sched_getaffinity(0))} cores.\n")
    print(f"{'kind':<12}{'graded':>7}{'least':>8}{'median':>8}{'most':>7}")
    for kind, points in sorted(scores.items()):
        print(
            f"{kind:<12}{len(points):>7}{min(points):>8g}{statistics.median(points):>8g}"
            f"{max(points):>7g}"
        )
    for sentence in different + wrong:
        print(sentence)
    return not (different or wrong)


def main():
    """Makes a class, or checks how it is graded."""
    parser = argparse.ArgumentParser(
        prog="made_up_class",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("folder", type=pathlib.Path)
    checks = commands.add_parser("check")
    checks.add_argument("--out", type=pathlib.Path, help="keep the grades and the report here")
    for command in (make, checks):
        command.add_argument("--count", type=int, default=sum(SHARES.values()))
        command.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "check":
        sys.exit(0 if check(options.count, options.seed, options.out) else 1)
    for name, each in write_class(options.folder, made_up(options.count, options.seed)).items():
        print(f"{name:<36}{each.kind}: {each.what}")


if __name__ == "__main__":
    program.run(main)
