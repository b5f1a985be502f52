// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/volume_calls.hpp
/// \brief CUDA's calls for memory of three dimensions: slices of rows.
#pragma once

#include <cstddef>

#include "glassbox/runtime/array_calls.hpp"
#include "glassbox/runtime/memory_calls.hpp"

/// Widths are bytes, where no CUDA array takes part.
struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
/// Memory whose rows are `pitch` bytes apart, and whose slices have `ysize` rows.
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {pointer, pitch, width, height};
}

namespace ladder::glassbox {

cudaError_t copy_volume(const cudaMemcpy3DParms& copy, const Here& here);

}  // namespace ladder::glassbox

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream = nullptr,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
