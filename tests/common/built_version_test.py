"""common/write_version.cmake: the commit of the sources, and of nothing around them."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests import SOURCES

BUILD = pathlib.Path(os.environ.get("LADDER_BUILD", SOURCES / "build"))
CMAKE = shutil.which("cmake")
SCRIPT = SOURCES / "common" / "write_version.cmake"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b")


class BuiltVersion(unittest.TestCase):
    """The script, in folders of its own; and the build that calls it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def git(self, *words):
        done = subprocess.run(
            ["git", *IDENTITY, *words], cwd=self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, **environment):
        """What version.hpp's commit() would return for the sources in self.sources."""
        written = self.root / "made" / "version.cpp"
        subprocess.run(
            [
                CMAKE,
                "-D",
                f"SOURCES={self.sources}",
                "-D",
                "VERSION=1.2.3",
                "-D",
                f"OUTPUT={written}",
                "-P",
                SCRIPT,
            ],
            check=True,
            cwd="/",
            env={**os.environ, **environment},
        )
        text = written.read_text()
        self.assertIn('return "1.2.3";', text)
        return re.search(r'commit\(\) {\s+return "(.*)";', text)[1]

    def test_git_names_the_commit_and_what_differs_from_it(self):
        self.sources = self.root
        (self.root / "file").write_text("1")
        self.git("init", "-q")
        self.git("add", "file")
        self.git("commit", "-qm", "first")
        head = self.git("rev-parse", "HEAD")[:12]
        self.assertEqual(self.commit(), head)
        (self.root / "file").write_text("2")
        self.assertEqual(self.commit(), f"{head}-dirty")
        self.assertEqual(self.commit(PATH="/nowhere"), "unknown", "no git is installed")

    def test_a_repository_around_the_sources_is_not_theirs(self):
        (self.root / "file").write_text("1")
        self.git("init", "-q")
        self.git("add", "file")
        self.git("commit", "-qm", "first")
        self.sources = self.root / "unpacked"
        self.sources.mkdir()
        self.assertEqual(self.commit(), "unknown")
        (self.sources / "COMMIT").write_text("0123456789ab\n")
        self.assertEqual(self.commit(), "0123456789ab", "as copies for a class have it")

    def test_a_commit_makes_the_build_write_one_file(self):
        found = subprocess.run(
            ["git", "rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode != 0 or not (SOURCES / ".git").exists():
            self.skipTest("the sources are no git repository")
        asked = subprocess.run(
            ["ninja", "-C", BUILD, "-t", "query", found.stdout.strip()],
            capture_output=True,
            text=True,
            check=True,
        )
        made = asked.stdout.partition("outputs:")[2].split()
        self.assertEqual({pathlib.Path(each).name for each in made}, {"built_version.cpp"})


if __name__ == "__main__":
    unittest.main()
