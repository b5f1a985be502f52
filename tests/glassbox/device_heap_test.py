"""malloc(), free(), new and delete in kernels."""

import unittest

from tests.glassbox.own_program import fault_codes, faults, in_main, outcome

LISTS = in_main(
    """
    int *sums, before = 0;
    cudaMallocManaged(&sums, 64 * sizeof(int));
    int* own = new int[4]{1, 2, 3, 4};  // the host's own, beside the heap
    for (int round = 0; round < 3; ++round) {
      build<<<2, 32>>>(5);
      add_up<<<2, 32>>>(sums);
      if (cudaDeviceSynchronize()) return 1;
      for (int t = 0; t < 64; ++t) before += sums[t];
    }
    printf("%d %d", before, own[3]);
    delete[] own;
    cudaFree(sums);
    """,
    """
    struct Node { int value; Node* next; };
    __device__ Node* lists[64];
    __global__ void build(int length) {
      const int t = blockIdx.x * blockDim.x + threadIdx.x;
      Node* first = nullptr;
      for (int i = 0; i < length + t % 2; ++i) {
        Node* node = i % 2 == 0 ? new Node : (Node*)malloc(sizeof(Node));
        node->value = i;
        node->next = first;
        first = node;
      }
      lists[t] = first;
    }
    __global__ void add_up(int* sums) {
      const int t = blockIdx.x * blockDim.x + threadIdx.x;
      int sum = 0;
      for (Node* node = lists[t]; node != nullptr;) {
        Node* const next = node->next;
        sum += node->value;
        if (node->value % 2 == 0) delete node; else free(node);
        node = next;
      }
      sums[t] = sum;
    }""",
)


def heap_program(kernel):
    """Launches `k` with 64 threads in a block."""
    return in_main(
        "int* out; cudaMalloc(&out, 1024);\nk<<<1, 64>>>(out);\ncudaDeviceSynchronize();\n"
        "cudaFree(out);",
        kernel,
    )


SHARED = """__global__ void k(int* out) {
  __shared__ int* p;
  if (threadIdx.x == 0) p = (int*)malloc(64 * sizeof(int));
  __syncthreads();
"""
BROKEN = {
    "after a load": SHARED
    + """  p[threadIdx.x] = threadIdx.x;
      __syncthreads();
      out[threadIdx.x] = p[63 - threadIdx.x];  // USE
      if (threadIdx.x == 0) free(p);  // FREE
    }""",
    "by the last thread": SHARED
    + """  p[threadIdx.x] = 7;
      __syncthreads();
      out[threadIdx.x] = p[63 - threadIdx.x];  // USE
      if (threadIdx.x == 63) free(p);  // FREE
    }""",
    "after a store": SHARED
    + """  p[threadIdx.x] = 7;  // USE
      if (threadIdx.x == 40) delete[] p;  // FREE
    }""",
}
SOUND = {
    "a barrier": SHARED
    + """  p[threadIdx.x] = threadIdx.x;
      __syncthreads();
      out[threadIdx.x] = p[63 - threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) free(p);
    }""",
    "its own": """__global__ void k(int* out) {
      int* p = new int[4];
      p[2] = threadIdx.x;
      out[threadIdx.x] = p[2];
      delete[] p;
    }""",
    "by another thread": SHARED
    + """  if (threadIdx.x < 32) p[threadIdx.x] = 3;
      __syncthreads();
      if (threadIdx.x == 63) free(p);
    }""",
    "a warp's barrier": """__global__ void k(int* out) {
      __shared__ int* p[2];
      const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
      if (lane == 0) p[w] = (int*)malloc(128);
      __syncwarp();
      p[w][lane] = lane;
      __syncwarp();
      out[threadIdx.x] = p[w][31 - lane];
      __syncwarp();
      if (lane == 31) free(p[w]);
    }""",
    "a count in it": """__global__ void k(int* out) {
      __shared__ int* p;
      if (threadIdx.x == 0) { p = (int*)malloc(16); *p = 64; }
      __syncthreads();
      if (atomicSub(p, 1) == 1) { free(p); out[0] = 1; }
    }""",
    "a count": SHARED
    + """  __shared__ int left;
      if (threadIdx.x == 0) left = 64;
      __syncthreads();
      p[threadIdx.x] = threadIdx.x;
      out[threadIdx.x] = p[threadIdx.x];
      __threadfence();
      if (atomicSub(&left, 1) == 1) { __threadfence(); free(p); }
    }""",
}


class DeviceHeapTest(unittest.TestCase):
    """Memory of kernels that lasts from one launch to the next."""

    def test_lists(self):
        """Built in one kernel, taken apart in the next, three times."""
        result = outcome(LISTS, verb=["check"])
        expected = 3 * 32 * (10 + 15)
        self.assertEqual((result.returncode, result.stdout), (0, f"{expected} 4"), result.stderr)

    def test_no_room(self):
        """malloc() returns null beyond the limit, which a program may set."""
        program = in_main(
            """
            cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4096);
            k<<<1, 1>>>();
            return cudaDeviceSynchronize() != cudaSuccess;
            """,
            """__global__ void k() {
              void* a = malloc(3000);
              void* b = malloc(3000);
              printf("%d %d", a != nullptr, b != nullptr);
              free(a);
            }""",
        )
        result = outcome(program, verb=["check"])
        self.assertEqual((result.returncode, result.stdout), (0, "1 0"), result.stderr)

    def test_freed_twice(self):
        """The second time is an error of the kernel."""
        program = in_main(
            "k<<<1, 1>>>();\nreturn cudaDeviceSynchronize() == cudaSuccess;",
            "__device__ int* p;\n__global__ void k() { p = new int; delete p; delete p; }",
        )
        result = outcome(program, verb=["check"])
        self.assertEqual(result.returncode, 1)
        (found,) = faults(result)
        self.assertEqual((found["code"], found["file"], found["line"]), ("heap-free", "my.cu", 3))

    def test_freed_twice_by_other_functions(self):
        """free() in a function of the user's, and in a later launch: at the line of the second."""
        program = in_main(
            "take<<<1, 1>>>();\ngive<<<1, 32>>>();\ncudaDeviceSynchronize();",
            """__device__ void* p;
            __device__ __noinline__ void release(void* q) {
              free(q);
            }
            __global__ void take() { p = malloc(16); }
            __global__ void give() { release(p); }""",
        )
        result = outcome(program, verb=["check"])
        (found,) = faults(result)
        self.assertEqual((found["code"], found["line"], found["kernel"]), ("heap-free", 4, "give"))

    def test_race(self):
        """Two threads that write what one of them took."""
        program = in_main(
            "k<<<1, 64>>>();\ncudaDeviceSynchronize();",
            """__global__ void k() {
              __shared__ int* p;
              if (threadIdx.x == 0) p = (int*)malloc(4);
              __syncthreads();
              *p = threadIdx.x;
            }""",
        )
        result = outcome(program, verb=["check"])
        self.assertEqual(result.returncode, 1)
        self.assertEqual(fault_codes(result), {"race-in-global-memory"})

    def test_freed_while_others_use_it(self):
        """One thread frees what others of its block, or of another one, may still use."""
        for name, kernel in BROKEN.items():
            with self.subTest(name):
                result = outcome(heap_program(kernel), verb=["check"])
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertEqual(fault_codes(result), {"heap-freed-in-use"})
                (found,) = faults(result)
                line = kernel[: kernel.index("FREE")].count("\n")
                self.assertEqual((found["file"], found["line"]), ("my.cu", 2 + line))
                line = kernel[: kernel.index("USE")].count("\n")
                self.assertEqual(found["other"]["line"], 2 + line)

    def test_freed_once_all_are_done(self):
        """A barrier, a warp's barrier, an atomic count or the next launch is an order."""
        for name, kernel in SOUND.items():
            with self.subTest(name):
                result = outcome(heap_program(kernel), verb=["check"])
                self.assertEqual(
                    (result.returncode, fault_codes(result)), (0, set()), result.stderr
                )

    def test_a_free_counts_as_no_access(self):
        """Of the lines in a trace."""
        result = outcome(heap_program(SOUND["a barrier"]), verb=["trace"])
        (launch,) = result.found["subjects"]
        self.assertEqual(
            [
                (line["operation"], line["line"])
                for line in sorted(launch["lines"], key=lambda one: one["line"])
                if line["operation"].startswith("global")
            ],
            [("global store", 6), ("global load", 8), ("global store", 8)],
        )


if __name__ == "__main__":
    unittest.main()
