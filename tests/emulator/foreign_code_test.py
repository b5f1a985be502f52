"""What the emulator cannot run is refused at the build: one sentence, at the line that has it."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = [
    "-std=c++20",
    "-fsyntax-only",
    "-mavx2",
    "-mfma",
    "-mf16c",
    "-fmessage-length=0",
    f"-I{ROOT / 'emulator/cuda_headers'}",
    f"-I{ROOT}",
    "-x",
    "c++",
    "-",
]

PTX = """\
#include "common/device.cuh"
__global__ void kernel(unsigned* out) {
  unsigned clock;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
  out[0] = clock;
}
"""

HOST = """\
#include <cuda_runtime.h>
int main() {
  float* A = nullptr;
  cudaMalloc(&A, 16);
}
"""

NAMES = """\
#include <cuda_runtime.h>
void start() {
  dim3 %s;
}
"""

DEFAULTS = """\
#include "common/launch.cuh"
__global__ void kernel(int* out, int* more = nullptr) { (more ? more : out)[0] = 1; }
void start(int* out) {
  ladder::launch(kernel, {.grid = dim3(1), .block = dim3(32)}, out);
}
"""

SOUND = """\
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <device_launch_parameters.h>
#include <mma.h>
#include <vector_types.h>
__global__ void kernel(const float4* A, float4* C) {
#ifdef __CUDACC__
  asm volatile("bar.sync 0;");
#else
  __syncthreads();
#endif
  C[threadIdx.x] = A[blockDim.x - 1 - threadIdx.x];
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
  nvcuda::wmma::fill_fragment(sum, 0.0f);
}
"""


def errors_of(source):
    """[(line, sentence)] of the errors of a source, each once, and all that g++ says."""
    done = subprocess.run(
        [os.environ["CXX"], *OPTIONS], input=source, capture_output=True, text=True, check=False
    )
    errors = re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", done.stderr, re.M)
    return sorted({(int(line), sentence) for line, sentence in errors}), done.stderr


class ForeignCodeTest(unittest.TestCase):
    """One source each."""

    def expect(self, source, line, *words):
        """One error, at the line, with these words."""
        errors, output = errors_of(source)
        self.assertEqual([at for at, _ in errors], [line], output)
        for word in words:
            self.assertIn(word, errors[0][1])

    def test_inline_ptx(self):
        """In place of the assembler's errors."""
        self.expect(PTX, 4, "inline PTX", "common/ptx", "#ifdef __CUDACC__")

    def test_host_functions(self):
        """The host functions of the CUDA run time."""
        self.expect(HOST, 4, "no CUDA run time", "common/machine.hpp", "launch()")

    def test_names_of_variables(self):
        """blockDim and gridDim in host code, as most public code has it."""
        for text in (
            "blockDim(32, 32)",
            "gridDim(4, 4, 2)",
            "blockDim(256)",
            "gridDim = dim3(4)",
            "blockDim = 256",
        ):
            with self.subTest(text):
                self.expect(NAMES % text, 3, "blockDim and gridDim are macros", "call it block")

    def test_default_arguments(self):
        """A kernel's pointer has none."""
        _, output = errors_of(DEFAULTS)
        self.assertIn("a pointer to a function knows no default arguments", output)
        self.assertEqual(errors_of(DEFAULTS.replace(", out)", ", out, out)")), ([], ""))

    def test_headers_alone_are_fine(self):
        """Whoever includes CUDA's headers and asks for nothing of the above compiles."""
        errors, output = errors_of(SOUND)
        self.assertEqual((errors, output), ([], ""))


if __name__ == "__main__":
    unittest.main()
