"""docs/reading/words.py counts what there is to read, and knows what it left out."""

import json
import os
import pathlib
import unittest

from docs.reading import words
from tests import SOURCES

PAGE = """# Two words

Five words, and <!-- value a -->7<!-- /value --> <!-- a comment -->

```sh
make run
make trace
```

33 · 2147 million / (132 · 1980 million per second) = 271 ms.

$$
a = b
$$

<!-- begin card -->
four words of generated
<!-- end card -->

<details markdown><summary>more</summary>

folded away

```sh
make luck
```

</details>
"""


class WordsTest(unittest.TestCase):
    """What counts, and what is counted apart."""

    @classmethod
    def setUpClass(cls):
        """All pages, from the root of the sources."""
        os.chdir(SOURCES)

    def test_a_page(self):
        count = words.counted(PAGE)
        self.assertEqual(count.open, len("# Two words Five words, and 7".split()) + 14)
        self.assertEqual(count.folded, 5)  # three of them are the fold's own marks
        self.assertEqual(count.generated, 12)
        self.assertEqual(count.code_lines, 2)
        self.assertEqual(count.formulas, 2)

    def test_minutes_grow_with_words_formulas_and_code(self):
        plain = words.counted("word " * 1500)
        self.assertEqual(plain.minutes, 1500 / words.WORDS_PER_MINUTE)
        for more in ("\n\n$$\na = b\n$$\n", "\n\n```sh\n1\n2\n```\n"):
            self.assertGreater(words.counted("word " * 1500 + more).minutes, plain.minutes)
        self.assertEqual(words.minutes_to_read("word " * 1500), 10)
        self.assertEqual(words.minutes_to_read("word"), 5)

    def test_the_table_has_all_pages_and_what_is_gone(self):
        now = {"a.md": words.counted("one two"), "new.md": words.counted("one")}
        lines = words.listed(now, {"a.md": {"open": 5}, "gone.md": {"open": 9}})
        self.assertEqual(lines[1].split()[:3], ["a.md", "5", "2"])
        self.assertEqual(lines[2].split()[:2], ["new.md", "1"])
        self.assertEqual(lines[3].split()[:3], ["all", "14", "3"])
        self.assertIn("9 of the words", lines[4])

    def test_the_last_edition_is_kept(self):
        kept = json.loads(words.LAST_EDITION.read_text())
        lessons = [path for path in kept if pathlib.Path(path).match("ladder/*/README.md")]
        self.assertGreaterEqual(len(lessons), 19)
        self.assertTrue(all(entry["open"] > 0 for entry in kept.values()))


if __name__ == "__main__":
    unittest.main()
