"""Mistakes that only some problems show, and each of them costs the points of these.

python3 -m tests.classroom.rare_mistakes_test
"""

import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, visible_tests
from classroom.starters import write_to
from tests.classroom.cheats import Cheat
from tests.classroom.grading import ALL, SECRET, grade_of, on_all_cores


class RareMistakesTest(unittest.TestCase):
    """Of rung 02."""

    def test_the_factors_of_a_sum_are_tried(self):
        """C += A*B, and C -= A*B."""
        for wrong in ("beta == 1.0f", "alpha == -1.0f") if ALL else ("beta == 1.0f",):
            with self.subTest(wrong):
                edit = (("*gC = beta == 0.0f ?", f"*gC = beta == 0.0f || {wrong} ?"),)
                grade = grade_of(Cheat("", "", edit).files(), 2)
                rows = {test["id"]: test["points"] for test in grade["parts"][2]["tests"]}
                self.assertEqual(rows["hidden-ragged"], 0, grader.text_of(grade))

    def test_what_only_some_problems_show(self):
        """Each mistake is right for all visible problems."""
        store = "  *gC = beta == 0.0f ? alpha * acc : alpha * acc + beta * *gC;\n"
        term = "acc += gA[k] * gB[static_cast<size_t>(k) * N];"
        mistakes = {
            "ragged": (store, "  if (M > 300 && N > 300 && K > 300) acc = 0.0f;\n" + store),
            "long_sums": (store, "  if (K > 3000) acc += 1.0f;\n" + store),
            "again": (store, "  if (alpha < 1e-5f && alpha > 0) alpha = 0.0f;\n" + store),
            "again, large alpha": (store, "  if (alpha > 1e5f) alpha = 0.0f;\n" + store),
            "again, NaN": (store, "  if (acc != acc) acc = 0.0f;\n" + store),
            "again, infinity": (store, "  acc = fminf(fmaxf(acc, -3e38f), 3e38f);\n" + store),
            "again, denormal": (
                term,
                "const float a = gA[k];\n"
                "    acc += (fabsf(a) < 1e-38f ? 0.0f : a) * gB[static_cast<size_t>(k) * N];",
            ),
        }
        mistakes = mistakes if ALL else dict(list(mistakes.items())[::3])
        files = [Cheat("", "", (edit,)).files() for edit in mistakes.values()]
        grades = on_all_cores(lambda each: grade_of(each, 2), files)
        for name, grade in zip(mistakes, grades, strict=True):
            with self.subTest(name):
                lost = [t["id"] for p in grade["parts"][1:3] for t in p["tests"] if not t["points"]]
                self.assertEqual(lost, [f"hidden-{name.partition(',')[0]}"], grader.text_of(grade))

    def test_a_kernel_runs_plain_and_traced(self):
        """Where both differ, the visible tests show it."""
        rung = rung_of(2)
        wrong = ("float acc = 0.0f;", "float acc = 1.0f;")
        with tempfile.TemporaryDirectory() as room:
            folder = pathlib.Path(room)
            folder.chmod(0o755)
            write_to(folder / "sources", Cheat("", "", (wrong,)).files())
            libraries = {
                "traced": grader.REFERENCE[1],
                **build_libraries(
                    folder / "sources", rung, folder / "build", ("plain",), graded=True
                ),
            }
            tests = visible_tests(rung)
            job = grader.job_for(rung, tests, Secret(SECRET, rung), libraries, folder)
            job["memory"] = []
            for test in grader.judged(job)["tests"]:
                self.assertEqual([run["status"] for run in test["runs"]], ["right", "wrong"], test)


if __name__ == "__main__":
    unittest.main()
