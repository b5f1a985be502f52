"""`glassbox init` and `make start` tell clangd of CUDA's words: it finds no error in sound files."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests import SOURCES
from tests.glassbox.own_program import glassbox

CLANGD = next(filter(None, map(shutil.which, ("clangd-19", "clangd-16", "clangd"))), None)
# "E[12:00:00.000] [code] Line 3: ..."; what else it writes there is about its own offers.
DIAGNOSTIC = re.compile(r"^E\[[\d:.]+\] \[\w+\] Line.*$", re.M)
PROGRAM = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <cstdio>
namespace groups = cooperative_groups;
__global__ void sum(float* x, int* count) {
  const auto tile = groups::tiled_partition<32>(groups::this_thread_block());
  x[threadIdx.x] = groups::reduce(tile, x[threadIdx.x], groups::plus<float>());
  cuda::atomic_ref<int, cuda::thread_scope_device>(*count).fetch_add(1);
}
__constant__ float scale[2];
template <int N>
__global__ void add(const float* in, float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = __half2float(__float2half(in[blockIdx.x * N + threadIdx.x]));
  cooperative_groups::this_thread_block().sync();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = atomicAdd(&out[lane], tile[0]) * scale[0];
}
int main() {
  float host[64] = {OWN};
  float* x;
  if (cudaMalloc(&x, 256) != cudaSuccess) return 1;
  cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice);
  add<32><<<dim3(2), 32, 128>>>(x, x);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""


def diagnostics(path):
    """What clangd has against a file."""
    done = subprocess.run(
        [CLANGD, f"--check={path.name}"],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    return DIAGNOSTIC.findall(done.stderr)


class InitTest(unittest.TestCase):
    """The file, and what clangd makes of it."""

    def test_what_is_written(self):
        """Flags with folders that there are; anew if it is ours, and never over another's."""
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name, ".clangd")
            for words in (["init"], ["init", ".", "-Iinclude", "-DOWN=1"]):
                self.assertEqual(glassbox(words, name).returncode, 0)
            text = file.read_text()
            self.assertIn(f"-I{name}/include'", text)
            self.assertIn("'-DOWN=1'", text)
            for folder in re.findall(r"'-I(.*)'", text):
                self.assertTrue(pathlib.Path(folder).is_dir() or folder.endswith("include"), folder)
            file.write_text("CompileFlags:\n")
            refused = glassbox(["init"], name)
            self.assertEqual((refused.returncode, file.read_text()), (2, "CompileFlags:\n"))
            self.assertEqual(glassbox(["init", "--nope"], name).returncode, 2)
            self.assertEqual(glassbox(["init", "none"], name).returncode, 2)

    @unittest.skipIf(CLANGD is None, "there is no clangd")
    def test_a_program(self):
        """Is sound to clangd; one with an error is not."""
        with tempfile.TemporaryDirectory() as name:
            glassbox(["init", ".", "-DOWN=1.0f"], name)
            file = pathlib.Path(name, "my.cu")
            file.write_text(PROGRAM)
            self.assertEqual(diagnostics(file), [])
            file.write_text(PROGRAM.replace("blockIdx.x * N", "blockIdx.w * N"))
            self.assertEqual(len(diagnostics(file)), 1)

    @unittest.skipIf(CLANGD is None, "there is no clangd")
    def test_a_rung(self):
        """As `make start` hands it out; with LADDER_TEST_ALL, every one."""
        flags = (SOURCES / "glassbox" / "rung_flags.txt").read_text()
        with tempfile.TemporaryDirectory() as name:
            pathlib.Path(name, "compile_flags.txt").write_text(
                flags.replace("{tree}", str(SOURCES))
            )
            rungs = ["03_shared_tile", "18_producer_warpgroup"]
            if os.environ.get("LADDER_TEST_ALL"):
                rungs = sorted(file.parent.name for file in SOURCES.glob("ladder/*/kernel.cuh"))
            for rung in rungs:
                for file in ("kernel.cuh", "launch.cu"):
                    copy = pathlib.Path(name, file)
                    shutil.copy(SOURCES / "ladder" / rung / file, copy)
                    self.assertEqual(diagnostics(copy), [], f"{rung}/{file}")


if __name__ == "__main__":
    unittest.main()
