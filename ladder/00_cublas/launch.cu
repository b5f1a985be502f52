// SPDX-License-Identifier: MIT
/// \file  ladder/00_cublas/launch.cu
/// \brief What every rung is compared with: cuBLAS as it comes. SGEMM for FP32, without TF32; for
///        the tensor cores a GEMM of TF32 products, and one of BF16 matrices.
#include <cublas_v2.h>

#include <cstddef>

#include "common/check.hpp"
#include "common/gemm.hpp"

namespace ladder::cublas {
namespace {

/// As much as cuBLAS takes for itself on a GPU of compute capability 9.0. If the caller provided
/// none, each launch in a graph would allocate its own.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

struct Handle {
  Handle() {
    check(cublasCreate(&handle));
    check(cudaMalloc(&workspace, kWorkspaceBytes));
    // Sums of BF16 products stay in FP32, even where K is split: no rung may add in BF16.
    check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  }
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
};

/// \return cuBLAS, ready for a stream
cublasHandle_t library_on(Stream stream) {
  static const Handle cublas;                     // lives as long as the CUDA context
  check(cublasSetStream(cublas.handle, stream));  // drops the workspace
  check(cublasSetWorkspace(cublas.handle, cublas.workspace, kWorkspaceBytes));
  return cublas.handle;
}

/// So that no library takes a beta of -0 for one that needs C.
float without_sign_of_zero(float beta) {
  return beta == 0.0f ? 0.0f : beta;
}

/// Takes operands swapped as in run().
template <class T>
void multiply(const Gemm<T>& gemm, Stream stream, cudaDataType_t stored,
              cublasComputeType_t compute) {
  const float beta = without_sign_of_zero(gemm.beta);
  check(cublasGemmEx(library_on(stream), CUBLAS_OP_N, CUBLAS_OP_N, gemm.N, gemm.M, gemm.K,
                     &gemm.alpha, gemm.B, stored, gemm.N, gemm.A, stored, gemm.K, &beta, gemm.C,
                     stored, gemm.N, compute, CUBLAS_GEMM_DEFAULT));
}

}  // namespace

void run(const Gemm<float>& gemm, Stream stream) {
  // cuBLAS reads matrices by columns. Read by columns, our row-major C is its transpose, and
  // C' = (A*B)' = B'*A'. So we swap the operands, and nothing has to be copied.
  const float beta = without_sign_of_zero(gemm.beta);
  check(cublasSgemm(library_on(stream), CUBLAS_OP_N, CUBLAS_OP_N, gemm.N, gemm.M, gemm.K,
                    &gemm.alpha, gemm.B, gemm.N, gemm.A, gemm.K, &beta, gemm.C, gemm.N));
}

void run_tf32(const Gemm<float>& gemm, Stream stream) {
  multiply(gemm, stream, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
}

void run_bf16(const Gemm<bfloat16>& gemm, Stream stream) {
  multiply(gemm, stream, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
}

}  // namespace ladder::cublas
