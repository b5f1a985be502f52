"""Every package in build/python is pinned, and runs on the Python of Debian 12 and of Debian 13."""

import importlib.metadata
import re
import unittest

from packaging.specifiers import SpecifierSet

from tests import SOURCES

DEBIAN = {12: "3.11.2", 13: "3.13.5"}
OF_VENV = {"pip", "setuptools"}  # `python3 -m venv` brings them


def same_name(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins():
    """{name: the line that pins it, with its file}"""
    found = {}
    for path in (*SOURCES.glob("*/requirements.txt"), SOURCES / ".ci" / "constraints.txt"):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, version = line.partition("==")
                found.setdefault(same_name(name), []).append((version, path.name))
    return found


class Pins(unittest.TestCase):
    def test_installed_packages_run_on_the_python_of_debian(self):
        for package in importlib.metadata.distributions():
            wanted = SpecifierSet(package.metadata.get("Requires-Python") or "")
            for release, version in DEBIAN.items():
                self.assertIn(
                    version,
                    wanted,
                    f"{package.name} {package.version} refuses the Python of Debian {release}",
                )

    def test_installed_packages_are_pinned(self):
        known = pins()
        installed = [p for p in importlib.metadata.distributions() if p.name not in OF_VENV]
        self.assertGreater(len(installed), 50)
        for package in installed:
            versions = [version for version, _ in known.get(same_name(package.name), [])]
            self.assertEqual(
                versions,
                [package.version],
                f"{package.name}: pinned in a requirements.txt or .ci/constraints.txt, once",
            )


if __name__ == "__main__":
    unittest.main()
