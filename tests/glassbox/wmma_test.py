"""wmma: products bit for bit, what its loads and stores ask of memory, and what it refuses."""

import json
import pathlib
import tempfile
import unittest

from tests.glassbox.own_program import faults, glassbox, in_main, outcome

HEADERS = """
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    #include <mma.h>
    #include <cstring>
    #include <type_traits>
    using namespace nvcuda;
    using Half = __half;
    using Bf16 = __nv_bfloat16;
    using Tf32 = wmma::precision::tf32;
    using Row = wmma::row_major;
    using Col = wmma::col_major;
"""

# A line for each product: a hash of the bits of D, for five kinds of random inputs.
PRODUCTS = (
    HEADERS
    + """
    unsigned hashed(unsigned x) {
      x ^= x >> 16; x *= 0x7feb352du;
      x ^= x >> 15; x *= 0x846ca68bu;
      return x ^ (x >> 16);
    }
    template <class To, class From> To bits(From x) {
      To to = 0;
      memcpy(&to, &x, sizeof x);
      return to;
    }
    // 0: in [-1, 1]; 1: any finite number; 2: any bits; 3: few exponents; 4: small integers
    template <class T> unsigned input(unsigned r, int kind) {
      const float unit = ((int)(r >> 8) - (1 << 23)) / (float)(1 << 23);
      const float value = kind == 0 ? unit : (float)((int)(r % 17) - 8);
      const bool exact = kind == 0 || kind == 4;
      unsigned b = sizeof(T) == 2 ? r >> 16 : r;
      if constexpr (std::is_same_v<T, Half>) {
        if (exact) return bits<unsigned short>(__float2half(value));
        if (kind == 1 && (b & 0x7c00) == 0x7c00) b &= 0xbfff;
        if (kind == 3) b = (b & 0x83ff) | ((12 + (r & 7)) << 10);
      } else if constexpr (std::is_same_v<T, Bf16>) {
        if (exact) return bits<unsigned short>(__float2bfloat16(value));
        if (kind == 1 && (b & 0x7f80) == 0x7f80) b &= 0xbfff;
        if (kind == 3) b = (b & 0x807f) | ((120 + (r & 7)) << 7);
      } else {
        if (exact) return bits<unsigned>(value);
        if (kind == 1 && (b & 0x7f800000) == 0x7f800000) b &= 0xbfffffff;
        if (kind == 3) b = (b & 0x807fffff) | ((115 + (hashed(r) & 15)) << 23);
      }
      return b;
    }
    template <class T> using Stored = std::conditional_t<std::is_same_v<T, Tf32>, float, T>;
    template <class T> using Bits = std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>;
    template <int M, int N, int K, class T, class Sum, class A, class B>
    __global__ void product(const Stored<T>* a, const Stored<T>* b, const Sum* c, Sum* d, int lda,
                            int ldb, int ldd, bool column) {
      wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
      wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
      wmma::fragment<wmma::accumulator, M, N, K, Sum> fc;
      const wmma::layout_t layout = column ? wmma::mem_col_major : wmma::mem_row_major;
      wmma::load_matrix_sync(fa, a, lda);
      wmma::load_matrix_sync(fb, b, ldb);
      wmma::load_matrix_sync(fc, c, ldd, layout);
      wmma::mma_sync(fc, fa, fb, fc);
      wmma::store_matrix_sync(d, fc, ldd, layout);
    }
    void *a, *b, *c, *d;
    template <class T> void put(void* device, unsigned seed, int kind) {
      Bits<T> host[1024];
      for (int i = 0; i < 1024; ++i) host[i] = (Bits<T>)input<T>(hashed(seed * 4096 + i), kind);
      cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    }
    template <int M, int N, int K, class T, class Sum, class A, class B> void products() {
      const bool ra = std::is_same_v<A, Row>, rb = std::is_same_v<B, Row>;
      for (int seed = 1; seed < 2 + (ra && !rb); ++seed) {
        unsigned result = 0;
        for (int kind = 0; kind < 5; ++kind) {
          const bool column = seed % 2 == 0;
          put<Stored<T>>(a, seed * 3, kind);
          put<Stored<T>>(b, seed * 3 + 1, kind);
          put<Sum>(c, seed * 3 + 2, kind);
          cudaMemset(d, 0, 4096);
          product<M, N, K, T, Sum, A, B><<<1, 32>>>(
              (Stored<T>*)a, (Stored<T>*)b, (Sum*)c, (Sum*)d, (ra ? K : M) + 8, (rb ? N : K) + 8,
              (column ? M : N) + 8, column);
          Bits<Sum> host[640];
          cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
          for (unsigned each : host) result = (result ^ each) * 16777619u;
        }
        printf("%08x ", result);
      }
      printf("\\n");
    }
"""
)
CALLS = (
    "16, 16, 16, Half, float, Row, Col",
    "16, 16, 16, Half, float, Row, Row",
    "16, 16, 16, Half, float, Col, Col",
    "16, 16, 16, Half, Half, Col, Row",
    "16, 16, 16, Bf16, float, Row, Col",
    "32, 8, 16, Half, Half, Row, Col",
    "32, 8, 16, Bf16, float, Col, Row",
    "8, 32, 16, Half, float, Row, Col",
    "8, 32, 16, Half, Half, Col, Row",
    "8, 32, 16, Bf16, float, Row, Row",
    "16, 16, 8, Tf32, float, Row, Col",
    "16, 16, 8, Tf32, float, Col, Row",
)
# What an H100 prints.
OF_H100 = """
8d0764fd 6c17357a
8672dc4c
9cc23c5c
c7ced96e
8fa51f0f fc122f31
be81dc5b 38422ab3
5ee41efa
60cd2d95 20e903d2
828a1bb0
083dd39f
d09cd88b bd9d9f2b
4d5ed2fe
"""

# Products of the same matrices, whose results are known.
BY_HAND = (
    HEADERS
    + """
    template <int M, int N, class T, class Layout>
    __global__ void by_hand(const T* ones, float* out) {
      __shared__ alignas(32) T shared[M > N ? M * 16 : N * 16];
      wmma::fragment<wmma::matrix_a, M, N, 16, T, Layout> a;
      wmma::fragment<wmma::matrix_b, M, N, 16, T, Row> b;
      wmma::fragment<wmma::accumulator, M, N, 16, float> c;
      static_assert(c.num_elements == 8);
      // A(i, j) is i in the first column and 1 elsewhere.
      for (int i = threadIdx.x; i < M * 16; i += 32) {
        const bool row = std::is_same_v<Layout, Row>;
        const int at_row = row ? i / 16 : i % M, at_column = row ? i % 16 : i / M;
        shared[i] = T((float)(at_column == 0 ? at_row : 1));
      }
      __syncwarp();
      wmma::load_matrix_sync(a, shared, std::is_same_v<Layout, Row> ? 16 : M);
      wmma::load_matrix_sync(b, ones, N);
      wmma::fill_fragment(c, 0.5f);
      wmma::mma_sync(c, a, b, c);
      for (int i = 0; i < c.num_elements; ++i) c.x[i] *= 2;
      wmma::store_matrix_sync(out, c, N, wmma::mem_row_major);
    }
"""
)


def fnv_lines(calls):
    """The program's lines."""
    return "\n".join(f"products<{call}>();" for call in calls)


class ProductsTest(unittest.TestCase):
    """To the last bit."""

    def test_all_shapes_and_types(self):
        """Random inputs, among them subnormals, infinities and NaNs."""
        take = "".join(f"cudaMalloc(&{x}, 4096);" for x in "abcd")
        result = outcome(in_main(take + fnv_lines(CALLS), PRODUCTS), verb=["run"])
        self.assertEqual(result.stdout.split(), OF_H100.split(), result.stderr)

    def test_factors_from_shared_memory(self):
        """In all shapes; the sum of a row is its number, 15 ones and a half, twice."""
        body = "".join(
            f"by_hand<{m}, {n}, {t}, {layout}><<<1, 32>>>(({t}*)(x + {at}), out);"
            "cudaDeviceSynchronize();"
            f"for (int i = 0; i < {m * n}; ++i) wrong += out[i] != 2 * (i / {n} + 15) + 1;"
            for m, n in ((16, 16), (32, 8), (8, 32))
            for t, layout, at in (("Half", "Row", 0), ("Bf16", "Col", 512))
        )
        result = outcome(
            in_main(
                "unsigned short* x; float* out; int wrong = 0; cudaMallocManaged(&x, 2048);"
                "cudaMallocManaged(&out, 1024);"
                "for (int i = 0; i < 512; ++i) { x[i] = 0x3c00; x[512 + i] = 0x3f80; }"
                + body
                + 'printf("%d wrong", wrong); cudaFree(x); cudaFree(out);',
                BY_HAND,
            ),
            verb=["check"],
        )
        self.assertEqual((result.stdout, result.returncode), ("0 wrong", 0), result.stderr)

    def test_rounding_to_tf32(self):
        """Of two neighbours the one away from zero; infinities stay."""
        result = outcome(
            in_main(
                "k<<<1, 1>>>(); cudaDeviceSynchronize();",
                HEADERS + "__global__ void k() {"
                "for (unsigned bits : {0x3f800fffu, 0x3f801000u, 0xbf801000u, 0x7f800000u})"
                'printf("%a ", wmma::__float_to_tf32(__uint_as_float(bits))); }',
            )
        )
        self.assertEqual(result.stdout, "0x1p+0 0x1.004p+0 -0x1.004p+0 inf ")


COUNTS = (
    HEADERS
    + """
    __global__ void counts(const half* h, float* f, half* out, int ld) {
      __shared__ alignas(32) half factors[2048];
      __shared__ alignas(32) float sums[1024];
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Row> a;
      wmma::fragment<wmma::matrix_b, 32, 8, 16, half, Col> b;
      wmma::fragment<wmma::matrix_a, 32, 8, 16, half, Col> a32;
      wmma::fragment<wmma::matrix_a, 32, 8, 16, half, Row> rows;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      wmma::fragment<wmma::accumulator, 16, 16, 16, half> d;
      for (int i = threadIdx.x; i < 2048; i += 32) factors[i] = h[0];
      __syncwarp();
      wmma::load_matrix_sync(a, h, ld);  // line 24
      wmma::load_matrix_sync(a32, h, ld + 16);
      wmma::load_matrix_sync(c, f, ld, wmma::mem_row_major);
      wmma::load_matrix_sync(c, f, ld, wmma::mem_col_major);
      wmma::store_matrix_sync(sums, c, ld, wmma::mem_row_major);
      wmma::store_matrix_sync(sums, c, ld, wmma::mem_col_major);
      wmma::load_matrix_sync(a, factors, ld);
      wmma::load_matrix_sync(rows, factors, ld);
      wmma::load_matrix_sync(b, factors, ld);
      wmma::fill_fragment(d, half(1.0f));
      wmma::store_matrix_sync(factors, d, ld, wmma::mem_col_major);
      wmma::store_matrix_sync(out, d, ld, wmma::mem_col_major);
    }
"""
)
# By line from the first: requests, and sectors or in shared memory wavefronts; measured with ncu on
# an H100 for a leading dimension of 24; of 40 for the second line.
MEASURED = [
    (4, 32),
    (8, 64),
    (4, 32),
    (8, 32),
    (4, 8),
    (8, 16),
    (1, 4),
    (2, 8),
    (1, 2),
    (4, 4),
    (4, 32),
]


class AccessesTest(unittest.TestCase):
    """What loads and stores ask of memory."""

    def test_requests(self):
        """See MEASURED."""
        source = in_main(
            "half *h, *out; float* f; cudaMalloc(&h, 4096); cudaMalloc(&f, 4096);"
            "cudaMalloc(&out, 4096); cudaMemset(h, 0, 4096); cudaMemset(f, 0, 4096);"
            "counts<<<1, 32>>>(h, f, out, 24);",
            COUNTS,
        )
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my.cu").write_text(source)
            result = glassbox(["trace", "my.cu", "--json", "found.json"], folder)
            found = json.loads(pathlib.Path(folder, "found.json").read_text())
        first = 2 + source.split("// line 24")[0].count("\n") - 1
        counted = [
            (line["requests"], line.get("sectors") or line["wavefronts"])
            for line in sorted(found["subjects"][0]["lines"], key=lambda each: each["line"])
            if line["line"] >= first
        ]
        self.assertEqual(counted, MEASURED, result.stderr)

    def test_races(self):
        """Neither a load nor a store is a barrier."""
        kernels = "".join(
            f"__global__ void k{i}(float* out) {{\n__shared__ alignas(32) float s{i}[256];\n"
            "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;\n"
            f"wmma::fill_fragment(c, 1.0f);\n{body}}}\n"
            for i, body in enumerate(
                (
                    "wmma::store_matrix_sync(s0, c, 16, wmma::mem_row_major);\n"
                    "out[threadIdx.x] = s0[255 - threadIdx.x];",
                    "s1[threadIdx.x] = out[threadIdx.x];\n"
                    "wmma::load_matrix_sync(c, s1, 16, wmma::mem_row_major);\n"
                    "wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);",
                )
            )
        )
        result = outcome(
            in_main(
                "float* out; cudaMalloc(&out, 4096); cudaMemset(out, 0, 4096);"
                "k0<<<1, 256>>>(out); k1<<<1, 256>>>(out); cudaFree(out);",
                HEADERS + kernels,
            ),
            verb=["check"],
        )
        self.assertEqual(result.returncode, 1)
        raced = [
            (one["code"], one["access"]["verb"], one["element"]["array"])
            for one in faults(result)
            if one["element"]["space"] == "shared"
        ]
        self.assertEqual(
            raced,
            [("race-in-shared-memory", "load", "s0"), ("race-in-shared-memory", "load", "s1")],
        )


BAD = """
__global__ void k{0}(const half* p, float* q, int ld, int lanes, int step) {{
  if (threadIdx.x >= lanes) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Row> a;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, p + threadIdx.x / 16 * step, ld);
  wmma::store_matrix_sync(q, c, 16, wmma::mem_row_major);
}}
"""
KERNEL_LINES = BAD.count("\n")


class RefusalsTest(unittest.TestCase):
    """With the line, where a GPU goes on with anything."""

    def test_each(self):
        """Alignments, lanes, and arguments that differ."""
        misaligned, failure = "cudaErrorMisalignedAddress", "cudaErrorLaunchFailure"
        whole = "warp-incomplete"
        cases = {
            "<<<1, 32>>>(p, q, 17, 32, 0)": (
                misaligned,
                0,
                "misaligned-leading-dimension",
                {"elements": 17, "multiple": 8},
            ),
            "<<<1, 32>>>(p + 1, q, 16, 32, 0)": (misaligned, 0, "misaligned-matrix", {"bytes": 2}),
            "<<<1, 32>>>(p, q + 1, 16, 32, 0)": (misaligned, 1, "misaligned-matrix", {"bytes": 4}),
            "<<<1, 32>>>(p, q, 24, 24, 0)": (failure, 0, whole, {"lanes": 24}),
            "<<<1, 16>>>(p, q, 16, 32, 0)": (failure, 0, whole, {"lanes": 16}),
            "<<<1, 32>>>(p, q, 16, 32, 16)": (failure, 0, "warp-different-matrices", {}),
        }
        kernels = "".join(BAD.format(i) for i in range(len(cases)))
        launches = "".join(
            "cudaMalloc(&p, 8192); cudaMalloc(&q, 8192); cudaMemset(p, 0, 8192);"
            f'k{i}{call}; printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));'
            "cudaDeviceReset();\n"
            for i, call in enumerate(cases)
        )
        result = outcome(in_main("half* p; float* q;" + launches, HEADERS + kernels), verb=["run"])
        self.assertEqual(result.stdout.split(), [error for error, *_ in cases.values()])
        load = 1 + (HEADERS + BAD.split("  wmma::load")[0]).count("\n") + 1
        self.assertEqual(len(faults(result)), len(cases))
        for i, (found, case) in enumerate(zip(faults(result), cases.values(), strict=True)):
            error, offset, code, fields = case
            function = "store_matrix_sync" if offset else "load_matrix_sync"
            self.assertEqual(
                (found["cuda_error"], found["line"], found["code"], found["fields"]),
                (error, load + i * KERNEL_LINES + offset, code, {"function": function, **fields}),
            )


if __name__ == "__main__":
    unittest.main()
