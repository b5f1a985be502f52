"""What a grade says of hidden tests: the mistake, and no number that tells their problems.

python3 -m tests.classroom.hidden_messages_test
"""

import re
import unittest

from classroom import grade as grader
from classroom import points
from tests.classroom.cheats import RUN, Cheat
from tests.classroom.grading import ALL, grade_of

LINE = re.compile(r"(?:kernel\.cuh|launch\.cu):\d+")


class HiddenMessagesTest(unittest.TestCase):
    """Messages, codes and flags."""

    def messages(self, grade, part):
        """Of the tests that are not right, and of the flags that name no visible test."""
        tests = grade["parts"][part]["tests"]
        flags = [flag["message"] for flag in grade["flags"] if "hidden" in flag["message"]]
        return [test["message"] for test in tests if test["status"] != "pass"], flags

    def assert_tells_no_number(self, grade, known=()):
        """Hidden tests fail, and say nothing but words and lines of the student's files."""
        said, flags = self.messages(grade, 2)
        self.assertGreater(len(said), 3, grader.text_of(grade))
        for text in (*said, *flags):
            self.assertNotEqual(text, "")
            self.assertNotRegex(LINE.sub("", text), r"\d", text)
            for word in known:
                self.assertNotIn(word, text)

    def test_a_hidden_test_names_no_number_of_its_problem(self):
        """Of accesses beyond a matrix and of wrong elements; visible tests name them all."""
        for edits, code in (
            ((("b_k < K && col < N", "b_k < K"),), "out-of-bounds-matrix"),
            ((("b_k < K && col < N", "b_k + 1 < K && col < N"),), "every-element-wrong"),
        ):
            grade = grade_of(Cheat("edge", "", edits, rung=3).files(), 3)
            self.assert_tells_no_number(grade)
            self.assertRegex(" ".join(self.messages(grade, 1)[0]), r"\[\d+\]")
            codes = {
                found["code"]
                for part in grade["parts"][1:3]
                for test in part["tests"]
                for found in test["codes"]
            }
            self.assertIn(code, codes)

    def test_hidden_tests_name_lines_where_a_visible_one_fails_too(self):
        """A kernel could choose by its shape at which line it fails."""
        begin = "  float acc = 0.0f;\n"
        for when, named in (("K > 600", False), ("K > 0", True)) if ALL else (("K > 600", False),):
            edit = (begin, begin + f"  if ({when}) acc += A[static_cast<size_t>(M) * K + 8];\n")
            grade = grade_of(Cheat("", "", (edit,)).files(), 2)
            hidden = grade["parts"][2]["tests"]
            codes = [code for test in hidden for code in test["codes"]]
            said = " ".join(test["message"] for test in hidden)
            with self.subTest(when):
                self.assertIn("out-of-bounds-matrix", [code["code"] for code in codes])
                self.assertEqual(any("places" in code for code in codes), named, codes)
                self.assertEqual(bool(LINE.search(said)), named, said)

    def test_what_is_out_of_bounds_is_told_first_and_the_same_once(self):
        guard = "  if (row >= M || col >= N) return;\n"
        grade = grade_of(Cheat("no guard", "", ((guard, ""),)).files(), 2)
        tests = [test for part in grade["parts"][1:3] for test in part["tests"]]
        told = [[code["group"] for code in test["codes"]] for test in tests]
        outside = [groups for groups in told if "out-of-bounds" in groups]
        self.assertGreater(len(outside), 10)
        for groups in outside:  # there is room for three, and races come after them
            self.assertEqual(groups, sorted(groups))
            self.assertEqual(set(groups[:2]), {"out-of-bounds"})
        said = grader.text_of(grade)
        lost = [test for test in tests if test["status"] == "fail"]
        messages = {test["message"] for test in lost}
        self.assertLess(len(messages), len(lost))
        for test in lost:
            self.assertIn(f"{test['name']}: 0 of ", said)
        for message in messages:
            lines = "\n".join(grader.indented(message, 18))
            self.assertEqual(said.count(f"{lines}\n"), 1, message)

    def test_a_kernel_cannot_tell_what_it_was_called_with(self):
        """Neither in an exception's words nor in the status of its end."""
        include = '#include "common/launch.cuh"\n'
        edits = (
            (include, f"#include <stdexcept>\n#include <string>\n{include}"),
            (
                RUN,
                RUN + "  if (gemm.M > 1) {\n"
                '    throw std::runtime_error("M is " + std::to_string(gemm.M));\n  }\n',
            ),
        )
        grade = grade_of(Cheat("tells", "", edits).files(), 2)
        self.assert_tells_no_number(grade, ("M is",))
        self.assertRegex(" ".join(self.messages(grade, 1)[0]), r"M is \d")

    def test_the_judge_keeps_sentences_of_hidden_tests(self):
        """They are made from codes alone, whatever the status."""
        kernel = "work/03_shared_tile/kernel.cuh"
        places = [{"file": kernel, "line": line} for line in (53, 47)]
        finding = {
            "code": "race-in-shared-memory",
            "group": "race",
            "title": "Two threads",
            "places": places,
        }
        for status in (*points.OF_STATUS, "hazard"):
            said = points.hidden_message({"status": status, "findings": [finding]})
            self.assertTrue(said.endswith("Two threads: kernel.cuh:53 and kernel.cuh:47."), said)
        finding["places"] = places[:1] * 2
        said = points.hidden_message({"status": "hazard", "findings": [finding]})
        self.assertTrue(said.endswith("Two threads: kernel.cuh:53."), said)


if __name__ == "__main__":
    unittest.main()
