// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/cuda_array.hpp
/// \brief What a CUDA array is inside of the run time: rows without gaps.
#pragma once

#include <cstddef>

#include "glassbox/runtime/array_calls.hpp"

namespace ladder::glassbox {

/// Of a texel; 0 if CUDA has no such format.
std::size_t texel_bytes(const cudaChannelFormatDesc& format);

/// It was taken, and not freed since.
bool is_live_array(const cudaArray* array);

}  // namespace ladder::glassbox

struct cudaArray {
  std::byte* data;
  cudaChannelFormatDesc format;
  std::size_t width, height;  ///< in texels; height 0: one dimension
  unsigned flags;

  std::size_t rows() const { return height == 0 ? 1 : height; }
  std::size_t row_bytes() const { return width * ladder::glassbox::texel_bytes(format); }
};
