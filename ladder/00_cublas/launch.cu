// SPDX-License-Identifier: MIT
/// \file  ladder/00_cublas/launch.cu
/// \brief What every rung is compared with: cuBLAS SGEMM as it comes, FP32 without TF32.
#include <cublas_v2.h>

#include <cstddef>

#include "common/check.hpp"
#include "common/gemm.hpp"

namespace ladder::cublas {
namespace {

/// What cuBLAS has for itself on a GPU of compute capability 9.0. Without memory of the caller's,
/// each launch in a graph would allocate its own.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

struct Handle {
  Handle() {
    check(cublasCreate(&handle));
    check(cudaMalloc(&workspace, kWorkspaceBytes));
  }
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
};

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  static const Handle cublas;                     // lives as long as the CUDA context
  check(cublasSetStream(cublas.handle, stream));  // takes the workspace away
  check(cublasSetWorkspace(cublas.handle, cublas.workspace, kWorkspaceBytes));
  // cuBLAS reads matrices by columns. Our row-major C is, read by columns, its transpose, and
  // C' = (A*B)' = B'*A': swapping the operands spares any copy.
  check(cublasSgemm(cublas.handle, CUBLAS_OP_N, CUBLAS_OP_N, gemm.N, gemm.M, gemm.K, &gemm.alpha,
                    gemm.B, gemm.N, gemm.A, gemm.K, &gemm.beta, gemm.C, gemm.N));
}

}  // namespace ladder::cublas
