"""What the machine's fault costs a student: nothing.

python3 -m tests.classroom.failing_machine_test
"""

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
from classroom.problems import Secret, visible_tests
from classroom.rooms import remove_left_rooms
from classroom.starters import whole, write_to
from tests import SOURCES
from tests.classroom.oddities import LAUNCH, RUN, edited
from tests.classroom.own_room import RoomMixin


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


if __name__ == "__main__":
    unittest.main()
