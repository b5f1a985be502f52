"""Launches that are not traced call no hooks, if nobody needs to know what they touch; they compute
and fail as traced ones do."""

import unittest

from tests.glassbox.own_program import fault, faults, in_main, launches, outcome

# What code calls at its accesses, as its library's table of addresses has it.
HOOKS = in_main(
    """
    const void* hook = dlsym(RTLD_DEFAULT, "__tsan_read4");
    bool *calls, seen[6]; cudaMalloc(&calls, 6);
    for (int i = 0; i < 5; ++i) k<<<1, 1>>>(calls + i, hook);
    other<<<1, 1>>>(calls + 5, hook);
    cudaMemcpy(seen, calls, 6, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; ++i) printf("%d ", seen[i]);
    printf("%d\\n", (const void*)&__tsan_read4 == hook);
    cudaFree(calls);
    """,
    """#include <dlfcn.h>
    extern "C" void __tsan_read4(void*);
    __global__ void k(bool* calls, const void* hook) { *calls = (void*)&__tsan_read4 == hook; }
    __global__ void other(bool* calls, const void* hook) { *calls = (void*)&__tsan_read4 == hook; }
    """,
)

# All kinds of variables, and code that is called through addresses that kernels stored.
SHARED_STATE = in_main(
    """
    float factor = 2, *x; cudaMallocManaged(&x, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) x[i] = 0;
    make<<<1, 1>>>();
    for (int step = 1; step <= 8; ++step) {
      factor = step;
      cudaMemcpyToSymbol(constant, &factor, sizeof factor);
      k<<<2, 32>>>(x);
      int seen, hidden_seen;
      cudaMemcpyFromSymbol(&seen, total, sizeof seen);
      cudaMemcpyFromSymbol(&hidden_seen, hidden, sizeof hidden_seen);
      printf("%d %d %g\\n", seen, hidden_seen, x[63]);
    }
    cudaFree(x);
    """,
    """
    __constant__ float constant;
    __device__ int total;
    static __device__ int hidden;
    namespace { __device__ float more = 1; }
    struct Shape { __device__ virtual float size() const { return 1; } };
    struct Large : Shape { __device__ float size() const override { return 100; } };
    __device__ Large large;
    __device__ float twice(float v) {
      __shared__ float lanes[32];
      lanes[threadIdx.x] = v;
      __syncthreads();
      return lanes[threadIdx.x] + lanes[31 - threadIdx.x];
    }
    __device__ Shape* shape;
    __device__ float (*function)(float);
    __global__ void make() { shape = &large; function = twice; }
    __global__ void k(float* x) {
      atomicAdd(&total, 1);
      if (threadIdx.x + blockIdx.x == 0) { hidden += 3; more += 1; }
      x[blockIdx.x * 32 + threadIdx.x] += function(constant) + shape->size();
    }
    """,
)


# Ten kernels by one line, and others that only their address tells.
BY_POINTER = in_main(
    """
    int* p; cudaMalloc(&p, 240); cudaMemset(p, 0, 240);
    void (*all[])(int*) = {add<0>, add<1>, add<2>, add<3>, add<4>, add<5>, add<6>, add<7>, add<8>, LAST};
    for (auto* one : all) run(one, p);
    cudaLaunchConfig_t config = {1, 60};
    cudaLaunchKernelEx(&config, ours::twice, p);
    void* arguments[] = {&p};
    cudaLaunchKernel((void*)in_c, 1, 60, arguments);
    int sum = 0, h[60]; cudaMemcpy(h, p, 240, cudaMemcpyDeviceToHost);
    for (int x : h) sum += x;
    printf("%d\\n", sum);
    cudaFree(p);
    """,
    """
    template <int N> __global__ void add(int* p) { p[threadIdx.x] += N; }
    __global__ void wrong(int* p) { p[threadIdx.x + 1] += 9; }
    namespace ours { namespace { __global__ void twice(int* p) { p[threadIdx.x] *= 2; } } }
    extern "C" __global__ void in_c(int* p) { p[threadIdx.x] += 1; }
    template <class Kernel> void run(Kernel kernel, int* p) { kernel<<<1, 60>>>(p); }
    """,
)


class UntracedLaunchesTest(unittest.TestCase):
    def test_kernels_by_their_address(self):
        """Each kernel that a line is given is traced, and has its own name."""
        names = [*(f"add<{i}>" for i in range(10)), "ours::twice", "in_c"]
        result = outcome(BY_POINTER.replace("LAST", "add<9>"), verb=["check"])
        self.assertEqual(result.stdout, "5460\n", result.stderr)
        self.assertEqual([one["kernel"] for one in launches(result)], names)
        self.assertEqual(faults(result), [])
        result = outcome(BY_POINTER.replace("LAST", "wrong"), verb=["check"])
        found = [(one["code"], one["kernel"]) for one in faults(result)]
        self.assertIn(("out-of-bounds-global", "wrong"), found, result.stderr)
        result = outcome(BY_POINTER.replace("LAST", "wrong"), "--kernel", "add", verb=["check"])
        self.assertEqual([one["kernel"] for one in launches(result)], names[:9])

    """The first three launches are traced, later ones are not."""

    def test_hooks_are_called_in_traced_launches_alone(self):
        """Not by later launches, and not by the host."""
        result = outcome(HOOKS, verb=["check"])
        self.assertEqual(result.stdout, "1 1 1 0 0 1 0\n", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_variables_and_addresses_are_the_same_for_all_launches(self):
        """Each launch adds to what the one before has left."""
        lines, size = [], 0
        for step in range(1, 9):
            size += 2 * step + 100
            lines.append(f"{64 * step} {3 * step} {size}")
        result = outcome(SHARED_STATE, verb=["check"])
        self.assertEqual(result.stdout.splitlines(), lines, result.stderr)
        self.assertEqual((len(launches(result)), result.found["launches"]), (4, 9))
        self.assertEqual(outcome(SHARED_STATE, verb=["run"]).stdout, result.stdout)

    def test_an_error_is_told_with_its_line(self):
        """As of a traced launch."""
        result = outcome(
            in_main(
                """
            for (int step = 1; step <= 6; ++step) k<<<4, 64>>>(step);
            printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
            """,
                """__global__ void k(int step) {
              if (step == 5 && threadIdx.x == 40 && blockIdx.x == 2)
                *(int*)8 = 1;
            }""",
            )
        )
        self.assertEqual(result.stdout, "cudaErrorIllegalAddress\n")
        (failed,) = faults(result)
        self.assertEqual(
            (failed["line"], failed["block"], failed["thread"], failed["cuda_error"]),
            (4, [2, 0, 0], [40, 0, 0], "cudaErrorIllegalAddress"),
        )
        numbers = [(one["number"], one["traced"]) for one in launches(result, traced=False)]
        self.assertEqual(numbers, [(1, True), (2, True), (3, True), (5, False)])

    def test_the_one_launch_that_is_asked_for(self):
        """Hooks come into place late, too."""
        source = in_main(
            """
            float* x; cudaMalloc(&x, 256);
            for (int step = 1; step <= 6; ++step) k<<<1, 64>>>(x, step == 5);
            cudaFree(x);
            """,
            "__global__ void k(float* x, int i) { x[threadIdx.x + i] = 1; }",
        )
        late = outcome(source, "--launch", "5", verb=["check"])
        self.assertEqual(late.returncode, 1)
        self.assertEqual(fault(late, "out-of-bounds-global")["element"]["name"], "x[64]")
        self.assertEqual(outcome(source, "--launch", "4", verb=["check"]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
