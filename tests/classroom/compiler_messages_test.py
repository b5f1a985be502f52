"""Kernels that do not compile, each with one common mistake: the student reads the line and the
reason, and little else.

    python3 -m tests.classroom.compiler_messages_test
"""

import concurrent.futures
import pathlib
import re
import tempfile
import unittest

from classroom.kernel_library import CompileError, build_libraries
from tests.classroom.edited_kernel import edited_kernel
from tests.parts import own_part

INNER = "      acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];\n"
END = "    __syncthreads();\n  }\n"
WAIT = "    ptx::cp_async_wait<STAGES - 2>();\n    __sync"

# rung, text of the kernel, what takes its place, (code of the line that is named, what is said)
MISTAKES = (
    (3, "    gA += BK;\n", "    gA += BK\n", "gA += BK", "A `;` is missing"),
    (3, "  float acc = 0.0f;\n", "  float acc = 0.0f\n", "float acc = 0.0f", "A `;` is missing"),
    (2, "k = 0; k < K; ++k", "k = 0, k < K, ++k", "k < K, ++k", "three parts, with a `;` after"),
    (2, "k = 0; k < K; ++k", "k = 0; k < K, ++k", "k < K, ++k", "three parts, with a `;` after"),
    (2, "float acc = 0.0f;", "float acc += 0.0f;", "float acc", "if it is declared above, leave"),
    (2, "float acc = 0.0f;", "float acc == 0.0f;", "float acc", "`==` compares two values"),
    (2, "float acc = 0.0f;", "float acc = 0.0f float b = 1;", "float b", "before `float`"),
    (3, "  float acc = 0.0f;\n", "", INNER, "belongs to the section 'Shared tiles and registers'"),
    (3, "[k] * sB", "[kk] * sB", "sA[threadIdx.y][kk]", "Did you mean `k`?"),
    (3, "* BN + threadIdx.x;", "* BN + threadidx.x;", "threadidx", "CUDA spells it `threadIdx`"),
    (
        3,
        "    __syncthreads();\n\n",
        "    __syncthread();\n\n",
        "__syncthread()",
        "CUDA spells it `__syncthreads`",
    ),
    (3, END, f"{END[:-4]}    acc += k;\n  }}\n", "acc += k", "inside the braces"),
    (
        3,
        "    gA += BK;\n",
        "    cudaMalloc(nullptr, 4);\n",
        "cudaMalloc",
        "is a function of the host",
    ),
    (3, "sA[threadIdx.y][k] * sB", "sA[threadIdx.y] * sB", "sA[threadIdx.y] *", "a whole row"),
    (3, INNER, "      acc = gA;\n", "acc = gA", "a pointer, an address, where a number is needed"),
    (3, "acc += sA", "acc[0] += sA", "acc[0]", "one subscript too many"),
    (
        3,
        "float sA[BM][BK];",
        "float sA[M][BK];",
        "float sA[M][BK]",
        "must be known when the kernel is compiled",
    ),
    (3, END, "    __syncthreads();\n", "", "A `}` is missing between line 38, 'Main loop over K',"),
    (3, END, f"{END}  }}\n", "", "There is one `}` too many between line 38"),
    (3, "k0 += BK) {", "k0 += BK {", "k0 += BK {", "A `)` is missing"),
    (3, "    gA += BK;\n", "    row += BK;\n", "row += BK", "`row` is `const`"),
    (
        3,
        "constexpr int BK = 64;",
        "constexpr int BK = 40;",
        "static_assert",
        "what the tile sizes must satisfy",
    ),
    (5, "[a_m] = a.x;", "[a_m] = a;", "= a;", "`.x`, `.y`, `.z` or `.w`"),
    (
        9,
        WAIT,
        WAIT.replace("<STAGES - 2>()", "(STAGES - 2)"),
        "cp_async_wait(",
        "takes its number in angle brackets",
    ),
    (9, WAIT, WAIT.replace("ptx::", ""), "cp_async_wait<", "write `ptx::cp_async_wait`"),
    (
        3,
        "    gA += BK;\n",
        "    undefined_here(gA);\n",
        "undefined_here",
        "`undefined_here` is not declared.",
    ),
    (
        3,
        "    const dim3 grid(",
        "    const dim3 blockDim(BN, BM);\n    const dim3 grid(",
        "const dim3 blockDim(BN, BM);",
        "call the variable of the host `block` or `grid`",
    ),
)
MOST_LINES = 15


def lines_about(mistake):
    """What a student reads about a mistake."""
    with tempfile.TemporaryDirectory() as folder:
        rung, path = edited_kernel(folder, *mistake[:3])
        try:
            build_libraries(path, rung, pathlib.Path(folder, "out"), flavours=("plain",))
        except CompileError as error:
            return error.lines
    return []


class CompilerMessagesTest(unittest.TestCase):
    """What a student reads."""

    def test_each_mistake_is_named_with_its_line_and_reason(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            mistakes = own_part(MISTAKES)
            found = list(pool.map(lines_about, mistakes))
        for mistake, lines in zip(mistakes, found, strict=True):
            _, _, new, code, meaning = mistake
            text = "\n".join(lines)
            self.assertRegex(lines[0] if lines else "", r"^work/\w+/\w+\.\w+:\d+$", new)
            self.assertIn(meaning, " ".join(text.split()), new)
            self.assertIn(code.strip(), text, new)
            self.assertLessEqual(len(lines), MOST_LINES, text)
            self.assertNotIn("emulator", text)
            for line in lines:
                if not re.match(r"work/|    \S", line):
                    self.assertLessEqual(len(line), 80, line)

    def test_a_missing_semicolon_comes_before_what_follows_from_it(self):
        """Of the line below, which is right, not a word."""
        guard = "  if (row >= M || col >= N) return;\n"
        lines = lines_about((2, guard, guard.replace(";", "")))
        self.assertEqual(lines[1].strip(), guard.strip().removesuffix(";"))
        self.assertEqual(lines[2].strip(), "A `;` is missing at the end of this line.")
        self.assertEqual(len(lines), 4, lines)


if __name__ == "__main__":
    unittest.main()
