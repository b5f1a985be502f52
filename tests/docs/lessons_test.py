"""Lessons have the form that graders and the site read, and commands in pages exist.

python3 -m tests.docs.lessons_test [build/ladder]     all that is wrong, at once
"""

import os
import pathlib
import re
import sys
import unittest

from bench.rungs import rung_table
from classroom import lesson
from classroom.markdown_text import figures_of, unfolded
from docs.reading import words
from docs.report.report import pages
from tests import SOURCES
from tests.docs.page_commands import Commands, command_faults

PROGRAM = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/ladder").resolve()
MOST_GENERATED = 1 / 3  # of a lesson's words: tables, without the code that the lesson is about
MOST_WORDS = 2500  # that stand open in a lesson
LEAST_FIGURES = 2
BLOCKS = {
    "Appendix": ("card", "diff", "constants", "profile"),
    "The code": ("(?:code|change)",),
    "Predict": ("predict",),
    "The maths": ("maths",),
    "Measured, and why": ("measured",),
}


def generated_share(text):
    """What part of the words is in generated blocks; the kernel's own lines are counted apart."""
    blocks = re.compile(r"^<!-- begin (\w+).*?<!-- end \1 -->$", flags=re.M | re.S)
    text = blocks.sub(lambda block: "" if block[1] in ("code", "change") else block[0], text)
    generated = sum(len(block[0].split()) for block in blocks.finditer(text))
    return generated / max(1, len(text.split()))


def lesson_faults(rung):
    """What is wrong with a rung's lesson."""
    path = rung.path / "README.md"
    if not path.is_file():
        return [f"{path} is not there"]
    found, wrong = lesson.read_lesson(rung.number)
    if not rung.tile or not found:
        return wrong
    open_text = unfolded(path.read_text())
    share = generated_share(open_text)
    if share > MOST_GENERATED:
        wrong.append(f"{path}: generated blocks are {share:.0%} of what is not folded away")
    minutes = words.minutes_to_read(path.read_text())
    if found["card"].get("minutes", {}).get("read", minutes) != minutes:
        wrong.append(f"{path}: its '**Time**' should say 'read {minutes} min'")
    to_read = words.counted(path.read_text()).open
    if to_read > MOST_WORDS:
        wrong.append(f"{path}: {to_read} words stand open, more than {MOST_WORDS}")
    figures = len(figures_of(open_text))
    if figures < LEAST_FIGURES:
        wrong.append(f"{path}: {figures} figures and widgets, fewer than {LEAST_FIGURES}")
    for heading, blocks in BLOCKS.items():
        for block in blocks:
            if not re.search(f"<!-- begin {block}", found["sections"].get(heading, "")):
                wrong.append(f"{path}: '{heading}' has no block '<!-- begin {block} -->'")
    return wrong


class LessonsTest(unittest.TestCase):
    """All pages of the tree."""

    def test_lessons_have_the_form(self):
        wrong = [fault for rung in rung_table().values() for fault in lesson_faults(rung)]
        if wrong:
            self.fail("\n" + "\n".join(wrong))

    def test_the_generated_share_is_one_of_words(self):
        block = "<!-- begin card -->\na b\n<!-- end card -->\n"
        self.assertEqual(generated_share(block + "1 2 3 4 5 6 7 8 9 10\n"), 0.5)

    def test_no_paragraph_begins_with_a_number_that_makes_it_a_list(self):
        """An answer "65. And so on" is shown as item 1 of a list."""
        for path in pages():
            found = re.findall(r"\n\n {0,3}((?:0|[1-9]\d)\d*\. .*)", path.read_text())
            self.assertEqual(found, [], path)

    def test_commands_in_pages_exist(self):
        commands = Commands(PROGRAM)
        if commands.flags is None:
            print(f"there is no {PROGRAM}: its subcommands and flags are not looked at")
        wrong = []
        for path in [*pages(), pathlib.Path("CONTRIBUTING.md"), pathlib.Path("bench/README.md")]:
            wrong += command_faults(path, commands)
        if wrong:
            self.fail("\n" + "\n".join(wrong))


if __name__ == "__main__":
    os.chdir(SOURCES)
    unittest.main()
