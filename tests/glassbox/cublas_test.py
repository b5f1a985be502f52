"""cuBLAS's calls give what loops give, and wrong ones are told; nothing of them is traced."""

import unittest

from tests.glassbox.own_program import calls, in_main, lacks, notes, outcome

BEFORE = """
#include <cublas_v2.h>
#include <cmath>
#include <vector>
cublasHandle_t h;
template <class T>
T* on_device(const std::vector<T>& x) {
  T* d;
  cudaMalloc(&d, x.size() * sizeof(T));
  cudaMemcpy(d, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}
template <class T>
std::vector<T> from_device(const T* d, size_t n) {
  std::vector<T> x(n);
  cudaMemcpy(x.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost);
  return x;
}
template <class T>
std::vector<T> numbers(size_t n, int seed) {
  std::vector<T> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = T(float(int((i * 7 + seed * 5) % 11) - 5));
  return x;
}
void expect(bool right, const char* what) { if (!right) printf("wrong: %s\\n", what); }
#define FINE(call) expect((call) == CUBLAS_STATUS_SUCCESS, #call)
"""

PRODUCTS = """
template <class T, class F>
void products(const char* name, const F& multiply) {
  const int m = 5, n = 4, k = 3, ld = 7;  // all matrices lie in 7 x 7
  const auto A = numbers<T>(49, 1), B = numbers<T>(49, 2), C = numbers<T>(49, 3);
  T *dA = on_device(A), *dB = on_device(B);
  for (int ta = 0; ta < 2; ++ta) for (int tb = 0; tb < 2; ++tb) {
    T* dC = on_device(C);
    multiply(ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, dA, dB, dC,
             ld);
    const auto result = from_device(dC, 49);
    for (int j = 0; j < 7; ++j) for (int i = 0; i < 7; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) {
        const T a = ta ? A[i * ld + l] : A[l * ld + i], b = tb ? B[l * ld + j] : B[j * ld + l];
        sum += float(a) * float(b);
      }
      const bool inside = i < m && j < n;
      const float wanted = inside ? 2 * sum - 3 * float(C[j * ld + i]) : float(C[j * ld + i]);
      expect(float(result[j * ld + i]) == wanted, name);
    }
    cudaFree(dC);
  }
  cudaFree(dA); cudaFree(dB);
}
"""

TYPED = """
  cublasCreate(&h);
  products<float>("Sgemm", [](auto ta, auto tb, int m, int n, int k, auto* A, auto* B, auto* C,
                              int ld) {
    const float alpha = 2, beta = -3;
    FINE(cublasSgemm(h, ta, tb, m, n, k, &alpha, A, ld, B, ld, &beta, C, ld));
  });
  products<double>("Dgemm", [](auto ta, auto tb, int m, int n, int k, auto* A, auto* B, auto* C,
                               int ld) {
    const double alpha = 2, beta = -3;
    FINE(cublasDgemmStridedBatched(h, ta, tb, m, n, k, &alpha, A, ld, 1, B, ld, 1, &beta, C, ld, 1,
                                   1));
  });
  products<__half>("GemmEx, half", [](auto ta, auto tb, int m, int n, int k, auto* A, auto* B,
                                      auto* C, int ld) {
    const float alpha = 2, beta = -3;
    FINE(cublasGemmEx(h, ta, tb, m, n, k, &alpha, A, CUDA_R_16F, ld, B, CUDA_R_16F, ld, &beta, C,
                      CUDA_R_16F, ld, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  });
  products<__half>("Hgemm", [](auto ta, auto tb, int m, int n, int k, auto* A, auto* B, auto* C,
                               int ld) {
    const __half alpha = 2, beta = -3;
    FINE(cublasHgemm(h, ta, tb, m, n, k, &alpha, A, ld, B, ld, &beta, C, ld));
  });
  products<__nv_bfloat16>("GemmEx, bfloat16", [](auto ta, auto tb, int m, int n, int k, auto* A,
                                                 auto* B, auto* C, int ld) {
    const float alpha = 2, beta = -3;
    FINE(cublasGemmEx(h, ta, tb, m, n, k, &alpha, A, CUDA_R_16BF, ld, B, CUDA_R_16BF, ld, &beta, C,
                      CUDA_R_16BF, ld, CUDA_R_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  });
  products<float>("gemmBatched", [](auto ta, auto tb, int m, int n, int k, auto* A, auto* B,
                                    auto* C, int ld) {
    const float alpha = 2, beta = -3;
    float **as = on_device(std::vector<float*>{A}), **bs = on_device(std::vector<float*>{B}),
          **cs = on_device(std::vector<float*>{C});
    FINE(cublasSgemmBatched(h, ta, tb, m, n, k, &alpha, as, ld, bs, ld, &beta, cs, ld, 1));
    cudaFree(as); cudaFree(bs); cudaFree(cs);
  });
  cublasDestroy(h);
  puts("done");
"""

VECTORS = """
  cublasCreate(&h);
  cudaStream_t stream, same;
  cudaStreamCreate(&stream);
  FINE(cublasSetStream(h, stream)); FINE(cublasGetStream(h, &same));
  expect(same == stream, "stream");
  FINE(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH));
  const int n = 9;
  const auto x = numbers<float>(n, 1), y = numbers<float>(n, 2);
  float *dx = on_device(x), *dy = on_device(y), result = 0, wanted = 0;
  const float alpha = 3, beta = 2, zero = 0;
  for (int i = 0; i < n; ++i) wanted += x[i] * y[i];
  FINE(cublasSdot(h, n, dx, 1, dy, 1, &result)); expect(result == wanted, "dot");
  FINE(cublasSdot(h, 0, dx, 1, dy, 1, &result)); expect(result == 0, "dot of nothing");
  float* device_result;
  cudaMalloc(&device_result, sizeof(float));
  FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  FINE(cublasSdot(h, n, dx, 1, dy, 1, device_result));
  FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  expect(from_device(device_result, 1)[0] == wanted, "dot into the GPU");
  wanted = 0; for (float v : x) wanted += std::fabs(v);
  FINE(cublasSasum(h, n, dx, 1, &result)); expect(result == wanted, "asum");
  wanted = 0; for (float v : x) wanted += v * v;
  FINE(cublasSnrm2(h, n, dx, 1, &result));
  expect(std::fabs(result - std::sqrt(wanted)) < 1e-5f, "nrm2");
  int place = 0;
  float most[4] = {1, -7, 3, 7}, *dmost = on_device(std::vector<float>(most, most + 4));
  FINE(cublasIsamax(h, 4, dmost, 1, &place)); expect(place == 2, "amax counts from 1");
  FINE(cublasIsamin(h, 4, dmost, 1, &place)); expect(place == 1, "amin");
  FINE(cublasSaxpy(h, n, &alpha, dx, 1, dy, 1));
  auto got = from_device(dy, n);
  for (int i = 0; i < n; ++i) expect(got[i] == 3 * x[i] + y[i], "axpy");
  FINE(cublasScopy(h, n, dx, 1, dy, 1));
  FINE(cublasSscal(h, 4, &alpha, dy, 2));
  got = from_device(dy, n);
  for (int i = 0; i < n; ++i) expect(got[i] == (i % 2 == 0 && i < 8 ? 3 * x[i] : x[i]), "scal");
  FINE(cublasSswap(h, n, dx, 1, dy, 1));
  expect(from_device(dy, n) == x && from_device(dx, n) == got, "swap");
  // A is 3 x 2, column by column; y = 3*A*x + 2*y, and its transpose.
  const auto A = numbers<float>(6, 4), v = numbers<float>(3, 5), w = numbers<float>(3, 6);
  float *dA = on_device(A), *dv = on_device(v), *dw = on_device(w);
  FINE(cublasSgemv(h, CUBLAS_OP_N, 3, 2, &alpha, dA, 3, dv, 1, &beta, dw, 1));
  got = from_device(dw, 3);
  for (int i = 0; i < 3; ++i)
    expect(got[i] == 3 * (A[i] * v[0] + A[3 + i] * v[1]) + 2 * w[i], "gemv");
  FINE(cublasSgemv(h, CUBLAS_OP_T, 3, 2, &alpha, dA, 3, dv, 1, &zero, dw, 1));
  got = from_device(dw, 2);
  for (int i = 0; i < 2; ++i)
    expect(got[i] == 3 * (A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2]), "gemv, T");
  FINE(cublasSger(h, 3, 2, &alpha, dv, 1, dx, 1, dA, 3));
  const auto u = from_device(dx, 2);
  got = from_device(dA, 6);
  for (int i = 0; i < 6; ++i) expect(got[i] == A[i] + 3 * v[i % 3] * u[i / 3], "ger");
  float* dT;
  cudaMalloc(&dT, 6 * sizeof(float));
  FINE(cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, &alpha, dA, 3, &zero, nullptr, 2, dT, 2));
  const auto t = from_device(dT, 6);
  for (int i = 0; i < 6; ++i) expect(t[i] == 3 * got[i % 2 * 3 + i / 2], "geam transposes");
  float host[6];
  FINE(cublasSetMatrix(3, 2, sizeof(float), A.data(), 3, dA, 3));
  FINE(cublasGetMatrix(2, 2, sizeof(float), dA, 3, host, 2));
  expect(host[0] == A[0] && host[1] == A[1] && host[2] == A[3] && host[3] == A[4], "SetMatrix");
  FINE(cublasGetVector(2, sizeof(float), dA, 3, host, 1));
  expect(host[0] == A[0] && host[1] == A[3], "GetVector");
  for (float* d : {dx, dy, device_result, dmost, dA, dv, dw, dT}) cudaFree(d);
  cudaStreamDestroy(stream);
  cublasDestroy(h);
  puts("done");
"""

WRONG = """
  float a[6] = {}, one = 1, *d, *c;
  cudaMalloc(&d, 24);
  cudaMemcpy(d, a, 24, cudaMemcpyHostToDevice);
  cudaMalloc(&c, 36);
  auto told = [](cublasStatus_t status) { puts(cublasGetStatusName(status)); };
  const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
  told(cublasSscal(h, 6, &one, d, 1));
  cublasCreate(&h);
  told(cublasSgemm(h, N, T, 3, 3, 3, &one, d, 3, d, 3, &one, c, 3));
  told(cublasSgemm(h, N, T, 3, 3, 2, &one, a, 3, d, 3, &one, c, 3));
  told(cublasSgemm(h, N, T, 3, 3, 2, d, d, 3, d, 3, &one, c, 3));
  told(cublasSgemm(h, N, T, 3, 3, 2, &one, d, 2, d, 3, &one, c, 3));
  told(cublasSgemm(h, N, T, 3, -3, 2, &one, d, 3, d, 3, &one, c, 3));
  told(cublasGemmEx(h, N, T, 3, 3, 2, &one, d, CUDA_R_8I, 3, d, CUDA_R_8I, 3, &one, c, CUDA_R_32I,
                    3, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
  told(cublasSaxpy(h, 7, &one, d, 1, c, 1));
  told(cublasSetVector(7, 4, a, 1, d, 1));
  told(cublasSetMatrix(3, 2, 4, a, 2, d, 3));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cublasSetStream(h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  told(cublasSscal(h, 6, &one, d, 1));
  cudaGraph_t graph;
  cudaStreamEndCapture(s, &graph);
  told(cublasDestroy(h));
  told(cublasDestroy(h));
  cudaFree(d); cudaFree(c);
"""


class CublasTest(unittest.TestCase):
    """See the programs."""

    def test_products_of_all_types_and_transpositions(self):
        before = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + BEFORE
        result = outcome(in_main(TYPED, before + PRODUCTS), verb=["check"])
        self.assertEqual(result.stdout, "done\n", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(notes(result), ["cublas-not-traced"])

    def test_vectors_matrices_and_settings(self):
        result = outcome(in_main(VECTORS, BEFORE), verb=["check"])
        self.assertEqual(result.stdout, "done\n", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_other_headers_see_that_it_is_there(self):
        """As CUDA's samples do, to print its errors."""
        result = outcome(
            "#include <cublas_v2.h>\n#ifndef CUBLAS_API_H_\n#error no\n#endif\nint main() {}\n"
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_wrong_calls_are_told(self):
        result = outcome(in_main(WRONG, BEFORE))
        failed, invalid = "CUBLAS_STATUS_EXECUTION_FAILED", "CUBLAS_STATUS_INVALID_VALUE"
        self.assertEqual(
            result.stdout.split(),
            [
                "CUBLAS_STATUS_NOT_INITIALIZED",
                *3 * [failed],
                *2 * [invalid],
                "CUBLAS_STATUS_NOT_SUPPORTED",
                failed,
                "CUBLAS_STATUS_MAPPING_ERROR",
                invalid,
                "CUBLAS_STATUS_NOT_SUPPORTED",
                "CUBLAS_STATUS_SUCCESS",
                "CUBLAS_STATUS_NOT_INITIALIZED",
            ],
        )
        found = calls(result)
        self.assertEqual(
            set(found),
            {
                ("cublasSscal", "no-handle"),
                ("cublasSgemm", "does-not-fit"),
                ("cublasSgemm", "host-memory"),
                ("cublasSgemm", "device-memory"),
                ("cublasSgemm", "leading-dimension"),
                ("cublasSgemm", "negative-size"),
                ("cublasSaxpy", "does-not-fit"),
                ("cudaMemcpy2D", "does-not-fit"),
                ("cublasSetMatrix", "columns-of-copy"),
            },
        )
        self.assertEqual(lacks(result), {"types-of-product", "cublas-in-capture"})
        wrong = {
            reason: fields
            for (function, reason), fields in found.items()
            if function == "cublasSgemm"
        }
        self.assertLessEqual(
            {"bytes": 36, "array": "d", "array_bytes": 24, "given_as": "A"}.items(),
            wrong["does-not-fit"].items(),
        )
        self.assertEqual(wrong["host-memory"]["given_as"], "A")
        self.assertLessEqual(
            {"role": "alpha", "pointer_mode": "CUBLAS_POINTER_MODE_HOST"}.items(),
            wrong["device-memory"].items(),
        )
        self.assertLessEqual(
            {"name": "lda", "value": 2, "rows": 3}.items(), wrong["leading-dimension"].items()
        )
        self.assertLessEqual({"name": "n", "value": -3}.items(), wrong["negative-size"].items())


if __name__ == "__main__":
    unittest.main()
