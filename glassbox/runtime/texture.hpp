// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/texture.hpp
/// \brief What a texture object is inside of the run time.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/texture_calls.hpp"

namespace ladder::glassbox {

/// What a texture reads and how.
struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;

  const Allocation* memory;  ///< that holds it
  const std::byte* data;
  cudaChannelFormatDesc format;
  int dimensions;                    ///< 0: linear memory, which tex1Dfetch alone reads
  std::size_t width, height, pitch;  ///< in texels; the pitch in bytes
  bool destroyed = false;
  std::atomic<bool> read_unwritten = false;  ///< a kernel read it before anything was written
  std::optional<Fetch> first_of_unwritten;   ///< by this function
};

/// \return null if the number is none of a texture
Texture* texture_of(cudaTextureObject_t number);

/// Whether kernels get floats from it.
bool gives_floats(const Texture& texture);

/// Tells what the last launch read that nobody has written: kernels cannot, while the door is open.
void tell_unwritten_textures();

}  // namespace ladder::glassbox
