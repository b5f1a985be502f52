"""What the glass box does not have is refused in one sentence: feature, line, what to do."""

import re
import subprocess
import unittest

from tests import SOURCES
from tests.glassbox.own_program import outcome, sentences

REFUSED = {
    "#include <thrust/sort.h>\nint main() {}":
        "my.cu:1: the glass box has no Thrust: write the loop on the host",
    "\n#include <curand_kernel.h>\nint main() {}": "my.cu:2: the glass box has no cuRAND: fill",
    "#include <cub/cub.cuh>\nint main() {}": "my.cu:1: the glass box has no CUB: write",
    "#include <cublas.h>\nint main() {}": "my.cu:1: the glass box has no cublas.h of CUDA 5",
    "#include <cublasLt.h>\nint main() { cublasLtHandle_t h; cublasLtMatmul(h); }":
        "the glass box has no cublasLt: multiply with cublasSgemm or cublasGemmEx",
    "texture<float, 2> t;\nint main() {}":
        ["my.cu:1:", "the glass box has no texture references, which CUDA 12 removed: make a"],
    '__global__ void k() { asm("bar.sync 0;"); }\nint main() {}':
        "my.cu:1:11: error: inline PTX (mma, wgmma, cp.async, ...) is for nvcc alone",
    "__global__ void k(cudaTextureObject_t t, float* x) {\n  *x = tex3D<float>(t, 0, 0, 0);\n}\n"
    "int main() {}": ["my.cu:2:", "the glass box reads textures with tex1Dfetch, tex1D and tex2D"],
    "int main() {\n  surf3Dwrite(1.0f, cudaSurfaceObject_t(1), 0, 0, 0);\n}":
        ["my.cu:2:", "the glass box has surface objects of one and two dimensions: make one of a"],
    "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k() {\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;\n  wmma::fill_fragment(c, 0);\n}\n"
    "int main() { k<<<1, 32>>>(); }":
        ["my.cu:4:", "the emulator has wmma for half and bfloat16 in 16x16x16, 32x8x16 and"],
    "int main() {\n  cudaGraphNodeParams p;\n}":
        "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest",
    "int main() {\n  cudaArray_t a;\n  cudaMalloc3DArray(&a, nullptr, {});\n}":
        ["my.cu:3:", "the glass box has CUDA arrays of one and two dimensions: take memory"],
    "int main() {\n  cudaIpcMemHandle_t h;\n}": "the glass box shares no memory between processes",
    "#include <nvtx3/nvToolsExt.h>\nint main() {}": "my.cu:1: the glass box has no NVTX",
    "int main() {\n  cudaStreamGetCaptureInfo(nullptr, nullptr);\n}": "my.cu:2:27: error:",
    "__global__ void k() {}\nint main() {\n  k<<<1, 2>>(3);\n}":
        "my.cu:3: this launch is not kernel<<<grid, block>>>(arguments)",
}  # fmt: skip


# What marks a word that is missing, and the word itself; of a template with T, that as well.
MISSING = re.compile(
    r"(?P<template>template <class T[^>]*>\s*)?(?:template <class\.\.\. Arguments>\s*)?"
    r"(?P<struct>struct )?\[\[gnu::unavailable\((?P<sentence>[^\]]*)\)\]\] "
    r"(?:(?:T|void|cudaError_t)\s+)?(?P<name>\w+)"
)


def uses_of_missing_words():
    """Pairs of a line that uses such a word, and the start of its sentence."""
    header = SOURCES / "glassbox" / "runtime" / "missing_words.hpp"
    preprocess = ["g++", "-std=c++20", "-E", "-P", f"-I{SOURCES}", header]
    done = subprocess.run(preprocess, capture_output=True, text=True, check=True)
    for word in MISSING.finditer(done.stdout):
        sentence = "".join(re.findall(r'"([^"]*)"', word["sentence"]))
        arguments = "<float>" if word["template"] else ""
        if word["struct"]:
            yield f"extern {word['name']}{arguments}* word_{word['name']};", sentence
        else:
            yield f"auto* word_{word['name']} = &{word['name']}{arguments or '<>'};", sentence


class RefusalsTest(unittest.TestCase):
    """One sentence each, and exit code 2."""

    def test_each_missing_word(self):
        """Of missing_words.hpp; ten in a program, which is what the glass box shows."""
        uses = list(uses_of_missing_words())
        self.assertGreater(len(uses), 40)
        for first in range(0, len(uses), 10):
            some = uses[first : first + 10]
            result = outcome("\n".join(use for use, _ in some) + "\nint main() {}\n")
            self.assertEqual(result.returncode, 2)
            lines = result.stderr.splitlines()
            for number, (use, sentence) in enumerate(some, 1):
                with self.subTest(use=use):
                    told = [line for line in lines if line.startswith(f"my.cu:{number}:")]
                    self.assertEqual(len(told), 1, result.stderr)
                    self.assertIn(sentence, told[0])

    def test_more_errors_than_anybody_reads(self):
        """The rest is counted."""
        result = outcome("".join(f"wrong{i} x{i};\n" for i in range(13)) + "int main() {}\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("my.cu:10:1: error:", result.stderr)
        self.assertNotIn("my.cu:11:", result.stderr)
        self.assertTrue(result.stderr.endswith("... and 3 more errors\n"), result.stderr)

    def test_each_names_the_line_and_what_to_do(self):
        """See REFUSED."""
        for source, parts in REFUSED.items():
            with self.subTest(source=source):
                result = outcome(source)
                self.assertEqual(result.returncode, 2)
                for part in [parts] if isinstance(parts, str) else parts:
                    self.assertIn(part, sentences(result))
                self.assertLess(len(result.stderr.splitlines()), 6, result.stderr)


if __name__ == "__main__":
    unittest.main()
