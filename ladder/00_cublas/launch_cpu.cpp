// SPDX-License-Identifier: MIT
/// \file  ladder/00_cublas/launch_cpu.cpp
/// \brief Where there is no GPU, OpenBLAS SGEMM stands in for cuBLAS.
#include <cblas.h>

#include <vector>

#include "common/gemm.hpp"

namespace ladder::cublas {

void run(const Gemm<float>& gemm, Stream) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A,
              gemm.K, gemm.B, gemm.N, gemm.beta, gemm.C, gemm.N);
}

/// OpenBLAS knows no TF32: its products are more exact than they have to be.
void run_tf32(const Gemm<float>& gemm, Stream stream) {
  run(gemm, stream);
}

void run_bf16(const Gemm<bfloat16>& gemm, Stream stream) {
  const auto count = [](int rows, int cols) { return static_cast<std::size_t>(rows) * cols; };
  const auto [M, N, K, alpha, A, B, beta, C] = gemm;
  const std::vector<float> a(A, A + count(M, K));
  const std::vector<float> b(B, B + count(K, N));
  std::vector<float> c(count(M, N));
  if (beta != 0.0f) c.assign(C, C + c.size());
  run(Gemm<float>{M, N, K, alpha, a.data(), b.data(), beta, c.data()}, stream);
  for (std::size_t i = 0; i < c.size(); ++i)
    C[i] = bfloat16(c[i]);
}

}  // namespace ladder::cublas
