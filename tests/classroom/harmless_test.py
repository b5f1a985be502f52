"""A submission can do no harm: what contained_call shows and allows, sources that want something of
the machine, and a machine that fails."""

import concurrent.futures
import contextlib
import dataclasses
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
import unittest.mock

from bench.rungs import rung_of
from classroom import contained, grade_all
from classroom import grade as grader
from classroom.judge_program import NoGradeError
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, hidden_tests, visible_tests
from classroom.rooms import remove_left_rooms
from classroom.starters import whole, write_to
from tests import SOURCES
from tests.classroom.attacks import AT_RUN, ATTACKS, TABLES
from tests.classroom.oddities import LAUNCH, RUN, edited
from tests.schemas import faults

ALL = os.environ.get("LADDER_TEST_ALL")
MARK = "words-that-only-the-grader-may-read"
MOST_OF_AN_ATTACK = 10
SECONDS = 60
CAN = contained.is_enough(contained.holds())
NAMESPACES = "view" in contained.holds()


def running(*words):
    """Command lines of this machine's processes that hold all the words."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = path.read_bytes()
            if (
                all(word.encode() in line for word in words)
                and str(os.getpid()) != path.parent.name
            ):
                found.append(line)
    return found


class RoomMixin:
    """A folder for each test."""

    def setUp(self):
        """It is empty."""
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.room.chmod(0o755)


@unittest.skipUnless(NAMESPACES, "this machine has no namespaces for contained_call")
class ContainedCallTest(RoomMixin, unittest.TestCase):
    """build/contained_call"""

    def setUp(self):
        """A file to read, one not to, and a folder to write to."""
        super().setUp()
        (self.room / "secret").write_text(MARK)
        self.sources = self.room / "sources"
        self.sources.mkdir()
        (self.sources / "kernel").write_text("a kernel")
        self.made = contained.folder_to_write(self.room / "made")

    def shell(self, script, cpu_seconds=5, **options):
        """(exit code, output) of a contained script."""
        words = contained.words([self.sources], [self.made], cpu_seconds)
        return contained.call((*words, "/bin/sh", "-c", script), self.room, SECONDS, **options)

    def test_it_sees_what_it_is_told_of(self):
        for path in (
            "/etc/passwd",
            self.room / "secret",
            SOURCES / "Makefile",
            "/proc/self/maps",
            "/dev/zero",
            SOURCES / "ladder/02_coalesced/kernel.cuh",
            pathlib.Path.home(),
        ):
            with self.subTest(path):
                code, said = self.shell(f"cat '{path}' || ls '{path}'")
                self.assertNotEqual(code, 0)
                self.assertIn("No such file", said)
        code, said = self.shell(
            f"cat {self.sources}/kernel {SOURCES}/common/launch.cuh; ls {self.room}"
        )
        self.assertEqual(code, 0)
        self.assertIn("a kernel", said)
        self.assertIn("pragma once", said)
        self.assertEqual(said.splitlines()[-2:], ["made", "sources"])

    def test_links_lead_where_they_lead_on_the_machine(self):
        """Above a path that is asked for, too."""
        (self.room / "link").symlink_to(self.sources)
        (self.room / "away").symlink_to(self.room)
        for path in (self.room / "link", self.room / "away/sources"):
            words = contained.words([path])
            self.assertEqual(
                contained.call((*words, "cat", path / "kernel"), "/", 1), (0, "a kernel")
            )
        (self.sources / "out").symlink_to(self.room / "secret")
        self.assertNotEqual(self.shell(f"cat {self.sources}/out")[0], 0)

    def test_it_writes_where_it_is_told_to(self):
        for path in (
            self.sources / "new",
            self.sources / "kernel",
            "/new",
            "/usr/new",
            self.room / "new",
        ):
            with self.subTest(path):
                self.assertNotEqual(self.shell(f"echo evil > '{path}'")[0], 0)
        self.assertEqual(self.shell(f"echo good > {self.made}/new; echo > /tmp/mine")[0], 0)
        self.assertEqual((self.made / "new").read_text(), "good\n")
        self.assertFalse(pathlib.Path("/tmp/mine").exists())
        self.assertEqual((self.sources / "kernel").read_text(), "a kernel")

    def test_it_is_nobody_with_no_network_and_no_rights(self):
        self.assertEqual(self.shell("id -u; id -g")[1].split(), ["65534", "65534"])
        socket = "perl -e 'socket(S, 2, 1, 0) or die $!'"
        self.assertIn("not permitted", self.shell(socket)[1])
        for command in (
            "mount -t tmpfs none /tmp",
            "unshare --user true",
            "chroot / true",
            "mknod /tmp/d c 1 5",
        ):
            with self.subTest(command):
                self.assertEqual(self.shell(f"{command} && exit 0; exit 9")[0], 9)

    def test_nothing_outlives_it(self):
        code, _ = self.shell("setsid sleep 471.0935 >/dev/null 2>&1 & (sleep 471.0935 &) ; exit 3")
        self.assertEqual(code, 3)
        self.assertEqual(running("471.0935"), [])

    def test_it_ends_with_its_caller(self):
        words = contained.words([self.sources], [self.made])
        code = f"import subprocess; subprocess.run({[*words, 'sleep', '472']!r})"
        process = subprocess.Popen([sys.executable, "-c", code])
        ends = time.monotonic() + SECONDS
        while len(running("472")) < 3 and time.monotonic() < ends:
            time.sleep(0.02)
        self.assertTrue(running("472"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        while running("472") and time.monotonic() < ends:
            time.sleep(0.02)
        self.assertEqual(running("472"), [])

    def test_limits(self):
        """Of processes, memory, time, files and what is said."""
        self.assertEqual(self.shell("while :; do :; done", 1)[0], 128 + signal.SIGXCPU)
        code, _ = self.shell(
            "head -c 300000000 /usr/bin/../lib/../bin/sh > /dev/null; "
            f"yes | head -c 300000000 > {self.made}/big"
        )
        self.assertNotEqual(code, 0)
        self.assertLess((self.made / "big").stat().st_size, 257 << 20)
        self.assertNotEqual(
            self.shell(
                "for i in 1 2 3 4 5 6 7 8 9; do yes | head -c 200000000 > /tmp/$i || "
                "exit 1; done",
                60,
            )[0],
            0,
        )
        self.assertEqual(len(self.shell("yes | head -c 9000000", most_bytes=1000)[1]), 1000)
        code, said = self.shell("perl -e '$x = \"x\" x 3000000000'")
        self.assertNotEqual(code, 0, said)
        bomb = "f() { f | f & }; f; sleep 1"
        self.shell(bomb, 1)
        self.assertEqual(running("f | f"), [])

    def test_what_cannot_be_contained_is_the_graders_fault(self):
        with self.assertRaises(contained.GraderFailedError):
            contained.call((*contained.words(), "/no/such/program"), self.room, 1)
        with self.assertRaises(contained.GraderFailedError):
            contained.call((contained.PROGRAM, "--nonsense"), self.room, 1)


class AttacksTest(RoomMixin, unittest.TestCase):
    """grade() of what attacks the grader."""

    schema = json.loads((SOURCES / "classroom/grade_schema.json").read_text())

    def grade_of(self, attack):
        """The grade of an attack, as text too."""
        with tempfile.TemporaryDirectory() as room:
            folder, secret = pathlib.Path(room, "02_coalesced"), pathlib.Path(room, "secret")
            secret.write_text(f"{MARK}\n")
            folder.mkdir()
            for name, data in attack.files(str(secret).encode()).items():
                (folder / name).write_bytes(data)
            return grader.grade(folder, 2, secret.read_bytes())

    @unittest.skipUnless(CAN, "this machine cannot contain a submission")
    def test_each_ends_in_a_grade_with_a_reason(self):
        """No file of the machine is in it, and no path of the grader's."""
        attacks = ATTACKS if ALL else [each for each in ATTACKS if "bomb" not in each.name][::4]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            grades = list(pool.map(self.grade_of, attacks))
        for attack, grade in zip(attacks, grades, strict=True):
            text = json.dumps(grade, ensure_ascii=False)
            with self.subTest(attack.name):
                self.assertEqual(faults(grade, self.schema), [])
                self.assertLessEqual(grade["score"], MOST_OF_AN_ATTACK)
                self.assertIn(attack.said, json.dumps(grade["parts"], ensure_ascii=False))
                self.assertTrue(grade["parts"][0]["tests"][0]["message"])
                for foreign in (MARK, "root:", str(SOURCES) + "/", "/build/"):
                    self.assertNotIn(foreign, text)
                self.assertNotRegex(
                    grader.text_of(grade), r"[^\P{Cc}\n]".replace(r"\P{Cc}", " -~\x80-\U0010ffff")
                )

    def test_what_ends_in_the_worker(self):
        """One test, right after the compiler: the judge goes on and says what happened."""
        rung = rung_of(2)
        test = visible_tests(rung)[0]

        def run_of(name):
            code = AT_RUN[name][0]
            include = (LAUNCH, f"#include <stdexcept>\n#include <string>\n{LAUNCH}")
            write_to(
                self.room / name / "sources", edited(whole(rung), (include, (RUN, RUN + code)))
            )
            libraries = build_libraries(
                self.room / name / "sources", rung, self.room / name / "build"
            )
            job = grader.job_for(rung, [test], Secret(b"", rung), libraries, self.room)
            return grader.judged({**job, "memory": []})["tests"][0]["runs"][0]

        names = list(AT_RUN if ALL else list(AT_RUN)[:3])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, run in zip(names, pool.map(run_of, names), strict=True):
                with self.subTest(name):
                    _, status, said = AT_RUN[name]
                    self.assertEqual(run["status"], status, run["message"][:400])
                    self.assertIn(said, grader.points.plain_text.message(run["message"]))
                    self.assertLess(len(run["message"]), 5000)

    def test_what_a_table_says_is_not_believed(self):
        """The judge makes no shape of it, and goes on."""
        rung = rung_of(13)
        again = next(t for t in hidden_tests(rung, Secret(b"", rung)) if t.id == "hidden-again")
        around = [each for each in again.runs if each.get("configurations") == "around"]

        def run_of(name):
            write_to(self.room / name / "sources", edited(whole(rung), TABLES[name]))
            libraries = build_libraries(
                self.room / name / "sources", rung, self.room / name / "build", graded=True
            )
            test = dataclasses.replace(again, runs=tuple(around), visible=True)
            job = grader.job_for(rung, [test], Secret(b"", rung), libraries, self.room)
            return grader.judged({**job, "memory": []})["tests"][0]["runs"][-1]

        self.assertEqual(len(around), 1)
        names = list(TABLES if ALL else list(TABLES)[:2])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, run in zip(names, pool.map(run_of, names), strict=True):
                with self.subTest(name):
                    self.assertEqual(run["status"], "failed", run)
                    self.assertIn("plans()", run["message"])


class MachineTest(RoomMixin, unittest.TestCase):
    """What the machine's fault costs a student: nothing."""

    def setUp(self):
        """A right kernel."""
        super().setUp()
        write_to(self.room / "02_coalesced", whole(rung_of(2)))

    def assert_no_grade(self, said):
        """The grader has failed, and says at what."""
        with self.assertRaisesRegex(NoGradeError, said):
            grader.grade(self.room / "02_coalesced", 2)

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a disk full")
    def test_a_full_disk(self):
        full = self.room / "full"
        full.mkdir()
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", full], check=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("mounts are not allowed here")
        self.addCleanup(subprocess.run, ["umount", full], check=False)
        with unittest.mock.patch.object(tempfile, "tempdir", str(full)):
            self.assert_no_grade("The grader failed, and not the student.*(No space left|writing)")

    def test_no_folder_for_temporary_files(self):
        with unittest.mock.patch.object(tempfile, "tempdir", str(self.room / "nowhere")):
            self.assert_no_grade("The grader failed, and not the student")

    def test_a_compiler_that_the_system_ends(self):
        """As it does where memory is short."""
        said = (
            "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"
        )
        with unittest.mock.patch.object(contained, "call", lambda *_, **__: (1, said)):
            self.assert_no_grade("The grader failed, and not the student.*Killed signal")

    def test_a_busy_machine(self):
        """Who still computes when the clock stops it has met a slow machine; who waits has not."""
        spins = "  for (volatile int i = 0;; i = i + 1) {\n  }\n"
        waits = "  char c;\n  read(4, &c, 1);\n"
        for code in (spins, waits):
            texts = edited(
                whole(rung_of(2)), ((LAUNCH, f"#include <unistd.h>\n{LAUNCH}"), (RUN, RUN + code))
            )
            write_to(self.room / "sources", texts)
            libraries = build_libraries(self.room / "sources", rung_of(2), self.room / "build")
            test = visible_tests(rung_of(2))[0]
            job = grader.job_for(rung_of(2), [test], Secret(b"", rung_of(2)), libraries, self.room)
            job |= {"memory": [], "wall_seconds": 4}
            with self.subTest(code):
                if code == spins:
                    with self.assertRaisesRegex(NoGradeError, "too busy"):
                        grader.judged(job)
                else:
                    run = grader.judged(job)["tests"][0]["runs"][0]
                    self.assertEqual(run["status"], "timeout", run)

    def test_time_is_what_a_submission_computes(self):
        """Not what passes while others have the machine. What computes for too long is stopped."""
        test = visible_tests(rung_of(2))[0]
        tests = [dataclasses.replace(test, id=f"visible-{i}") for i in range(1, 6)]
        libraries = dict(zip(("plain", "traced"), grader.REFERENCE, strict=True))
        job = grader.job_for(rung_of(2), tests, Secret(b"", rung_of(2)), libraries, self.room)
        for most, pause, last in ((3, 4, "right"), (1e-9, 0, "timeout")):
            job |= {"memory": [], "cpu_seconds": most}
            with subprocess.Popen(
                [SOURCES / "build/grader_judge"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as judge:
                judge.stdin.write(json.dumps(job))
                judge.stdin.close()
                if pause:
                    judge.send_signal(signal.SIGSTOP)
                    time.sleep(pause)
                    judge.send_signal(signal.SIGCONT)
                found = json.loads(judge.stdout.read())
            with self.subTest(most):
                self.assertEqual(found["tests"][-1]["runs"][-1]["status"], last, found)

    def test_folders_of_killed_processes_are_removed(self):
        """Others' are kept, and what is no folder of the grader's."""
        (self.room / "grade_mine").mkdir()
        words = "from classroom.rooms import room\nwith room() as r: print(r, flush=True); input()"
        started = [
            subprocess.Popen(
                [sys.executable, "-c", words],
                cwd=SOURCES,
                env={**os.environ, "TMPDIR": str(self.room)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        killed, alive = (pathlib.Path(each.stdout.readline().strip()) for each in started)
        (killed / "build").mkdir()
        started[0].kill()
        started[0].wait()
        self.assertTrue(killed.exists())
        with unittest.mock.patch.object(tempfile, "tempdir", str(self.room)):
            remove_left_rooms()
        self.assertEqual(set(self.room.glob("grade_*")), {alive, self.room / "grade_mine"})
        started[1].communicate("\n")
        started[0].communicate()
        self.assertFalse(alive.exists())

    def test_nothing_to_contain_with(self):
        with unittest.mock.patch.object(contained, "PROGRAM", self.room / "contained_call"):
            self.assert_no_grade("not built")

    def test_a_class_is_not_graded_where_nothing_is_contained(self):
        """Unless the teacher says so; a kernel of one's own always is."""
        folder = self.room / "class" / "ada"
        folder.mkdir(parents=True)
        out = self.room / "out"
        words = ["grade_all", str(self.room / "class"), "--out", str(out)]
        with (
            unittest.mock.patch.object(contained, "holds", lambda: ("limits", "files")),
            unittest.mock.patch.object(sys, "argv", words),
        ):
            with self.assertRaisesRegex(Exception, "cannot contain a submission.*--uncontained"):
                grade_all.main()
            self.assertFalse(out.exists())
            self.assertIn("cannot contain", contained.what_is_missing())
            with (
                unittest.mock.patch.object(sys, "argv", [*words, "--uncontained"]),
                contextlib.redirect_stdout(None),
                contextlib.redirect_stderr(io.StringIO()) as errors,
                self.assertRaises(SystemExit),
            ):
                grade_all.main()
            self.assertIn("--secret-file", errors.getvalue())  # there is none
            self.assertTrue((out / "report.html").exists())

    def test_what_is_enough(self):
        for held, enough in (
            (("view", "user", "limits"), True),
            (("files", "user"), True),
            (("files", "limits"), False),
            (("user", "network"), False),
            ((), False),
        ):
            with self.subTest(held):
                self.assertEqual(contained.is_enough(held), enough)


class InterruptTest(RoomMixin, unittest.TestCase):
    """classroom.grade from a shell."""

    def start(self, edits=(), **options):
        """grade() of rung 02 with edits, in a process and in rooms of its own."""
        write_to(self.room / "02_coalesced", edited(whole(rung_of(2)), edits))
        self.rooms = self.room / "rooms"
        self.rooms.mkdir()
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "classroom.grade",
                str(self.room / "02_coalesced"),
                "--rung",
                "2",
            ],
            cwd=SOURCES,
            env={**os.environ, "TMPDIR": str(self.rooms)},
            **options,
        )

    def assert_clean(self):
        """Nothing of it is left, soon."""
        ends = time.monotonic() + SECONDS
        while running(str(self.rooms)) and time.monotonic() < ends:
            time.sleep(0.05)
        self.assertEqual(running(str(self.rooms)), [])
        self.assertEqual(list(self.rooms.iterdir()), [])

    def assert_interrupted(self, process, begun, number=signal.SIGINT, code=130):
        """Once begun, a signal ends it without a traceback and without a trace."""
        ends = time.monotonic() + SECONDS
        while not begun() and time.monotonic() < ends:
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, said), (code, ""))
        self.assert_clean()

    def test_while_it_compiles(self):
        process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assert_interrupted(process, lambda: running("cc1plus", str(self.rooms)))

    def test_while_it_runs(self):
        edits = ((RUN, RUN + "  for (volatile int i = 0; gemm.M > 0; i = i + 1) {\n  }\n"),)
        process = self.start(edits, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assert_interrupted(
            process, lambda: running("grader_worker", str(self.rooms)), signal.SIGTERM, 143
        )

    def test_a_class(self):
        """grade_all leaves nothing behind, and goes on with what it had not graded."""
        loop = (RUN, RUN + "  for (volatile int i = 0; gemm.M > 0; i = i + 1) {\n  }\n")
        for student in ("ada", "bob"):
            write_to(
                self.room / "class" / student / "02_coalesced", edited(whole(rung_of(2)), [loop])
            )
        self.rooms = self.room / "rooms"
        self.rooms.mkdir()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "classroom.grade_all",
                str(self.room / "class"),
                "--uncontained",
            ],
            cwd=SOURCES,
            env={**os.environ, "TMPDIR": str(self.rooms)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        ends = time.monotonic() + SECONDS
        while not running("grader_worker", str(self.rooms)) and time.monotonic() < ends:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=SECONDS)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("the same command goes on", said)
        self.assert_clean()

    def test_nobody_reads_it(self):
        process = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.close()
        said = process.stderr.read()
        self.assertEqual((process.wait(SECONDS), said), (141, ""))
        process.stderr.close()
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
