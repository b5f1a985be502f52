"""Sources that want something of the machine do no harm: each has a grade with a reason.

python3 -m tests.classroom.attacks_test
"""

import concurrent.futures
import json
import os
import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import contained
from classroom import grade as grader
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, visible_tests
from classroom.starters import whole, write_to
from tests import SOURCES
from tests.classroom.attacks import AT_RUN, ATTACKS
from tests.classroom.oddities import LAUNCH, RUN, edited
from tests.classroom.own_room import RoomMixin
from tests.schemas import faults

ALL = os.environ.get("LADDER_TEST_ALL")
MARK = "words-that-only-the-grader-may-read"
MOST_OF_AN_ATTACK = 10
CAN = contained.is_enough(contained.holds())


class AttacksTest(RoomMixin, unittest.TestCase):
    """grade() of what attacks the grader."""

    schema = json.loads((SOURCES / "classroom/grade_schema.json").read_text())

    def grade_of(self, attack):
        """The grade of an attack, as text too."""
        with tempfile.TemporaryDirectory() as room:
            folder, secret = pathlib.Path(room, "02_coalesced"), pathlib.Path(room, "secret")
            secret.write_text(f"{MARK}\n")
            folder.mkdir()
            for name, data in attack.files(str(secret).encode()).items():
                (folder / name).write_bytes(data)
            return grader.grade(folder, 2, secret.read_bytes())

    @unittest.skipUnless(CAN, "this machine cannot contain a submission")
    def test_each_ends_in_a_grade_with_a_reason(self):
        """No file of the machine is in it, and no path of the grader's."""
        attacks = ATTACKS if ALL else [each for each in ATTACKS if "bomb" not in each.name][::4]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            grades = list(pool.map(self.grade_of, attacks))
        for attack, grade in zip(attacks, grades, strict=True):
            text = json.dumps(grade, ensure_ascii=False)
            with self.subTest(attack.name):
                self.assertEqual(faults(grade, self.schema), [])
                self.assertLessEqual(grade["score"], MOST_OF_AN_ATTACK)
                self.assertIn(attack.said, json.dumps(grade["parts"], ensure_ascii=False))
                self.assertTrue(grade["parts"][0]["tests"][0]["message"])
                for foreign in (MARK, "root:", str(SOURCES) + "/", "/build/"):
                    self.assertNotIn(foreign, text)
                self.assertNotRegex(
                    grader.text_of(grade), r"[^\P{Cc}\n]".replace(r"\P{Cc}", " -~\x80-\U0010ffff")
                )

    def test_what_ends_in_the_worker(self):
        """One test, right after the compiler: the judge goes on and says what happened."""
        rung = rung_of(2)
        test = visible_tests(rung)[0]

        def run_of(name):
            code = AT_RUN[name][0]
            include = (LAUNCH, f"#include <stdexcept>\n#include <string>\n{LAUNCH}")
            write_to(
                self.room / name / "sources", edited(whole(rung), (include, (RUN, RUN + code)))
            )
            libraries = build_libraries(
                self.room / name / "sources", rung, self.room / name / "build"
            )
            job = grader.job_for(rung, [test], Secret(b"", rung), libraries, self.room)
            return grader.judged({**job, "memory": []})["tests"][0]["runs"][0]

        names = list(AT_RUN if ALL else list(AT_RUN)[:3])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, run in zip(names, pool.map(run_of, names), strict=True):
                with self.subTest(name):
                    _, status, said = AT_RUN[name]
                    self.assertEqual(run["status"], status, run["message"][:400])
                    self.assertIn(said, grader.points.plain_text.message(run["message"]))
                    self.assertLess(len(run["message"]), 5000)


if __name__ == "__main__":
    unittest.main()
