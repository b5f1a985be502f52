"""What a student may well write: a missing run() is named, what is no cheat is not called one.

python3 -m tests.classroom.honest_kernels_test
"""

import unittest

from classroom import grade as grader
from tests.classroom.cheats import Cheat
from tests.classroom.grading import ALL, SchemaMixin, fatal, grade_of


class HonestKernelsTest(SchemaMixin, unittest.TestCase):
    """Grades of rung 02 with edits."""

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


if __name__ == "__main__":
    unittest.main()
