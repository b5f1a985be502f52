// SPDX-License-Identifier: MIT
/// \file  ladder/glassbox/runtime/blas_calls.hpp
/// \brief cuBLAS's calls that tutorials use, over OpenBLAS: column-major, as cuBLAS.
///
/// The arrays' bounds are checked, and the results are right; but no warp runs, so nothing of it is
/// traced. Products of float are those of an FP32 pipe, whatever the math mode.
/// \source cuBLAS 13.0 documentation, cublas_api.h
#pragma once

#include "ladder/glassbox/cuda_headers/library_types.h"
#include "ladder/glassbox/runtime/error_codes.hpp"
#include "ladder/glassbox/runtime/stream_calls.hpp"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
};
using cublasDataType_t = cudaDataType;

struct cublasContext;
using cublasHandle_t = cublasContext*;

inline constexpr int CUBLAS_VER_MAJOR = 13, CUBLAS_VER_MINOR = 0, CUBLAS_VERSION = 130000;

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

#define GLASSBOX_HERE ladder::glassbox::Here here = ladder::glassbox::Here::current()

cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               GLASSBOX_HERE);
cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               GLASSBOX_HERE);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb, GLASSBOX_HERE);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb, GLASSBOX_HERE);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes, const void* A, int lda, void* B,
                                    int ldb, cudaStream_t stream, GLASSBOX_HERE);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes, const void* A, int lda, void* B,
                                    int ldb, cudaStream_t stream, GLASSBOX_HERE);

// Those that exist for float (S) and double (D).
#define GLASSBOX_BLAS_CALLS(S, s, T)                                                               \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,         \
                                 int incx, T* y, int incy, GLASSBOX_HERE);                         \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx,     \
                                 GLASSBOX_HERE);                                                   \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,         \
                                 int incy, GLASSBOX_HERE);                                         \
  cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,     \
                                 GLASSBOX_HERE);                                                   \
  cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y,    \
                                int incy, T* result, GLASSBOX_HERE);                               \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result,    \
                                 GLASSBOX_HERE);                                                   \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result,    \
                                 GLASSBOX_HERE);                                                   \
  cublasStatus_t cublasI##s##amax(cublasHandle_t handle, int n, const T* x, int incx, int* result, \
                                  GLASSBOX_HERE);                                                  \
  cublasStatus_t cublasI##s##amin(cublasHandle_t handle, int n, const T* x, int incx, int* result, \
                                  GLASSBOX_HERE);                                                  \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 const T* alpha, const T* A, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy, GLASSBOX_HERE);                    \
  cublasStatus_t cublas##S##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x,   \
                                int incx, const T* y, int incy, T* A, int lda, GLASSBOX_HERE);     \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, const T* alpha,           \
                                 const T* A, int lda, const T* beta, const T* B, int ldb, T* C,    \
                                 int ldc, GLASSBOX_HERE);                                          \
  cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, int k, const T* alpha,    \
                                 const T* A, int lda, const T* B, int ldb, const T* beta, T* C,    \
                                 int ldc, GLASSBOX_HERE);                                          \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* A, int lda, long long strideA, const T* B, int ldb,          \
      long long strideB, const T* beta, T* C, int ldc, long long strideC, int count,               \
      GLASSBOX_HERE);                                                                              \
  cublasStatus_t cublas##S##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T* alpha, const T* const A[], int lda, const T* const B[], int ldb,             \
      const T* beta, T* const C[], int ldc, int count, GLASSBOX_HERE)

GLASSBOX_BLAS_CALLS(S, s, float);
GLASSBOX_BLAS_CALLS(D, d, double);

/// Elements of 16 bits too; float or double inside. Other types are refused.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* A, cudaDataType typeA, int lda, const void* B,
                            cudaDataType typeB, int ldb, const void* beta, void* C,
                            cudaDataType typeC, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm, GLASSBOX_HERE);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType typeA,
                                          int lda, long long strideA, const void* B,
                                          cudaDataType typeB, int ldb, long long strideB,
                                          const void* beta, void* C, cudaDataType typeC, int ldc,
                                          long long strideC, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm, GLASSBOX_HERE);
/// As CUDA 10 has it: the type to compute in is an element type.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* A, cudaDataType typeA, int lda, const void* B,
                                   cudaDataType typeB, int ldb, const void* beta, void* C,
                                   cudaDataType typeC, int ldc, cudaDataType compute,
                                   cublasGemmAlgo_t algorithm, GLASSBOX_HERE) {
  const cublasComputeType_t type = compute == CUDA_R_64F   ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F
                                   : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                           : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, typeA, lda, B, typeB, ldb, beta, C,
                      typeC, ldc, type, algorithm, here);
}

#undef GLASSBOX_BLAS_CALLS
#undef GLASSBOX_HERE
