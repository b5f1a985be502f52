"""Adding a rung takes a folder, an add_rung() line and a line of the table; whatever else is
missing then is named in a sentence, file by file.

    LADDER_PROGRAM=build/ladder LADDER_ADDED_RUNGS=build/objects/tests/added \\
      python3 -m tests.add_a_rung_test

The program runs with libraries that hold the added rungs and the vendor's alone, so that little is
compiled; what it says of them joins the recorded facts in a copy of the tree. `make test-all`
builds such a copy.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from bench.rungs import FACTS, rung_named
from tests import SOURCES
from tests.add_a_rung import folder_of, numbered, write_tree

PROGRAM = os.environ["LADDER_PROGRAM"]
LIBRARIES = os.environ["LADDER_ADDED_RUNGS"]


def run(command, folder, **environment):
    """(exit code, standard output, errors)"""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def ladder(*arguments):
    """What the program says when it holds the added rungs alone."""
    return run([PROGRAM, *arguments], SOURCES, LD_LIBRARY_PATH=LIBRARIES)


def with_added_facts(text):
    """rungs.json with what the program says of the added rungs."""
    code, added, errors = ladder("list", "--json", "/dev/stdout")
    if code != 0:
        raise AssertionError(errors)
    known = dict(numbered())
    entries = [entry for entry in json.loads(added)["rungs"] if entry["number"] in known]
    facts = json.loads(text)
    return json.dumps({**facts, "rungs": [*facts["rungs"], *entries]}, separators=(",", ":"))


class AddARungTest(unittest.TestCase):
    """One copy of the tree, in which everything is asked for."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        write_tree(cls.root)
        facts = cls.root / FACTS
        facts.write_text(with_added_facts(facts.read_text()))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def python(self, module, *arguments):
        """A program of the copy: (exit code, [lines of what it says])"""
        code, out, errors = run([sys.executable, "-m", module, *arguments], self.root)
        fell = "Traceback" in errors and "AssertionError" not in errors
        self.assertFalse(fell or re.search("(Key|Type|Attribute|Value)Error", errors), errors)
        return code, (out + errors).splitlines()

    def of_added(self, *sentences):
        """Each sentence for each added rung."""
        return [
            sentence.format(
                number=f"{number:02}",
                label=f"{number:02} {addition.name}",
                folder=f"ladder/{folder_of(number, addition)}",
            )
            for number, addition in numbered()
            for sentence in sentences
        ]

    def test_the_program_lists_runs_traces_and_checks_it(self):
        code, listed, errors = ladder("list")
        self.assertEqual((code, errors), (0, ""))
        for number, addition in numbered():
            self.assertIn(f"{number:02} {addition.name}", listed)
            for command in ("run", "trace", "check"):
                code, text, errors = ladder(command, f"{number:02}", "--size", "96")
                self.assertEqual(code, 0, text + errors)
            self.assertEqual(ladder("run", addition.name, "--device", "cpu")[0], 0)

    def test_its_facts_are_those_of_its_sources(self):
        entries = json.loads((self.root / FACTS).read_text())["rungs"]
        numbers = [entry["number"] for entry in entries]
        self.assertEqual(numbers, sorted(set(numbers)))
        for number, addition in numbered():
            base = next(entry for entry in entries if entry["name"] == addition.base)
            ours = next(entry for entry in entries if entry["number"] == number)
            self.assertEqual(ours["folder"], folder_of(number, addition))
            for name in ("constants", "launches", "tile"):
                self.assertEqual(ours[name], base[name])
            self.assertEqual(ours["precision"], "BF16" if addition.edits else "FP32")
            kernel = ours["kernels"][0]
            self.assertEqual(kernel["template"], base["kernels"][0]["template"])
            self.assertIsNone(kernel["registers"], "nobody profiled it")

    def test_its_starter_is_made_as_soon_as_its_lesson_has_a_gap(self):
        exercise = "".join(
            [
                "\n## Exercises\n\n### Fill the gap: all of it\n\n",
                "Section: `Main loop over K` of `kernel.cuh`.\n\nAdd up the products.\n",
                *(
                    f"\n<details markdown><summary>Hint {i}</summary>\n\nAdd.\n\n</details>\n"
                    for i in (1, 2, 3)
                ),
            ]
        )
        for number, addition in numbered():
            folder = folder_of(number, addition)
            out, lesson = self.root / "given" / folder, self.root / "ladder" / folder / "README.md"
            code, lines = self.python("classroom.starters", str(number), str(out))
            self.assertEqual(code, 2)
            label = f"{number:02} {addition.name}"
            self.assertIn(f"the lesson of rung {label} has no gap to fill", lines[0])
            text = lesson.read_text()
            lesson.write_text(text + exercise)
            code, lines = self.python("classroom.starters", str(number), str(out))
            lesson.write_text(text)
            self.assertEqual((code, lines), (0, []))
            kernel = (out / "kernel.cuh").read_text()
            self.assertIn("// Your turn: Add up the products.", kernel)
            self.assertIn(f'"work/{folder}/kernel.cuh"', (out / "launch.cu").read_text())

    def test_the_report_writes_what_it_can_and_names_the_rest(self):
        code, lines = self.python("docs.report.report")
        self.assertEqual(code, 1)
        begin = "report.py: {folder}/README.md: <!-- begin "
        missing = self.of_added(
            begin + "predict -->: ladder/questions.json asks nothing of rung {number}",
            begin + "maths -->: rung {label} has no hand count in docs/report/by_hand.py",
        )
        self.assertEqual([line for line in lines if line.startswith("report.py")], missing)
        for number, addition in numbered():
            page = (self.root / "ladder" / folder_of(number, addition) / "README.md").read_text()
            for words in (
                f"| Rung | {number:02} {addition.name} |",
                "| Registers per thread | not recorded yet |",
                "| 4096 | not recorded yet | | | | | |",
                "<!-- value gain_4096 -->not recorded yet<!-- /value -->",
                "What it counts on an H200 is not recorded yet.",
                "`kernel.cuh` of [",
                *(f"| `{name}` |" for name in rung_named(addition.base).constants),
            ):
                self.assertIn(words, page)
        code, lines = self.python("docs.report.report", "--check")
        self.assertEqual((code, lines), (1, missing), "and nothing is stale")

    def test_other_pages_stay_as_they_are(self):
        self.python("docs.report.report")
        pages = ["README.md"]
        for folder in ("docs", "ladder"):
            pages += [path.relative_to(SOURCES) for path in (SOURCES / folder).rglob("*.md")]
        for page in pages:
            lists = "<!-- begin ladder -->" in (SOURCES / page).read_text()  # all rungs
            if str(page) != "docs/start/course.md" and not lists:  # has all lessons
                self.assertEqual((self.root / page).read_text(), (SOURCES / page).read_text(), page)
        self.assertIn(
            f"ladder/{folder_of(*next(iter(numbered())))}/",
            (self.root / "docs/start/course.md").read_text(),
        )

    def test_figures_are_drawn_but_for_its_own(self):
        code, lines = self.python("docs.figures.draw", "--check")
        missing = "draw.py: rung {label} has no figure: docs/figures/rung_{number}.py is not there"
        self.assertEqual((code, lines), (1, self.of_added(missing)))
        self.assertEqual(self.python("docs.report.plots", "--check"), (0, []))
        self.assertEqual(self.python("docs.report.widget_data", "--check"), (0, []))

    def test_the_maths_of_it_are_refused_in_a_sentence(self):
        for number, addition in numbered():
            code, lines = self.python("docs.report.maths", f"{number:02}")
            words = f"rung {number:02} {addition.name} has no hand count in docs/report/by_hand.py"
            self.assertEqual((code, lines), (2, [f"maths.py: {words}"]))

    def test_the_lesson_is_told_what_it_lacks(self):
        code, lines = self.python("tests.docs.lessons_test", PROGRAM)
        self.assertEqual(code, 1)
        for number, addition in numbered():
            path = f"ladder/{folder_of(number, addition)}/README.md"
            self.assertTrue([line for line in lines if line.startswith(f"{path}: ")], lines)

    def test_tests_of_figures_and_results_hold(self):
        """But for the figures and the machine code that are not there."""
        for module, failing in (
            (
                "tests.docs.figures_test",
                ["test_all_are_current", "test_pictures_for_phones_are_narrow"],
            ),
            ("tests.docs.report.plots_test", []),
            ("tests.docs.report.chapter_blocks_test", []),
            ("tests.docs.report.benchmark_tables_test", []),
            ("tests.docs.craft_pages_test", []),
            ("tests.bench.record.rank_orders_test", []),
            ("tests.bench.record.sass_order_test", ["test_it_holds_every_kernel"]),
        ):
            code, lines = self.python(module)
            failed = [line.split()[1] for line in lines if re.match("(FAIL|ERROR): ", line)]
            self.assertEqual((code, failed), (1 if failing else 0, failing), "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
