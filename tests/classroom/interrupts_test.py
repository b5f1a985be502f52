"""A grading that is interrupted ends at once, and leaves nothing.

python3 -m tests.classroom.interrupts_test
"""

import os
import signal
import subprocess
import sys
import time
import unittest

from bench.rungs import rung_of
from classroom.starters import whole, write_to
from tests import SOURCES
from tests.classroom.oddities import RUN, edited
from tests.classroom.own_room import RoomMixin, running

SECONDS = 60


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
