"""Points for speed: the formula, and how the judge times. The emulator stands in for the GPU."""

import pathlib
import tempfile
import unittest
from unittest import mock

from bench.rungs import rung_of
from classroom import grade as grader
from classroom import points, speed
from classroom.judge_program import judged
from classroom.kernel_library import CompileError, architecture_for, build_libraries
from classroom.problems import Secret
from classroom.starters import starter, whole, write_to
from tests.classroom.cheats import RUN, Cheat

SECRET = b"of the tests"
ROUNDS = 4
SHAPE = (96, 64, 64)
GPU = {"name": "Made Up 2", "compute_capability": 90}
LAUNCH = "  for (const Gemm<float>& part : row_bands(gemm, BM)) {\n"
SLOW = ((LAUNCH, "  for (int again = 0; again < 200; ++again)\n" + LAUNCH),)
ONCE = ((RUN, "int calls = 0;\n\n" + RUN + "  if (++calls > 2) return;\n"),)
WRONG = (("acc += gA[k] *", "acc += 2.0f * gA[k] *"),)


def timed(edits=()):
    """What the judge says of rung 02 with edits, as plainly compiled."""
    rung = rung_of(2)
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        folder.chmod(0o755)
        write_to(folder / "sources", Cheat("", "", edits).files())
        plain = build_libraries(folder / "sources", rung, folder / "build", ("plain",))["plain"]
        traced = grader.REFERENCE[1]
        job = speed.speed_job(
            rung,
            Secret(SECRET, rung),
            [plain, traced],
            grader.REFERENCE,
            folder,
            device="cpu",
            worker="grader_worker",
            shapes=[SHAPE],
            rounds=ROUNDS,
        )
        return judged(job)["problems"][0]


def problem(status="right", yours=(2.0,), reference=(2.0,), message=""):
    """What the judge says of one shape."""
    return {
        "id": "4096 x 4096 x 4096",
        "status": status,
        "message": message,
        "findings": [],
        "yours": list(yours),
        "reference": list(reference),
    }


class FormulaTest(unittest.TestCase):
    """From times to points."""

    def test_equal_factors_cost_equal_points(self):
        """Full at 1.2 times the reference's time and below, nothing from 10 times on."""
        share = points.speed_share
        self.assertEqual([share(0.9), share(1.2), share(10), share(400)], [1, 1, 0, 0])
        self.assertAlmostEqual(share(2.4) - share(4.8), share(1.2) - share(2.4))

    def test_the_median_of_pairs_counts(self):
        """Not the medians of either: what disturbs one round disturbs both of its calls."""
        part = points.speed([problem(yours=(2.4, 24, 3.6), reference=(2, 20, 3))])
        self.assertEqual((part["points"], part["status"]), (20, "pass"))
        part = points.speed([problem(yours=(5, 50, 6), reference=(1, 10, 1.2))])
        self.assertAlmostEqual(part["points"], 20 * points.speed_share(5), places=2)
        self.assertIn("5.00x the time", part["tests"][0]["message"])

    def test_shapes_share_the_points(self):
        """And one whose result is wrong has none."""
        part = points.speed([problem(), problem("wrong", (), (), "3 elements are wrong")])
        self.assertEqual((part["points"], part["max_points"]), (10, 20))
        self.assertEqual(part["tests"][1]["message"], "3 elements are wrong")

    def test_no_gpu_costs_nothing(self):
        """Null, not zero."""
        part = points.speed_not_graded("no NVIDIA GPU was found")
        self.assertEqual((part["points"], part["max_points"]), (None, None))

    def test_a_terminal_shows_why(self):
        """In lines that fit."""
        part = points.speed_not_graded("a GPU whose name is long, " * 8)
        found = {
            "rung": {"label": "02 coalesced"},
            "score": 80,
            "max_score": 80,
            "parts": [part],
            "flags": [],
        }
        lines = grader.text_of(found).splitlines()
        self.assertIn("Speed was not graded: a GPU", "\n".join(lines))
        self.assertLessEqual(max(map(len, lines)), 80)


class JudgeTest(unittest.TestCase):
    """The judge's clock, and its look at every result."""

    def test_a_slower_kernel_takes_longer(self):
        """Each round has a time of each. Other work on this machine makes both longer, so the slow
        kernel may keep a few points.
        """
        same, slow = timed(), timed(SLOW)
        for found in (same, slow):
            self.assertEqual(
                (found["status"], len(found["yours"]), len(found["reference"])),
                ("right", ROUNDS, ROUNDS),
                found,
            )
        share = points.speed([slow])["points"]
        self.assertLess(2 * share, points.speed([same])["points"], (same, slow))

    def test_every_result_is_verified(self):
        """A kernel that is wrong gets no time."""
        self.assertEqual(timed(WRONG)["status"], "wrong")

    def test_no_call_knows_of_the_calls_before(self):
        """What works at its first calls only is at its first call each time."""
        self.assertEqual(timed(ONCE)["status"], "right")


class GradeTest(unittest.TestCase):
    """A whole grade on a machine that has a GPU."""

    def grade(self, files, library, problems=()):
        """Of rung 02; `library` stands in for nvcc, `problems` for the timing."""
        with (
            tempfile.TemporaryDirectory() as room,
            mock.patch.object(speed, "why_not", lambda _: (None, GPU)),
            mock.patch.object(speed, "library_for_gpu", library),
            mock.patch.object(speed, "timed_on_gpu", lambda *_: {"problems": problems}),
        ):
            folder = pathlib.Path(room, "work", rung_of(2).folder)
            write_to(folder, files)
            return grader.grade(folder, 2, SECRET)

    def test_points_for_speed(self):
        """100 in all; the GPU is named; a fault that only nvcc's object has makes the score 0."""
        right = whole(rung_of(2))
        found = self.grade(right, lambda *_: (None, []), [problem(yours=(4.0,))])
        self.assertEqual(found["machine"]["gpu"], "Made Up 2")
        self.assertEqual(found["max_score"], 100)
        self.assertAlmostEqual(found["score"], 80 + 20 * points.speed_share(2), places=1)
        fault = [("forbidden_symbol", "the kernel uses fork")]
        found = self.grade(right, lambda *_: (None, fault), [problem()])
        self.assertEqual(found["score"], 0)
        self.assertIn("fork", found["flags"][0]["message"])

    def test_what_nvcc_refuses_has_no_points(self):
        """With nvcc's words."""

        def refused(*_):
            raise CompileError(["kernel.cuh:3: no such thing"])

        part = self.grade(whole(rung_of(2)), refused)["parts"][-1]
        self.assertEqual((part["points"], part["max_points"]), (0, 20))
        self.assertIn("no such thing", part["message"])

    def test_a_wrong_kernel_is_not_timed(self):
        """Right first, then fast."""

        def never(*_):
            self.fail("a wrong kernel was timed")

        found = self.grade(starter(rung_of(2)), never)
        self.assertEqual((found["parts"][-1]["points"], found["max_score"]), (0, 100))
        nothing = self.grade({"kernel.cuh": "no CUDA", "launch.cu": "none"}, never)
        self.assertEqual((nothing["parts"][-1]["points"], nothing["max_score"]), (0, 100))


class MachineTest(unittest.TestCase):
    """What a GPU can time."""

    def test_the_architecture_that_runs(self):
        """The newest that the GPU runs; '90a' runs on 9.0 alone."""
        self.assertEqual(architecture_for(89, ["75", "80", "90"]), "80")
        self.assertEqual(architecture_for(120, ["75", "80", "90"]), "90")
        self.assertEqual(architecture_for(90, ["90a"]), "90a")
        with self.assertRaisesRegex(CompileError, "needs a GPU"):
            architecture_for(100, ["90a"])

    def test_why_a_rung_is_not_timed(self):
        """A build without CUDA, no GPU, a GPU that is too old or too new."""

        def why(rung, has_code, gpu):
            with (
                mock.patch.object(speed, "has_gpu_code", lambda: has_code),
                mock.patch.object(speed, "judged", lambda _: gpu),
            ):
                return speed.why_not(rung_of(rung))[0]

        self.assertIn("no code for GPUs", why(2, False, None))
        self.assertEqual(why(2, True, {"why": "no GPU was found"}), "no GPU was found")
        self.assertIsNone(why(2, True, GPU))
        self.assertIn("7.5", why(9, True, {"name": "T4", "compute_capability": 75}))
        for too_new in (101, 130):
            gpu = {"name": "Made Up 3", "compute_capability": too_new}
            self.assertIn("9.0, 10.0, 10.3 or 12.0 is needed", why(11, True, gpu))
        self.assertIsNone(why(11, True, {"name": "B200", "compute_capability": 100}))


if __name__ == "__main__":
    unittest.main()
