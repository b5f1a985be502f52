// SPDX-License-Identifier: MIT
/// \file  common/check.hpp
/// \brief check(status): turns a CUDA or cuBLAS status into an exception that names the caller.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "common/machine.hpp"

namespace ladder {

/// \throws GpuError with CUDA's own words and the calling line
inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw GpuError(std::string("CUDA: ") + cudaGetErrorString(status) + " (" +
                 cudaGetErrorName(status) + ") at " + at.file_name() + ":" +
                 std::to_string(at.line()));
}

/// \throws GpuError with cuBLAS's own words and the calling line
inline void check(cublasStatus_t status,
                  std::source_location at = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw GpuError(std::string("cuBLAS: ") + cublasGetStatusString(status) + " at " + at.file_name() +
                 ":" + std::to_string(at.line()));
}

}  // namespace ladder
