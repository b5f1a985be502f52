"""Addresses of functions: those that the host takes are no use to a kernel."""

import unittest

from tests.glassbox.own_program import expect_sound, fault_codes, faults, in_main, outcome

KERNELS = """
#include <functional>
#include <vector>
typedef float (*Op)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float mul(float a, float b) { return a * b; }
__host__ __device__ float both(float a, float b) { return a - b; }
template <class T> __device__ T less(T a, T b) { return a < b ? a : b; }
namespace ops { __device__ float first(float a, float b) { return a; } }
struct Task { Op op; float factor; };
__device__ Op of_device = add;
__constant__ Op table[2];
__global__ void apply(float* x, Op op) {
  x[threadIdx.x] = op(x[threadIdx.x], 2.0f);
}
__global__ void apply_task(float* x, Task task) {
  x[threadIdx.x] = task.op(x[threadIdx.x], task.factor);
}
__global__ void apply_table(float* x) { x[threadIdx.x] = table[threadIdx.x % 2](x[threadIdx.x], 2); }
template <Op kOp> __global__ void apply_known(float* x) { x[threadIdx.x] = kOp(x[threadIdx.x], 2); }
template <class F> __global__ void apply_any(float* x, F f) { x[threadIdx.x] = f(x[threadIdx.x]); }
__global__ void take(Op* out, int which) { *out = which ? mul : add; }
__global__ void keep(Op* out, Op op) { if (threadIdx.x == 99) *out = op; }
Op picked(int i) { return i ? add : mul; }
"""
CALLS = {"apply": "= op(x", "apply_task": "= task.op(x", "apply_table": "= table["}
BEFORE = """
float* x; cudaMallocManaged(&x, 32 * sizeof(float));
for (int i = 0; i < 32; ++i) x[i] = i;
"""
AFTER = """
cudaDeviceSynchronize();
printf("%g", x[3]);
cudaFree(x);
"""


def program(body):
    """The body of main(), with the kernels above."""
    return in_main(BEFORE + body + AFTER, KERNELS)


# The function, and the program's lines.
BROKEN = {
    "an argument": ("add", "apply<<<1, 32>>>(x, add);"),
    "its address": ("mul", "apply<<<1, 32>>>(x, &mul);"),
    "a variable": ("add", "Op op = add; apply<<<1, 32>>>(x, op);"),
    "one of two": ("mul", "Op op = x[1] > 0 ? mul : add; apply<<<1, 32>>>(x, op);"),
    "a list": ("mul", "Op ops[] = {add, mul}; apply<<<1, 32>>>(x, ops[1]);"),
    "a vector": ("add", "std::vector<Op> ops = {mul, add}; apply<<<1, 32>>>(x, ops[1]);"),
    "a member": ("add", "Task task = {add, 2}; apply_task<<<1, 32>>>(x, task);"),
    "a member by its name": (
        "add",
        "Task t; t.op = add; t.factor = 1; apply_task<<<1, 32>>>(x, t);",
    ),
    "of both sides": ("both", "apply<<<1, 32>>>(x, both);"),
    "of a template": ("less<float>", "apply<<<1, 32>>>(x, less<float>);"),
    "of a namespace": ("ops::first", "apply<<<1, 32>>>(x, ops::first);"),
    "of another function": ("add", "apply<<<1, 32>>>(x, picked(1));"),
    "a cast": ("add", "void* p = (void*)add; apply<<<1, 32>>>(x, (Op)p);"),
    "to a symbol": (
        "add",
        "Op ops[2] = {add, mul}; cudaMemcpyToSymbol(table, ops, sizeof ops);"
        "apply_table<<<1, 32>>>(x);",
    ),
    "in managed memory": (
        "add",
        "Task* t; cudaMallocManaged(&t, sizeof *t); t->op = add; t->factor = 1;"
        "apply_task<<<1, 32>>>(x, *t); cudaFree(t);",
    ),
}
# What they print, and the program's lines.
SOUND = {
    "of a variable of the device": (
        "5",
        "Op op; cudaMemcpyFromSymbol(&op, of_device, sizeof op); apply<<<1, 32>>>(x, op);",
    ),
    "stored by a kernel": (
        "6",
        "Op* op; cudaMallocManaged(&op, sizeof *op); take<<<1, 1>>>(op, 1);"
        "cudaDeviceSynchronize(); Op mine = *op; take<<<1, 1>>>(op, 0); cudaDeviceSynchronize();"
        "apply<<<1, 32>>>(x, mine); cudaDeviceSynchronize(); cudaFree(op);",
    ),
    "an argument of a template": ("6", "apply_known<mul><<<1, 32>>>(x);"),
    "a functor's": ("5", "apply_any<<<1, 32>>>(x, [] __device__(float a) { return add(a, 2); });"),
    "in a lambda of the device": (
        "6",
        "apply_any<<<1, 32>>>(x, [] __device__(float a) { Op op = mul; return op(a, 2); });",
    ),
    "called on the host": ("1", "Op op = both; x[3] = op(x[3], 2);"),
    "called by the library": (
        "1",
        "std::function<float(float, float)> f = both; x[3] = f(x[3], 2);",
    ),
    "compared on the host": (
        "1",
        "Op op = picked(1); x[3] = op == add && op != mul && picked(0) == mul;",
    ),
    "a kernel": ("6", "void (*k)(float*) = apply_known<mul>; k<<<1, 32>>>(x);"),
    "never called": ("3", "Op* o; cudaMalloc(&o, 8); keep<<<1, 32>>>(o, add); cudaFree(o);"),
    "a variable of this name": (
        "7",
        "float add = 7; x[3] = add; float all[] = {add, x[1]}; std::vector<float> v(1, add);"
        "x[3] = v[0];",
    ),
}


def line_of(source, text):
    """The number of the first line that has it."""
    return source[: source.index(text)].count("\n") + 1


class HostAddressesTest(unittest.TestCase):
    """What nvcc compiles and a GPU stops at."""

    def test_taken_by_the_host(self):
        """However it comes to the kernel: told at the call, with where it was taken."""
        for name, (function, body) in BROKEN.items():
            with self.subTest(name):
                source = program(body)
                result = outcome(source, verb=["check"])
                self.assertEqual(result.returncode, 1, result.stderr + result.stdout)
                (found,) = faults(result)
                self.assertEqual(
                    (found["code"], found["file"], found["line"], found["cuda_error"]),
                    (
                        "host-function-pointer",
                        "my.cu",
                        line_of(source, CALLS[found["kernel"]]),
                        "cudaErrorInvalidPc",
                    ),
                )
                self.assertEqual(found["fields"]["function"], function)
                taken = "? add : mul" if "picked" in body else body
                self.assertEqual(found["fields"]["taken_line"], line_of(source, taken))

    def test_without_a_trace(self):
        """A plain run stops at it, too."""
        source = program(BROKEN["an argument"][1])
        (found,) = faults(outcome(source))
        self.assertEqual(found["code"], "host-function-pointer")
        self.assertEqual(found["line"], line_of(source, CALLS["apply"]))

    def test_variable_outside_of_functions(self):
        """The host's begins with the host's addresses, the device's with its own."""
        kernels = """typedef float (*Op)(float, float);
            __device__ float add(float a, float b) { return a + b; }
            namespace { Op of_host[2] = {add, add}; }
            __constant__ Op of_device[2] = {add, add};
            #define space __device__
            space Op of_macro = add;
            struct Task { Op op = add; };
            __global__ void apply(float* x, Op op) { x[3] = op(x[3], 2); }
            __global__ void apply_own(float* x) { Task t; x[3] = t.op(of_macro(of_device[1](x[3], 1), 0), 1); }"""
        source = in_main(BEFORE + "apply<<<1, 1>>>(x, of_host[1]);" + AFTER, kernels)
        (found,) = faults(outcome(source, verb=["check"]))
        self.assertEqual(found["code"], "host-function-pointer")
        self.assertEqual(found["fields"], {"function": "add"})
        source = in_main(BEFORE + "apply_own<<<1, 1>>>(x);" + AFTER, kernels)
        result = outcome(source, verb=["check"])
        self.assertEqual((fault_codes(result), result.stdout), (set(), "5"), result.stderr)

    def test_sound(self):
        """Addresses that the device took, and those that no kernel calls."""
        expect_sound(
            self, {name: (printed, program(body)) for name, (printed, body) in SOUND.items()}
        )

    def test_overloads(self):
        """Which of them is meant is left to the compiler: they run, and nothing is said."""
        source = in_main(
            BEFORE + "Op op = pick; x[3] = op(x[3], 2);" + AFTER,
            """typedef float (*Op)(float, float);
            __host__ __device__ float pick(float a, float b) { return a + b; }
            __host__ __device__ int pick(int a, int b) { return a - b; }""",
        )
        result = outcome(source, verb=["check"])
        self.assertEqual((result.returncode, result.stdout), (0, "5"), result.stderr)

    def test_of_another_file(self):
        """A header's function, which the source with main() names."""
        source = in_main(
            BEFORE + "apply<<<1, 32>>>(x, halve);" + AFTER,
            """#include "ops.cuh"
            __global__ void apply(float* x, float (*op)(float)) { x[1] = op(x[2]); }""",
        )
        files = {"ops.cuh": "#pragma once\n__device__ float halve(float a) { return a / 2; }\n"}
        (found,) = faults(outcome(source, verb=["check"], files=files))
        self.assertEqual(found["code"], "host-function-pointer")
        self.assertEqual(found["fields"]["function"], "halve")


if __name__ == "__main__":
    unittest.main()
