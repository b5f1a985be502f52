"""What a rung is about, counted: a kernel's figure beside the rung's, for check and for grades.

The rungs' table says which counter it is (ladder/ladder.hpp), bench/results/rungs.json what the
rung and the one below have of it. A kernel that is right and has not gone most of the way between
the two has left out the rung's idea.
"""

import math
import re

from bench import SOURCES
from classroom.markdown_text import parts_of

NEAR = 1.25  # times the rung's own figure
NONE_OF_NOTHING = 0.05  # of the figure below, where the rung's own is 0
ENOUGH = 0.9  # of a figure that grows


def grows(about):
    """Whether more is better: of loads that are hidden."""
    return about["value"] > about["below"]


def reached(about, value):
    """Whether a kernel does what the rung is about. about: Rung.about; value: of the kernel."""
    own, below = about["value"], about["below"]
    if grows(about):
        return value >= below + ENOUGH * (own - below)
    if own == 0:
        return value <= NONE_OF_NOTHING * below
    return 0 < value <= own * min(NEAR, math.sqrt(below / own))  # nothing: it was not seen


def figures(rung, text):
    """Lines: a kernel's own figure, what the rung asks for, and where it comes from."""
    about = rung.about
    rows = [
        ("yours", text, about["words"]),
        (f"rung {rung.number:02}", about["text"], "is what this rung asks for"),
    ]
    if rung.builds_on is not None:  # a class may not have it
        rows.append((f"rung {rung.builds_on:02}", about["below_text"], "is where you come from"))
    width = max(len(figure) for _, figure, _ in rows)
    return [f"  {name:<9}{figure:>{width}}  {words}" for name, figure, words in rows]


def question(rung):
    """The last question of a lesson's opening, or None: 'What can a multiply-add wait for?'"""
    path = SOURCES / rung.path / "README.md"
    if not path.is_file():  # a class has the lessons of its own rungs only
        return None
    _, whole = parts_of(list(enumerate(path.read_text().splitlines(), 1)), 1)
    above, _ = parts_of(whole[0].lines, 2)
    plain = re.sub(r"<!--.*?-->|!\[.*?\]\(.*?\)|[*`]", "", " ".join(line for _, line in above))
    found = re.findall(r"(?:^|(?<=[.?!]) )([^.?!]*\?)", " ".join(plain.split()))
    return found[-1].strip() if found else None
