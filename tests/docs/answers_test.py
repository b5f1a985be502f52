"""No page of a path prints what a later lesson asks; docs/reading/answers.py sees it if one does."""

import os
import re
import unittest

from docs.reading import answers, paths
from docs.report.recorded import NotRecordedError
from tests import SOURCES


class AnswersTest(unittest.TestCase):
    """Questions of all lessons, and what their paths print before."""

    @classmethod
    def setUpClass(cls):
        """From the root of the sources."""
        os.chdir(SOURCES)

    def test_no_answer_stands_on_an_earlier_page(self):
        for name in paths.PATHS:
            with self.subTest(path=name):
                self.assertEqual(answers.told_before(name), [])

    def test_many_answers_can_be_recognised(self):
        found = 0
        for rung, question in answers.questions():
            try:
                patterns = answers.printed(rung, question)
            except NotRecordedError:
                continue
            found += bool(patterns)
            self.assertTrue(question["question"].rstrip().endswith("?"), question["id"])
        self.assertGreaterEqual(found, 15)

    def test_a_page_that_prints_one_is_found(self):
        asked = dict(answers.questions()[0][1])
        for pattern in answers.printed(1, asked):
            share = answers.recorded(1, asked)
            self.assertTrue(any(re.search(pattern, f"{share:.{n}f} % of them") for n in (0, 1)))
            self.assertFalse(re.search(pattern, "1.99 % and 199 %"), pattern)

    def test_a_table_of_speeds_tells_no_counter(self):
        page = "1 % <!-- begin ladder -->| 99.2 % |<!-- end ladder --> 2 %"
        self.assertNotIn("99.2 %", answers.told_by(page, {"counter": {}}))
        self.assertIn("1 %  2 %", answers.told_by(page, {"counter": {}}))
        self.assertIn("99.2 %", answers.told_by(page, {"speed": {}}))

    def test_the_answers_are_those_of_the_recordings(self):
        by_id = {(rung, question["id"]): question for rung, question in answers.questions()}
        self.assertEqual(answers.recorded(4, by_id[4, "fullest"]), "issue slots")
        self.assertAlmostEqual(answers.recorded(8, by_id[8, "wavefronts_per_shared_load"]), 3.0)
        self.assertLess(answers.recorded(10, by_id[10, "gain"]), 1, "slower at this size")


if __name__ == "__main__":
    unittest.main()
