"""Grades from end to end: rungs as they are, starters, cheats, and what a cheat meets that gets by
the checks of sources and symbols."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import tempfile
import unittest
import unittest.mock

from bench import SOURCES
from bench.rungs import rung_of, rung_table
from classroom import grade as grader
from classroom import points
from classroom.allowed import CALLS
from classroom.kernel_library import BUILD, build_libraries
from classroom.problems import Secret, hidden_tests, memory_runs, visible_tests
from classroom.starters import starter, whole, write_to
from tests.classroom.cheats import CHEATS, PAST_THE_SYMBOLS, RUN, Cheat
from tests.schemas import faults

SECRET = b"of the tests"
LINE = re.compile(r"(?:kernel\.cuh|launch\.cu):\d+")
MOST_OF_A_STARTER = 10
FEWEST_CHEATS = 12
FEWEST_SWITCHES = 9
MOST_KERNELS = 13  # the rung whose dozens of kernels take by far the longest
ALL = os.environ.get("LADDER_TEST_ALL")


def on_all_cores(function, things):
    """[function(thing)] in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, things))


def grade_of(files, number):
    """The grade of a folder with these files."""
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room, "work", rung_of(number).folder)
        write_to(folder, files)
        return grader.grade(folder, number, SECRET)


def fatal(grade):
    """[(kind, sentence)] of what makes the score 0."""
    return [(flag["kind"], flag["message"]) for flag in grade["flags"] if flag["fatal"]]


class SchemaMixin:
    """Compares grades with the published schema."""

    schema = json.loads((SOURCES / "classroom/grade_schema.json").read_text())

    def assert_grade(self, grade):
        """A grade follows the schema, and its points add up."""
        self.assertEqual(faults(grade, self.schema), [])
        if not fatal(grade):
            total = sum(part["points"] or 0 for part in grade["parts"])
            self.assertAlmostEqual(grade["score"], total)
        for part in grade["parts"]:
            tests = sum(test["points"] for test in part["tests"])
            self.assertAlmostEqual(part["points"] or 0, tests)


class ReferencesAndStartersTest(SchemaMixin, unittest.TestCase):
    """Rungs of the table: half of them, or all of them in `make test-all` and CI."""

    rungs = [rung for rung in rung_table().values() if rung.tile]
    quick = rungs if ALL else [rung for rung in rungs if rung.number != MOST_KERNELS][::2]

    def assert_full(self, rung, grade):
        """All points, and no flag."""
        with self.subTest(rung.label):
            self.assert_grade(grade)
            self.assertEqual((grade["score"], grade["flags"]), (80, []), grader.text_of(grade))

    def test_every_reference_has_all_points(self):
        """As this build has compiled it."""
        rungs = self.quick
        lib = BUILD / "lib"
        built = {"plain": lib / "libemulated_rungs.so", "traced": lib / "libtraced_rungs.so"}
        with unittest.mock.patch.object(grader, "build_libraries", lambda *_, **__: built):
            grades = on_all_cores(lambda r: grade_of(whole(r), r.number), rungs)
        for rung, grade in zip(rungs, grades, strict=True):
            self.assert_full(rung, grade)

    def test_references_as_students_hand_them_in(self):
        """Those with one file of each kind, with dynamic shared memory, with further headers."""
        rungs = [rung_of(number) for number in ((3, 12, 14) if ALL else (3, 12))]
        for rung, grade in zip(
            rungs, on_all_cores(lambda r: grade_of(whole(r), r.number), rungs), strict=True
        ):
            self.assert_full(rung, grade)

    def test_every_starter_has_at_most_ten(self):
        """It builds, and no more; nobody takes it for a cheat."""
        rungs = self.quick if ALL else self.quick[1::2]
        grades = on_all_cores(lambda r: grade_of(starter(r), r.number), rungs)
        for rung, grade in zip(rungs, grades, strict=True):
            with self.subTest(rung.label):
                self.assert_grade(grade)
                self.assertLessEqual(grade["score"], MOST_OF_A_STARTER, grader.text_of(grade))
                self.assertEqual(grade["parts"][0]["points"], 10, grader.text_of(grade))
                self.assertEqual(fatal(grade), [])
        again = grade_of(starter(rungs[0]), rungs[0].number)
        self.assertEqual(again["parts"], grades[0]["parts"], "the same secret, another grade")


class CheatsTest(SchemaMixin, unittest.TestCase):
    """Cheats score 0."""

    def test_each_scores_zero_and_says_why(self):
        """A flag of the right kind, with the reason in words."""
        self.assertGreaterEqual(len(CHEATS), FEWEST_CHEATS)
        grades = on_all_cores(lambda cheat: grade_of(cheat.files(), cheat.rung), CHEATS)
        for cheat, grade in zip(CHEATS, grades, strict=True):
            with self.subTest(cheat.name):
                self.assert_grade(grade)
                self.assertEqual(grade["score"], 0, grader.text_of(grade))
                kinds = [kind for kind, _ in fatal(grade)]
                self.assertIn(cheat.kind, kinds, grader.text_of(grade))
                self.assertIn(cheat.said, " ".join(text for _, text in fatal(grade)))

    def test_no_call_sets_the_emulator(self):
        """None of its switches is among the functions that a kernel may use."""
        files = ("settings.hpp", "workspace.hpp", "launch.hpp", "grid_runner.hpp")
        texts = [(SOURCES / "emulator/run" / name).read_text() for name in files]
        switches = {name for text in texts for name in re.findall(r"\b((?:set|clear)_\w+)\(", text)}
        self.assertGreaterEqual(len(switches), FEWEST_SWITCHES)
        for name in switches:
            with self.subTest(name):
                self.assertIsNone(CALLS.fullmatch(f"ladder::emulator::{name}"))

    def test_the_process_holds_what_gets_past_the_symbols(self):
        """Nothing is checked before it runs, and the judge goes on."""
        rung = rung_of(2)
        test = visible_tests(rung)[0]
        test = dataclasses.replace(test, runs=({**test.runs[0], "traced": False},))

        def run_of(name):
            edits = PAST_THE_SYMBOLS[name][0]
            with tempfile.TemporaryDirectory() as room:
                folder = pathlib.Path(room)
                folder.chmod(0o755)
                write_to(folder / "sources", Cheat(name, "", edits).files())
                libraries = {
                    "traced": grader.REFERENCE[1],
                    **build_libraries(
                        folder / "sources", rung, folder / "build", ("plain",), graded=True
                    ),
                }
                secret = Secret(SECRET, rung)
                job = grader.job_for(rung, [test], secret, libraries, folder)
                return grader.judged(job)["tests"][0]["runs"][0]

        for name, run in zip(PAST_THE_SYMBOLS, on_all_cores(run_of, PAST_THE_SYMBOLS), strict=True):
            with self.subTest(name):
                _, status, said = PAST_THE_SYMBOLS[name]
                self.assertEqual(run["status"], status, run["message"])
                self.assertIn(said, run["message"])
        self.assertFalse(pathlib.Path("/tmp/cheat_of_the_grader").exists())


class HonestTest(SchemaMixin, unittest.TestCase):
    """What a student may well write."""

    def test_a_missing_run_is_named(self):
        """Another signature, one that nobody can call, and no function at all."""
        taken = "void run(const Gemm<float>& gemm, Stream stream) {"
        edits = (
            ((taken, "void run(Gemm<float> gemm, Stream stream) {"),),
            ((taken, "static " + taken),),
            ((taken, taken.replace(" run", " start")),),
        )
        for edit in edits if ALL else edits[:1]:
            with self.subTest(edit=edit):
                grade = grade_of(Cheat("", "", edit).files(), 2)
                self.assert_grade(grade)
                self.assertEqual((grade["score"], grade["flags"]), (0, []), grader.text_of(grade))
                [test] = grade["parts"][0]["tests"]
                self.assertIn("ladder::coalesced has no function run(", test["message"])

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

    def test_constants_and_functions_are_no_cheat(self):
        """Tables of constants, functions of one's own, mathematics, an error with a sentence."""
        edits = (
            (
                '#include "common/launch.cuh"',
                "#include <array>\n#include <cmath>\n"
                '#include <stdexcept>\n#include "common/launch.cuh"',
            ),
            (
                "void run(const Gemm<float>& gemm, Stream stream) {\n",
                'static const char* const kNames[] = {"rows", "columns"};\n'
                "constexpr std::array<int, 2> kTile = {BM, BN};\n\n"
                "static int blocks(int extent, int side) {\n"
                "  if (extent < 0) throw std::invalid_argument(kNames[side]);\n"
                "  return static_cast<int>(std::ceil(extent / static_cast<double>(kTile[side])));\n"
                "}\n\n"
                "void run(const Gemm<float>& gemm, Stream stream) {\n",
            ),
            (
                "const dim3 grid(ceil_div(part.N, BN), ceil_div(part.M, BM));",
                "const dim3 grid(blocks(part.N, 1), blocks(part.M, 0));",
            ),
        )
        grade = grade_of(Cheat("honest", "", edits).files(), 2)
        self.assert_grade(grade)
        self.assertEqual((grade["score"], fatal(grade)), (80, []), grader.text_of(grade))


class HiddenTestsTest(unittest.TestCase):
    """What the secret decides."""

    def test_another_secret_gives_other_problems(self):
        """And the same one the same, for every rung."""
        for rung in rung_table().values():
            if not rung.tile:
                continue
            with self.subTest(rung.label):
                one, again, other = (
                    hidden_tests(rung, Secret(secret, rung)) for secret in (b"a", b"a", b"b")
                )
                self.assertEqual(one, again)
                self.assertNotEqual(one, other)
                self.assertAlmostEqual(sum(test.points for test in one), 25)

    def test_large_problems_are_among_them(self):
        """All extents large, and a long K; what the memory part takes cannot be guessed."""
        for rung in (rung for rung in rung_table().values() if rung.tile):
            counted = set()
            for number in range(20):
                secret = Secret(str(number).encode(), rung)
                shapes = [run["shape"] for t in hidden_tests(rung, secret) for run in t.runs]
                with self.subTest(rung.label):
                    self.assertGreater(max(map(min, shapes)), 300)
                    self.assertGreater(max(k for _, _, k in shapes), 3000)
                counted.add(tuple(memory_runs(rung, secret)[0]["shape"]))
            self.assertGreaterEqual(len(counted), 18, rung.label)

    def test_hidden_tests_name_lines_where_a_visible_one_fails_too(self):
        """A kernel could choose by its shape at which line it fails."""
        begin = "  float acc = 0.0f;\n"
        for when, named in (("K > 600", False), ("K > 0", True)) if ALL else (("K > 600", False),):
            edit = (begin, begin + f"  if ({when}) acc += A[static_cast<size_t>(M) * K + 8];\n")
            grade = grade_of(Cheat("", "", (edit,)).files(), 2)
            hidden = grade["parts"][2]["tests"]
            codes = [code for test in hidden for code in test["codes"]]
            said = " ".join(test["message"] for test in hidden)
            with self.subTest(when):
                self.assertIn("out-of-bounds-matrix", [code["code"] for code in codes])
                self.assertEqual(any("places" in code for code in codes), named, codes)
                self.assertEqual(bool(LINE.search(said)), named, said)

    def messages(self, grade, part):
        """Of the tests that are not right, and of the flags that name no visible test."""
        tests = grade["parts"][part]["tests"]
        flags = [flag["message"] for flag in grade["flags"] if "hidden" in flag["message"]]
        return [test["message"] for test in tests if test["status"] != "pass"], flags

    def assert_tells_no_number(self, grade, known=()):
        """Hidden tests fail, and say nothing but words and lines of the student's files."""
        said, flags = self.messages(grade, 2)
        self.assertGreater(len(said), 3, grader.text_of(grade))
        for text in (*said, *flags):
            self.assertNotEqual(text, "")
            self.assertNotRegex(LINE.sub("", text), r"\d", text)
            for word in known:
                self.assertNotIn(word, text)

    def test_a_hidden_test_names_no_number_of_its_problem(self):
        """Of accesses beyond a matrix and of wrong elements; visible tests name them all."""
        for edits, code in (
            ((("b_k < K && col < N", "b_k < K"),), "out-of-bounds-matrix"),
            ((("b_k < K && col < N", "b_k + 1 < K && col < N"),), "every-element-wrong"),
        ):
            grade = grade_of(Cheat("edge", "", edits, rung=3).files(), 3)
            self.assert_tells_no_number(grade)
            self.assertRegex(" ".join(self.messages(grade, 1)[0]), r"\[\d+\]")
            codes = {
                found["code"]
                for part in grade["parts"][1:3]
                for test in part["tests"]
                for found in test["codes"]
            }
            self.assertIn(code, codes)

    def test_what_is_out_of_bounds_is_told_first_and_the_same_once(self):
        guard = "  if (row >= M || col >= N) return;\n"
        grade = grade_of(Cheat("no guard", "", ((guard, ""),)).files(), 2)
        tests = [test for part in grade["parts"][1:3] for test in part["tests"]]
        told = [[code["group"] for code in test["codes"]] for test in tests]
        outside = [groups for groups in told if "out-of-bounds" in groups]
        self.assertGreater(len(outside), 10)
        for groups in outside:  # there is room for three, and races come after them
            self.assertEqual(groups, sorted(groups))
            self.assertEqual(set(groups[:2]), {"out-of-bounds"})
        said = grader.text_of(grade)
        lost = [test for test in tests if test["status"] == "fail"]
        messages = {test["message"] for test in lost}
        self.assertLess(len(messages), len(lost))
        for test in lost:
            self.assertIn(f"{test['name']}: 0 of ", said)
        for message in messages:
            lines = "\n".join(grader.indented(message, 18))
            self.assertEqual(said.count(f"{lines}\n"), 1, message)

    def test_a_kernel_cannot_tell_what_it_was_called_with(self):
        """Neither in an exception's words nor in the status of its end."""
        include = '#include "common/launch.cuh"\n'
        edits = (
            (include, f"#include <stdexcept>\n#include <string>\n{include}"),
            (
                RUN,
                RUN + "  if (gemm.M > 1) {\n"
                '    throw std::runtime_error("M is " + std::to_string(gemm.M));\n  }\n',
            ),
        )
        grade = grade_of(Cheat("tells", "", edits).files(), 2)
        self.assert_tells_no_number(grade, ("M is",))
        self.assertRegex(" ".join(self.messages(grade, 1)[0]), r"M is \d")

    def test_the_judge_keeps_sentences_of_hidden_tests(self):
        """They are made from codes alone, whatever the status."""
        kernel = "work/03_shared_tile/kernel.cuh"
        places = [{"file": kernel, "line": line} for line in (53, 47)]
        finding = {
            "code": "race-in-shared-memory",
            "group": "race",
            "title": "Two threads",
            "places": places,
        }
        for status in (*points.OF_STATUS, "hazard"):
            said = points.hidden_message({"status": status, "findings": [finding]})
            self.assertTrue(said.endswith("Two threads: kernel.cuh:53 and kernel.cuh:47."), said)
        finding["places"] = places[:1] * 2
        said = points.hidden_message({"status": "hazard", "findings": [finding]})
        self.assertTrue(said.endswith("Two threads: kernel.cuh:53."), said)

    def test_rungs_take_every_shape(self):
        """N and K are multiples of what the rung needs, and everything is at least 1."""
        for rung in rung_table().values():
            if not rung.tile:
                continue
            for number in range(50):
                secret = Secret(str(number).encode(), rung)
                for test in (*visible_tests(rung), *hidden_tests(rung, secret)):
                    for run in test.runs:
                        m, n, k = run["shape"]
                        self.assertGreaterEqual(min(m, n, k), 1, (rung.label, test))
                        self.assertEqual(
                            (n % rung.multiple_of, k % rung.multiple_of), (0, 0), (rung.label, test)
                        )


if __name__ == "__main__":
    unittest.main()
