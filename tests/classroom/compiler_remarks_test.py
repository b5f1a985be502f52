"""What a student reads about a kernel that compiles, and that nvcc refuses or that overruns an array.

python3 -m tests.classroom.compiler_remarks_test
"""

import pathlib
import tempfile
import unittest

from classroom.compiler_messages import remarks
from classroom.kernel_library import WARNINGS, build_libraries
from tests.classroom.edited_kernel import edited_kernel

LOADS = (
    "      for (int n = 0; n < TN; ++n) {\n"
    "        rB[n] = sB[k][thread_col + n * kThreadCols];\n"
)
# rung, text of the kernel, what takes its place, code of the line that is named, arrays
OVERRUNS = (
    (
        4,
        "float acc[TM][TN] = {}; ",
        "float acc[TM][TN - 1] = {};",
        "acc[m][n] += rA[m] * rB[n]",
        "`acc`",
    ),
    (4, LOADS, LOADS.replace("< TN", "<= TN"), "rB[n] = sB", "`sB` and `rB`"),
    (
        4,
        LOADS,
        LOADS.replace("< TN", "< 2 * TN").replace("rB[n]", "(&rB[0])[n]"),
        "(&rB[0])[n]",
        "`sB` and `rB`",
    ),
    (
        5,
        "  const int",
        "  float pair[2];\n  for (int i = 0; i < 4; ++i) (&pair[0])[i] = A[i];\n"
        "  if (M == -1) C[0] = pair[K % 2];\n  const int",
        "(&pair[0])[i]",
        "`pair`",
    ),
    (
        5,
        "  const int",
        "  float pair[2];\n  float* to = pair;\n"
        "  for (int i = 0; i < 4; ++i) to[i] = A[i * K];\n"
        "  if (M == -1) C[0] = pair[K % 2];\n  const int",
        "to[i] = A",
        "`pair`",
    ),
)


class CompilerRemarksTest(unittest.TestCase):
    """remarks()"""

    def test_what_only_nvcc_refuses_is_remarked(self):
        """The emulator's compiler takes it."""
        for new, meaning in (
            ("__shared__ float sA[BM][BK] = {};", "nvcc refuses"),
            ("__shared__ float sA[BM][BK];\n  __syncthreads;", "A call needs its brackets"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                rung, path = edited_kernel(folder, 3, "__shared__ float sA[BM][BK];", new)
                out = pathlib.Path(folder, "out")
                build_libraries(path, rung, out, flavours=("plain",))
                said = (out / WARNINGS).read_text()
                self.assertIn(meaning, " ".join(" ".join(remarks(said, path)).split()))

    def test_an_overrun_that_the_compiler_can_prove_is_remarked(self):
        """No run may show it: the compiler leaves out what follows."""
        for rung, old, new, code, array in OVERRUNS:
            with self.subTest(new), tempfile.TemporaryDirectory() as folder:
                rung, path = edited_kernel(folder, rung, old, new)
                out = pathlib.Path(folder, "out")
                build_libraries(path, rung, out, flavours=("traced",), look=True)
                lines = remarks((out / WARNINGS).read_text(), path)
                text = "\n".join(lines)
                self.assertRegex(lines[0] if lines else "", r"^work/\w+/\w+\.\w+:\d+$", text)
                self.assertIn(code, text)
                said = " ".join(text.split())
                self.assertIn(f"This goes beyond the end of {array}. g++ may leave out", said)

    def test_a_good_kernel_gets_no_remark(self):
        with tempfile.TemporaryDirectory() as folder:
            rung, path = edited_kernel(folder, 5, "kPad = 4", "kPad = 8")
            out = pathlib.Path(folder, "out")
            libraries = build_libraries(path, rung, out, flavours=("plain",), look=True)
            self.assertEqual(libraries, {"plain": out.resolve() / "libemulated_rungs.so"})
            self.assertEqual(remarks((out / WARNINGS).read_text(), path), [])


if __name__ == "__main__":
    unittest.main()
