// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/texture_calls.hpp
/// \brief Texture objects of one and two dimensions, and the functions by which kernels read them.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

#include "glassbox/runtime/array_calls.hpp"
#include "glassbox/runtime/error_codes.hpp"

using cudaTextureObject_t = unsigned long long;

enum cudaTextureAddressMode {
  cudaAddressModeWrap,
  cudaAddressModeClamp,
  cudaAddressModeMirror,
  cudaAddressModeBorder,
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D,
};

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};

/// There are no mipmaps, so what it says about them is not used.
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaResourceViewDesc;

cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t* texture, const cudaResourceDesc* resource,
    const cudaTextureDesc* description, const cudaResourceViewDesc* view,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDestroyTextureObject(
    cudaTextureObject_t texture, ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGetTextureObjectResourceDesc(
    cudaResourceDesc* resource, cudaTextureObject_t texture,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGetTextureObjectTextureDesc(
    cudaTextureDesc* description, cudaTextureObject_t texture,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());

namespace ladder::glassbox {

/// What a kernel gets: the bits of four floats or four integers.
struct Texel {
  unsigned channels[4];
};

/// A function of the device that reads a texture.
struct Fetch {
  const char* function;  ///< "tex2D"
  int dimensions;
  bool floats;  ///< the kernel asks for floats, not for integers
  Here here;
};

/// tex1D and tex2D. The run time reads, so no trace counts it.
Texel fetch(cudaTextureObject_t texture, float x, float y, const Fetch& fetch);
/// tex1Dfetch.
Texel fetch_element(cudaTextureObject_t texture, int index, const Fetch& fetch);

template <class T>
constexpr bool is_of_floats() {
  return std::is_same_v<typename Channels<T>::Type, float>;
}

template <class T>
T from_texel(const Texel& texel) {
  using Channel = typename Channels<T>::Type;
  static_assert(sizeof(Channel) <= 4 && Channels<T>::kCount != 3,
                "a texture is read as 1, 2 or 4 channels: float, float4, int2, uchar4, ...");
  const auto channel = [&](int i) {
    if constexpr (is_of_floats<T>()) {
      return std::bit_cast<float>(texel.channels[i]);
    } else {
      return static_cast<Channel>(texel.channels[i]);
    }
  };
  if constexpr (Channels<T>::kCount == 1) return T{channel(0)};
  if constexpr (Channels<T>::kCount == 2) return T{channel(0), channel(1)};
  if constexpr (Channels<T>::kCount == 4) return T{channel(0), channel(1), channel(2), channel(3)};
}

}  // namespace ladder::glassbox

/// An element of linear memory; 0 beyond its bounds.
template <class T>
T tex1Dfetch(cudaTextureObject_t texture, int index,
             ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  using namespace ladder::glassbox;
  return from_texel<T>(fetch_element(texture, index, {"tex1Dfetch", 1, is_of_floats<T>(), here}));
}
template <class T>
T tex1D(cudaTextureObject_t texture, float x,
        ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  using namespace ladder::glassbox;
  return from_texel<T>(fetch(texture, x, 0, {"tex1D", 1, is_of_floats<T>(), here}));
}
template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y,
        ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  using namespace ladder::glassbox;
  return from_texel<T>(fetch(texture, x, y, {"tex2D", 2, is_of_floats<T>(), here}));
}

// The same, with the result behind a pointer.
template <class T>
void tex1Dfetch(T* result, cudaTextureObject_t texture, int index,
                ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  *result = tex1Dfetch<T>(texture, index, here);
}
template <class T>
void tex1D(T* result, cudaTextureObject_t texture, float x,
           ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  *result = tex1D<T>(texture, x, here);
}
template <class T>
void tex2D(T* result, cudaTextureObject_t texture, float x, float y,
           ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  *result = tex2D<T>(texture, x, y, here);
}
