"""Hazards in a program's own kernels: those of the rungs, with the program's names."""

import unittest

from tests.glassbox.own_program import fault, fault_codes, faults, in_main, launches, outcome

SUM = """
__global__ void sum(const float* in, float* out) {
  __shared__ float partial[64];
  partial[threadIdx.x] = in[threadIdx.x];
  BARRIER;
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = partial[0];
}
"""
CALL = """
  float* d_in; float* d_out; float ones[64];
  for (float& one : ones) one = 1;
  cudaMalloc(&d_in, sizeof ones); cudaMalloc(&d_out, sizeof(float));
  cudaMemcpy(d_in, ones, sizeof ones, cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(d_in, d_out);
  cudaMemcpy(ones, d_out, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", ones[0]);
  cudaFree(d_in); cudaFree(d_out);
"""


class KernelHazardsTest(unittest.TestCase):
    """Found where they are, and nowhere else."""

    def accesses(self, result):
        """{(code, verb, element)} of all faults, which are accesses of the first thread."""
        self.assertEqual(
            [one["thread"] for one in faults(result)], [[0, 0, 0]] * len(faults(result))
        )
        return {
            (one["code"], one["access"]["verb"], one["element"]["name"]) for one in faults(result)
        }

    def test_a_missing_barrier_is_a_race(self):
        """`check` ends with 1; with the barrier there is nothing to say."""
        wrong = outcome(in_main(CALL, SUM), "-D", "BARRIER=(void)0", verb=["check"])
        self.assertEqual(wrong.returncode, 1)
        races = [one for one in faults(wrong) if one["code"] == "race-in-shared-memory"]
        self.assertEqual({one["element"]["array"] for one in races}, {"partial"})
        self.assertEqual(outcome(in_main(CALL, SUM), "-D", "BARRIER=(void)0").returncode, 0)
        right = outcome(in_main(CALL, SUM), "-D", "BARRIER=__syncthreads()", verb=["check"])
        self.assertEqual((right.returncode, right.stdout), (0, "64\n"), right.stderr)
        self.assertEqual(right.found["findings"] + faults(right), [])

    def test_accesses_out_of_bounds_name_the_variable(self):
        """Elements are of the type that the kernel is given, whatever cudaMalloc saw."""
        result = outcome(
            in_main(
                """
            double *d_x, *d_y;
            cudaMalloc((void**)&d_x, 10 * sizeof(double)); cudaMalloc(&d_y, 10 * sizeof(double));
            cudaMemset(d_x, 0, 80);
            copy<<<1, 11>>>(d_x, d_y);
            """,
                """
            __global__ void copy(const double* from, double* to) {
              to[threadIdx.x] = from[threadIdx.x];
            }""",
            )
        )
        accesses = {
            (
                one["code"],
                one["line"],
                one["access"]["verb"],
                one["element"]["name"],
                *one["element"]["extents"],
            )
            for one in faults(result)
        }
        out = "out-of-bounds-global"
        self.assertEqual(
            accesses, {(out, 4, "load", "d_x[10]", 10), (out, 4, "store", "d_y[10]", 10)}
        )

    def test_an_index_beyond_a_constant_is_one_fault(self):
        """Whatever lies there on the host."""
        result = outcome(
            in_main(
                "float* x; cudaMalloc(&x, 128); k<<<1, 32>>>(x, 16); cudaDeviceSynchronize();"
                "cudaFree(x);",
                """
                __constant__ float c[16];
                __global__ void k(float* x, int n) {
                  float sum = 0;
                  for (int i = 0; i <= n; ++i) sum += c[i];
                  x[threadIdx.x] = sum;
                }
                """,
            ),
            verb=["check"],
        )
        self.assertEqual(fault_codes(result), {"index-out-of-bounds"}, result.stderr)

    def test_reads_of_what_nobody_wrote(self):
        """What a copy or an earlier kernel wrote is written."""
        kernels = """
            __global__ void write(int* a) { a[threadIdx.x] = 1; }
            __global__ void read(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; }"""
        body = """
            int *a, *b; cudaMalloc(&a, 128); cudaMalloc(&b, 128);
            if (WRITE) write<<<1, 32>>>(a);
            read<<<1, 32>>>(a, b); read<<<1, 32>>>(b, a);
            cudaFree(a); cudaFree(b);"""
        wrong = outcome(in_main(body, kernels), "-D", "WRITE=0")
        self.assertEqual(self.accesses(wrong), {("uninitialised-global", "load", "a[0]")})
        right = outcome(in_main(body, kernels), "-D", "WRITE=1")
        self.assertEqual((len(launches(right)), faults(right)), (3, []), right.stderr)

    def test_updates_of_what_nobody_wrote(self):
        """An atomic reads first; and managed memory is nobody's until somebody writes it."""
        kernels = """
            __global__ void count(int* a, int* b) {
              atomicAdd(a, 1);
              if (threadIdx.x == 0) b[0] += 1;
            }"""
        body = """
            int *a, *b; cudaMalloc(&a, 4); cudaMallocManaged(&b, 64);
            if (WRITE) { cudaMemset(a, 0, 4); b[0] = 0; }
            count<<<1, 32>>>(a, b);
            cudaFree(a); cudaFree(b);"""
        wrong = outcome(in_main(body, kernels), "-D", "WRITE=0")
        unset = "uninitialised-global"
        self.assertEqual(self.accesses(wrong), {(unset, "update", "a[0]"), (unset, "load", "b[0]")})
        right = outcome(in_main(body, kernels), "-D", "WRITE=1")
        self.assertEqual((len(launches(right)), faults(right)), (1, []), right.stderr)

    def test_virtual_functions_of_an_object_in_shared_memory(self):
        """Its constructor writes where they are."""
        result = outcome(
            in_main(
                """
            int* x; cudaMallocManaged(&x, 128); k<<<1, 32>>>(x);
            cudaDeviceSynchronize(); printf("%d", x[31]); cudaFree(x);""",
                """
            #include <new>
            struct Base { int base; __device__ virtual int of(int i) { return i; } };
            struct Sum : Base { __device__ int of(int i) override { return base + i; } };
            __global__ void k(int* x) {
              __shared__ alignas(8) unsigned char place[sizeof(Sum)];
              __shared__ Base* sum;
              if (threadIdx.x == 0) { sum = new (place) Sum; sum->base = 5; }
              __syncthreads();
              x[threadIdx.x] = sum->of(threadIdx.x);
            }""",
            ),
            verb=["check"],
        )
        self.assertEqual((result.returncode, result.stdout), (0, "36"), result.stderr)

    def test_the_last_block_adds_what_the_others_wrote(self):
        """Behind a fence and a ticket; the array was empty before."""
        result = outcome(
            in_main(
                """
            int *sums, *out; cudaMalloc(&sums, 512 * 4); cudaMallocManaged(&out, 4);
            add_up<<<512, 32>>>(sums, out); cudaDeviceSynchronize();
            printf("%d", *out); cudaFree(sums); cudaFree(out);""",
                """
            __device__ unsigned ticket;
            __global__ void add_up(int* sums, int* out) {
              if (threadIdx.x != 0) return;
              sums[blockIdx.x] = blockIdx.x;
              __threadfence();
              if (atomicAdd(&ticket, 1u) != gridDim.x - 1) return;
              int all = 0;
              for (int b = 0; b < gridDim.x; ++b) all += sums[b];
              *out = all;
            }""",
            ),
            verb=["check"],
        )
        self.assertEqual((result.returncode, result.stdout), (0, "130816"), result.stderr)

    def test_launches_behind_a_warm_up(self):
        """Are traced if they have other arrays."""
        result = outcome(
            in_main(
                """
            int *a, *b; cudaMalloc(&a, 256); cudaMalloc(&b, 256);
            cudaMemset(a, 0, 256);
            for (int i = 0; i < 9; ++i) add<<<1, 64>>>(a, i < 5 ? b : a);
            cudaFree(a); cudaFree(b);""",
                """
            __global__ void add(const int* in, int* out) {
              out[threadIdx.x] = in[threadIdx.x] + in[(threadIdx.x + 33) % 64];
            }""",
            ),
            verb=["check"],
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual((len(launches(result)), result.found["launches"]), (4, 9))

    def test_lanes_that_have_left(self):
        """CUDA waits for lanes of the mask that have not; from the others comes nothing."""
        kernel = """
            __global__ void k(int* x) {
              if (threadIdx.x >= 20) return;
              __syncwarp();
              const int y = __shfl_down_sync(~0u, (int)threadIdx.x, DELTA);
              if (threadIdx.x < 16) x[threadIdx.x] = y;
            }"""
        body = """int* x; cudaMallocManaged(&x, 64); k<<<1, 32>>>(x);
            if (cudaDeviceSynchronize()) return 3;
            printf("%d", x[15]); cudaFree(x);"""
        right = outcome(in_main(body, kernel), "-D", "DELTA=4", verb=["check"])
        self.assertEqual((right.returncode, right.stdout), (0, "19"), right.stderr)
        wrong = outcome(in_main(body, kernel), "-D", "DELTA=8", verb=["check"])
        self.assertEqual(wrong.returncode, 1)
        undefined = fault(wrong, "undefined-shuffle")["fields"]
        self.assertEqual((undefined["lane"], undefined["why"]), (20, "has-left"))

    def test_dynamic_shared_memory_has_its_name_and_its_limit(self):
        """48 KiB, unless the program asks for more."""
        kernels = """
            __global__ void turn(float* x) {
              extern __shared__ float s[];
              s[threadIdx.x] = x[threadIdx.x];
              x[threadIdx.x] = s[threadIdx.x ^ 1];
            }"""
        result = outcome(
            in_main(
                """
            float* x; cudaMalloc(&x, 128); cudaMemset(x, 0, 128);
            turn<<<1, 32, 128>>>(x);
            turn<<<1, 32, 60000>>>(x);
            printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
            cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
            turn<<<1, 32, 60000>>>(x);
            printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
            """,
                kernels,
            )
        )
        self.assertEqual(result.stdout.split(), ["cudaErrorInvalidValue", "cudaSuccess"])
        self.assertEqual(fault(result, "race-in-shared-memory")["element"]["name"], "s[1]")
        refused = fault(result, "launch-dynamic-shared-not-allowed")
        self.assertEqual(
            (refused["kernel"], refused["fields"]["bytes"], refused["cuda_error"]),
            ("turn", 60000, "cudaErrorInvalidValue"),
        )


if __name__ == "__main__":
    unittest.main()
