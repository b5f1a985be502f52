"""libcu++: cuda::atomic, cuda::barrier, cuda::pipeline and the copies that count on them."""

import os
import unittest
from unittest import mock

from tests.glassbox.own_program import fault_codes, faults, in_main, lacks, outcome

ATOMICS = in_main(
    """
    int n = 5000, *x, *sums, *out;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&sums, 8 * sizeof(int));
    cudaMallocManaged(&out, 2 * sizeof(int));
    out[1] = 0;
    for (int i = 0; i < n; ++i) x[i] = i;
    last_adds<<<7, 96>>>(x, sums, out, n);
    float *from, *to;
    cuda::atomic<int>* flag;
    cudaMalloc(&from, 64 * sizeof(float));
    cudaMallocManaged(&to, 64 * sizeof(float));
    cudaMallocManaged(&flag, sizeof *flag);
    new (flag) cuda::atomic<int>(0);
    hand_over<<<2, 64>>>(from, flag, to);
    guarded<<<1, 70>>>(out + 1);
    if (cudaDeviceSynchronize()) return 1;
    printf("%d %d %g", out[0], out[1], to[63]);
    cudaFree(x);
    cudaFree(sums);
    cudaFree(out);
    cudaFree(from);
    cudaFree(to);
    cudaFree(flag);
    """,
    """
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> ticket{0};
    __global__ void last_adds(const int* x, int* sums, int* out, int n) {
      __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
      if (threadIdx.x == 0) sum.store(0, cuda::memory_order_relaxed);
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum.fetch_add(x[i], cuda::std::memory_order_relaxed);
      __syncthreads();
      if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        if (ticket.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
          int all = 0;
          for (int b = 0; b < gridDim.x; ++b) all += sums[b];
          *out = all;
        }
      }
      cuda::atomic_ref<int, cuda::thread_scope_device>(out[1]).fetch_max(threadIdx.x);
    }
    __global__ void hand_over(float* from, cuda::atomic<int>* flag, float* to) {
      if (blockIdx.x == 1) {
        from[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) flag->store(1, cuda::memory_order_release);
      } else {
        if (threadIdx.x == 0) while (flag->load(cuda::memory_order_acquire) == 0) {}
        __syncthreads();
        to[threadIdx.x] = 2 * from[threadIdx.x];
      }
    }
    __global__ void guarded(int* count) {  // a lock in shared memory
      __shared__ cuda::atomic<int, cuda::thread_scope_block> lock;
      __shared__ int value;
      if (threadIdx.x == 0) lock = 0, value = 0;
      __syncthreads();
      while (lock.exchange(1, cuda::memory_order_acquire) == 1) {}
      value += 1;
      lock.store(0, cuda::memory_order_release);
      __syncthreads();
      if (threadIdx.x == 0) *count += value;
    }""",
)

COPIES = in_main(
    """
    float *in, *out;
    cudaMallocManaged(&in, 640 * sizeof(float));
    cudaMallocManaged(&out, 384 * sizeof(float));
    for (int i = 0; i < 640; ++i) in[i] = i;
    const auto print = [&](int at) {
      if (cudaDeviceSynchronize()) exit(1);
      printf("%g ", out[at]);
    };
    reversed<<<1, 128>>>(in, out); print(383);
    staged<<<1, 64>>>(in, out, 10); print(0);
    roles<<<1, 64>>>(in, out, 20, false); print(0);
    roles<<<1, 64>>>(in, out, 20, true); print(31);
    alone<<<1, 32>>>(in, out, 20); print(1);
    shared_copy<<<1, 64>>>(in, out); print(0);
    dropping<<<1, 96>>>(out); print(0);
    cudaFree(in);
    cudaFree(out);
    """,
    """
    #include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    #include <cuda/barrier>
    #include <cuda/pipeline>
    namespace cg = cooperative_groups;
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    constexpr auto kBlock = cuda::thread_scope_block;
    __global__ void reversed(const float* in, float* out) {
      #pragma nv_diag_suppress static_var_with_dynamic_init
      __shared__ Barrier bar;
      __shared__ float line[128];
      auto block = cg::this_thread_block();
      if (block.thread_rank() == 0) init(&bar, block.size());
      block.sync();
      for (int t = 0; t < 3; ++t) {
        cuda::memcpy_async(block, line, in + 128 * t, 128 * sizeof(float), bar);
        bar.arrive_and_wait();
        out[128 * t + threadIdx.x] = line[127 - threadIdx.x];
        Barrier::arrival_token token = bar.arrive();
        bar.wait(std::move(token));
      }
    }
    __global__ void staged(const float* in, float* out, int tiles) {
      constexpr int kStages = 3;
      __shared__ float tile[kStages][64];
      __shared__ cuda::pipeline_shared_state<kBlock, kStages> state;
      auto block = cg::this_thread_block();
      auto pipe = cuda::make_pipeline(block, &state);
      int fetched = 0;
      float sum = 0;
      for (int t = 0; t < tiles; ++t) {
        for (; fetched < tiles && fetched < t + kStages; ++fetched) {
          pipe.producer_acquire();
          cuda::memcpy_async(block, tile[fetched % kStages], in + 64 * fetched,
                             cuda::aligned_size_t<16>(256), pipe);
          pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[t % kStages][63 - threadIdx.x];
        pipe.consumer_release();
      }
      out[threadIdx.x] = sum;
    }
    __global__ void roles(const float* in, float* out, int tiles, bool by_number) {
      __shared__ float tile[2][32];
      __shared__ cuda::pipeline_shared_state<kBlock, 2> state;
      auto block = cg::this_thread_block();
      const auto role =
          threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
      auto pipe = by_number ? cuda::make_pipeline(block, &state, 32)
                            : cuda::make_pipeline(block, &state, role);
      if (role == cuda::pipeline_role::producer) {
        for (int t = 0; t < tiles; ++t) {
          pipe.producer_acquire();
          cuda::memcpy_async(&tile[t % 2][threadIdx.x], &in[32 * t + threadIdx.x], sizeof(float),
                             pipe);
          pipe.producer_commit();
        }
      } else {
        float sum = 0;
        for (int t = 0; t < tiles; ++t) {
          pipe.consumer_wait();
          sum += tile[t % 2][63 - threadIdx.x];
          pipe.consumer_release();
        }
        out[threadIdx.x - 32] = sum;
      }
    }
    __global__ void alone(const float* in, float* out, int tiles) {
      __shared__ float mine[2][32];
      auto pipe = cuda::make_pipeline();
      const auto fetch = [&](int t) {
        pipe.producer_acquire();
        if (t < tiles) cuda::memcpy_async(&mine[t % 2][threadIdx.x], &in[32 * t + threadIdx.x],
                                          sizeof(float), pipe);
        pipe.producer_commit();
      };
      fetch(0);
      fetch(1);
      float sum = 0;
      for (int t = 0; t < tiles; ++t) {
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        sum += mine[t % 2][threadIdx.x];
        pipe.consumer_release();
        fetch(t + 2);
      }
      out[threadIdx.x] = sum;
    }
    __global__ void shared_copy(const float* in, float* out) {
      __shared__ float a[64], b[64];
      auto block = cg::this_thread_block();
      cg::memcpy_async(block, a, in, sizeof a);
      cg::memcpy_async(block, b, 64, in + 64, 64);
      cg::wait_prior<1>(block);
      const float x = a[63 - threadIdx.x];
      cg::wait(block);
      out[threadIdx.x] = x + b[63 - threadIdx.x];
    }
    __global__ void dropping(float* out) {  // two warps go on without the third
      __shared__ Barrier bar;
      __shared__ float x[96];
      if (threadIdx.x == 0) init(&bar, 96);
      __syncthreads();
      x[threadIdx.x] = threadIdx.x;
      if (threadIdx.x >= 64) return bar.arrive_and_drop();
      bar.arrive_and_wait();
      const float sum = x[95 - threadIdx.x] + x[threadIdx.x];
      bar.arrive_and_wait();
      x[63 - threadIdx.x] = sum;
      bar.arrive_and_wait();
      out[threadIdx.x] = x[threadIdx.x];
    }""",
)

NO_WAIT = """
    #include <cooperative_groups.h>
    #include <cuda/barrier>
    #include <cuda/pipeline>
    #include <cstdio>
    __global__ void k(const float* in, float* out) {
      __shared__ float line[64];
      auto block = cooperative_groups::this_thread_block();
      %s
      out[threadIdx.x] = line[63 - threadIdx.x];
    }
    int main() {
      float *in, *out;
      cudaMalloc(&in, 256);
      cudaMalloc(&out, 256);
      cudaMemset(in, 0, 256);
      k<<<1, 64>>>(in, out);
      cudaFree(in);
      cudaFree(out);
    }
    """
STANDARD = in_main(
    "k<<<1, 32>>>();\nreturn cudaDeviceSynchronize();",
    """
    #include <cuda/std/bitset>
    #include <cuda/std/cassert>
    #include <cuda/std/cfloat>
    #include <cuda/std/climits>
    #include <cuda/std/ctime>
    #include <cuda/std/memory>
    #include <cuda/std/numbers>
    #include <cuda/std/ranges>
    #include <cuda/std/source_location>
    #include <cuda/std/version>
    namespace own = cuda::std;
    __global__ void k() {
      __shared__ int squares[32];
      squares[threadIdx.x] = threadIdx.x * threadIdx.x;
      assert(squares[threadIdx.x] <= INT_MAX);
      __syncthreads();
      if (threadIdx.x != 0) return;
      int sum = 0;
      for (const int square : squares | own::views::take(4)) sum += square;
      const own::bitset<8> bits(sum);
      printf("%d %d %.4f %d %g", (int)own::source_location::current().line(), (int)bits.count(),
             own::numbers::pi, *own::addressof(squares[3]), FLT_EPSILON);
    }""",
)
BARRIER = """
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      if (threadIdx.x == 0) init(&bar, 64);
      __syncthreads();
      cuda::memcpy_async(block, line, in, 256, bar);
      auto token = bar.arrive();"""
PIPELINE = """
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
      auto pipe = cuda::make_pipeline(block, &state);
      pipe.producer_acquire();
      cuda::memcpy_async(block, line, in, 256, pipe);
      pipe.producer_commit();"""


class LibcuTest(unittest.TestCase):
    """Each kernel right and not accused; each kernel without its wait found."""

    def test_atomics(self):
        """Tickets, flags between blocks, a lock in shared memory."""
        result = outcome(ATOMICS, verb=["check"])
        self.assertEqual((result.returncode, result.stdout), (0, "12497500 165 126"), result.stderr)

    def test_flags_in_shared_memory(self):
        """Atomic loads race with no atomic; with plain stores they do, and plain loads with atomics."""
        source = """
            #include <cuda/atomic>
            __global__ void k(int* out) {
              __shared__ int data[32], word;
              cuda::atomic_ref<int, cuda::thread_scope_block> flag(word);
              if (threadIdx.x == 0) word = 0;
              __syncthreads();
              if (threadIdx.x < 32) {
                data[threadIdx.x] = threadIdx.x;
                __syncwarp();
                if (threadIdx.x == 0) STORE;
              } else {
                while (LOAD == 0) __nanosleep(10);
                out[threadIdx.x - 32] = data[63 - threadIdx.x];
              }
            }
        """
        body = (
            "int *out, last; cudaMalloc(&out, 128); k<<<1, 64>>>(out);"
            'cudaMemcpy(&last, out + 31, 4, cudaMemcpyDeviceToHost); printf("%d", last);'
            "cudaFree(out);"
        )
        release, acquire = "flag.store(1, cuda::memory_order_release)", "flag.load()"
        race = {"race-in-shared-memory"}
        for store, load, codes in (
            (release, acquire, set()),
            ("flag.store(1, cuda::memory_order_relaxed)", acquire, race),
            ("__threadfence_block(), word = 1", acquire, race),
            ("flag.fetch_add(1, cuda::memory_order_release)", "word", race),
        ):
            text = source.replace("STORE", store).replace("LOAD", load)
            result = outcome(in_main(body, text), verb=["check"])
            self.assertEqual(result.stdout, "0", result.stderr)
            self.assertEqual(fault_codes(result), codes, (store, load, result.stderr))

    def test_copies(self):
        """With a barrier, a pipeline of a block or of a thread, or a group's wait."""
        result = outcome(COPIES, verb=["check"])
        numbers = (
            256,
            sum(range(63, 640, 64)),
            sum(range(31, 640, 32)),
            sum(range(0, 640, 32)),
            sum(range(1, 640, 32)),
            63 + 127,
            95,
        )
        self.assertEqual(result.stdout.split(), [str(n) for n in numbers], result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_missing_waits(self):
        """The copies may not have arrived."""
        for start, wait in (
            (BARRIER, "bar.wait(std::move(token));"),
            (PIPELINE, "pipe.consumer_wait();"),
        ):
            with self.subTest(wait):
                result = outcome(NO_WAIT % start, verb=["check"])
                self.assertEqual(result.returncode, 1)
                self.assertEqual({one["element"]["name"] for one in faults(result)}, {"line[63]"})
                result = outcome(NO_WAIT % (start + wait), verb=["check"])
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_standard_headers(self):
        """Of cuda/std, in a kernel; clang, too, finds nothing that nvcc refuses."""
        for front_end in ("none", "clang"):
            with self.subTest(front_end), mock.patch.dict(os.environ, LADDER_FRONT_END=front_end):
                result = outcome(STANDARD, verb=["check"])
                self.assertEqual(result.returncode, 0, result.stderr)
                line, rest = result.stdout.split(" ", 1)
                self.assertIn("source_location::current()", STANDARD.splitlines()[int(line) - 1])
                self.assertEqual(rest, "3 3.1416 9 1.19209e-07")

    def test_refusals(self):
        """Barriers of a grid, and functions that a barrier calls."""
        for kind in ("cuda::thread_scope_device", "cuda::thread_scope_block, int"):
            with self.subTest(kind):
                result = outcome(
                    f"#include <cuda/barrier>\n__device__ cuda::barrier<{kind}> b;\n"
                    "int main() {}"
                )
                self.assertEqual(result.returncode, 2)
                self.assertEqual(lacks(result), {"not-emulated"})
                self.assertEqual(result.found["findings"][0]["line"], 2)


if __name__ == "__main__":
    unittest.main()
