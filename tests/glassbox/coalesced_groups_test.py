"""Groups of some lanes of a warp: coalesced threads, partitions, scans."""

import unittest

from tests.glassbox.own_program import in_main, outcome

ANY_GROUP = in_main(
    """
    int* x;
    cudaMallocManaged(&x, 4 * 64 * sizeof(int));
    k<<<1, 64, 64 * sizeof(int)>>>(x);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 4 * 64; ++i) printf("%d ", x[i]);
    cudaFree(x);
    """,
    """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ int sum(cg::thread_group group, int* shared, int value) {
      const int rank = group.thread_rank();
      shared[rank] = value;
      group.sync();
      int total = 0;
      for (unsigned i = 0; i < group.size(); ++i) total += shared[i];
      group.sync();
      return total;
    }
    __global__ void k(int* x) {
      extern __shared__ int shared[];
      const int t = threadIdx.x;
      cg::thread_block block = cg::this_thread_block();
      x[t] = sum(block, shared, t);
      cg::thread_group eight = cg::tiled_partition(block, 8);
      x[64 + t] = sum(eight, shared + t / 8 * 8, t);
      x[128 + t] = sum(cg::tiled_partition<32>(block), shared + t / 32 * 32, t);
      x[192 + t] = sum(cg::tiled_partition(eight, 4), shared + t / 4 * 4, t);
    }""",
)
PROGRAM = in_main(
    """
    int* x;
    cudaMallocManaged(&x, 6 * 64 * sizeof(int));
    k<<<1, 64>>>(x);
    if (cudaDeviceSynchronize()) return 1;
    for (int i = 0; i < 6 * 64; ++i) printf("%d ", x[i]);
    cudaFree(x);
    """,
    """
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void k(int* x) {
      const int t = threadIdx.x;
      for (int i = 0; i < 6; ++i) x[64 * i + t] = -1;
      auto warp = cg::tiled_partition<32>(cg::this_thread_block());
      if (t % 3 == 1) {
        cg::coalesced_group few = cg::coalesced_threads();
        x[t] = few.thread_rank() + 100 * few.size();
        x[64 + t] = cg::reduce(few, t, cg::plus<int>());
        x[128 + t] = cg::inclusive_scan(few, t);
      } else {
        cg::coalesced_group others = cg::coalesced_threads();
        x[t] = -(int)others.size();
      }
      warp.sync();
      auto same = cg::labeled_partition(warp, t * t % 7);
      x[192 + t] = same.shfl(t, same.size() - 1);
      auto half = cg::binary_partition(warp, t % 32 < 10);
      x[256 + t] = half.ballot(t % 2);
      x[320 + t] = cg::exclusive_scan(warp, t, cg::plus<int>());
    }
    """,
)


def expected():
    """The six rows of 64."""
    rows = [[-1] * 64 for _ in range(6)]
    for t in range(64):
        warp = range(t // 32 * 32, t // 32 * 32 + 32)
        few = [i for i in warp if i % 3 == 1]
        if t in few:
            rows[0][t] = few.index(t) + 100 * len(few)
            rows[1][t] = sum(few)
            rows[2][t] = sum(i for i in few if i <= t)
        else:
            rows[0][t] = len(few) - 32
        rows[3][t] = max(i for i in warp if i * i % 7 == t * t % 7)
        half = [i for i in warp if (i % 32 < 10) == (t % 32 < 10)]
        rows[4][t] = sum(i % 2 << rank for rank, i in enumerate(half))
        rows[5][t] = sum(i for i in warp if i < t)
    return sum(rows, [])


class CoalescedGroupsTest(unittest.TestCase):
    """Against the same in Python."""

    def test_a_function_takes_any_group(self):
        result = outcome(ANY_GROUP, verb=["check"])
        self.assertEqual(result.returncode, 0, result.stderr)
        found = list(map(int, result.stdout.split()))
        for row, size in enumerate((64, 8, 32, 4)):
            for t in range(64):
                first = t // size * size
                self.assertEqual(found[64 * row + t], sum(range(first, first + size)), (size, t))

    def test_each_thread_gets_what_its_group_computes(self):
        """No hazards either."""
        result = outcome(PROGRAM, verb=["check"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([int(word) for word in result.stdout.split()], expected())


if __name__ == "__main__":
    unittest.main()
