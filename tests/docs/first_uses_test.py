"""No path uses a term before it has said what it means; docs/reading/first_uses.py sees it."""

import os
import unittest

from docs.reading import first_uses, paths
from tests import SOURCES

PAGE = """# A title about warps

An opening that promises latency and occupancy.

## A heading about warps

A *warp* is 32 threads. Warps have `lane` numbers, and FFMAs take their time. Here **latency** is
the time to the result.

<!-- begin card -->
a sector in a table
<!-- end card -->

<details markdown><summary>more</summary>

a wavefront in a fold

</details>

The [shared memory](shared_memory.md) of an SM comes later, and an SM is a *streaming
multiprocessor*, SM for short.
"""


class FirstUsesTest(unittest.TestCase):
    """The paths, and a page made up."""

    @classmethod
    def setUpClass(cls):
        """From the root of the sources."""
        os.chdir(SOURCES)

    def test_every_path_explains_a_term_before_it_uses_it(self):
        for name in paths.PATHS:
            with self.subTest(path=name):
                found = [f"{stop}:{line}: {term}" for stop, line, term in first_uses.of_path(name)]
                self.assertEqual(found, [])

    def test_many_terms_are_looked_for(self):
        self.assertGreater(len(first_uses.terms()), 90)
        self.assertEqual(set(first_uses.ALSO) - set(first_uses.terms()), set())

    def found(self, known=()):
        """{term: line} of the page above."""
        known = set(known)
        return {term: line for line, term in first_uses.first_uses("a.md", PAGE, known)}

    def test_what_is_not_explained_is_named_with_its_line(self):
        found = self.found()
        self.assertEqual(found.pop("FFMA"), 7)
        self.assertEqual(found.pop("occupancy"), 3, "the page never explains it")
        self.assertEqual(found.pop("SM"), 20, "it is nowhere emphasised")
        self.assertEqual(found, {}, "headings, code, folds and tables do not count")

    def test_what_an_earlier_page_explains_is_known(self):
        self.assertEqual(set(self.found(("FFMA", "occupancy"))), {"SM"})

    def test_forms_of_a_term(self):
        pattern = first_uses.pattern_of("double buffering")
        for text in ("double-buffered", "Double buffer", "two double buffers"):
            self.assertTrue(pattern.search(text), text)
        self.assertFalse(first_uses.pattern_of("SM").search("SMT, sm_90, `SM`"))


if __name__ == "__main__":
    unittest.main()
