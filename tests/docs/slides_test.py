"""Slides are whole files that need nothing else, with the figures of the book."""

import os
import pathlib
import re
import tempfile
import unittest

from docs.talks import slides
from tests import SOURCES

MOST_WORDS = 70  # of a slide
LECTURES = 3


class SlidesTest(unittest.TestCase):
    """docs/talks."""

    @classmethod
    def setUpClass(cls):
        """From the root of the sources."""
        os.chdir(SOURCES)

    def test_three_lectures(self):
        self.assertEqual(len(slides.talks()), LECTURES)
        for path in slides.talks():
            self.assertGreaterEqual(len(slides.slides_of(path.read_text())), 10, path.name)

    def test_a_slide_has_few_words_and_a_title(self):
        for path in slides.talks():
            for slide in slides.slides_of(re.sub(r"<!--.*?-->", "", path.read_text())):
                with self.subTest(path.name, slide=slide[:40]):
                    self.assertLessEqual(len(slide.split()), MOST_WORDS)
                    self.assertRegex(slide, r"^##? \S")

    def test_a_deck_needs_nothing_else(self):
        for path in slides.talks():
            text = slides.deck(path)
            count = len(slides.slides_of(path.read_text()))
            with self.subTest(path.name):
                self.assertEqual(text.count("<section>"), count)
                self.assertGreaterEqual(text.count("<svg"), 6)
                self.assertNotRegex(text, r"(?:src|href)=\"(?:https?:)?//")
                self.assertNotIn("<!-- value", text)
                self.assertNotIn("![", text)

    def test_a_figure_that_is_missing_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "talk.md"
            path.write_text("# A talk\n\n![](figure.svg)\n\n---\n\n## Two\n")
            with self.assertRaises(FileNotFoundError):
                slides.deck(path)
            (path.parent / "figure.svg").write_text("<svg></svg>")
            self.assertIn("<svg></svg>", slides.deck(path))


if __name__ == "__main__":
    unittest.main()
