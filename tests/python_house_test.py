"""The order of the house in Python: modules have names of their own, and imports run one way."""

import ast
import sys
import unittest

from tests import SOURCES

# What the modules of a folder may not import: whatever stands above it.
ABOVE = {
    "bench": ("docs", "tests"),
    "bench.record": ("bench.benchmark",),
    "docs": ("tests",),
    "docs.report": ("docs.figures",),
}


def modules():
    """{dotted name: path} of all Python files of the tree."""
    found = {}
    for folder in ("bench", "common", "docs", "ladder", "notebooks", "tests"):
        for path in sorted((SOURCES / folder).rglob("*.py")):
            found[".".join(path.relative_to(SOURCES).with_suffix("").parts)] = path
    return found


def inside(name, package):
    """Whether a module is this package or lies in it."""
    return f"{name}.".startswith(f"{package}.")


def imported(path):
    """Dotted names of all that a file imports: `from docs import report` is docs.report."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            names |= {f"{package}.{alias.name}" for alias in node.names}
    return names


class PythonHouseTest(unittest.TestCase):
    """All Python files of the tree."""

    def test_no_module_has_the_name_of_one_of_python(self):
        for name in modules():
            shadows = name.rpartition(".")[2] in sys.stdlib_module_names
            self.assertFalse(shadows, f"{name} has the name of a module of Python's")

    def test_imports_run_one_way(self):
        looked_at = 0
        for name, path in modules().items():
            above = [each for folder in ABOVE if inside(name, folder) for each in ABOVE[folder]]
            for wanted in imported(path):
                looked_at += inside(wanted, "bench") or inside(wanted, "docs")
                self.assertFalse(wanted.startswith("."), f"{name} imports {wanted}: say it in full")
                wrong = any(inside(wanted, each) for each in above)
                self.assertFalse(wrong, f"{name} imports {wanted}")
        self.assertGreater(looked_at, 100)

    def test_modules_are_found_by_their_packages_alone(self):
        for name, path in modules().items():
            if path != SOURCES / "tests" / "python_house_test.py":
                self.assertNotIn("sys.path", path.read_text(), name)


if __name__ == "__main__":
    unittest.main()
