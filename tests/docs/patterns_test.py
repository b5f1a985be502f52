"""Sentences that programs write are read by a program: docs/reading/patterns.py."""

import os
import unittest

from docs.reading import patterns
from tests import SOURCES


class PatternsTest(unittest.TestCase):
    """Generated blocks, figures, questions, claims and what programs print."""

    @classmethod
    def setUpClass(cls):
        """From the root of the sources."""
        os.chdir(SOURCES)

    def test_no_generated_sentence_has_one(self):
        for source in (
            patterns.generated,
            patterns.drawn,
            patterns.asked_and_claimed,
            patterns.printed,
        ):
            with self.subTest(source.__name__):
                self.assertEqual(patterns.faults(source()), [])

    def test_there_is_much_to_read(self):
        self.assertGreater(len(list(patterns.generated())), 300)
        self.assertGreater(len(list(patterns.drawn())), 2000)
        self.assertGreater(len(list(patterns.asked_and_claimed())), 200)
        self.assertGreater(len(list(patterns.printed())), 2000)

    def test_it_sees_them(self):
        for text in (
            "take 2, in 2.01 cycles, 2, in",
            "a fence behind the flag",
            "a line in the own L2",
            "12 times as quick",
            "what the cycles let expect",
            "record it anew",
            "the the",
        ):
            self.assertEqual(len({fault.split(": ")[-1] for fault in self.faults(text)}), 1, text)
        for text in ("As many as by the rule; 2.01 cycles", "the reader's own L2", "long long"):
            self.assertEqual(self.faults(text), [], text)

    def faults(self, text):
        """What is wrong with a text."""
        return patterns.faults([("here", text)])


if __name__ == "__main__":
    unittest.main()
