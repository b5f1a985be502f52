"""`make help`: all targets that say what they do, in groups, on a terminal of 80 columns."""

import re
import subprocess
import unittest

from tests import SOURCES

MAKEFILE = (SOURCES / "Makefile").read_text()


class MakeHelp(unittest.TestCase):
    def setUp(self):
        done = subprocess.run(
            ["make", "--no-print-directory", "help"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=True,
        )
        self.lines = done.stdout.splitlines()

    def test_fits_80_columns(self):
        self.assertEqual([line for line in self.lines if len(line) > 80], [])
        said = re.findall(r"^\t@echo '([^'$]*)'$", MAKEFILE, re.M)
        self.assertGreater(len(said), 5)
        self.assertEqual([line for line in said if len(line) > 80], [])

    def test_every_target_and_all_of_its_words(self):
        targets = re.findall(r"^([a-z%-]+):.*## (.*)", MAKEFILE, re.M)
        self.assertGreater(len(targets), 30)
        text = " ".join(" ".join(self.lines).split())
        for target, words in targets:
            wanted = f"make {target.replace('%', '03')} {' '.join(words.split())}"
            self.assertIn(wanted, text)

    def test_groups_begin_with_what_a_newcomer_does_first(self):
        groups = [line for line in self.lines if line and not line.startswith(" ")]
        self.assertEqual(groups, re.findall(r"^##@ (.*)", MAKEFILE, re.M))
        self.assertEqual((groups[0], groups[-1]), ("Begin", "Work on the project"))


if __name__ == "__main__":
    unittest.main()
