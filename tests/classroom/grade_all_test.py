"""A class is graded whole, goes on where it was interrupted, and loses nothing."""

import contextlib
import csv
import fcntl
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser

from bench import SOURCES
from bench.results_file import FigureError
from bench.rungs import own_rungs
from classroom import class_feedback, class_report, class_table, grade_all, points
from classroom.grade import SCHEMA
from classroom.grade_all import Entry, Row, entries_in, grade_class

# Does what the submission's text says, and writes down whom it has graded.
GRADER = """
import json, os, pathlib, sys, time
path = pathlib.Path(sys.argv[1])
words = [part for word in sys.argv[2:] for part in word.split("=", 1)]
option = dict(zip(words[::2], words[1::2]))
text = (path / "launch.cu" if path.is_dir() else path).read_text()
with open(os.environ["GRADED"], "a") as log:
    log.write(option["--student"] + "\\n")
kind, _, value = text.partition(" ")
if kind == "crash":
    sys.exit("the sky fell down")
if kind == "garbage":
    pathlib.Path(option["--json"]).write_text("{")
    sys.exit(0)
if kind == "sleep":
    time.sleep(float(value))
grade = json.loads(os.environ["GRADE"])
grade["score"] = float(value) if kind == "score" else 1
pathlib.Path(option["--json"]).write_text(json.dumps(grade))
"""
SECONDS = 120


RACE = [
    {
        "code": "race-in-shared-memory",
        "group": "race",
        "places": [{"file": "work/03_shared_tile/kernel.cuh", "line": 53}],
    }
]


def test_of(part, number, most, message="", kind="wrong", codes=()):
    """A test of a made-up grade; with a message it fails."""
    return points.row(
        f"{part}-{number}",
        f"{part} {number}",
        0 if message else most,
        most,
        part == "visible",
        message,
        {"kind": kind} if message else {},
        codes=codes,
    )


def made_up_grade(number=3, flags=(), **messages):
    """A grade whose parts fail with these messages: {part: (message, kind, codes)}."""
    rung = own_rungs()[number]
    parts = []
    for name, most in points.MAX_POINTS.items():
        if name == "speed":
            parts.append(points.speed_not_graded("no GPU"))
            continue
        parts.append(points.part(name, [test_of(name, 1, most, *messages.get(name, ()))]))
    return {
        "schema": SCHEMA,
        "generated_at": "2026-01-01T00:00:00Z",
        "tool": {"commit": "abc"},
        "machine": {"cpu": "made up", "gpu": None},
        "rung": {"number": number, "name": rung.name, "label": rung.label},
        "submission": {"student": None, "sha256": "0" * 64},
        "score": 0 if flags else sum(part["points"] or 0 for part in parts),
        "max_score": 80,
        "parts": parts,
        "flags": list(flags),
        "hints_used": 2,
    }


def row(student, number, grade=None, note="", sha256="0" * 64):
    """A row of a class."""
    if grade:
        grade["submission"]["sha256"] = sha256
    return Row(Entry(student, number, pathlib.Path(f"{student}_{number:02}.zip")), grade, note)


class Page(HTMLParser):
    """What a page shows, and what it would load."""

    def __init__(self, text):
        """text: of the whole page"""
        super().__init__()
        self.tags, self.loads, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Notes all that a browser fetches."""
        self.tags.append(tag)
        self.loads += [v for k, v in attrs if k in ("src", "srcset", "data", "background")]
        self.loads += [dict(attrs).get("href")] * (tag == "link")

    def handle_data(self, data):
        """Notes the text."""
        self.text += data


def running(script):
    """Process ids of those that run a script."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(script).encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
    return found


class ClassTest(unittest.TestCase):
    """grade_class() with a grader of its own."""

    def setUp(self):
        """A folder of submissions, and one for the results."""
        room = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.folder, self.out = self.room / "submissions", self.room / "out"
        self.folder.mkdir()
        self.log = self.room / "graded"
        self.grader = self.room / "grader.py"
        self.grader.write_text(GRADER)
        self.environment = {"GRADED": str(self.log), "GRADE": json.dumps(made_up_grade())}
        os.environ.update(self.environment)

    def hand_in(self, **texts):
        """{name of an archive without its ending: text}"""
        for name, text in texts.items():
            (self.folder / f"{name}.zip").write_text(text)

    def grade(self, **options):
        """{student: Row} of the class; what is said is kept in self.said."""
        self.log.write_text("")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            rows = grade_class(
                self.folder, self.out, jobs=2, grader=(sys.executable, str(self.grader)), **options
            )
        self.said = said.getvalue()
        return {row.entry.student or row.entry.name: row for row in rows}

    def graded(self):
        """Students whom the last call has graded."""
        return sorted(self.log.read_text().split())

    def table(self):
        """{student: line} of class.csv"""
        with open(self.out / "class.csv", newline="") as file:
            return {line["student"]: line for line in csv.DictReader(file)}

    def test_each_submission_has_a_row(self):
        self.hand_in(ada_03="score 70", bob_03="crash", cy_03="garbage", dee_77="score 80")
        (self.folder / "notes.txt").write_text("hello")
        (self.folder / ".hidden_03.zip").write_text("score 1")
        rows = self.grade()
        self.assertEqual(rows["ada"].grade["score"], 70)
        self.assertIn("the sky fell down", rows["bob"].note)
        self.assertIn("broke off", rows["cy"].note)
        self.assertIn("There is no rung 77", rows["dee"].note)
        self.assertIn("Nobody can tell whose rung this is", rows["notes.txt"].note)
        self.assertEqual(len(rows), 5)
        table = self.table()
        self.assertEqual((table["ada"]["score"], table["ada"]["status"]), ("70", "graded"))
        self.assertEqual((table["bob"]["score"], table["bob"]["status"]), ("", "not graded"))
        self.assertIn("the sky fell down", table["bob"]["note"])
        self.assertEqual(table[""]["file"], "notes.txt")
        pages = sorted(path.name for path in (self.out / "feedback").iterdir())
        self.assertEqual(pages, ["ada.html", "bob.html", "cy.html", "dee.html"])

    def test_only_what_has_changed_is_graded_again(self):
        self.hand_in(ada_03="score 70", bob_03="score 60", cy_03="crash")
        self.grade()
        self.assertEqual(self.graded(), ["ada", "bob", "cy"])
        self.hand_in(bob_03="score 50", dee_03="score 40")
        rows = self.grade()
        self.assertEqual(self.graded(), ["bob", "cy", "dee"])  # a crash is no grade
        scores = [rows[name].grade["score"] for name in ("ada", "bob", "dee")]
        self.assertEqual(scores, [70, 50, 40])
        [older] = (self.out / "grades" / "older").iterdir()
        self.assertEqual(json.loads(older.read_text())["score"], 60)
        (self.out / "grades" / "ada_03.json").write_text('{"schema": ')
        self.grade()
        self.assertEqual(self.graded(), ["ada", "cy"])

    def test_a_grade_outlives_its_submission(self):
        self.hand_in(ada_03="score 70", bob_03="score 60")
        self.grade()
        (self.folder / "bob_03.zip").unlink()
        self.assertEqual(list(self.grade()), ["ada"])
        self.assertTrue((self.out / "grades" / "bob_03.json").exists())
        self.assertIn("bob_03", Page((self.out / "report.html").read_text()).text)

    def test_killed_and_started_again(self):
        self.hand_in(**{f"s{i:02}_03": "score 9" if i < 4 else "sleep 3" for i in range(8)})
        code = (
            f"from classroom.grade_all import grade_class; "
            f"grade_class({str(self.folder)!r}, {str(self.out)!r}, jobs=1, "
            f"grader=({sys.executable!r}, {str(self.grader)!r}))"
        )
        process = subprocess.Popen(  # what it has started ends later, and writes elsewhere
            [sys.executable, "-c", code],
            cwd=SOURCES,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "GRADED": str(self.room / "first"), "TMPDIR": str(self.room)},
        )
        done, ends = [], time.monotonic() + SECONDS
        while len(done) < 4 and time.monotonic() < ends:
            time.sleep(0.02)
            done = sorted((self.out / "grades").glob("s*.json"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open(self.out / ".lock") as lock:  # a child that was about to start may have it still
            fcntl.flock(lock, fcntl.LOCK_EX)
        self.assertFalse((self.out / "report.html").exists())
        done = [path.stem[:3] for path in sorted((self.out / "grades").glob("s*.json"))]
        rows = self.grade()
        self.assertEqual(self.graded(), [name for name in rows if name not in done])
        self.assertIn(len(done), range(4, 8))
        self.assertEqual(len(rows), 8)
        self.assertTrue(all(row.grade for row in rows.values()))

    def test_an_interrupt_ends_what_runs_and_leaves_nothing(self):
        self.hand_in(ada_03="sleep 60", bob_03="sleep 60")
        rooms = self.room / "rooms"
        rooms.mkdir()
        code = (
            f"from bench import program; from classroom.grade_all import grade_class; "
            f"program.run(lambda: grade_class({str(self.folder)!r}, {str(self.out)!r}, jobs=2, "
            f"grader=({sys.executable!r}, {str(self.grader)!r})))"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=SOURCES, env={**os.environ, "TMPDIR": str(rooms)}
        )
        self.log.write_text("")
        ends = time.monotonic() + SECONDS
        while len(self.graded()) < 2 and time.monotonic() < ends:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=SECONDS), 130)
        self.assertEqual(list(rooms.iterdir()), [])
        self.assertEqual(running(self.grader), [])

    def test_a_grading_without_end_is_ended(self):
        self.hand_in(ada_03="sleep 60", bob_03="score 60")
        results = grade_all.Results(self.out)
        entries = entries_in(self.folder, own_rungs())
        with results.held():
            rows = grade_all.Class(
                results, None, (sys.executable, str(self.grader)), seconds=2
            ).all_rows(entries, 2, lambda *_: None)
        self.assertIn("not done after 2 s", rows[0].note)
        self.assertEqual(rows[1].grade["score"], 60)

    def test_names_say_who_and_which_rung(self):
        for name in ("ada_lovelace_03.tar.gz", "bob_04_register_tile.zip", "student_01_03.tgz"):
            (self.folder / name).write_text("")
        for name in ("cy/03_shared_tile", "cy/04_register_tile", "dee_05"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "cy" / "05_vector_access.tar.gz").write_text("")
        (self.folder / "cy" / "thoughts.md").write_text("")
        (self.folder / "emmy").mkdir()
        found = [(each.student, each.number) for each in entries_in(self.folder, own_rungs())]
        self.assertEqual(
            found,
            [
                ("ada_lovelace", 3),
                ("bob", 4),
                ("cy", None),
                ("cy", 3),
                ("cy", 4),
                ("cy", 5),
                ("dee", 5),
                ("emmy", None),
                ("student_01", 3),
            ],
        )

    def test_names_that_are_traps(self):
        """Options, names as long as a file system takes them, pipes: each has a row."""
        self.hand_in(**{"-o_03": "score 1", "--json=x_03": "score 2", "ada_03": "score 3"})
        long = "l" * 245
        (self.folder / f"{long}_03.zip").write_text("score 80")
        (self.folder / ("m" * 250)).mkdir()
        (self.folder / ("n" * 250) / "03_shared_tile").mkdir(parents=True)
        os.mkfifo(self.folder / "pipe_03.zip")
        os.mkfifo(self.folder / "fifo")
        rows = self.grade()
        self.assertEqual(
            [rows[name].grade["score"] for name in ("-o", "--json=x", "ada")], [1, 2, 3]
        )
        notes = {name[:4]: row.note for name, row in rows.items() if row.grade is None}
        for name in ("llll", "mmmm", "nnnn"):
            self.assertIn("longer than", notes[name])
        self.assertIn("cannot be read", rows["pipe"].note)
        self.assertIn("Nobody can tell", rows["fifo"].note)
        self.assertEqual(len(rows), 8)
        self.assertTrue((self.out / "report.html").exists())
        self.assertIn("'-o", (self.out / "class.csv").read_text())

    def test_twice_handed_in_is_not_graded(self):
        self.hand_in(ada_03="score 1")
        (self.folder / "ada" / "03_shared_tile").mkdir(parents=True)
        self.assertIn("handed in 2 times", self.grade()["ada"].note)
        self.assertEqual(self.graded(), [])

    def test_a_link_is_not_followed(self):
        (self.room / "elsewhere").write_text("score 80")
        (self.folder / "ada_03.zip").symlink_to(self.room / "elsewhere")
        self.assertIn("It is a link", self.grade()["ada"].note)

    def test_what_cannot_begin_says_why(self):
        with self.assertRaisesRegex(FigureError, "there is no submission"):
            self.grade()
        self.hand_in(ada_03="score 1")
        with self.assertRaisesRegex(FigureError, "lies inside of"):
            grade_class(self.folder, self.folder / "out")
        with self.assertRaisesRegex(FigureError, "there is no folder"):
            grade_class(self.room / "nowhere", self.out)
        self.grade()
        secret = self.room / "secret"
        secret.write_text("another")
        with self.assertRaisesRegex(FigureError, "made with another secret"):
            self.grade(secret_file=secret)

    def test_one_class_is_graded_once_at_a_time(self):
        self.hand_in(ada_03="score 1")
        with grade_all.Results(self.out).held():
            with self.assertRaisesRegex(FigureError, "graded already"):
                self.grade()


class PagesTest(unittest.TestCase):
    """class_report and its neighbours."""

    def test_no_text_of_a_student_is_code(self):
        evil = "<script>alert(1)</script>"
        grade = made_up_grade(
            visible=(f"race: {evil}", "hazard"),
            flags=[{"kind": "archive", "message": evil, "fatal": True}],
        )
        rows = [row(evil, 3, grade), row("=cmd()", 4, note=evil)]
        for text in (class_report.report(rows, [evil]), class_feedback.feedback(evil, rows)):
            page = Page(text)
            self.assertNotIn("script", page.tags)
            self.assertIn("alert(1)", page.text)
            self.assertEqual(page.loads, [])
            self.assertNotRegex(text, r"https?:|url\(|@import")
            self.assertIn("prefers-color-scheme: dark", text)
        self.assertIn("'=cmd()", class_table.csv_of(rows))

    def test_the_report_counts_mistakes(self):
        rows = [
            row("ada", 3, made_up_grade()),
            row("bob", 3, made_up_grade(visible=("some sentence", "hazard", RACE))),
            row("cy", 4, made_up_grade(4, visible=("another one", "hazard", RACE))),
            row("dee", 4, made_up_grade(4, hidden=("The result is wrong.", "wrong"))),
            row("emmy", 4, made_up_grade(4, builds=("a `;`", ""))),
        ]
        text = class_report.report(rows)
        for mistake, count, rungs in (
            ("Hazard: race", 2, "03 04"),
            ("Wrong: hidden 1", 1, "04"),
            ("It does not compile", 1, "04"),
        ):
            self.assertIn(
                f'<td>{mistake}</td><td class="number">{count}</td><td>{rungs}</td>', text
            )

    def test_each_rung_has_a_histogram(self):
        rows = [row(name, 3, made_up_grade()) for name in "abc"]
        rows += [row("d", 3, made_up_grade(visible=("wrong", "wrong")))]
        rows += [row("e", 4, made_up_grade(4, builds=("no", "")))]
        text = class_report.report(rows)
        self.assertEqual(text.count("<svg"), 2)
        self.assertIn("submissions by share of the points: 1 from 60 %, 3 from 90 %", text)

    def test_the_report_knows_who_is_missing(self):
        rows = [
            row("ada", 3, made_up_grade()),
            row("ada", 4, made_up_grade(4)),
            row("bob", 3, made_up_grade()),
        ]
        text = class_report.report(rows, ["ada", "bob", "zoe"])
        self.assertIn("<td>nothing at all</td><td>zoe</td>", text)
        self.assertRegex(text, "<td>rung 04</td><td><a [^>]*>bob</a></td>")
        self.assertRegex(class_report.report(rows, ["ada"]), "roster does not have <a [^>]*>bob<")
        self.assertNotIn("Who has no submission", class_report.report(rows))

    def test_equal_files_are_named(self):
        same, other = "1" * 64, "2" * 64
        rows = [
            row(name, 3, made_up_grade(), sha256=sha256)
            for name, sha256 in (("ada", same), ("bob", same), ("cy", other))
        ]
        text = class_report.report(rows)
        self.assertRegex(text, "<td>03</td><td><a [^>]*>ada</a>, <a [^>]*>bob</a></td>")

    def test_feedback_says_what_to_do_and_says_it_once(self):
        grade = made_up_grade(
            visible=("race: thread (0, 0, 0)", "hazard", RACE),
            hidden=("the same in other words", "hazard", RACE),
        )
        page = Page(class_feedback.feedback("ada", [row("ada", 3, grade)]))
        self.assertIn("race: thread", page.text)
        self.assertNotIn("in other words", page.text)
        self.assertRegex(page.text, r"The same as for “.+”, above")
        self.assertIn("All threads must pass a barrier", page.text)
        self.assertIn("30 of 80 points", page.text)
        self.assertIn("Hints read: 2", page.text)

    def test_a_roster_is_read_with_and_without_heads(self):
        for text in ("mail,Student\nx,ada\ny,bob\n", "ada\nbob\nada\n\n"):
            self.assertEqual(class_table.names_in(text), ["ada", "bob"])
        with self.assertRaises(ValueError):
            class_table.names_in("\n")


if __name__ == "__main__":
    unittest.main()
