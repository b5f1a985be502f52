// SPDX-License-Identifier: MIT
/// \file  ladder/00_cublas/launch_cpu.cpp
/// \brief Where there is no GPU, OpenBLAS SGEMM stands in for cuBLAS.
#include <cblas.h>

#include "common/gemm.hpp"

namespace ladder::cublas {

void run(const Gemm<float>& gemm, Stream) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, gemm.M, gemm.N, gemm.K, gemm.alpha, gemm.A,
              gemm.K, gemm.B, gemm.N, gemm.beta, gemm.C, gemm.N);
}

}  // namespace ladder::cublas
