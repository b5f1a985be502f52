"""What pages show as a program's output is what the program prints.

A fenced block of the language `console` holds a command behind `$` and what it prints; a line `...`
stands for any lines. Commands are those of build/ladder and build/glassbox that need no GPU and
write no files; settings may stand before it.
"""

import os
import re
import shlex
import subprocess
import unittest

from tests import SOURCES

PROGRAMS = {
    "build/ladder": os.environ.get("LADDER_PROGRAM", str(SOURCES / "build" / "ladder")),
    "build/glassbox": os.environ.get("GLASSBOX_PROGRAM", str(SOURCES / "build" / "glassbox")),
}
BLOCK = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.M)


def pages():
    """All Markdown files that a reader may follow."""
    lessons = SOURCES.glob("ladder/*/README.md")
    return [SOURCES / "README.md", *SOURCES.glob("docs/**/*.md"), *lessons]


def lines_of(text):
    """Lines without what differs between machines and commits."""
    lines = [re.sub(r"\(\d+ cores?\)", "(N cores)", line.rstrip()) for line in text.splitlines()]
    return [line for line in lines if not line.startswith("GEMM Ladder ")]


def first_difference(shown, printed):
    """The first shown line that is not printed in its place; None: all are."""
    at, anywhere = 0, False
    for line in shown:
        if line == "...":
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        found = next((i for i in places if printed[i] == line), None)
        if found is None:
            return line
        at, anywhere = found + 1, False
    return None if anywhere or at == len(printed) else f"(the end, before '{printed[at]}')"


class ConsoleTest(unittest.TestCase):
    """Blocks of the pages, and the comparison itself."""

    def test_pages_show_what_programs_print(self):
        """Each block, run once."""
        printed, blocks = {}, 0
        for page in sorted(pages()):
            for command, shown in BLOCK.findall(page.read_text()):
                blocks += 1
                words = shlex.split(command)
                settings = {}
                while "=" in words[0]:
                    name, _, settings[name] = words.pop(0).partition("=")
                with self.subTest(page=page.relative_to(SOURCES).as_posix(), command=command):
                    self.assertIn(words[0], PROGRAMS)
                    if command not in printed:
                        result = subprocess.run(
                            [PROGRAMS[words[0]], *words[1:]],
                            capture_output=True,
                            text=True,
                            check=False,
                            env={**os.environ, **settings},
                        )
                        printed[command] = lines_of(result.stdout + result.stderr)
                    wrong = first_difference(lines_of(shown), printed[command])
                    self.assertIsNone(wrong, "\n".join(printed[command][:80]))
        self.assertGreaterEqual(blocks, 3)

    def test_difference_is_found(self):
        """Another line, a missing one, one too many, and the wrong order."""
        printed = ["a", "b", "c", "d"]
        for right in (["a", "b", "c", "d"], ["a", "...", "d"], ["...", "b", "..."], ["...", "d"]):
            self.assertIsNone(first_difference(right, printed), right)
        for wrong in (
            ["a", "x", "c", "d"],
            ["a", "c", "d"],
            ["a", "b", "c"],
            ["...", "c", "...", "b", "..."],
            ["a", "b", "c", "d", "e"],
        ):
            self.assertIsNotNone(first_difference(wrong, printed), wrong)


if __name__ == "__main__":
    unittest.main()
