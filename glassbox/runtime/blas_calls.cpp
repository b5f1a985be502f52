// SPDX-License-Identifier: MIT
#include <cblas.h>

#include "glassbox/runtime/blas_call.hpp"
#include "glassbox/runtime/memory_calls.hpp"

namespace ladder::glassbox {
namespace {

/// OpenBLAS's functions of a type.
template <class T>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto axpy = cblas_saxpy;
  static constexpr auto scal = cblas_sscal;
  static constexpr auto copy = cblas_scopy;
  static constexpr auto swap = cblas_sswap;
  static constexpr auto dot = cblas_sdot;
  static constexpr auto nrm2 = cblas_snrm2;
  static constexpr auto asum = cblas_sasum;
  static constexpr auto amax = cblas_isamax;
  static constexpr auto amin = cblas_isamin;
  static constexpr auto gemv = cblas_sgemv;
  static constexpr auto ger = cblas_sger;
};
template <>
struct Blas<double> {
  static constexpr auto axpy = cblas_daxpy;
  static constexpr auto scal = cblas_dscal;
  static constexpr auto copy = cblas_dcopy;
  static constexpr auto swap = cblas_dswap;
  static constexpr auto dot = cblas_ddot;
  static constexpr auto nrm2 = cblas_dnrm2;
  static constexpr auto asum = cblas_dasum;
  static constexpr auto amax = cblas_idamax;
  static constexpr auto amin = cblas_idamin;
  static constexpr auto gemv = cblas_dgemv;
  static constexpr auto ger = cblas_dger;
};

/// \brief  Runs `work` if the call is fine and there is something to do; it may touch the GPU's
///         memory, and writes `written`, if that is an array.
template <class Work>
cublasStatus_t run(const Call& call, bool has_work, void* written, const Work& work) {
  if (!call.is_fine() || !has_work) return call.status();
  tell_origin();
  const Allocations::Door open;
  work();
  if (written != nullptr) note_written(written, 1);
  return call.status();
}

/// A vector, as a call names it.
template <class T>
struct Vector {
  const char* name;
  T* data;
  int increment;
};

/// What the calls that change vectors have in common.
template <class T, class X, class Y, class Work>
cublasStatus_t on_vectors(Call& call, int n, const Vector<X>& x, const Vector<Y>& y, T* written,
                          const Work& work) {
  call.need(x.name, x.data, extent(n, x.increment));
  call.need(y.name, y.data, extent(n, y.increment));
  return run(call, n > 0, written, work);
}

/// What the calls that reduce vectors to a number have in common: of no elements, it is 0.
template <class R, class Work>
cublasStatus_t reduce(Call& call, int n, R* result, const Work& work) {
  R value = 0;
  const cublasStatus_t status = run(call, n > 0, nullptr, [&] { value = work(); });
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  call.give(result, value);
  return call.status();
}

template <class T>
cublasStatus_t multiply_vector(Call& call, cublasOperation_t operation, int m, int n,
                               const T* alpha, const T* A, int lda, const T* x, int incx,
                               const T* beta, T* y, int incy) {
  const bool stands = operation == CUBLAS_OP_N;
  call.require_size("m", m);
  call.require_size("n", n);
  call.require_leading("lda", lda, m);
  const T a = call.factor("alpha", alpha);
  const T b = call.factor("beta", beta);
  call.need("A", A, a == T(0) ? 0 : extent(m, n, lda));
  call.need("x", x, a == T(0) ? 0 : extent(stands ? n : m, incx));
  call.need("y", y, extent(stands ? m : n, incy));
  return run(call, m > 0 && n > 0, y, [&] {
    Blas<T>::gemv(CblasColMajor, stands ? CblasNoTrans : CblasTrans, m, n, a, A, lda, x, incx, b, y,
                  incy);
  });
}

template <class T>
cublasStatus_t add_outer_product(Call& call, int m, int n, const T* alpha, const T* x, int incx,
                                 const T* y, int incy, T* A, int lda) {
  call.require_size("m", m);
  call.require_size("n", n);
  call.require_leading("lda", lda, m);
  const T a = call.factor("alpha", alpha);
  call.need("x", x, extent(m, incx));
  call.need("y", y, extent(n, incy));
  call.need("A", A, extent(m, n, lda));
  return run(call, m > 0 && n > 0, A,
             [&] { Blas<T>::ger(CblasColMajor, m, n, a, x, incx, y, incy, A, lda); });
}

/// A matrix that is added, with its factor; transposed, its element (row, col) is at (col, row).
template <class T>
struct Summand {
  const char* name;
  const char* leading;
  T factor;
  const T* data;
  int ld;
  bool stands;

  void check(Call& call, int m, int n) const {
    if (factor == T(0)) return;
    call.require_leading(leading, ld, stands ? m : n);
    call.need(name, data, stands ? extent(m, n, ld) : extent(n, m, ld));
  }
  T at(long long row, long long col) const {
    if (factor == T(0)) return T(0);
    return factor * (stands ? data[col * ld + row] : data[row * ld + col]);
  }
};

template <class T>
cublasStatus_t add_matrices(Call& call, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, const T* alpha, const T* A, int lda, const T* beta, const T* B,
                            int ldb, T* C, int ldc) {
  call.require_size("m", m);
  call.require_size("n", n);
  call.require_leading("ldc", ldc, m);
  const Summand<T> a = {"A", "lda", call.factor("alpha", alpha), A, lda, transa == CUBLAS_OP_N};
  const Summand<T> b = {"B", "ldb", call.factor("beta", beta), B, ldb, transb == CUBLAS_OP_N};
  a.check(call, m, n);
  b.check(call, m, n);
  call.need("C", C, extent(m, n, ldc));
  return run(call, m > 0 && n > 0, C, [&] {
    for (long long col = 0; col < n; ++col) {
      for (long long row = 0; row < m; ++row)
        C[col * ldc + row] = a.at(row, col) + b.at(row, col);
    }
  });
}

template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*member, T value) {
  if (!Handles::instance().knows(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*member, T* value) {
  if (!Handles::instance().knows(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *value = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}

/// Copies columns between the host and the GPU.
cublasStatus_t copy_columns(const char* function, int rows, int cols, int bytes, const void* from,
                            int from_ld, void* to, int to_ld, cudaMemcpyKind kind,
                            const Here& here) {
  if (rows < 0 || cols < 0 || bytes <= 0 || from_ld < rows || to_ld < rows) {
    return failed(CUBLAS_STATUS_INVALID_VALUE,
                  {CallReason::kColumns,
                   {{"rows", rows},
                    {"columns", cols},
                    {"bytes", bytes},
                    {"from_columns", from_ld},
                    {"to_columns", to_ld}}},
                  function, here);
  }
  const auto size = static_cast<std::size_t>(bytes);
  const cudaError_t error = cudaMemcpy2D(
      to, static_cast<std::size_t>(to_ld) * size, from, static_cast<std::size_t>(from_ld) * size,
      static_cast<std::size_t>(rows) * size, static_cast<std::size_t>(cols), kind, here);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace
}  // namespace ladder::glassbox

using namespace ladder::glassbox;

// -- Handles -------------------------------------------------------------------------------------

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = Handles::instance().add();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return Handles::instance().remove(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set(handle, &cublasContext::math, mode);
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math, mode);
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set(handle, &cublasContext::pointers, mode);
}

cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointers, mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "unknown status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

// -- Copies --------------------------------------------------------------------------------------

cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               Here here) {
  return copy_columns("cublasSetVector", 1, n, bytes, x, incx, y, incy, cudaMemcpyHostToDevice,
                      here);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy,
                               Here here) {
  return copy_columns("cublasGetVector", 1, n, bytes, x, incx, y, incy, cudaMemcpyDeviceToHost,
                      here);
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb, Here here) {
  return copy_columns("cublasSetMatrix", rows, cols, bytes, A, lda, B, ldb, cudaMemcpyHostToDevice,
                      here);
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* A, int lda, void* B,
                               int ldb, Here here) {
  return copy_columns("cublasGetMatrix", rows, cols, bytes, A, lda, B, ldb, cudaMemcpyDeviceToHost,
                      here);
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes, const void* A, int lda, void* B,
                                    int ldb, cudaStream_t, Here here) {
  return cublasSetMatrix(rows, cols, bytes, A, lda, B, ldb, here);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes, const void* A, int lda, void* B,
                                    int ldb, cudaStream_t, Here here) {
  return cublasGetMatrix(rows, cols, bytes, A, lda, B, ldb, here);
}

// -- Vectors and matrices of float and double ----------------------------------------------------

namespace ladder::glassbox::blas {

template <class T>
cublasStatus_t Axpy<T>::operator()(cublasHandle_t handle, int n, const T* alpha, const T* x,
                                   int incx, T* y, int incy, Here here) const {
  Call call(name_of<T>("axpy"), handle, here);
  const T a = call.factor("alpha", alpha);
  return on_vectors(call, n, Vector<const T>{"x", x, incx}, Vector<T>{"y", y, incy}, y,
                    [&] { Blas<T>::axpy(n, a, x, incx, y, incy); });
}

template <class T>
cublasStatus_t Scal<T>::operator()(cublasHandle_t handle, int n, const T* alpha, T* x, int incx,
                                   Here here) const {
  Call call(name_of<T>("scal"), handle, here);
  const T a = call.factor("alpha", alpha);
  call.need("x", x, extent(n, incx));
  return run(call, n > 0, x, [&] { Blas<T>::scal(n, a, x, incx); });
}

template <class T>
cublasStatus_t Copy<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, T* y,
                                   int incy, Here here) const {
  Call call(name_of<T>("copy"), handle, here);
  return on_vectors(call, n, Vector<const T>{"x", x, incx}, Vector<T>{"y", y, incy}, y,
                    [&] { Blas<T>::copy(n, x, incx, y, incy); });
}

template <class T>
cublasStatus_t Swap<T>::operator()(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,
                                   Here here) const {
  Call call(name_of<T>("swap"), handle, here);
  return on_vectors(call, n, Vector<T>{"x", x, incx}, Vector<T>{"y", y, incy}, y, [&] {
    Blas<T>::swap(n, x, incx, y, incy);
    note_written(x, sizeof(T));
  });
}

template <class T>
cublasStatus_t Dot<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, const T* y,
                                  int incy, T* result, Here here) const {
  Call call(name_of<T>("dot"), handle, here);
  call.need("x", x, extent(n, incx));
  call.need("y", y, extent(n, incy));
  return reduce(call, n, result, [&] { return Blas<T>::dot(n, x, incx, y, incy); });
}

template <class T>
cublasStatus_t Nrm2<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, T* result,
                                   Here here) const {
  Call call(name_of<T>("nrm2"), handle, here);
  call.need("x", x, extent(n, incx));
  return reduce(call, n, result, [&] { return Blas<T>::nrm2(n, x, incx); });
}

template <class T>
cublasStatus_t Asum<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, T* result,
                                   Here here) const {
  Call call(name_of<T>("asum"), handle, here);
  call.need("x", x, extent(n, incx));
  return reduce(call, n, result, [&] { return Blas<T>::asum(n, x, incx); });
}

template <class T>
cublasStatus_t Amax<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, int* result,
                                   Here here) const {
  Call call(sizeof(T) == sizeof(float) ? "cublasIsamax" : "cublasIdamax", handle, here);
  call.need("x", x, extent(n, incx));
  return reduce(call, n, result, [&] { return static_cast<int>(Blas<T>::amax(n, x, incx)) + 1; });
}

template <class T>
cublasStatus_t Amin<T>::operator()(cublasHandle_t handle, int n, const T* x, int incx, int* result,
                                   Here here) const {
  Call call(sizeof(T) == sizeof(float) ? "cublasIsamin" : "cublasIdamin", handle, here);
  call.need("x", x, extent(n, incx));
  return reduce(call, n, result, [&] { return static_cast<int>(Blas<T>::amin(n, x, incx)) + 1; });
}

template <class T>
cublasStatus_t Gemv<T>::operator()(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                                   const T* alpha, const T* A, int lda, const T* x, int incx,
                                   const T* beta, T* y, int incy, Here here) const {
  Call call(name_of<T>("gemv"), handle, here);
  return multiply_vector(call, operation, m, n, alpha, A, lda, x, incx, beta, y, incy);
}

template <class T>
cublasStatus_t Ger<T>::operator()(cublasHandle_t handle, int m, int n, const T* alpha, const T* x,
                                  int incx, const T* y, int incy, T* A, int lda, Here here) const {
  Call call(name_of<T>("ger"), handle, here);
  return add_outer_product(call, m, n, alpha, x, incx, y, incy, A, lda);
}

template <class T>
cublasStatus_t Geam<T>::operator()(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, const T* alpha,
                                   const T* A, int lda, const T* beta, const T* B, int ldb, T* C,
                                   int ldc, Here here) const {
  Call call(name_of<T>("geam"), handle, here);
  return add_matrices(call, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}

template struct Axpy<float>;
template struct Axpy<double>;
template struct Scal<float>;
template struct Scal<double>;
template struct Copy<float>;
template struct Copy<double>;
template struct Swap<float>;
template struct Swap<double>;
template struct Dot<float>;
template struct Dot<double>;
template struct Nrm2<float>;
template struct Nrm2<double>;
template struct Asum<float>;
template struct Asum<double>;
template struct Amax<float>;
template struct Amax<double>;
template struct Amin<float>;
template struct Amin<double>;
template struct Gemv<float>;
template struct Gemv<double>;
template struct Ger<float>;
template struct Ger<double>;
template struct Geam<float>;
template struct Geam<double>;

}  // namespace ladder::glassbox::blas
