"""What contained_call shows and allows.

python3 -m tests.classroom.contained_call_test
"""

import pathlib
import signal
import subprocess
import sys
import time
import unittest

from classroom import contained
from tests import SOURCES
from tests.classroom.own_room import RoomMixin, running

MARK = "words-that-only-the-grader-may-read"
SECONDS = 60
NAMESPACES = "view" in contained.holds()


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


if __name__ == "__main__":
    unittest.main()
