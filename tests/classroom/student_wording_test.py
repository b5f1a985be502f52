"""What a student's check says, in its words. Behaviour is tested by codes, in student_test.py.

python3 -m tests.classroom.student_wording_test
"""

import unittest

from classroom.verdicts import MOST_HAZARDS
from tests.classroom.classroom import Classroom


class StudentWordingTest(unittest.TestCase):
    """Each test has a room of its own."""

    def setUp(self):
        self.room = self.enterContext(Classroom())

    def said(self, *words):
        """What a command prints, as one line and as its lines."""
        text = self.room.student(*words)[1]
        return " ".join(text.split()), text.splitlines()

    def test_a_right_kernel(self):
        self.room.write(2)
        text, _ = self.said("check", "coalesced")
        self.assertIn("02 coalesced right, no hazards", text)

    def test_reports_name_files_as_the_student_does(self):
        self.room.write(
            3, ("sA[threadIdx.y][k + threadIdx.x] =", "sA[threadIdx.y + 1][k + threadIdx.x] =")
        )
        text, lines = self.said("check", 3)
        self.assertIn("03 shared_tile WRONG, ", text)
        self.assertIn("uses index 32 of", text)
        self.assertNotIn("shared memory +", text)
        self.assertIn("work/03_shared_tile/kernel.cuh:", text)
        widest = max(len(line) for line in lines if str(self.room.work) not in line)
        self.assertLessEqual(widest, 80)

    def test_many_hazards_are_cut_short(self):
        self.room.write(
            3, ("    __syncthreads();\n\n    for", "    for"), ("float acc = 0.0f;", "float acc;")
        )
        _, lines = self.said("check", 3)
        hazards = [line for line in lines if line.startswith("- ")]
        self.assertEqual(len(hazards), MOST_HAZARDS + 1, hazards)
        self.assertRegex(hazards[-1], r"^- and \d+ more$")

    def test_a_loop_without_an_end(self):
        self.room.write(2, ("for (int k = 0; k < K; ++k)", "for (int k = 0; k < K;)"))
        self.assertIn("endless loop", self.said("check", 2)[0])

    def test_launches_that_cuda_refuses(self):
        self.room.write(3, ("constexpr int BM = 32;", "constexpr int BM = 64;"))
        self.assertIn(
            "launch refused: a block of (32, 64, 1) has 2048 threads", self.said("check", 3)[0]
        )


if __name__ == "__main__":
    unittest.main()
