// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/cublasLt.h
/// \brief CUDA's header of this name: handles, for programs that also include it. Its products are
///        refused in a sentence.
#pragma once

#include "glassbox/runtime/blas_calls.hpp"

struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(1);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}

#define GLASSBOX_NO_CUBLASLT \
  [[gnu::unavailable(        \
      "the glass box has no cublasLt: multiply with cublasSgemm or cublasGemmEx [missing-word]")]]

struct GLASSBOX_NO_CUBLASLT cublasLtMatmulDesc_t;
struct GLASSBOX_NO_CUBLASLT cublasLtMatmulPreference_t;
struct GLASSBOX_NO_CUBLASLT cublasLtMatmulHeuristicResult_t;
struct GLASSBOX_NO_CUBLASLT cublasLtMatrixLayout_t;
template <class... Arguments>
GLASSBOX_NO_CUBLASLT cublasStatus_t cublasLtMatmul(Arguments&&...);
template <class... Arguments>
GLASSBOX_NO_CUBLASLT cublasStatus_t cublasLtMatmulDescCreate(Arguments&&...);
template <class... Arguments>
GLASSBOX_NO_CUBLASLT cublasStatus_t cublasLtMatrixLayoutCreate(Arguments&&...);

#undef GLASSBOX_NO_CUBLASLT
