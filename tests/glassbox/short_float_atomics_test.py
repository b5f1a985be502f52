"""atomicAdd() of 16-bit numbers and of pairs of them."""

import unittest

from tests.glassbox.own_program import in_main, outcome

PROGRAM = in_main(
    """
    void* sums;
    cudaMalloc(&sums, 16);
    cudaMemset(sums, 0, 16);
    auto* x = (char*)sums;
    k<<<8, 64>>>((half*)x, (half2*)(x + 4), (__nv_bfloat16*)(x + 8), (__nv_bfloat162*)(x + 12));
    char y[16];
    cudaMemcpy(y, x, 16, cudaMemcpyDeviceToHost);
    auto pair = (half2*)(y + 4);
    auto other = (__nv_bfloat162*)(y + 12);
    printf("%g %g %g %g %g %g\\n", float(*(half*)y), __low2float(*pair), __high2float(*pair),
           float(*(__nv_bfloat16*)(y + 8)), __low2float(*other), __high2float(*other));
    cudaFree(sums);
    """,
    """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    __global__ void k(half* a, half2* b, __nv_bfloat16* c, __nv_bfloat162* d) {
      atomicAdd(a, __float2half(0.5f));
      atomicAdd(b, __floats2half2_rn(1.f, -2.f));
      if (threadIdx.x < 16) atomicAdd(c, __float2bfloat16(2.f));
      if (threadIdx.x < 16) atomicAdd(d, __floats2bfloat162_rn(-1.f, 0.25f));
    }
    """,
)


class ShortFloatAtomicsTest(unittest.TestCase):
    """512 threads add, or 128 of them."""

    def test_no_addition_is_lost(self):
        """All sums are exact in their types, and atomics are no race."""
        result = outcome(PROGRAM, verb=["check"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "256 512 -1024 256 -128 32\n")


if __name__ == "__main__":
    unittest.main()
