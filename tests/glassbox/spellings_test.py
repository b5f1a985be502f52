"""What public programs write, and nvcc takes, compiles here as well."""

import unittest

from tests.glassbox.own_program import faults, in_main, outcome

HELPER = """
    #ifndef __CUDACC__
    #include <math.h>
    inline float fminf(float a, float b) { return a < b ? a : b; }
    inline int max(int a, int b) { return a > b ? a : b; }
    inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
    #endif
    inline __device__ __host__ float lerp(float a, float b, float t) { return a + t * (b - a); }
    """


class SpellingsTest(unittest.TestCase):
    """Each runs, prints what it should, and nothing is reported."""

    def expect(self, program, output, **words):
        """The program's whole output."""
        result = outcome(program, verb=["check"], **words)
        self.assertEqual((result.returncode, result.stdout), (0, output), result.stderr)

    def test_launch_with_spaces(self):
        """As an editor formats it."""
        self.expect(
            in_main(
                "k << <2, 32 >> > (3);\nk << < dim3(1), dim3(32), 0, 0 > >> (4);\n"
                "return cudaDeviceSynchronize();",
                "template <class T> struct Pair { T a, b; };\n"
                "__global__ void k(int x) { Pair<Pair<int> > p{{x, 1}, {2, x}};\n"
                '  if (threadIdx.x == 31) printf("%d ", p.a.a + p.b.b >> 1); }',
            ),
            "3 3 4 ",
        )

    def test_alignment_of_shared_arrays(self):
        """alignas behind __shared__."""
        self.expect(
            in_main(
                "k<<<1, 32, 256>>>();\nreturn cudaDeviceSynchronize();",
                """__global__ void k() {
                  __shared__ alignas(16) float a[32];
                  extern __shared__ alignas(alignof(float4)) float b[];
                  a[threadIdx.x] = b[threadIdx.x] = threadIdx.x;
                  if (threadIdx.x == 31) printf("%g", a[31] + b[31]);
                }""",
            ),
            "62",
        )

    def test_complex_numbers(self):
        """Of float and double, on both sides; a quotient whose squares would overflow."""
        self.expect(
            """
            #include <cuComplex.h>
            #include <cstdio>
            __global__ void k(cuFloatComplex* x) {
              const cuComplex i = make_cuComplex(0, 1);
              x[0] = cuCfmaf(x[0], i, cuCdivf(cuCaddf(x[1], i), cuCsubf(cuConjf(x[1]), i)));
            }
            int main() {
              cuFloatComplex h[2] = {make_cuFloatComplex(1, 2), {3e30f, 4e30f}}, *d;
              cudaMalloc(&d, sizeof h);
              cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
              k<<<1, 1>>>(d);
              cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
              cudaFree(d);
              const cuDoubleComplex z = cuCmul(cuComplexFloatToDouble(h[0]), {0, 2});
              printf("%.4f %.4f ", cuCrealf(h[0]), cuCimagf(h[0]));
              printf("%.4f %.4f %g", cuCreal(z), cuCimag(z), cuCabs(make_cuDoubleComplex(3, 4)));
            }
            """,
            "-2.2800 1.9600 -3.9200 -4.5600 5",
        )

    def test_headers_of_parts(self):
        """CUDA's programs include some that its main header has, too; all are the glass box's."""
        for header in ("builtin_types.h", "device_functions.h", "sm_61_intrinsics.h"):
            self.expect(
                f"#include <{header}>\n#include <cstdio>\n"
                "#ifndef __CUDA_RUNTIME_H__\n#error\n#endif\n"
                'int main() { printf("1"); }',
                "1",
            )

    def test_header_that_is_left_out(self):
        """By the preprocessor."""
        self.expect(
            '#include <cstdio>\n#ifdef RANGES\n#include "nvtx3/nvToolsExt.h"\n#endif\n'
            'int main() { printf("1"); }',
            "1",
        )

    def test_functions_for_other_compilers(self):
        """NVIDIA's helper_math.h has such."""
        self.expect(
            in_main(
                "k<<<1, 1>>>();\nreturn cudaDeviceSynchronize();",
                '#include "helper.h"\n'
                '__global__ void k() { printf("%g %g %g %d", rsqrtf(4.0f), lerp(1, 3, 0.5f), '
                "rsqrtf(2 * 8), max(2, 3)); }",
            ),
            "0.5 2 0.25 3",
            files={"helper.h": HELPER},
        )

    def test_openmp(self):
        """Threads of the host launch kernels."""
        self.expect(
            in_main(
                """
                int* x;
                cudaMallocManaged(&x, 4 * sizeof(int));
                omp_set_num_threads(4);
                #pragma omp parallel
                k<<<1, 1>>>(x + omp_get_thread_num(), omp_get_num_threads());
                cudaDeviceSynchronize();
                printf("%d %d", x[0], x[3]);
                cudaFree(x);
                """,
                "#include <omp.h>\n__global__ void k(int* x, int y) { *x = y; }",
            ),
            "4 4",
        )

    def test_argument_with_a_copy_constructor(self):
        """It runs once, on the host; a kernel gets the bytes."""
        self.expect(
            in_main(
                """
                {
                  Numbers numbers(8);
                  k<<<2, 32>>>(numbers, 3);
                  if (cudaDeviceSynchronize()) return 1;
                  printf("%d ", numbers.data[0]);
                }
                Numbers* shared;
                cudaMallocManaged(&shared, sizeof *shared);
                new (shared) Numbers(8);
                by_reference<<<1, 1>>>(*shared);
                cudaDeviceSynchronize();
                printf("%d, %d copies", shared->data[7], Numbers::copies);
                shared->~Numbers();
                cudaFree(shared);
                """,
                """
                struct Numbers {
                  static inline int copies = 0;
                  int* data;
                  explicit Numbers(int n) {
                    cudaMallocManaged(&data, n * sizeof(int));
                    for (int i = 0; i < n; ++i) data[i] = i;
                  }
                  Numbers(const Numbers& other) {
                    cudaMallocManaged(&data, 8 * sizeof(int));
                    memcpy(data, other.data, 8 * sizeof(int));
                    ++copies;
                  }
                  ~Numbers() { cudaFree(data); }
                };
                __global__ void by_reference(Numbers& numbers) { numbers.data[7] = 70; }
                __global__ void k(Numbers numbers, int x) {
                  if (threadIdx.x == 0 && blockIdx.x == 1)
                    printf("%d ", numbers.data[7] + (numbers.data[0] = x));
                }""",
            ),
            "10 0 70, 1 copies",
        )

    def test_restricted_pointers(self):
        """g++ deduces __restrict__ with an argument's type; the pointer is looked at all the same."""
        program = """
            #include <cstdio>
            __global__ void k(float* __restrict__ a, const float* __restrict__ b, int n) {
              if (threadIdx.x < n) a[threadIdx.x] = 2 * b[threadIdx.x];
            }
            template <class T>
            void launch(T* __restrict__ a, const T* const __restrict__ b, int n) {
              k<<<1, 32>>>(a, b, n);
            }
            int main() {
              float *a, *b, h[4] = {1, 2, 3, 4};
              cudaMalloc(&a, sizeof h);
              cudaMalloc(&b, sizeof h);
              cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
              launch(a, b, 4);
              cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
              printf("%g", h[3]);
              cudaFree(a);
              cudaFree(b);
            }
            """
        self.expect(program, "8")
        on_host = outcome(program.replace("launch(a, b, 4)", "launch(a, h, 4)"), verb=["check"])
        self.assertEqual([one["code"] for one in faults(on_host)], ["host-memory-in-kernel"])


if __name__ == "__main__":
    unittest.main()
