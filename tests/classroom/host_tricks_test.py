"""The host's code of a submission has no part in C: no element of A or B reaches it, and nothing
that it has written is there when a kernel has run. What survives a call is gone.

python3 -m tests.classroom.host_tricks_test
"""

import dataclasses
import os
import pathlib
import tempfile
import unittest

import classroom.grade as grader
from bench.rungs import rung_of
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, visible_tests
from classroom.starters import write_to
from tests.classroom.grading import on_all_cores
from tests.classroom.host_tricks import HONEST, TRICKS, Trick
from tests.parts import own_part

EACH_IS_TRIED = 1 if os.environ.get("LADDER_TEST_ALL") else 5
SECRET = b"of the tests"


def first_runs(trick, traced=True, again=()):
    """What the judge says of the runs of the first visible test."""
    rung = rung_of(2)
    test = visible_tests(rung)[0]
    test = dataclasses.replace(test, runs=({**test.runs[0], "traced": traced}, *again))
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        folder.chmod(0o755)
        write_to(folder / "sources", trick.files())
        flavour = "traced" if traced else "plain"
        made = build_libraries(folder / "sources", rung, folder / "build", (flavour,), graded=True)
        libraries = dict.fromkeys(("plain", "traced"), made[flavour])
        job = grader.job_for(rung, [test], Secret(SECRET, rung), libraries, folder)
        return grader.judged({**job, "memory": []})["tests"][0]["runs"]


class HostTricksTest(unittest.TestCase):
    """Nothing is checked before it runs."""

    def test_only_a_kernel_computes_c(self):
        """Each trick fails, with what it was, traced and as it runs."""
        tricks = own_part(TRICKS[::EACH_IS_TRIED])
        for traced in (True, False):
            found = on_all_cores(lambda trick, t=traced: first_runs(trick, t)[0], tricks)
            for trick, run in zip(tricks, found, strict=True):
                with self.subTest(trick.name, traced=traced):
                    codes = [finding["code"] for finding in run["findings"]]
                    if trick.finding:
                        self.assertIn(trick.finding, codes, run)
                    else:
                        self.assertIn(run["status"], trick.status.split(), run)

    def test_the_line_is_told(self):
        """Where the host's code touches A."""
        trick = next(each for each in TRICKS if each.name == "stores_c")
        lines = trick.files()["launch.cu"].splitlines()
        (place,) = first_runs(trick)[0]["findings"][0]["places"]
        self.assertEqual(place["file"], "work/02_coalesced/launch.cu")
        self.assertIn("*gemm.C = 0.0f", lines[place["line"] - 1])

    def test_honest_host_code_is_right(self):
        """Static objects are initialised, variables and a catch block do no harm."""
        before = (
            "std::vector<int> primes = {2, 3, 5};\nint calls = 0;\n"
            "thread_local int mine = 7;\n"
            "struct Twice {\n  Twice() { value = 2 * BM; }\n  int value;\n};\nTwice twice;\n"
        )
        body = (
            "  ++calls;\n  if (primes.size() != 3 || mine != 7 || twice.value != 64 || calls != 1) "
            "return;\n  try {\n    throw 1;\n  } catch (int) {\n  }\n" + HONEST
        )
        again = ({**visible_tests(rung_of(2))[0].runs[0], "traced": False},) * 2
        runs = first_runs(Trick("honest", before, body), again=again)
        self.assertEqual([run["status"] for run in runs], ["right"] * 3, runs)


if __name__ == "__main__":
    unittest.main()
