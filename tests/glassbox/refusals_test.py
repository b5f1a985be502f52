"""What the glass box does not have is refused, with the line; so is what g++ does not compile."""

import os
import re
import subprocess
import unittest
from unittest import mock

from tests import SOURCES
from tests.glassbox.own_program import outcome

# {program: (code of its first error, line)}
REFUSED = {
    "#include <thrust/sort.h>\nint main() {}": ("missing-library", 1),
    "\n#include <curand_kernel.h>\nint main() {}": ("missing-library", 2),
    "#include <cub/cub.cuh>\nint main() {}": ("missing-library", 1),
    "#include <cublas.h>\nint main() {}": ("missing-library", 1),
    "#include <nvtx3/nvToolsExt.h>\nint main() {}": ("missing-library", 1),
    "#include <cudnn.h>\nint main() {}": ("missing-library", 1),
    "#include <cuda_gl_interop.h>\nint main() {}": ("missing-library", 1),
    # Of these, what a machine has is used; it has no such header.
    "#include <GL/no_such.h>\nint main() {}": ("missing-library", 1),
    "#include <opencv2/no_such.hpp>\nint main() {}": ("missing-library", 1),
    "#include <cuda/std/mdspan>\nint main() {}": ("missing-library", 1),
    "#include <cuda/std/atomic>\n#include <cuda_fp8.h>\nint main() {}": ("missing-library", 2),
    "#include <cublasLt.h>\nint main() { cublasLtHandle_t h; cublasLtMatmul(h); }": (
        "missing-word",
        2,
    ),
    "texture<float, 2> t;\nint main() {}": ("missing-word", 1),
    '__global__ void k() {\n  asm("wgmma.fence.sync.aligned;");\n}\nint main() {}': (
        "not-emulated",
        2,
    ),
    "__global__ void k(cudaTextureObject_t t, float* x) {\n  *x = tex3D<float>(t, 0, 0, 0);\n}\n"
    "int main() {}": ("missing-word", 2),
    "int main() {\n  surf3Dwrite(1.0f, cudaSurfaceObject_t(1), 0, 0, 0);\n}": ("missing-word", 2),
    "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k() {\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;\n  wmma::fill_fragment(c, 0);\n}\n"
    "int main() { k<<<1, 32>>>(); }": ("not-emulated", 4),
    "int main() {\n  cudaGraphNodeParams p;\n}": ("missing-word", 2),
    "int main() {\n  cudaArray_t a;\n  cudaMalloc3DArray(&a, nullptr, {});\n}": ("missing-word", 3),
    "int main() {\n  cudaIpcMemHandle_t h;\n}": ("missing-word", 2),
    "int main() {\n  cudaStreamGetCaptureInfo(nullptr, nullptr);\n}": ("missing-word", 2),
    "__global__ void k() {}\nint main() {\n  k<<<1, 2>>(3);\n}": ("launch-syntax", 3),
}


# What marks a word that is missing, and the word itself; of a template with T, that as well.
MISSING = re.compile(
    r"(?P<template>template <class T[^>]*>\s*)?(?:template <class\.\.\. Arguments>\s*)?"
    r"(?P<struct>struct )?\[\[gnu::unavailable\((?P<sentence>(?:\s*\"[^\"]*\")+)\)\]\] "
    r"(?:(?:T|void|cudaError_t)\s+)?(?P<name>\w+)"
)


def uses_of_missing_words():
    """Pairs of a line that uses such a word, and its sentence."""
    header = SOURCES / "glassbox" / "runtime" / "missing_words.hpp"
    preprocess = ["g++", "-std=c++20", "-E", "-P", f"-I{SOURCES}", header]
    done = subprocess.run(preprocess, capture_output=True, text=True, check=True)
    for word in MISSING.finditer(done.stdout):
        sentence = "".join(re.findall(r'"([^"]*)"', word["sentence"]))
        sentence = sentence.removesuffix(" [missing-word]")
        arguments = "<float>" if word["template"] else ""
        if word["struct"]:
            yield f"extern {word['name']}{arguments}* word_{word['name']};", sentence
        else:
            yield f"auto* word_{word['name']} = &{word['name']}{arguments or '<>'};", sentence


class RefusalsTest(unittest.TestCase):
    """One error each, and exit code 2."""

    def test_each_missing_word(self):
        """Of missing_words.hpp; ten in a program."""
        uses = [use for use, _ in uses_of_missing_words()]
        self.assertGreater(len(uses), 40)
        for first in range(0, len(uses), 10):
            some = uses[first : first + 10]
            result = outcome("\n".join(some) + "\nint main() {}\n")
            self.assertEqual(result.returncode, 2)
            told = [(one["line"], one["code"]) for one in result.found["findings"]]
            self.assertEqual(told, [(i, "missing-word") for i in range(1, len(some) + 1)])

    def test_more_errors_than_anybody_reads(self):
        """All are found; a person is shown ten, and told how many more there are."""
        result = outcome("".join(f"wrong{i} x{i};\n" for i in range(13)) + "int main() {}\n")
        self.assertEqual((result.returncode, result.found["exit_code"]), (2, 2))
        found = [
            (one["code"], one["family"], one["file"], one["line"], one["column"])
            for one in result.found["findings"]
        ]
        self.assertEqual(found, [("compiler-error", "source", "my.cu", i, 1) for i in range(1, 14)])
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 11 + 1)  # and where the findings are
        self.assertTrue(lines[9].startswith("my.cu:10:1: "), lines)
        self.assertIn("3", lines[10])

    def test_each_names_the_line(self):
        """See REFUSED."""
        for source, (code, line) in REFUSED.items():
            with self.subTest(source=source):
                result = outcome(source)
                self.assertEqual(result.returncode, 2)
                first = result.found["findings"][0]
                self.assertEqual(
                    (first["code"], first["file"], first["line"]),
                    (code, "my.cu", line),
                    result.stderr,
                )
                self.assertEqual(first["group"], "build" if code == "launch-syntax" else "lacks")
                self.assertLess(len(result.stderr.splitlines()), 7, result.stderr)

    def test_a_function_that_nobody_defines(self):
        """Is an error of the linker, with the line that calls it."""
        result = outcome("void missing();\nint main() {\n  missing();\n}\n")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(
            [(one["code"], one["group"]) for one in result.found["findings"]],
            [("linker-error", "build")],
        )

    def test_a_file_that_is_not_there(self):
        """Is named, in all outputs."""
        result = outcome("int main() {}\n", "none.cu")
        self.assertEqual(result.returncode, 2)
        (missing,) = result.found["findings"]
        self.assertEqual(
            (missing["code"], missing["fields"]["file"]), ("unreadable-source", "none.cu")
        )

    def test_errors_in_another_language(self):
        """Are read all the same."""
        with mock.patch.dict(os.environ, LANGUAGE="de", LC_ALL="de_DE.UTF-8"):
            result = outcome("int main() { return none; }\n")
        self.assertEqual([one["code"] for one in result.found["findings"]], ["compiler-error"])


if __name__ == "__main__":
    unittest.main()
