"""Starters lack what the lesson asks for, and nothing else.

python3 -m tests.classroom.starters_test
"""

import re
import unittest

from bench.results_file import FigureError
from bench.rungs import own_rungs, rung_table
from bench.sections import sections
from classroom import starters


def gap_of(text, exercise):
    """The section that a starter leaves open."""
    return next(each for each in sections(text) if each.title == exercise["section"])


def code_of(lines):
    """The lines with code, without comments."""
    bare = (re.sub(r"//.*", "", line).strip() for line in lines)
    return [line for line in bare if line]


class StartersTest(unittest.TestCase):
    """All rungs of the table."""

    def test_the_section_is_empty_and_the_rest_is_as_it_was(self):
        for rung in own_rungs().values():
            exercise = starters.exercise_of(rung)
            started, whole = starters.starter(rung), starters.whole(rung)
            self.assertEqual(set(started), set(whole), rung.label)
            name = exercise["file"]
            for other in set(whole) - {name}:
                self.assertEqual(started[other], whole[other], rung.label)
            ours, theirs = gap_of(started[name], exercise), gap_of(whole[name], exercise)
            self.assertIn("// Your turn: ", "\n".join(ours.lines), rung.label)
            before, after = whole[name].split("\n".join(theirs.lines))
            head, _, code = before.partition("#pragma once")
            sentence = head.split("\n///\n")[0]  # what follows tells how, which is the exercise
            self.assertGreater(len(head), len(sentence) + 80, rung.label)
            self.assertTrue(started[name].startswith(f"{sentence}\n#pragma once{code}"), rung.label)
            self.assertTrue(started[name].endswith(after), rung.label)

    def test_no_answer_is_left(self):
        """Declarations without values, functions without a body, and what ends a loop."""
        allowed = re.compile(
            r"[\w ]+[ *]+\w+ = (?:0|-?[\d.]+f|A|B|C);|part = schedule.next\(\);"
            r"|const auto \w+ = \[&\]\([\w &,]*\) \{\};"
        )
        for rung in own_rungs().values():
            exercise = starters.exercise_of(rung)
            text = starters.starter(rung)[exercise["file"]]
            for line in code_of(gap_of(text, exercise).lines):
                self.assertRegex(line, rf"^(?:{allowed.pattern})$", rung.label)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, rung.label)

    def test_what_is_below_the_section_finds_its_names(self):
        text = starters.starter(own_rungs()[2])["kernel.cuh"]
        for line in (
            "const int row = 0;",
            "const int col = 0;",
            "const float* gA = A;",
            "const float* gB = B;",
        ):
            self.assertIn(line, text)

    def test_the_loop_around_a_section_still_ends(self):
        text = starters.starter(own_rungs()[12])["kernel.cuh"]
        self.assertEqual(text.count("part = schedule.next();"), 2)

    def test_files_include_each_other_in_the_students_folder(self):
        for rung in own_rungs().values():
            for name, text in starters.starter(rung).items():
                self.assertNotIn(f'"ladder/{rung.folder}', text, name)

    def test_a_starter_of_a_starter_is_the_same(self):
        """A tree for students has starters in ladder/."""
        for rung in own_rungs().values():
            exercise = starters.exercise_of(rung)
            text = starters.starter(rung)[exercise["file"]]
            section = gap_of(text, exercise)
            again = starters.emptied(text, section, starters.task_of(exercise), rung.number)
            self.assertEqual(again, text, rung.label)

    def test_functions_and_numbers_that_later_code_needs(self):
        """As in the lesson that asks for a prologue."""
        text = """\
  // -- Prologue: fill ------------------------------------------------------------------------
  const auto fetch = [&](int stage, int k0) {  // one group
    load(stage, k0);
  };
  constexpr int kRows = 4 * BM;
  const unsigned first = blockIdx.x * 3;
  float rA[TM];  // (TM)
  int unused = 3;

  // -- Main loop over K ----------------------------------------------------------------------
  fetch(0, first);
  rA[kRows] = 0;
"""
        new = starters.emptied(text, sections(text)[0], "Write it.", 9)
        section = sections(new)[0]
        self.assertEqual(
            code_of(section.lines),
            [
                "const auto fetch = [&](int stage, int k0) {};",
                "constexpr int kRows = 4 * BM;",
                "const unsigned first = 0;",
                "float rA[TM];",
            ],
        )

    def test_the_library_has_no_starter(self):
        with self.assertRaisesRegex(FigureError, "no kernel of its own"):
            starters.starter(rung_table()[0])


if __name__ == "__main__":
    unittest.main()
