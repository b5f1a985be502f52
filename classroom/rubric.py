"""Writes the rubric into the guide for classes, from what the grader computes with.

python3 -m classroom.rubric            rewrite the table
python3 -m classroom.rubric --check    fail if it is stale
"""

import argparse
import re
import sys

from bench import SOURCES, program
from bench.results_file import FigureError
from bench.rungs import own_rungs
from classroom import points, problems

PAGE = SOURCES / "docs/start/with_a_class.md"
PART = re.compile(r"(?<=<!-- rubric -->\n).*?(?=<!-- /rubric -->)", re.S)


def about_row(rung):
    """A rung's line in the table of counters."""
    own = points.OWN[rung.about["counter"]] if rung.about else None
    if own == points.ORDER:
        title = "the order of events"
    else:
        title = points.COUNTERS[own][0] if own else "-"
    return f"| {rung.label} | {rung.idea} | {title} |"


def rubric():
    """Tables of parts and of counters, as Markdown."""
    most = points.MAX_POINTS
    visible, hidden = problems.VISIBLE_POINTS, problems.HIDDEN_POINTS
    names = [title for _, title in problems.HIDDEN]
    ways = {
        "builds": "all or nothing: it compiles, and its sources and objects hold nothing but a "
        "kernel",
        "visible": f"{most['visible'] / visible:g} problems that everybody may know, {visible:g} "
        "points each, all or nothing",
        "hidden": f"{len(names)} tests that your secret decides, {hidden:g} points each, all or "
        "nothing",
        "memory": "counters of the emulator against the reference rung, see below; only a kernel "
        "whose result is right gets them",
        "speed": "only on a machine with a GPU, timed in turn with the reference rung, see below; "
        "elsewhere null, which counts neither for nor against you",
    }
    rows = [(points.NAMES[name], f"{most[name]:g}", what) for name, what in ways.items()]
    total = sum(most.values())
    lines = ["| part | points | how they are given |", "|---|---:|---|"]
    lines += [f"| {name} | {worth} | {what} |" for name, worth, what in rows]
    lines += [f"| together | {total:g}; {total - most['speed']:g} without a GPU | |", ""]
    lines += ["The hidden tests are called:", ""]
    lines += [f"- {name}" for name in names]
    counters = [title for title, _ in points.COUNTERS.values()]
    lines += [
        "",
        "Half of the points for memory go to the counter that the rung is about, the one that "
        "`check` shows beside yours. The other counters that the reference rung has share the rest "
        "equally; of a rung that is about none of them, they share all.",
        "",
        "| rung | is about | counter with half of the points |",
        "|---|---|---|",
        *(about_row(rung) for rung in own_rungs().values()),
        "",
        "These are the counters:",
        "",
        *(f"- {title}" for title in counters),
        "",
        "With r = (yours) / (reference), a counter gives this share of its points:",
        "",
        "```",
        f"share = 1                            for r <= {points.FULL_AT:g}",
        f"share = ({points.NONE_AT:g} - r) / ({points.NONE_AT:g} - {points.FULL_AT:g})".ljust(37)
        + "in between",
        f"share = 0                            for r >= {points.NONE_AT:g}",
        "```",
        "",
        f"For the counter that the rung is about, {points.NONE_AT:g} is replaced by what the rung "
        "below has, if that is less. Where the reference makes no store to shared memory at all, "
        f"{points.FEW_STORES:.1%} of your loads from it are few enough for all points, and "
        f"{points.MANY_STORES:.0%} too many for any.",
        "",
        f"A reference rung that hides at least {points.LOADS_AHEAD:.0%} of the time of its loads "
        f"behind computing sets {points.ORDER_POINTS:g} of the {most['memory']:g} points aside for "
        f"the order of events; {points.ORDER_POINTS / 2:g} where another counter has its half. "
        "Your kernel gets them in proportion to how much of that time it hides, and to how many k "
        "tiles ahead it loads; 90 % of the reference's figures is enough.",
        "",
        "With r = (your time) / (the reference's), speed gives this share of its points:",
        "",
        "```",
        f"share = 1                            for r <= {points.FULL_SPEED_AT:g}",
        (
            f"share = log({points.NO_SPEED_AT:g} / r) / "
            f"log({points.NO_SPEED_AT:g} / {points.FULL_SPEED_AT:g})"
        ).ljust(37)
        + "in between",
        f"share = 0                            for r >= {points.NO_SPEED_AT:g}",
        "```",
    ]
    return "\n".join(lines).replace("%", " %").replace("  %", " %") + "\n"


def main():
    """Rewrites or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = PAGE.read_text()
    if not PART.search(text):
        raise FigureError(f"{PAGE}: <!-- rubric --> or <!-- /rubric --> is gone: put it back")
    new = PART.sub(lambda _: rubric(), text)
    if not options.check:
        PAGE.write_text(new)
    elif new != text:
        sys.exit(f"{PAGE} is stale: python3 -m classroom.rubric rewrites its rubric")


if __name__ == "__main__":
    program.run(main)
