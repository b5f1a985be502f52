"""What a person reads of a program's findings. All other tests read codes and fields."""

import os
import unittest
from unittest import mock

from tests.glassbox import (
    cublas_test,
    memory_calls_test,
    refusals_test,
    surfaces_test,
    textures_test,
    untraced_launches_test,
)
from tests.glassbox.own_program import in_main, outcome, sentences

REFUSED = (
    "my.cu:1: the glass box has no Thrust: write the loop on the host",
    "my.cu:2: the glass box has no cuRAND: fill the array on the host",
    "my.cu:1: the glass box has no CUB: write",
    "my.cu:1: the glass box has no cublas.h of CUDA 5",
    "my.cu:1: the glass box has no NVTX",
    "my.cu:1: the glass box has no cuDNN: write the layer as a kernel, or multiply with cuBLAS",
    "my.cu:1: the glass box has no OpenGL: it draws nothing; write the picture to a file",
    "my.cu:1: the glass box has no OpenGL: it draws nothing; write the picture to a file",
    "my.cu:1: the glass box has no OpenCV: read and write pictures in a plain form such as PPM",
    "my.cu:1: the glass box has no such header of libcu++",
    "my.cu:2: the glass box has no FP8, FP6 and FP4: store such numbers as half",
    "the glass box has no cublasLt: multiply with cublasSgemm or cublasGemmEx",
    "the glass box has no texture references, which CUDA 12 removed: make a",
    "error: the emulator does not have the PTX instruction wgmma.fence.sync.aligned",
    "the glass box reads textures with tex1Dfetch, tex1D and tex2D",
    "the glass box has surface objects of one and two dimensions: make one of a",
    "the emulator has wmma for half and bfloat16 in 16x16x16, 32x8x16 and",
    "the glass box has graphs of kernels, copies, memsets and host functions: launch the rest",
    "the glass box has CUDA arrays of one and two dimensions: take memory",
    "the glass box shares no memory between processes",
    "my.cu:2:27: error:",
    "my.cu:3: this launch is not kernel<<<grid, block>>>(arguments)",
)
FAILING = in_main(
    """
    first<<<1, 2048>>>();
    second<<<1, 32>>>();
    """,
    """
    #include <cassert>
    __global__ void first() {}
    __global__ void second() { assert(threadIdx.x < 31); }""",
)


class ReportWordingTest(unittest.TestCase):
    """Sentences, places, and what they are in."""

    def assert_said(self, result, *expected):
        """The report has these sentences."""
        said = sentences(result)
        for sentence in expected:
            with self.subTest(sentence=sentence):
                self.assertIn(sentence, said)

    def test_calls_of_memory(self):
        self.assert_said(
            outcome(memory_calls_test.WRONG_CALLS),
            "cudaMemcpy: 17 bytes do not fit: d_a has 16 bytes (my.cu:6), at my.cu:10 "
            "(cudaErrorInvalidValue)",
            "cudaMemcpy: the target is d_a, memory of the GPU, not of the host, at my.cu:11",
            "cudaMemcpy: 12 bytes from byte 8 on do not fit: d_a has 16 bytes",
            "cudaMemset: the target is memory of the host, not of the GPU, at my.cu:13",
            "cudaFree: gone was freed before, at my.cu:8, at my.cu:14",
            "cudaFree: this is no start of an array of the GPU; it is in d_b, at my.cu:15",
            "cudaMemcpy2D: a row of 8 bytes is longer than a pitch, at my.cu:17",
            "d_a, 16 bytes from my.cu:6, was never freed. d_b, 16 bytes from my.cu:6, was never",
        )

    def test_calls_with_wrong_pointers(self):
        self.assert_said(
            outcome(memory_calls_test.WRONG_POINTERS),
            "cudaMalloc: a null pointer, at my.cu:8",
            "cudaMemcpy: the source is a null pointer",
            "cudaMemcpy: 7 is no direction",
            "cudaMallocHost: this machine has no 1152921504606846976 bytes left",
            "cudaFree: this is no memory of the GPU",
            "cudaFreeHost: this memory is not of cudaMallocHost or cudaHostAlloc",
            "cudaHostRegister: this is no memory of the host's own, or is registered already",
            "cudaMallocArray: an array of width 0",
        )

    def test_calls_of_cublas(self):
        self.assert_said(
            outcome(in_main(cublas_test.WRONG, cublas_test.BEFORE)),
            "cublasSscal: the handle is not from cublasCreate, or was destroyed before, at my.cu:",
            "cublasSgemm: 36 bytes do not fit: d has 24 bytes (my.cu:",
            "given as A, at my.cu:",
            "cublasSgemm: the array is memory of the host, not of the GPU, given as A",
            "cublasSgemm: the alpha is d, memory of the GPU, not of the host; the pointer mode is "
            "CUBLAS_POINTER_MODE_HOST",
            "cublasSgemm: lda = 2 is less than the 3 rows of the matrix",
            "cublasSgemm: n = -3 is negative",
            "cublasSetMatrix: 3 x 2 elements of 4 bytes, columns of 2 and 3, at my.cu:",
            "cublasSscal: the glass box has no graphs with cuBLAS: launch it outside of the",
        )

    def test_kernels_that_read_textures(self):
        expected = (
            "tex2D reads a texture of a, which was freed, at my.cu:12",
            "tex2D reads a texture object that was destroyed",
            "tex2D reads what is no texture object",
            "tex1D reads a texture of 2 dimensions",
            "tex2D asks for integers, and the texture gives floats",
            "tex1Dfetch reads linear memory",
            "linear memory takes tex1Dfetch",
        )
        for body, sentence in zip(textures_test.WRONG_READS, expected, strict=True):
            source = in_main(textures_test.PLANE + body, textures_test.KERNELS)
            self.assert_said(outcome(source), sentence)

    def test_a_kernel_that_uses_a_surface(self):
        source = in_main(
            surfaces_test.START + "auto s = surface_of(array_of<short>(8, 2));"
            "read<short><<<1, dim3(9, 2)>>>(s, (short*)out, 0, cudaBoundaryModeTrap);",
            surfaces_test.KERNELS,
        )
        self.assert_said(
            outcome(source),
            "surf2Dread is out of bounds: byte 16 of row 0; array has 2 rows of 16 bytes, at my.cu:",
        )

    def test_launches(self):
        self.assert_said(
            outcome(FAILING),
            "- first: launch refused: the block is (2048, 1, 1); CUDA allows at most (1024, 1024, "
            "64), at my.cu:8 (cudaErrorInvalidConfiguration)",
            "second at my.cu:9, 1 block of 32 threads: 1 hazard",
            "assertion failed: threadIdx.x < 31 at my.cu:5, block (0, 0, 0), thread (31, 0, 0)",
        )
        self.assert_said(
            outcome(untraced_launches_test.SHARED_STATE),
            "4 launches of 9 traced: the first of each kernel at each line.",
        )

    def test_no_launch(self):
        """It is no error, but is told; unless nothing would be checked anyway."""
        none = "The program launched no kernel, so none was checked."
        program = in_main('printf("done");', "__global__ void k() {}")
        for verb in ([], ["check"], ["trace"]):
            with self.subTest(verb=verb):
                result = outcome(program, verb=verb)
                self.assert_said(result, none)
                self.assertEqual((result.returncode, result.found["launches"]), (0, 0))
        self.assertEqual(outcome(program, verb=["run"]).stderr.count("\n"), 1)  # .found.json
        self.assertNotIn(
            none, sentences(outcome(in_main("k<<<1, 1>>>();", "__global__ void k() {}")))
        )
        refused = outcome(in_main("k<<<1, 2048>>>();", "__global__ void k() {}"))
        self.assertNotIn(none, sentences(refused))

    def test_a_kernel_that_waits_for_the_host(self):
        source = in_main(
            "int* x;\ncudaMallocHost(&x, 4);\nwait<<<1, 1>>>(x);",
            "__global__ void wait(volatile int* x) { while (*x != 1) {} }",
        )
        with mock.patch.dict(os.environ, LADDER_HANG_SECONDS="1"):
            self.assert_said(
                outcome(source),
                "a kernel waits until the host writes x, and the glass "
                "box runs it to its end before the host goes on",
            )

    def test_the_host_accesses_memory_of_the_gpu(self):
        self.assert_said(
            outcome(in_main("float* d_a;\ncudaMalloc(&d_a, 64);\nd_a[3] = 1;")),
            "host code accesses d_a, which is memory of the GPU: copy it with cudaMemcpy, and use "
            "the copy, at my.cu:6 (host-access)",
        )

    def test_refusals(self):
        for source, sentence in zip(refusals_test.REFUSED, REFUSED, strict=True):
            self.assert_said(outcome(source), sentence)

    def test_each_missing_word(self):
        uses = list(refusals_test.uses_of_missing_words())
        for first in range(0, len(uses), 10):
            some = uses[first : first + 10]
            result = outcome("\n".join(use for use, _ in some) + "\nint main() {}\n")
            for number, (use, sentence) in enumerate(some, 1):
                with self.subTest(use=use):
                    told = [
                        line
                        for line in result.stderr.splitlines()
                        if line.startswith(f"my.cu:{number}:")
                    ]
                    self.assertEqual(len(told), 1, result.stderr)
                    self.assertTrue(told[0].endswith(sentence), told[0])


if __name__ == "__main__":
    unittest.main()
