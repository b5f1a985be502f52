// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/array_calls.hpp
/// \brief CUDA arrays, which textures and surfaces read: the calls that take, fill and free them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "emulator/words/half_type.hpp"
#include "emulator/words/vector_types.hpp"
#include "glassbox/runtime/memory_calls.hpp"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone,
};

/// What a texel is: the bits of up to four channels, 0 for one that it lacks.
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

struct cudaArray;
using cudaArray_t = cudaArray*;
using cudaArray_const_t = const cudaArray*;

inline constexpr unsigned cudaArrayDefault = 0, cudaArraySurfaceLoadStore = 2,
                          cudaArrayTextureGather = 8;

namespace ladder::glassbox {

/// The type and the number of a texel's channels.
template <class T>
struct Channels {
  using Type = T;
  static constexpr int kCount = 1;
};

/// Those of char1 to float4.
template <class T>
requires requires(const T& texel) {
  texel.x;
}
struct Channels<T> {
  using Type = std::remove_cvref_t<decltype(std::declval<T>().x)>;
  static constexpr int kCount = sizeof(T) / sizeof(Type);
};

template <class T>
constexpr cudaChannelFormatKind kind_of_channel() {
  if (std::is_same_v<T, float> || std::is_same_v<T, __half>) return cudaChannelFormatKindFloat;
  return std::is_signed_v<T> ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
}

}  // namespace ladder::glassbox

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
/// Of a type such as float or uchar4.
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Texel = ladder::glassbox::Channels<T>;
  constexpr int kBits = 8 * sizeof(typename Texel::Type);
  constexpr int kCount = Texel::kCount;
  return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0,
          ladder::glassbox::kind_of_channel<typename Texel::Type>()};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc<__half>();
}

/// \param height  0: an array of one dimension
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height = 0,
                            unsigned flags = cudaArrayDefault,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaFreeArray(cudaArray_t array,
                          ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array);

// Offsets and widths along x are bytes.
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
    std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind,
                                  ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy2DFromArrayAsync(
    void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
    std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// Row after row, as many bytes as are wanted.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());
