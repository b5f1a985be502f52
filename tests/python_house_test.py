"""The order of the house in Python: modules have names of their own, and imports run one way."""

import ast
import sys
import unittest

from tests import ROOMS, SOURCES

# What the modules of a folder may not import: whatever stands above it.
ABOVE = {
    "bench": ("classroom", "docs", "tests"),
    "bench.record": ("bench.benchmark",),
    "classroom": ("docs", "tests"),
    "docs": ("tests",),
    "docs.report": ("docs.figures",),
}


def modules():
    """{dotted name: path} of all Python files of the tree."""
    found = {}
    for folder in ROOMS:
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


def numbers_of_rungs(path):
    """Lines that count rungs up from a number, reckon with their numbers, or compare them."""

    def is_rung(node):
        return getattr(node, "id", "") == "rung" or getattr(node, "attr", "") == "number"

    def is_number(node):
        return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0

    def is_range(node):
        return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"

    ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.For, ast.comprehension)):
            wrong = getattr(node.target, "id", "") == "rung" and is_range(node.iter)
            line = node.iter.lineno
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            pair = any(map(is_rung, sides)) and any(map(is_number, sides))
            wrong = pair and isinstance(node.ops[0], ordered)
            line = node.lineno
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            wrong = is_rung(node.left) and is_number(node.right)
            line = node.lineno
        else:
            continue
        if wrong:
            found.append(line)
    return found


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

    def test_classes_and_recorders_need_nothing_but_python(self):
        """A student's machine and a grader's have Python, and no package of an index."""
        for name, path in modules().items():
            if name in ("bench.record.fit_plan", "bench.record.fit_sizes"):  # need numpy
                continue
            if name.startswith(("bench.", "classroom.")) and not inside(name, "bench.labs"):
                others = {each.partition(".")[0] for each in imported(path)}
                others -= {*sys.stdlib_module_names, *ROOMS}
                self.assertEqual(others, set(), f"{name} imports what Python does not bring")

    def test_the_table_says_which_rungs_there_are(self):
        """bench/rungs.py: a new rung asks for no change here."""
        for path in modules().values():
            lines = numbers_of_rungs(path)
            self.assertEqual(lines, [], f"{path} has numbers of rungs in these lines")

    def test_modules_are_found_by_their_packages_alone(self):
        for name, path in modules().items():
            if path != SOURCES / "tests" / "python_house_test.py":
                self.assertNotIn("sys.path", path.read_text(), name)


if __name__ == "__main__":
    unittest.main()
