"""Kernels that end early, and launches that are refused: CUDA's errors, and a sentence."""

import contextlib
import os
import subprocess
import unittest
from unittest import mock

from tests.glassbox.own_program import (
    calls,
    fault,
    fault_codes,
    faults,
    in_main,
    launches,
    notes,
    outcome,
)

TOLD = 'auto told = [](cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); };'


class FailingKernelsTest(unittest.TestCase):
    """The last error, and that it stays."""

    def outcome_of(self, kernel, words=()):
        """One launch of `k`, the error then and later."""
        before = f"#include <cassert>\n__global__ void k(int* x) {{ {kernel} }}"
        return outcome(
            in_main(
                f"""
            {TOLD}
            int* x; cudaMalloc(&x, 4);
            k<<<1, 32>>>(x);
            told(cudaGetLastError()); told(cudaDeviceSynchronize()); told(cudaMalloc(&x, 4));
            told(cudaGetLastError()); told(cudaDeviceReset()); told(cudaGetLastError());
            """,
                before,
            ),
            *words,
        )

    def test_errors_of_kernels_are_sticky(self):
        """Until the device is reset."""
        cases = {
            "assert(threadIdx.x < 31);": (
                "cudaErrorAssert",
                "assertion-failed",
                {"expression": "threadIdx.x < 31"},
            ),
            "if (threadIdx.x == 5) __trap();": (
                "cudaErrorLaunchFailure",
                "illegal-instruction",
                {},
            ),
            "*(int*)8 = 1;": ("cudaErrorIllegalAddress", "address-in-no-array", {}),
        }
        for kernel, (name, code, fields) in cases.items():
            result = self.outcome_of(kernel)
            self.assertEqual(result.stdout.split(), [*[name] * 4, *["cudaSuccess"] * 2], kernel)
            (found,) = faults(result)
            self.assertEqual(
                (found["code"], found["line"], found["fields"], found["cuda_error"]),
                (code, 3, fields, name),
            )
        self.assertEqual(
            fault(self.outcome_of("assert(threadIdx.x < 31);"), "assertion-failed")["thread"],
            [31, 0, 0],
        )

    def test_assert_of_the_host_ends_the_program(self):
        """As without a glass box."""
        result = outcome("#include <cassert>\nint main(int n, char**) { assert(n > 1); }\n")
        self.assertEqual(result.returncode, 134)
        self.assertIn("my.cu:2: int main(int, char**): Assertion `n > 1' failed.", result.stderr)

    def test_refused_launches_leave_an_error(self):
        """Which the next call takes away: the program goes on."""
        result = outcome(
            in_main(
                f"""
            {TOLD}
            k<<<1, 2048>>>(); told(cudaGetLastError());
            k<<<0, 32>>>(); told(cudaGetLastError());
            k<<<1, 32>>>(); told(cudaGetLastError());
            """,
                "__global__ void k() {}",
            ),
            verb=["check"],
        )
        invalid = "cudaErrorInvalidConfiguration"
        self.assertEqual(result.stdout.split(), [invalid, invalid, "cudaSuccess"])
        self.assertEqual(result.returncode, 1)
        refused = [
            (one["code"], one["kernel"], one["cuda_error"], one["line"]) for one in faults(result)
        ]
        self.assertEqual(
            refused,
            [("launch-extent-too-large", "k", invalid, 6), ("launch-extent-zero", "k", invalid, 7)],
        )
        self.assertEqual(faults(result)[0]["fields"]["extents"], [2048, 1, 1])
        outcomes = [one["outcome"] for one in launches(result, traced=False)]
        self.assertEqual(outcomes, ["refused", "refused", "clean"])

    def test_a_kernel_launches_no_kernel(self):
        """Dynamic parallelism is refused with the line, and nothing else is reported."""
        result = outcome(
            in_main(
                """
            int* x;
            cudaMalloc(&x, 4);
            outer<<<1, 1>>>(x);
            cudaFree(x);""",
                """
            __global__ void inner(int* x) { *x = 1; }
            __global__ void outer(int* x) { inner<<<1, 1>>>(x); }""",
            )
        )
        (found,) = faults(result)
        self.assertEqual(
            (found["code"], found["line"], found["fields"], found["kernel"]),
            ("dynamic-parallelism", 4, {"kernel": "inner"}, "outer"),
        )

    def test_a_kernel_that_waits_for_the_host(self):
        """It may be right; a loop that no memory of the host can end is not."""
        source = in_main(
            """
            int* x;
            CALL(&x, 8);
            cudaMemset(x, 0, 8);
            wait<<<1, 1>>>(x);
            """,
            """
            __global__ void wait(volatile int* x) {
              while (LOOP) {}
            }""",
        )
        with mock.patch.dict(os.environ, LADDER_HANG_SECONDS="1"):
            for loop in ("*x != 1", "atomicAdd((int*)x, 0) != 1"):
                told = outcome(source, "-D", "CALL=cudaMallocHost", "-D", f"LOOP={loop}")
                (found,) = faults(told)
                self.assertEqual(
                    (found["code"], found["line"], found["fields"]),
                    ("waits-for-host", 4, {"array": "x"}),
                    told.stderr,
                )
            # Two flags: it may be that the host sets one, or that nobody does.
            told = outcome(source, "-D", "CALL=cudaMallocManaged", "-D", "LOOP=x[0] == x[1]")
            self.assertEqual(fault_codes(told), {"endless-loop"})
            self.assertEqual(
                calls(told, "note")[("", "host-too-late")],
                {"kernel": "wait", "array": "x", "line": None},
            )
            told = outcome(source, "-D", "CALL=cudaMalloc", "-D", "LOOP=*x != 1")
            self.assertIn("endless-loop", fault_codes(told))
            self.assertEqual(notes(told), [])

    def test_a_hang_is_told_soon_on_a_busy_machine(self):
        """Within 15 seconds by the clock, whatever the loop does."""
        source = in_main(
            """
            int* x;
            cudaMalloc(&x, 4096);
            cudaMemset(x, 0, 4096);
            const auto begin = std::chrono::steady_clock::now();
            hang<<<2, 32>>>(x, 0);
            cudaDeviceSynchronize();
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            std::printf("%g\\n", passed.count());
            cudaFree(x);""",
            """
            #include <chrono>
            #include <cstdio>
            __global__ void hang(int* x, int stride) {
              LOOP
            }""",
        )
        loops = {
            "loads": "for (int i = threadIdx.x; i < 512; i += stride) x[512 * blockIdx.x + i] += 1;",
            "computes": "unsigned n = 1; while (n != 0) n = n * 5 + stride; x[33 * blockIdx.x] = n;",
            "waits": "while (atomicAdd(x + 1, 0) == 0) {}",
        }
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
                stack.callback(busy.wait)
                stack.callback(busy.kill)
            for name, loop in loops.items():
                told = outcome(source.replace("LOOP", loop))
                self.assertEqual(fault_codes(told), {"endless-loop"}, (name, told.stderr))
                self.assertLess(float(told.stdout), 15, name)

    def test_a_kernel_calls_no_cuda_malloc(self):
        """It is told, and nothing waits for what a launch holds."""
        result = outcome(
            in_main(
                "k<<<1, 1>>>();",
                """
            __global__ void k() { int* x; cudaMalloc(&x, 4); }""",
            )
        )
        (found,) = faults(result)
        self.assertEqual(
            (found["code"], found["line"], found["fields"]),
            ("device-runtime-call", 3, {"function": "cudaMalloc"}),
        )

    def test_a_kernel_that_is_called_like_a_function(self):
        """Is refused, as by nvcc."""
        result = outcome(
            "__global__ void k(int* x) {\n  x[threadIdx.x] = 1;\n}\n"
            "int main() { int x[1]; k(x); }"
        )
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.found["findings"][0]["line"], 4)

    def test_clocks_tick_as_the_cards_do(self):
        """A kernel that waits for two milliseconds of its SM ends."""
        result = outcome(
            in_main(
                """
            k<<<1, 1>>>();
            printf("%s %d\\n", cudaGetErrorName(cudaDeviceSynchronize()), clock() < 1000000000);
            """,
                """#include <ctime>
            __global__ void k() {
              const clock_t start = clock();
              const long long start64 = clock64();
              while (clock() - start < 4000000 || clock64() - start64 < 4000000) {}
            }""",
            )
        )
        self.assertEqual(result.stdout, "cudaSuccess 1\n", result.stderr)

    def test_device_printf(self):
        """Of one thread."""
        kernel = '__global__ void k() { if (threadIdx.x == 3) printf("three\\n"); }'
        result = outcome(in_main("k<<<1, 32>>>();", kernel))
        self.assertEqual(result.stdout, "three\n")


if __name__ == "__main__":
    unittest.main()
