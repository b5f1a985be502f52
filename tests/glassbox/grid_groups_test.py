"""Groups of all blocks: grid.sync() in cooperative launches, ranks in any launch."""

import unittest

from tests.glassbox.own_program import fault_codes, faults, in_main, outcome

NORMALISED = in_main(
    """
    int n = 1000;
    float *x, *sums;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&sums, 8 * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i % 4;
    void* arguments[] = {&x, &sums, &n};
    cudaLaunchCooperativeKernel((void*)normalise, dim3(4, 2), dim3(64), arguments, 0, 0);
    if (cudaDeviceSynchronize()) return 1;
    printf("%g %g %g", x[3] * 1500, x[1] * 1500, sums[0] * 1500);
    cudaFree(x);
    cudaFree(sums);
    """,
    """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void normalise(float* x, float* sums, int n) {
      cg::grid_group grid = cg::this_grid();
      __shared__ float part[64];
      part[threadIdx.x] = 0;
      for (int i = grid.thread_rank(); i < n; i += grid.size()) part[threadIdx.x] += x[i];
      __syncthreads();
      if (threadIdx.x == 0) {
        sums[grid.block_rank()] = 0;
        for (int i = 0; i < 64; ++i) sums[grid.block_rank()] += part[i];
      }
      grid.sync();
      float total = 0;
      for (int b = 0; b < grid.num_blocks(); ++b) total += sums[b];
      for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] /= total;
      cg::sync(grid);
      if (grid.thread_rank() == 0 && grid.is_valid()) sums[0] = x[n - 1] + x[1];
    }""",
)
RANKS = in_main(
    """
    int* x;
    cudaMallocManaged(&x, 96 * sizeof(int));
    ranks<<<3, 32>>>(x);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 96; ++i) if (x[i] != 96 + i) return 2;
    cudaFree(x);
    """,
    """
    #include <cooperative_groups.h>
    __global__ void ranks(int* x) {
      auto grid = cooperative_groups::this_grid();
      x[grid.thread_rank()] = grid.size() + grid.thread_rank() + grid.is_valid();
    }""",
)
LEAVES_EARLY = in_main(
    """
    int* x;
    cudaMalloc(&x, 64);
    void* arguments[] = {&x};
    %s;
    return cudaDeviceSynchronize() != cudaSuccess;
    """,
    """
    #include <cooperative_groups.h>
    __global__ void k(int* x) {
      if (blockIdx.x == 2) return;
      cooperative_groups::this_grid().sync();
      x[blockIdx.x] = 1;
    }""",
)


class GridGroupsTest(unittest.TestCase):
    """Two barriers of a grid; and what goes wrong with them."""

    def test_blocks_wait_for_each_other(self):
        """A sum over all blocks, twice, without a report."""
        result = outcome(NORMALISED, verb=["check"])
        self.assertEqual((result.returncode, result.stdout), (0, "3 1 4"), result.stderr)

    def test_ranks_need_no_cooperative_launch(self):
        """Many programs number their threads by this_grid() and never wait."""
        result = outcome(RANKS, verb=["check"])
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_block_that_left(self):
        """The others wait for it for ever, and the report counts it."""
        launch = "cudaLaunchCooperativeKernel((void*)k, 4, 32, arguments, 0, 0)"
        result = outcome(LEAVES_EARLY % launch, verb=["check"])
        self.assertEqual(result.returncode, 1)
        waiting = [
            group
            for group in faults(result)[0]["thread_groups"]
            if group["waits_for"] == "grid-barrier"
        ]
        self.assertGreater(len(waiting), 0)
        for group in waiting:
            self.assertEqual(group["missing"], {"missing_blocks": 1, "blocks": 4})

    def test_an_ordinary_launch(self):
        """Whose blocks need not run at the same time."""
        result = outcome(LEAVES_EARLY % "k<<<4, 32>>>(x)", verb=["check"])
        self.assertEqual(result.returncode, 1)
        self.assertEqual(fault_codes(result), {"grid-sync-not-cooperative"})


if __name__ == "__main__":
    unittest.main()
