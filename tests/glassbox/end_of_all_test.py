"""Whatever ends the glass box, nothing of it stays: no file, no process."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from tests.glassbox.own_program import GLASSBOX

# The program and what it starts write their numbers, and wait.
WAITS = """
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
int main() {
  if (fork() == 0) {
    if (fork() == 0) execlp("sleep", "sleep", "1000", nullptr);
    pause();
  }
  FILE* file = fopen("started.tmp", "w");
  fclose(file);
  rename("started.tmp", "started");
  %s
  for (;;) pause();
}
"""
IGNORES = "signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN);"


def until(condition, seconds=60):
    """Waits; returns whether it came true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def processes_of(folder):
    """Numbers of those that were started for a folder below this one."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(one.startswith(f"GLASSBOX_FOLDER={folder}/".encode()) for one in variables):
            found.append(int(process.name))
    return found


class EndOfAllTest(unittest.TestCase):
    """A program each."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def start(self, source, *words):
        """Starts the glass box in the folder, which is its own for temporary files too."""
        (self.folder / "my.cu").write_text(source)
        process = subprocess.Popen(
            [GLASSBOX, "run", *words, "my.cu"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self.temporary), "LADDER_FRONT_END": "none"},
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def expect_nothing_left(self):
        """Soon."""
        self.assertTrue(
            until(lambda: not processes_of(self.temporary), 10), processes_of(self.temporary)
        )
        self.assertTrue(
            until(lambda: not list(self.temporary.iterdir()), 10), list(self.temporary.iterdir())
        )

    def expect_end(self, process, number, code):
        """Of a signal, and of everything with it."""
        process.send_signal(number)
        self.assertEqual(process.wait(30), code)
        self.expect_nothing_left()

    def test_while_compilers_run(self):
        """They end, and take their files with them."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=number):
                process = self.start("#include <regex>\nint main() {}\n")
                self.assertTrue(until(lambda: len(processes_of(self.temporary)) > 1))
                self.expect_end(process, number, -number)

    def test_while_the_program_runs(self):
        """It gets the signal; the glass box reports, and passes on how it ended."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                (self.folder / "started").unlink(missing_ok=True)
                process = self.start(WAITS % "")
                self.assertTrue(until((self.folder / "started").exists))
                self.expect_end(process, number, 128 + number)

    def test_killed_while_the_program_runs(self):
        """The program's own children end, too."""
        process = self.start(WAITS % "")
        self.assertTrue(until((self.folder / "started").exists))
        self.assertTrue(until(lambda: len(processes_of(self.temporary)) > 2))
        self.expect_end(process, signal.SIGKILL, -signal.SIGKILL)

    def test_a_program_that_does_not_listen(self):
        """Who asks twice means it."""
        process = self.start(WAITS.replace("<cstdlib>", "<csignal>") % IGNORES)
        self.assertTrue(until((self.folder / "started").exists))
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(1)
        self.expect_end(process, signal.SIGTERM, 128 + signal.SIGKILL)

    def test_after_an_ordinary_end(self):
        """What the program has left running ends as well."""
        process = self.start(WAITS % "return 3;")
        self.assertEqual(process.wait(60), 3)
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main()
