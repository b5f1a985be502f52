"""Tables are as wide as the terminal, down to 40 columns; in a pipe they have 80.

LADDER_PROGRAM=build/ladder python3 -m tests.ladder.program.narrow_terminal_test
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from tests import SOURCES

PROGRAM = os.environ["LADDER_PROGRAM"]
COMMANDS = {
    "list": "01 naive",
    "climb --size 32 --device cpu": "03 shared_tile",
    "run 03 --size 32 --device cpu": "03 shared_tile",
    "trace 03 --size 64 --warp 0,0": "03 shared_tile",
    "check 03 --size 64": "03 shared_tile",
    "run 03 --size 0": "--size",
}


def in_terminal(arguments, columns):
    """What a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [PROGRAM, *arguments.split()], cwd=SOURCES, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the program has ended
            break
        if not part:
            break
        said += part
    os.close(ours)
    process.wait()
    text = re.sub(r"\r\x1b\[K[^\r\n]*(?=\r\x1b)|\r\x1b\[K", "", said.decode())  # progress
    return text.replace("\r\n", "\n")


def longest(text):
    """Columns of the longest line."""
    return max(map(len, text.splitlines()))


class NarrowTerminalTest(unittest.TestCase):
    """What each command prints."""

    def test_no_line_is_longer_than_the_terminal(self):
        for arguments, said in COMMANDS.items():
            for columns in (40, 57, 80):
                with self.subTest(arguments, columns=columns):
                    text = in_terminal(arguments, columns)
                    self.assertLessEqual(longest(text), columns, text)
                    self.assertIn(said, text)

    def test_below_40_columns_it_stays_at_40(self):
        self.assertLessEqual(longest(in_terminal("list", 20)), 40)

    def test_a_terminal_without_a_width_has_80(self):
        self.assertEqual(in_terminal("list", 0), in_terminal("list", 80))

    def test_a_wide_terminal_and_a_pipe_have_80(self):
        for arguments in ("list", "run 03 --size 32 --device cpu"):
            done = subprocess.run(
                [PROGRAM, *arguments.split()],
                cwd=SOURCES,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(in_terminal(arguments, 200), done.stdout)

    def test_a_row_that_does_not_fit_names_its_columns(self):
        text = " ".join(in_terminal("run 03 --size 32 --device cpu", 40).split())
        self.assertIn("03 shared_tile verified yes; error / bound 0.", text)
        self.assertIn("blocks 1; threads a block 1024; barriers a block", text)
        text = " ".join(in_terminal("list", 40).split())
        self.assertIn("02 coalesced from 01; in FP32; CC 7.5; takes any M, N, K; idea ", text)


if __name__ == "__main__":
    unittest.main()
