// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/error_codes.hpp
/// \brief CUDA's error codes, and the functions that tell and forget them.
#pragma once

#include <source_location>

#include "glassbox/runtime/error_list.hpp"

enum cudaError {
#define LADDER_ERROR(name, value, text) name = value,
  LADDER_ERRORS(LADDER_ERROR)
#undef LADDER_ERROR
};
using cudaError_t = cudaError;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

/// The last error, which it forgets, unless a kernel has failed: that one stays.
cudaError_t cudaGetLastError();
/// The last error.
cudaError_t cudaPeekAtLastError();

namespace ladder::glassbox {

using Here = std::source_location;

/// The next cudaGetLastError() returns it.
void set_last_error(cudaError_t error);

/// A kernel failed: from now on all calls return this.
void make_sticky(cudaError_t error);

/// The error that a failed kernel has left; cudaSuccess if none has.
cudaError_t sticky_error();

}  // namespace ladder::glassbox
