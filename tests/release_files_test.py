"""Version, changelog, citation agree; containers and workflows call make's own targets."""

import json
import pathlib
import re
import shlex
import unittest

from tests import SOURCES
from tests.docs.page_commands import Commands

NUMBER = r"\d+\.\d+\.\d+"
DATE = r"\d{4}-\d{2}-\d{2}"
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def text_of(name):
    """A file at the top of the tree."""
    return (SOURCES / name).read_text()


def newest_release(changelog):
    """('0.2.0', '2026-11-25'): the first release in a changelog."""
    found = re.search(rf"^## \[({NUMBER})\] - ({DATE})$", changelog, re.M)
    return found.groups() if found else None


class Release(unittest.TestCase):
    """CMakeLists.txt, CHANGELOG.md, CITATION.cff."""

    def test_all_files_name_one_version_and_one_day(self):
        version, day = newest_release(text_of("CHANGELOG.md"))
        project = re.search(
            rf"^project\(gemm_ladder VERSION ({NUMBER}) ", text_of("CMakeLists.txt"), re.M
        )
        self.assertEqual(project[1], version)
        citation = dict(re.findall(r"^([\w-]+): (.+)$", text_of("CITATION.cff"), re.M))
        self.assertEqual((citation["version"], citation["date-released"]), (version, day))

    def test_releases_are_in_order_and_say_what_kind_a_change_is(self):
        changelog = text_of("CHANGELOG.md")
        headings = re.findall(r"^## (.+)$", changelog, re.M)
        releases = [
            re.fullmatch(rf"\[({NUMBER})\] - ({DATE})", each)
            for each in headings
            if each != "[Unreleased]"
        ]
        self.assertTrue(all(releases), headings)
        keys = [(tuple(map(int, each[1].split("."))), each[2]) for each in releases]
        self.assertEqual(keys, sorted(keys, reverse=True))
        self.assertEqual(set(re.findall(r"^### (.+)$", changelog, re.M)) - KINDS, set())


class Callers(unittest.TestCase):
    """.devcontainer and .github: what is typed by hand, and no other way."""

    def commands(self):
        """[(where, command)] that container and workflow run."""
        container = json.loads(text_of(".devcontainer/devcontainer.json"))
        found = [
            ("devcontainer.json", value)
            for name, value in container.items()
            if name.endswith("Command")
        ]
        for path in sorted((SOURCES / ".github" / "workflows").iterdir()):
            found += [
                (path.name, line) for line in re.findall(r"- run: (.+)$", path.read_text(), re.M)
            ]
        return [(where, one) for where, command in found for one in command.split(" && ")]

    def test_they_call_make_and_what_make_needs(self):
        known = Commands(pathlib.Path("no program"))
        made = set()
        for where, command in self.commands():
            words = shlex.split(command)
            if words[0] == "make":
                self.assertEqual(known.make_faults(words[1:]), [], f"{where}: {command}")
                made.add(where)
            elif words[0] == "apt-get":  # README: "with `git` and `make`"
                packages = [word for word in words[2:] if not word.startswith("-")]
                self.assertLessEqual(set(packages), {"ca-certificates", "git", "make"}, where)
            else:
                self.assertEqual(words[:4], ["git", "config", "--global", "--add"], where)
        self.assertEqual(made, {"devcontainer.json", "ci.yml"})


if __name__ == "__main__":
    unittest.main()
