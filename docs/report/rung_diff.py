"""Prints the lines of code by which a rung differs from the one that it builds on.

    python3 -m docs.report.rung_diff 05

Comments on a file and on its interface are left out, as they are on the lesson's page: they explain
the rung, and the lesson asks why before it explains.
"""

import os
import re
import sys
import textwrap

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import rung_of, rung_table
from docs.report.page_blocks.excerpts import body_of, hunks

FILES = ("producer.cuh", "kernel.cuh", "launch.cu")
COLUMNS = 80
COLOURS = {"-": "\033[31m", "+": "\033[32m", "@": "\033[36m"}


def differences(base, rung):
    """The lines of a diff of two rungs' folders; of files without a changed line, none."""
    lines = []
    for name in FILES:
        if not (rung / name).is_file():
            continue
        there = (base / name).is_file()
        changed = hunks(body_of(base / name) if there else [], body_of(rung / name))
        if changed:
            old = f"a/{base / name}" if there else "/dev/null"
            lines += [f"--- {old}", f"+++ b/{rung / name}", *changed]
    return lines


def coloured(line):
    """A line in the colour that its first letter has in a diff; headings of files are plain."""
    colour = "" if line.startswith(("--- ", "+++ ")) else COLOURS.get(line[:1], "")
    return f"{colour}{line}\033[0m" if colour else line


def folded(line):
    """Its parts, each no wider than a terminal: code goes on deeper, with the same sign."""
    if line.startswith(("--- ", "+++ ", "@")):
        return [line]
    indent = re.match(r"[-+ ]? *", line)[0] + "    "
    return textwrap.wrap(
        line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [line]


def folders_of(wanted):
    """(base, rung): the folders of '05' and of what it builds on."""
    table = {f"{number:02}": rung for number, rung in rung_table().items() if rung.builds_on}
    if wanted not in table:
        raise FigureError(f"make diff RUNG=NN: NN is one of {' '.join(table)}")
    rung = table[wanted]
    return rung_of(rung.builds_on).path, rung.path


def main():
    """Prints the diff of the rung on the command line."""
    os.chdir(SOURCES)
    base, rung = folders_of(sys.argv[1] if len(sys.argv) == 2 else "")
    show = coloured if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else str
    for line in differences(base, rung):
        for part in folded(line):
            print(show(part))


if __name__ == "__main__":
    program.run(main)
