"""classroom/lesson.py reads a lesson, and names file and line of what is not in the form."""

import os
import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import lesson
from classroom.markdown_text import figures_of, unfolded
from tests import SOURCES
from tests.docs import page_commands

HINTS = "".join(
    f"<details markdown><summary>Hint {i}</summary>\n\nThink {i}.\n\n</details>\n\n"
    for i in (1, 2, 3)
)
QUESTION = """Which one
is it?

- a) this
  one
- b) that

<details markdown><summary>Answer</summary>

b) because it is.

</details>
"""
BODIES = {
    "Appendix": f"""<details markdown><summary>{lesson.APPENDIX}</summary>

**Before this**: [rung 02](../02_coalesced/README.md).
**Time**: read 15 min, code 30, measure 20.
**Afterwards you can**:

- do one
  thing
- do another
- do a third

</details>
""",
    "The code": "x\n\n```sh\n# no heading\n```\n\n### Main loop over K\n\nx\n\n### Epilogue\n\nx\n",
    "Exercises": f"""### Fill the gap: the loop

Section: `Main loop over K` of `kernel.cuh`.

Write it.

{HINTS}### Predict and measure: size

Do it.

{HINTS}### Break it: a barrier

Do it.

{HINTS}### Open: what else

Do it.

{HINTS}""",
    "Quiz": "".join(f"### Question {i}\n\n{QUESTION}\n" for i in (1, 2, 3)),
}
OPENING = "# 03 shared_tile: a title\n\nCould threads\nshare?\n\n![A tile](tile.svg)\n\n"
SAMPLE = OPENING + "".join(
    f"## {heading}\n\n{BODIES.get(heading, 'Text.')}\n" for heading in lesson.HEADINGS
)


class FormTest(unittest.TestCase):
    """A sample in the form, and what is said when it is not."""

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCES)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "README.md"

    def read(self, text):
        """(data, what is wrong) of a text as the lesson of rung 03."""
        self.path.write_text(text)
        reader = lesson.Reader(self.path, pathlib.Path("ladder/03_shared_tile"))
        return reader.lesson(rung_of(3)), reader.wrong

    def test_a_lesson_is_data(self):
        data, wrong = self.read(SAMPLE)
        self.assertEqual(wrong, [])
        self.assertEqual(data["title"], "03 shared_tile: a title")
        self.assertEqual(data["question"], "Could threads share?")
        self.assertEqual(
            data["card"],
            {
                "before": "[rung 02](../02_coalesced/README.md).",
                "minutes": {"read": 15, "code": 30, "measure": 20},
                "objectives": ["do one thing", "do another", "do a third"],
            },
        )
        self.assertEqual(data["code"], ["Main loop over K", "Epilogue"])
        self.assertEqual(
            [exercise["kind"] for exercise in data["exercises"]],
            ["fill", "measure", "break", "open"],
        )
        self.assertEqual(
            data["exercises"][0],
            {
                "kind": "fill",
                "title": "the loop",
                "file": "kernel.cuh",
                "section": "Main loop over K",
                "text": "Write it.",
                "hints": ["Think 1.", "Think 2.", "Think 3."],
            },
        )
        self.assertEqual(
            data["quiz"][2],
            {
                "question": "Which one is it?",
                "options": {"a": "this one", "b": "that"},
                "answer": "b",
                "reason": "because it is.",
            },
        )

    def test_what_is_not_in_the_form_is_named_with_its_line(self):
        cases = (
            ("# 03 shared_tile: a", "# 02 shared_tile: a", "does not begin with '03 shared_ti"),
            ("share?", "share.", "no question in the paragraphs below the title"),
            ("![A tile](tile.svg)\n", "", "no figure between the title and the first heading"),
            ("## Edge cases\n", "## Corners\n", "no heading Edge cases"),
            ("## Edge cases\n", "## Corners\n", "'## Corners' is no heading of a lesson"),
            ("## Edge cases\n\nText.\n", "## Edge cases\n", "'## Edge cases' is empty"),
            ("## Edge cases\n", "## Edge cases\n\nx\n\n## Edge cases\n", "is there more than once"),
            ("- do another\n", "", "2 objectives below"),
            ("**Time**", "**Duration**", "the appendix has no '**Time**"),
            ("### Main loop over K\n\nx\n\n### Epilogue\n", "", "0 pieces of code '### ...'"),
            ("<details markdown><summary>Card", "<details markdown><summary>C", "is not one fold"),
            ("### Break it: ", "### Break: ", "'Break: a barrier' is none of 'Fill the gap: ...'"),
            ("### Break it: ", "### Break: ", "no exercise '### Break it: ...'"),
            ("<summary>Hint 2<", "<summary>Hint two<", "not exactly the folds Hint 1 to 3"),
            ("Think 2.", "", "Hint 2 of 'Fill the gap: the loop' is empty"),
            ("Section: `Main loop over K`", "Section: `Prologue`", "has no section 'Prologue'; it"),
            ("Section: `Main", "Of `Main", "no line 'Section: `Main loop over K` of `ker"),
            ("</details>\n\n### Predict", "### Predict", "<details> without </details>"),
            ("<details markdown><summary>Hint 1", "<details><summary>Hint 1", "write '<details m"),
            ("### Question 2", "### Question two", "the quiz has not exactly Question 1, Que"),
            ("- a) this", "- this", "Question 1 has no options a), b), ..."),
            ("b) because", "c) because", "Question 1 has no fold Answer that begins with an opt"),
        )
        for old, new, message in cases:
            self.assertIn(old, SAMPLE)
            _, wrong = self.read(SAMPLE.replace(old, new, 1))
            found = [line for line in wrong if message in line]
            self.assertEqual(len(found), 1, (message, wrong))
            self.assertRegex(found[0], r"README\.md:\d+: ")

    def test_headings_keep_their_order(self):
        text = SAMPLE.replace("## Run it\n", "## X\n").replace("## Edge cases\n", "## Run it\n")
        _, wrong = self.read(text.replace("## X\n", "## Edge cases\n"))
        self.assertTrue(
            any("'Run it' belongs above 'Measured, and why'" in line for line in wrong), wrong
        )

    def test_a_line_is_the_line_of_the_fault(self):
        _, wrong = self.read(SAMPLE.replace("Section: `Main", "Section: `Mean"))
        number = SAMPLE.splitlines().index("Section: `Main loop over K` of `kernel.cuh`.") + 1
        self.assertIn(f"README.md:{number}: ", wrong[0])

    def test_what_is_folded_away_does_not_count(self):
        block = "<!-- begin card -->\na b\n<!-- end card -->\n"
        fold = (
            f"<details markdown><summary>x</summary>\n<details>\ny\n</details>\n{block}</details>\n"
        )
        self.assertEqual(unfolded(f"one\n{fold}two\n"), "one\ntwo")
        self.assertEqual(len(figures_of("![a](b.svg)\n\n<!-- widget tiles -->\n\nx ![c](d)\n")), 2)


class CommandsTest(unittest.TestCase):
    """Which commands of a page are taken for wrong."""

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCES)
        self.commands = page_commands.Commands(pathlib.Path("no program"))
        self.commands.flags = {"": {"--help"}, "run": {"--size", "--device"}}

    def faults(self, text):
        """What is wrong with the commands of a text."""
        found = page_commands.commands_of(text)
        return [fault for _, command in found for fault in self.commands.faults(command)]

    def test_known_commands_pass(self):
        text = (
            "`make run RUNG=03 SIZE=512`, `build/ladder run 03 --size 64 > out` and `make`.\n"
            "```sh\n$ make test   # all tests\nbuild/ladder run 03 \\\n  --device gpu\n"
            "python3 -m docs.report.report --check\n```\n"
        )
        self.assertEqual(len(page_commands.commands_of(text)), 6)
        self.assertEqual(self.faults(text), [])

    def test_a_command_of_prose_is_on_one_line(self):
        text = "Run `make check\n  RUNG=03`, and `git\ncheckout a`; not `a\nname` or `make run`.\n"
        text += "```sh\nmake run \\\n  RUNG=03\n```\n"
        self.assertEqual(
            page_commands.broken_commands(text), ["make check RUNG=03", "git checkout a"]
        )

    def test_unknown_ones_are_named(self):
        for command, fault in (
            ("make luck", "there is no target 'luck'"),
            ("make run RUNG=77", "there is no rung 77"),
            ("build/ladder jump", "there is no subcommand 'jump'; there are run"),
            ("build/ladder run 03 --luck 7", "'run' has no flag '--luck'"),
            ("build/ladder run 77", "there is no rung 77"),
            ("bench/luck.py", "there is no bench/luck.py"),
            ("python3 -m bench.luck", "there is no bench/luck.py"),
            ("bench/record/sanitize.py --out x", "it runs as python3 -m bench.record.sanitize"),
            ("python3 -m docs.report.report --luck", "docs/report/report.py has no flag '--luck'"),
        ):
            self.assertEqual(self.faults(f"Type `{command}`."), [fault])
            self.assertEqual(self.faults(f"```sh\n{command}\n```\n"), [fault])

    def test_code_in_other_languages_is_no_command(self):
        self.assertEqual(self.faults("```cuda\nmake luck\n```\nmake luck\n"), [])


if __name__ == "__main__":
    unittest.main()
