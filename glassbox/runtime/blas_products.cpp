// SPDX-License-Identifier: MIT
#include <cblas.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "glassbox/runtime/blas_call.hpp"

namespace ladder::glassbox {
namespace {

CBLAS_TRANSPOSE trans(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

// OpenBLAS's functions by type.
void gemm(cublasOperation_t a, cublasOperation_t b, int m, int n, int k, float alpha,
          const float* A, int lda, const float* B, int ldb, float beta, float* C, int ldc) {
  cblas_sgemm(CblasColMajor, trans(a), trans(b), m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
void gemm(cublasOperation_t a, cublasOperation_t b, int m, int n, int k, double alpha,
          const double* A, int lda, const double* B, int ldb, double beta, double* C, int ldc) {
  cblas_dgemm(CblasColMajor, trans(a), trans(b), m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

/// The matrices of a product, all of one kind of element or of several.
struct Product {
  cublasOperation_t transa, transb;
  int m, n, k, lda, ldb, ldc;

  int rows_a() const { return transa == CUBLAS_OP_N ? m : k; }
  int rows_b() const { return transb == CUBLAS_OP_N ? k : n; }
  long long extent_a() const { return extent(rows_a(), transa == CUBLAS_OP_N ? k : m, lda); }
  long long extent_b() const { return extent(rows_b(), transb == CUBLAS_OP_N ? n : k, ldb); }
  long long extent_c() const { return extent(m, n, ldc); }
};

void check(Call& call, const Product& p) {
  call.require_size("m", p.m);
  call.require_size("n", p.n);
  call.require_size("k", p.k);
  call.require_leading("lda", p.lda, p.rows_a());
  call.require_leading("ldb", p.ldb, p.rows_b());
  call.require_leading("ldc", p.ldc, p.m);
}

/// \param  alpha  where it is 0, A and B are not read
template <class T>
void need(Call& call, const Product& p, T alpha, const T* A, const T* B, const T* C) {
  const bool reads = alpha != T(0);
  call.need("A", A, reads ? p.extent_a() : 0);
  call.need("B", B, reads ? p.extent_b() : 0);
  call.need("C", C, p.extent_c());
}

template <class T>
cublasStatus_t multiply(const std::string& function, cublasHandle_t handle, const Product& p,
                        const T* alpha, const T* A, const T* B, const T* beta, T* C,
                        long long strideA, long long strideB, long long strideC, int count,
                        const Here& here) {
  Call call(function, handle, here);
  check(call, p);
  call.require_size("the number of products", count);
  const T a = call.factor("alpha", alpha);
  const T b = call.factor("beta", beta);
  if (call.is_fine() && (p.m == 0 || p.n == 0)) return CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count; ++i)
    need(call, p, a, A + i * strideA, B + i * strideB, C + i * strideC);
  if (!call.is_fine()) return call.status();
  tell_origin();
  const Allocations::Door open;
  for (int i = 0; i < count; ++i) {
    gemm(p.transa, p.transb, p.m, p.n, p.k, a, A + i * strideA, p.lda, B + i * strideB, p.ldb, b,
         C + i * strideC, p.ldc);
    note_written(C + i * strideC, sizeof(T));
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// Products whose matrices are found in arrays of the GPU.
template <class T>
cublasStatus_t multiply_listed(const std::string& function, cublasHandle_t handle, const Product& p,
                               const T* alpha, const T* const* A, const T* const* B, const T* beta,
                               T* const* C, int count, const Here& here) {
  Call call(function, handle, here);
  call.require_size("the number of products", count);
  call.need("Aarray", A, count);
  call.need("Barray", B, count);
  call.need("Carray", C, count);
  if (!call.is_fine()) return call.status();
  const Allocations::Door open;
  for (int i = 0; i < count; ++i) {
    const cublasStatus_t status =
        multiply<T>(function, handle, p, alpha, A[i], B[i], beta, C[i], 0, 0, 0, 1, here);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// -- Elements of 16 bits -------------------------------------------------------------------------

float float_of_bfloat16(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// To the nearest, ties to even, as the hardware rounds.
std::uint16_t bfloat16_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    default:
      return 0;  // not one of those that are multiplied here
  }
}

template <class T>
T at(const void* data, cudaDataType type, long long i) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  if (type == CUDA_R_64F) return static_cast<T>(reinterpret_cast<const double*>(bytes)[i]);
  if (type == CUDA_R_32F) return static_cast<T>(reinterpret_cast<const float*>(bytes)[i]);
  if (type == CUDA_R_16F) return static_cast<T>(reinterpret_cast<const _Float16*>(bytes)[i]);
  return static_cast<T>(float_of_bfloat16(reinterpret_cast<const std::uint16_t*>(bytes)[i]));
}

template <class T>
void put(void* data, cudaDataType type, long long i, T value) {
  auto* const bytes = static_cast<std::byte*>(data);
  if (type == CUDA_R_64F) {
    reinterpret_cast<double*>(bytes)[i] = static_cast<double>(value);
  } else if (type == CUDA_R_32F) {
    reinterpret_cast<float*>(bytes)[i] = static_cast<float>(value);
  } else if (type == CUDA_R_16F) {
    reinterpret_cast<_Float16*>(bytes)[i] = static_cast<_Float16>(value);
  } else {
    reinterpret_cast<std::uint16_t*>(bytes)[i] = bfloat16_of(static_cast<float>(value));
  }
}

template <class T>
std::vector<T> converted(const void* data, cudaDataType type, long long elements) {
  std::vector<T> values(static_cast<std::size_t>(elements));
  for (long long i = 0; i < elements; ++i)
    values[static_cast<std::size_t>(i)] = at<T>(data, type, i);
  return values;
}

/// Matrices whose elements may have other types than the sums.
struct TypedProduct {
  const void* A;
  const void* B;
  void* C;
  cudaDataType type, type_c;
  long long strideA, strideB, strideC;
  int count;
};

template <class T>
void multiply_typed(Call& call, const Product& p, const TypedProduct& x, T alpha, T beta) {
  const auto moved = [](const void* data, long long elements, cudaDataType type) {
    return static_cast<const std::byte*>(data) + elements * static_cast<long long>(bytes_of(type));
  };
  const bool reads = alpha != T(0);
  for (int i = 0; i < x.count; ++i) {
    call.need("A", moved(x.A, i * x.strideA, x.type), reads ? p.extent_a() : 0, bytes_of(x.type));
    call.need("B", moved(x.B, i * x.strideB, x.type), reads ? p.extent_b() : 0, bytes_of(x.type));
    call.need("C", moved(x.C, i * x.strideC, x.type_c), p.extent_c(), bytes_of(x.type_c));
  }
  if (!call.is_fine()) return;
  tell_origin();
  const Allocations::Door open;
  for (int i = 0; i < x.count; ++i) {
    const std::vector<T> A =
        converted<T>(moved(x.A, i * x.strideA, x.type), x.type, reads ? p.extent_a() : 0);
    const std::vector<T> B =
        converted<T>(moved(x.B, i * x.strideB, x.type), x.type, reads ? p.extent_b() : 0);
    auto* const c = const_cast<std::byte*>(moved(x.C, i * x.strideC, x.type_c));
    std::vector<T> C(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    if (reads && p.k > 0) {
      gemm(p.transa, p.transb, p.m, p.n, p.k, alpha, A.data(), p.lda, B.data(), p.ldb, T(0),
           C.data(), p.m);
    }
    for (int col = 0; col < p.n; ++col) {
      for (int row = 0; row < p.m; ++row) {
        const long long place = static_cast<long long>(col) * p.ldc + row;
        const T sum = C[static_cast<std::size_t>(col) * static_cast<std::size_t>(p.m) +
                        static_cast<std::size_t>(row)];
        put(c, x.type_c, place, beta == T(0) ? sum : sum + beta * at<T>(c, x.type_c, place));
      }
    }
    note_written(c, bytes_of(x.type_c));
  }
}

cublasStatus_t multiply_ex(const char* function, cublasHandle_t handle, const Product& p,
                           const TypedProduct& x, cudaDataType type_b, const void* alpha,
                           const void* beta, cublasComputeType_t compute, const Here& here) {
  Call call(function, handle, here);
  check(call, p);
  call.require_size("the number of products", x.count);
  call.require(bytes_of(x.type) > 0 && bytes_of(x.type_c) > 0 && x.type == type_b,
               {CallReason::kTypesOfProduct}, CUBLAS_STATUS_NOT_SUPPORTED);
  call.require(compute != CUBLAS_COMPUTE_32I && compute != CUBLAS_COMPUTE_32I_PEDANTIC,
               {CallReason::kIntegerProduct}, CUBLAS_STATUS_NOT_SUPPORTED);
  if (!call.is_fine() || p.m == 0 || p.n == 0) return call.status();
  if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC) {
    const double a = call.factor("alpha", static_cast<const double*>(alpha));
    const double b = call.factor("beta", static_cast<const double*>(beta));
    multiply_typed(call, p, x, a, b);
  } else if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) {
    const _Float16 a = call.factor("alpha", static_cast<const _Float16*>(alpha));
    const _Float16 b = call.factor("beta", static_cast<const _Float16*>(beta));
    multiply_typed(call, p, x, static_cast<float>(a), static_cast<float>(b));
  } else {
    const float a = call.factor("alpha", static_cast<const float*>(alpha));
    const float b = call.factor("beta", static_cast<const float*>(beta));
    multiply_typed(call, p, x, a, b);
  }
  return call.status();
}

}  // namespace
}  // namespace ladder::glassbox

namespace ladder::glassbox::blas {

template <class T>
cublasStatus_t Gemm<T>::operator()(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const T* alpha,
                                   const T* A, int lda, const T* B, int ldb, const T* beta, T* C,
                                   int ldc, Here here) const {
  return multiply<T>(name_of<T>("gemm"), handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A,
                     B, beta, C, 0, 0, 0, 1, here);
}

template <class T>
cublasStatus_t GemmStridedBatched<T>::operator()(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k,
                                                 const T* alpha, const T* A, int lda,
                                                 long long strideA, const T* B, int ldb,
                                                 long long strideB, const T* beta, T* C, int ldc,
                                                 long long strideC, int count, Here here) const {
  return multiply<T>(name_of<T>("gemmStridedBatched"), handle,
                     {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C, strideA,
                     strideB, strideC, count, here);
}

template <class T>
cublasStatus_t GemmBatched<T>::operator()(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const T* alpha, const T* const A[], int lda,
                                          const T* const B[], int ldb, const T* beta, T* const C[],
                                          int ldc, int count, Here here) const {
  return multiply_listed<T>(name_of<T>("gemmBatched"), handle,
                            {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C, count,
                            here);
}

template struct Gemm<float>;
template struct Gemm<double>;
template struct GemmStridedBatched<float>;
template struct GemmStridedBatched<double>;
template struct GemmBatched<float>;
template struct GemmBatched<double>;

}  // namespace ladder::glassbox::blas

using namespace ladder::glassbox;

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* A, cudaDataType typeA, int lda, const void* B,
                            cudaDataType typeB, int ldb, const void* beta, void* C,
                            cudaDataType typeC, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t, Here here) {
  return multiply_ex("cublasGemmEx", handle, {transa, transb, m, n, k, lda, ldb, ldc},
                     {A, B, C, typeA, typeC, 0, 0, 0, 1}, typeB, alpha, beta, compute, here);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* A, cudaDataType typeA,
                                          int lda, long long strideA, const void* B,
                                          cudaDataType typeB, int ldb, long long strideB,
                                          const void* beta, void* C, cudaDataType typeC, int ldc,
                                          long long strideC, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t, Here here) {
  return multiply_ex("cublasGemmStridedBatchedEx", handle, {transa, transb, m, n, k, lda, ldb, ldc},
                     {A, B, C, typeA, typeC, strideA, strideB, strideC, count}, typeB, alpha, beta,
                     compute, here);
}
