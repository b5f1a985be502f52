"""bench/benchmark/compare.py: what is slower, what is noise, which files it refuses to compare."""

import copy
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.benchmark.compare import u_test
from tests import SOURCES

CLIMB = SOURCES / "bench/results/nvidia-h200/climb_burst_4096.json"
RECORDED = SOURCES / "tests/bench/benchmark/data/benchmark_small.json"
ROW = "07_wave_swizzle/64x64x64/burst"


def brute_force_p(xs, ys):
    """The U test by looking at every choice."""
    pooled = xs + ys

    def distance(chosen):
        mine = [pooled[i] for i in chosen]
        rest = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        u = sum((x > y) + (x == y) / 2 for x in mine for y in rest)
        return abs(u - len(xs) * len(ys) / 2)

    limit = distance(range(len(xs)))
    choices = list(itertools.combinations(range(len(pooled)), len(xs)))
    return sum(distance(chosen) >= limit for chosen in choices) / len(choices)


class CompareTest(unittest.TestCase):
    """Each test changes a copy of recorded results."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.base = json.loads(RECORDED.read_text())
        self.new = copy.deepcopy(self.base)

    def tearDown(self):
        self.folder.cleanup()

    def scale(self, results, row, factors):
        """Multiplies the ratios of a row's samples."""
        for entry in results["benchmarks"]:
            if entry["run_name"] == row and entry["run_type"] == "iteration":
                entry["ratio_to_cublas"] *= factors[entry["repetition_index"] % len(factors)]

    def compare(self, *arguments):
        """Writes both files and compares them; returns (exit code, output)."""
        paths = []
        for name, results in (("base", self.base), ("new", self.new)):
            path = pathlib.Path(self.folder.name) / f"{name}.json"
            text = results if isinstance(results, str) else json.dumps(results)
            if text:
                path.write_text(text)
            paths.append(path)
        done = subprocess.run(
            [sys.executable, "-m", "bench.benchmark.compare", *paths, *arguments],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def assert_refused(self, sentence, *arguments):
        code, text = self.compare(*arguments)
        self.assertEqual(code, 2, text)
        self.assertIn(sentence, text)
        self.assertNotIn("Traceback", text)

    def line(self, text):
        return next(line for line in text.splitlines() if line.startswith(ROW))

    def test_a_file_is_no_slower_than_itself(self):
        code, text = self.compare()
        self.assertEqual(code, 0, text)
        self.assertRegex(self.line(text), r"\+0\.00 %  noise$")
        self.assertIn("Ratios to cuBLAS of the same run", text)
        self.assertNotIn("00_cublas", text)
        self.assertNotIn("best_cublaslt", text)

    def test_five_samples_that_are_all_slower_count(self):
        self.scale(self.new, ROW, [0.9])
        code, text = self.compare()
        self.assertEqual(code, 1, text)
        self.assertRegex(self.line(text), r"-10\.\d\d %  slower$")

    def test_faster_is_no_failure(self):
        self.scale(self.new, ROW, [1.1])
        code, text = self.compare()
        self.assertEqual(code, 0, text)
        self.assertRegex(self.line(text), r"\+(9|10)\.\d\d %  faster$")

    def test_samples_that_overlap_are_noise(self):
        self.scale(self.new, ROW, [0.9, 0.9, 0.9, 1.5, 1.5])
        code, text = self.compare()
        self.assertEqual(code, 0, text)
        self.assertRegex(self.line(text), r"-\d+\.\d\d %  noise$")

    def test_a_small_change_is_noise_however_sure(self):
        for entry in self.base["benchmarks"] + self.new["benchmarks"]:
            entry["ratio_to_cublas"] = 1.0
        self.scale(self.new, ROW, [0.996])
        self.assertEqual(self.compare()[0], 0)
        self.assertEqual(self.compare("--least", "0.1")[0], 1)
        self.assertEqual(self.compare("--least", "0.1", "--alpha", "0.001")[0], 0)

    def test_absolute_times_do_not_matter(self):
        for entry in self.new["benchmarks"]:
            entry["real_time"] *= 2
        self.assertEqual(self.compare()[0], 0)

    def test_other_conditions_are_refused(self):
        for field, name in (("device", "GPU"), ("protocol", "protocol"), ("cublas", "cuBLAS")):
            with self.subTest(field):
                self.new = copy.deepcopy(self.base)
                self.new["context"][field] = "other"
                old = self.base["context"][field]
                self.assert_refused(f"the {name} differs: {old} in the base, other in the new file")

    def test_a_row_of_one_file_is_refused_or_left_out(self):
        other = "01_naive/64x64x64/burst"
        for entry in list(self.new["benchmarks"]):
            if entry["run_name"] == ROW:
                self.new["benchmarks"].append({**entry, "run_name": other})
        self.assert_refused(f"only the new file has {other}: --only-common compares the others")
        self.assertEqual(self.compare("--only-common")[0], 0)
        self.base, self.new = self.new, self.base
        self.assert_refused(f"only the base has {other}")

    def test_another_protocol_of_a_row_is_named(self):
        for entry in self.new["benchmarks"]:
            entry["run_name"] = entry["run_name"].replace("burst", "graph")
        self.assert_refused(f"only the base has {ROW}: the other file has it with another protocol")
        self.assert_refused("the files have no row in common", "--only-common")

    def test_a_failed_row_is_refused(self):
        for entry in self.new["benchmarks"]:
            if entry["run_name"] == ROW:
                entry.update(error_occurred=True, error_message="wrong: NaN")
                del entry["ratio_to_cublas"]
        self.assert_refused(f"{ROW}: wrong: NaN")

    def test_what_is_no_time_is_an_error_and_never_slower(self):
        for value in (float("nan"), float("inf"), 0, -1.0, None, "fast", 1e300, True, []):
            for side in ("base", "new"):
                with self.subTest(value=value, side=side):
                    self.base = json.loads(RECORDED.read_text())
                    self.new = copy.deepcopy(self.base)
                    for entry in getattr(self, side)["benchmarks"]:
                        if entry["run_name"] == ROW and entry["run_type"] == "iteration":
                            entry["ratio_to_cublas"] = value
                    code, text = self.compare()
                    self.assertEqual(code, 2, text)
                    self.assertIn(f"{side}.json: ", text)
                    self.assertNotIn("slower", text)

    def test_a_climb_with_a_zero_or_a_failed_rung_is_an_error(self):
        for change in (
            {"samples_ms": [0.0] * 10},
            {"samples_ms": []},
            {"tflops": 0.0},
            {"verified": False, "note": "wrong at row 3"},
            {"samples_ms": [1.0]},
            {"samples_ms": [float("nan")] * 10},
        ):
            with self.subTest(change=change):
                self.base = json.loads(CLIMB.read_text())
                self.new = copy.deepcopy(self.base)
                self.new["benchmarks"][5].update(change)
                code, text = self.compare()
                self.assertEqual(code, 2, text)
                self.assertIn("new.json", text)
                self.assertNotIn("slower", text)

    def test_limits_are_numbers(self):
        for arguments in (
            ("--alpha", "nan"),
            ("--alpha", "2"),
            ("--least", "-1"),
            ("--least", "inf"),
        ):
            code, text = self.compare(*arguments)
            self.assertEqual(code, 2, text)
            self.assertIn("is no number from 0 to", text)

    def test_too_few_samples_are_refused(self):
        self.new["benchmarks"] = [
            entry for entry in self.new["benchmarks"] if entry.get("repetition_index") != 4
        ]
        self.assert_refused(f"{ROW} has fewer than 5 samples")

    def test_files_that_are_none_are_refused(self):
        self.new = ""
        self.assert_refused("new.json: cannot be read (No such file or directory)")
        self.new = '{"context": {'
        self.assert_refused("was its program stopped?")
        on_cpu = json.loads(CLIMB.read_text())
        for entry in on_cpu["benchmarks"]:
            entry["samples_ms"] = None
        for results in ([], {}, on_cpu):
            self.new = results
            self.assert_refused("Write files to compare with `make bench OUT=FILE`")
        self.new = {"context": self.base["context"], "benchmarks": []}
        self.assert_refused("holds no row of a rung")

    def test_two_climbs_are_compared_by_rung(self):
        self.base = json.loads(CLIMB.read_text())
        self.new = copy.deepcopy(self.base)
        entries = {entry["name"]: entry for entry in self.new["benchmarks"]}
        for entry in entries.values():  # another clock: cuBLAS and rungs alike
            entry["samples_ms"] = [2 * ms for ms in entry["samples_ms"]]
        slower = entries["07_wave_swizzle"]
        slower["samples_ms"] = [1.1 * ms for ms in slower["samples_ms"]]
        entries["14_every_shape"].update(outcome="refused", verified=False, samples_ms=None)
        code, text = self.compare("--only-common")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"07_wave_swizzle/4096x4096x4096/burst .*-9\.09 %  slower\n")
        self.assertEqual(text.count("slower\n"), 1, text)
        self.assertNotIn("00_cublas", text)
        slower.update(outcome="wrong", verified=False, note="NaN at row 3", samples_ms=None)
        self.assert_refused("07_wave_swizzle: NaN at row 3", "--only-common")


class UTest(unittest.TestCase):
    """The test itself."""

    def test_equals_brute_force(self):
        for xs, ys in (
            ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]),
            ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10]),
            ([1, 1, 2, 2, 3], [2, 3, 3, 3, 4]),
            ([1, 2, 3], [2, 2, 2, 5, 6, 7]),
            ([4, 4, 4, 4, 4], [4, 4, 4, 4, 4]),
        ):
            self.assertAlmostEqual(u_test(xs, ys), brute_force_p(xs, ys), places=12)

    def test_known_values(self):
        low, high = list(range(5)), list(range(5, 10))
        self.assertAlmostEqual(u_test(low, high), 2 / 252)
        self.assertAlmostEqual(u_test(list(range(20)), list(range(20, 40))), 2 / 137846528820)


if __name__ == "__main__":
    unittest.main()
