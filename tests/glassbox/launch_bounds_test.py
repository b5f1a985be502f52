"""`__launch_bounds__`: launches with more threads than they allow, and those that are right."""

import unittest

from tests.glassbox.own_program import fault_codes, faults, in_main, outcome

TOLD = 'printf("%s ", cudaGetErrorName(cudaGetLastError()));\n'


def launched(kernel, launch):
    """A program that launches `k`, and says what CUDA says."""
    body = f"int* x; cudaMalloc(&x, 4096);\n{launch}\n{TOLD}cudaDeviceSynchronize();\ncudaFree(x);"
    return in_main(body, kernel)


BODY = "(int* x) { x[threadIdx.x + threadIdx.y * blockDim.x] = 1; }"
BROKEN = {
    "behind void": (f"__global__ void __launch_bounds__(128) k{BODY}", "k<<<1, 129>>>(x);"),
    "in front": (f"__launch_bounds__(128) __global__ void k{BODY}", "k<<<2, dim3(32, 5)>>>(x);"),
    "with blocks per SM": (
        f"__global__ void __launch_bounds__(128, 2) k{BODY}",
        "k<<<1, 256>>>(x);",
    ),
    "of a macro": (
        f"#define THREADS 64\n__global__ void __launch_bounds__(2 * THREADS) k{BODY}",
        "k<<<1, 4 * THREADS>>>(x);",
    ),
    "in a macro": (
        f"#define BOUNDS __launch_bounds__(128, 1)\n__global__ void BOUNDS k{BODY}",
        "k<<<1, 256>>>(x);",
    ),
    "of a constant": (
        f"constexpr int kThreads = 128;\n__global__ void __launch_bounds__(kThreads) k{BODY}",
        "k<<<1, 2 * kThreads>>>(x);",
    ),
    "of a template": (
        f"template <int N>\n__global__ void __launch_bounds__(N) k{BODY}",
        "k<128><<<1, 128>>>(x); k<64><<<1, 128>>>(x);",
    ),
    "by its address": (
        f"__global__ void __launch_bounds__(128) k{BODY}",
        "void* a[] = {&x}; cudaLaunchKernel((void*)k, dim3(1), dim3(16, 16), a, 0, 0);",
    ),
}
SOUND = {
    "within": (f"__global__ void __launch_bounds__(128) k{BODY}", "k<<<3, dim3(32, 4)>>>(x);"),
    "blocks per SM and cluster": (
        f"__global__ void __launch_bounds__(256, 2, 1) k{BODY}",
        "k<<<1, 256>>>(x);",
    ),
    "registers": (f"__global__ void __maxnreg__(32) k{BODY}", "k<<<1, 1024>>>(x);"),
    "of a template": (
        f"template <int N> __global__ void __launch_bounds__(2 * N) k{BODY}",
        "k<512><<<1, 1024>>>(x);",
    ),
    # In the body the name is the argument's.
    "of a constant that an argument hides": (
        "const int n = 256;\n__global__ void __launch_bounds__(n) k(int* x, int n) { x[n] = 1; }",
        "k<<<1, 256>>>(x, 4);",
    ),
    # CUDA's guide has it: nvcc bounds the kernel by what __CUDA_ARCH__ says.
    "of the device's side": (
        f"""#define THREADS 128
        #if __CUDA_ARCH__ >= 200
          #define MOST (2 * THREADS)
        #else
          #define MOST THREADS
        #endif
        __global__ void __launch_bounds__(MOST) k{BODY}""",
        "k<<<1, 256>>>(x);",
    ),
    # The macro is of the next kernel, and not of the function behind its definition.
    "in a macro in front of the host's": (
        f"""#define BOUNDS __launch_bounds__(1)
        void launch(int* x);
        __global__ void k{BODY}
        __global__ BOUNDS void one(int* x) {{ x[0] = 1; }}
        void launch(int* x) {{ k<<<1, 128>>>(x); }}""",
        "launch(x); one<<<4, 1>>>(x + 1);",
    ),
    "of a kernel that is only declared": (
        f"__global__ void __launch_bounds__(256) k(int* x);\n__global__ void k{BODY}",
        "k<<<1, 256>>>(x);",
    ),
}


class LaunchBoundsTest(unittest.TestCase):
    """What the bound says, and what CUDA makes of it."""

    def test_more_threads(self):
        """Nothing runs, the launch has an error, and later ones go on."""
        for name, (kernel, launch) in BROKEN.items():
            with self.subTest(name):
                result = outcome(launched(kernel, launch), verb=["check"])
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertEqual(result.stdout, "cudaErrorInvalidValue ")
                (found,) = faults(result)
                self.assertEqual(
                    (found["code"], found["file"], found["cuda_error"]),
                    ("launch-bounds", "my.cu", "cudaErrorInvalidValue"),
                )
                self.assertGreater(found["fields"]["threads"], found["fields"]["limit"])

    def test_fields(self):
        """And so without a trace; the place is the launch's."""
        kernel, launch = BROKEN["in front"]
        program = launched(kernel, launch)
        for verb in ([], ["check"], ["trace"]):
            (found,) = faults(outcome(program, verb=verb))
            self.assertEqual(found["line"], 5)
            self.assertEqual(found["fields"], {"extents": [32, 5, 1], "threads": 160, "limit": 128})

    def test_sound(self):
        """Nothing is said of launches within the bounds, or of bounds that are not known."""
        for name, (kernel, launch) in SOUND.items():
            with self.subTest(name):
                result = outcome(launched(kernel, launch), verb=["check"])
                self.assertEqual(
                    (result.returncode, fault_codes(result)), (0, set()), result.stderr
                )
                self.assertEqual(result.stdout, "cudaSuccess ")


if __name__ == "__main__":
    unittest.main()
