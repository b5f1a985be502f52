"""What a cheat meets that gets by the checks of sources and symbols: nothing is checked before it
runs, and the judge goes on.

python3 -m tests.classroom.past_the_symbols_test
"""

import dataclasses
import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, visible_tests
from classroom.starters import write_to
from tests.classroom.cheats import PAST_THE_SYMBOLS, Cheat
from tests.classroom.grading import SECRET, on_all_cores


class PastTheSymbolsTest(unittest.TestCase):
    """The process of a kernel holds it."""

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


if __name__ == "__main__":
    unittest.main()
