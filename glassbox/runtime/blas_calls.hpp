// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/blas_calls.hpp
/// \brief cuBLAS's calls that tutorials use, over OpenBLAS: column-major, as cuBLAS.
///
/// The arrays' bounds are checked, and the results are right; but no warp runs, so nothing of it is
/// traced. Products of float are those of an FP32 pipe, whatever the math mode.
/// \source cuBLAS 13.0 documentation, cublas_api.h
#pragma once

#include "glassbox/cuda_headers/library_types.h"
#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/stream_calls.hpp"

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

cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasSetMatrixAsync(
    int rows, int cols, int bytes, const void* A, int lda, void* B, int ldb, cudaStream_t stream,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasGetMatrixAsync(
    int rows, int cols, int bytes, const void* A, int lda, void* B, int ldb, cudaStream_t stream,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());

namespace ladder::glassbox::blas {

// Calls that exist for float and for double are objects, so that one declaration has both.
template <class T>
struct Axpy {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx,
                            T* y, int incy, Here here = Here::current()) const;
};
template <class T>
struct Scal {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* alpha, T* x, int incx,
                            Here here = Here::current()) const;
};
template <class T>
struct Copy {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy,
                            Here here = Here::current()) const;
};
template <class T>
struct Swap {
  cublasStatus_t operator()(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,
                            Here here = Here::current()) const;
};
template <class T>
struct Dot {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, const T* y,
                            int incy, T* result, Here here = Here::current()) const;
};
template <class T>
struct Nrm2 {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, T* result,
                            Here here = Here::current()) const;
};
template <class T>
struct Asum {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, T* result,
                            Here here = Here::current()) const;
};
/// \param  result  counts from 1
template <class T>
struct Amax {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, int* result,
                            Here here = Here::current()) const;
};
template <class T>
struct Amin {
  cublasStatus_t operator()(cublasHandle_t handle, int n, const T* x, int incx, int* result,
                            Here here = Here::current()) const;
};
template <class T>
struct Gemv {
  cublasStatus_t operator()(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                            const T* alpha, const T* A, int lda, const T* x, int incx,
                            const T* beta, T* y, int incy, Here here = Here::current()) const;
};
template <class T>
struct Ger {
  cublasStatus_t operator()(cublasHandle_t handle, int m, int n, const T* alpha, const T* x,
                            int incx, const T* y, int incy, T* A, int lda,
                            Here here = Here::current()) const;
};
template <class T>
struct Geam {
  cublasStatus_t operator()(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, const T* alpha, const T* A,
                            int lda, const T* beta, const T* B, int ldb, T* C, int ldc,
                            Here here = Here::current()) const;
};
template <class T>
struct Gemm {
  cublasStatus_t operator()(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const T* alpha,
                            const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc,
                            Here here = Here::current()) const;
};
template <class T>
struct GemmStridedBatched {
  cublasStatus_t operator()(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const T* alpha,
                            const T* A, int lda, long long strideA, const T* B, int ldb,
                            long long strideB, const T* beta, T* C, int ldc, long long strideC,
                            int count, Here here = Here::current()) const;
};
template <class T>
struct GemmBatched {
  cublasStatus_t operator()(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const T* alpha,
                            const T* const A[], int lda, const T* const B[], int ldb, const T* beta,
                            T* const C[], int ldc, int count, Here here = Here::current()) const;
};

}  // namespace ladder::glassbox::blas

inline constexpr ladder::glassbox::blas::Axpy<float> cublasSaxpy = {};
inline constexpr ladder::glassbox::blas::Scal<float> cublasSscal = {};
inline constexpr ladder::glassbox::blas::Copy<float> cublasScopy = {};
inline constexpr ladder::glassbox::blas::Swap<float> cublasSswap = {};
inline constexpr ladder::glassbox::blas::Dot<float> cublasSdot = {};
inline constexpr ladder::glassbox::blas::Nrm2<float> cublasSnrm2 = {};
inline constexpr ladder::glassbox::blas::Asum<float> cublasSasum = {};
inline constexpr ladder::glassbox::blas::Amax<float> cublasIsamax = {};
inline constexpr ladder::glassbox::blas::Amin<float> cublasIsamin = {};
inline constexpr ladder::glassbox::blas::Gemv<float> cublasSgemv = {};
inline constexpr ladder::glassbox::blas::Ger<float> cublasSger = {};
inline constexpr ladder::glassbox::blas::Geam<float> cublasSgeam = {};
inline constexpr ladder::glassbox::blas::Gemm<float> cublasSgemm = {};
inline constexpr ladder::glassbox::blas::GemmStridedBatched<float> cublasSgemmStridedBatched = {};
inline constexpr ladder::glassbox::blas::GemmBatched<float> cublasSgemmBatched = {};

inline constexpr ladder::glassbox::blas::Axpy<double> cublasDaxpy = {};
inline constexpr ladder::glassbox::blas::Scal<double> cublasDscal = {};
inline constexpr ladder::glassbox::blas::Copy<double> cublasDcopy = {};
inline constexpr ladder::glassbox::blas::Swap<double> cublasDswap = {};
inline constexpr ladder::glassbox::blas::Dot<double> cublasDdot = {};
inline constexpr ladder::glassbox::blas::Nrm2<double> cublasDnrm2 = {};
inline constexpr ladder::glassbox::blas::Asum<double> cublasDasum = {};
inline constexpr ladder::glassbox::blas::Amax<double> cublasIdamax = {};
inline constexpr ladder::glassbox::blas::Amin<double> cublasIdamin = {};
inline constexpr ladder::glassbox::blas::Gemv<double> cublasDgemv = {};
inline constexpr ladder::glassbox::blas::Ger<double> cublasDger = {};
inline constexpr ladder::glassbox::blas::Geam<double> cublasDgeam = {};
inline constexpr ladder::glassbox::blas::Gemm<double> cublasDgemm = {};
inline constexpr ladder::glassbox::blas::GemmStridedBatched<double> cublasDgemmStridedBatched = {};
inline constexpr ladder::glassbox::blas::GemmBatched<double> cublasDgemmBatched = {};

/// Elements of 16 bits too; float or double inside. Other types are refused.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* A, cudaDataType typeA, int lda, const void* B,
                            cudaDataType typeB, int ldb, const void* beta, void* C,
                            cudaDataType typeC, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* A, cudaDataType typeA, int lda, long long strideA, const void* B,
    cudaDataType typeB, int ldb, long long strideB, const void* beta, void* C, cudaDataType typeC,
    int ldc, long long strideC, int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// As CUDA 10 has it: the type to compute in is an element type.
inline cublasStatus_t cublasGemmEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* A, cudaDataType typeA, int lda, const void* B,
    cudaDataType typeB, int ldb, const void* beta, void* C, cudaDataType typeC, int ldc,
    cudaDataType compute, cublasGemmAlgo_t algorithm,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  const cublasComputeType_t type = compute == CUDA_R_64F   ? CUBLAS_COMPUTE_64F
                                   : compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F
                                   : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                           : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, typeA, lda, B, typeB, ldb, beta, C,
                      typeC, ldc, type, algorithm, here);
}
/// half, which the program may not have.
template <class Half>
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const Half* alpha,
                           const Half* A, int lda, const Half* B, int ldb, const Half* beta,
                           Half* C, int ldc,
                           ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  static_assert(sizeof(Half) == 2);
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, B, CUDA_R_16F,
                      ldb, beta, C, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT, here);
}
