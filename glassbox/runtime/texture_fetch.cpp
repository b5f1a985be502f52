// SPDX-License-Identifier: MIT
// How a GPU reads a texture: the section on texture fetching in CUDA's programming guide.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/words/half_type.hpp"
#include "glassbox/runtime/cuda_array.hpp"
#include "glassbox/runtime/texture.hpp"

namespace ladder::glassbox {
namespace {

using emulator::FaultKind;
using Floats = std::array<float, 4>;

/// The running thread cannot read this.
[[noreturn]] void fail(const Fetch& fetch, FaultKind kind, emulator::Fields fields = {}) {
  fields.set("function", fetch.function);
  emulator::BlockRunner::of_this_cpu_thread()->scheduler().fail({kind, std::move(fields)},
                                                                fetch.here);
}

/// \brief The texture, if the function may read it.
Texture& require_texture(cudaTextureObject_t number, const Fetch& fetch) {
  Texture* const texture = texture_of(number);
  if (texture == nullptr) fail(fetch, FaultKind::kTextureNone);
  if (texture->destroyed) fail(fetch, FaultKind::kTextureDestroyed);
  if (texture->memory->freed) {
    fail(fetch, FaultKind::kTextureFreed, {{"array", texture->memory->name}});
  }
  const bool whole_numbers = std::strcmp(fetch.function, "tex1Dfetch") == 0;
  if (whole_numbers != (texture->dimensions == 0)) {
    fail(fetch, FaultKind::kTextureFunction, {{"texture_is_linear", !whole_numbers}});
  }
  if (!whole_numbers && fetch.dimensions != texture->dimensions) {
    fail(fetch, FaultKind::kTextureDimensions, {{"dimensions", texture->dimensions}});
  }
  if (fetch.floats != gives_floats(*texture)) {
    fail(fetch, FaultKind::kTextureType, {{"texture_gives_floats", !fetch.floats}});
  }
  const bool is_written = texture->memory->written || texture->memory->is_written();
  if (!is_written && !texture->read_unwritten.exchange(true)) texture->first_of_unwritten = fetch;
  return *texture;
}

/// \brief A row or column of texels, of which there are `extent`, as an address mode has it.
/// \return -1: the border
long texel_at(long i, long extent, cudaTextureAddressMode mode) {
  if (i >= 0 && i < extent) return i;
  switch (mode) {
    case cudaAddressModeBorder:
      return -1;
    case cudaAddressModeWrap:
      return (i % extent + extent) % extent;
    case cudaAddressModeMirror: {
      const long there_and_back = (i % (2 * extent) + 2 * extent) % (2 * extent);
      return std::min(there_and_back, 2 * extent - 1 - there_and_back);
    }
    default:
      return std::clamp(i, 0L, extent - 1);
  }
}

/// Wrap and mirror are for normalised coordinates alone.
cudaTextureAddressMode mode_of(const Texture& texture, int dimension) {
  const cudaTextureAddressMode mode = texture.description.addressMode[dimension];
  const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
  return repeats && texture.description.normalizedCoords == 0 ? cudaAddressModeClamp : mode;
}

/// One channel as its bits: of a float or of an integer of 32 bits.
unsigned channel_at(const std::byte* data, const cudaChannelFormatDesc& format) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>(format.x) / 8);
  if (format.f == cudaChannelFormatKindFloat && format.x == 16) {
    const float wide = __half::of_bits(static_cast<unsigned short>(bits));
    return std::bit_cast<unsigned>(wide);
  }
  if (format.f != cudaChannelFormatKindSigned) return bits;
  const int unused = 32 - format.x;
  return static_cast<unsigned>(static_cast<int>(bits << unused) >> unused);
}

/// An integer of 8 or 16 bits as a part of the largest.
unsigned normalised(unsigned bits, const cudaChannelFormatDesc& format) {
  if (format.f == cudaChannelFormatKindUnsigned) {
    const auto largest = static_cast<float>((1u << format.x) - 1);
    return std::bit_cast<unsigned>(static_cast<float>(bits) / largest);
  }
  const auto largest = static_cast<float>((1u << (format.x - 1)) - 1);
  const float part = static_cast<float>(static_cast<int>(bits)) / largest;
  return std::bit_cast<unsigned>(std::max(part, -1.0F));
}

Texel border_of(const Texture& texture) {
  Texel border;
  std::memcpy(border.channels, texture.description.borderColor, sizeof border.channels);
  return border;
}

/// \param column, row  -1: the border
Texel texel_of(const Texture& texture, long column, long row) {
  if (column < 0 || row < 0) return border_of(texture);
  const std::size_t bytes = texel_bytes(texture.format);
  const auto channel_bytes = static_cast<std::size_t>(texture.format.x) / 8;
  const std::byte* const data = texture.data + static_cast<std::size_t>(row) * texture.pitch +
                                static_cast<std::size_t>(column) * bytes;
  Texel texel = {};
  for (std::size_t i = 0; i * channel_bytes < bytes; ++i) {
    unsigned& channel = texel.channels[i];
    channel = channel_at(data + i * channel_bytes, texture.format);
    if (texture.format.f != cudaChannelFormatKindFloat && gives_floats(texture))
      channel = normalised(channel, texture.format);
  }
  return texel;
}

/// A coordinate in texels, so far inside of what a long holds that its neighbours are, too.
double in_texels(float coordinate, std::size_t extent, const Texture& texture) {
  constexpr double kFar = 1e15;
  const float scale = texture.description.normalizedCoords != 0 ? static_cast<float>(extent) : 1.0F;
  const double texels = static_cast<double>(coordinate) * static_cast<double>(scale);
  return std::isnan(texels) ? 0 : std::clamp(texels, -kFar, kFar);
}

constexpr int kWeights = 256;  ///< steps of a weight: 8 fractional bits

/// Two neighbouring texels along one dimension.
struct Neighbours {
  std::array<long, 2> texels;
  int weight;  ///< of the second, in steps
};

Neighbours neighbours_of(const Texture& texture, float coordinate, int dimension) {
  const std::size_t extent = dimension == 0 ? texture.width : texture.height;
  const cudaTextureAddressMode mode = mode_of(texture, dimension);
  const double place = in_texels(coordinate, extent, texture) - 0.5;
  const auto steps = static_cast<long>(std::floor(place * kWeights + 0.5));
  const long first = steps >> 8;
  const auto size = static_cast<long>(extent);
  return {{texel_at(first, size, mode), texel_at(first + 1, size, mode)},
          static_cast<int>(steps - first * kWeights)};
}

/// \brief An H100 rounds the product of two weights to a step, and takes the others' weights as
///        differences. One dimension is a row at height 0, half of which is border.
Texel filtered(const Texture& texture, float x, float y) {
  const Neighbours columns = neighbours_of(texture, x, 0);
  const Neighbours rows = neighbours_of(texture, y, 1);
  const int both = (columns.weight * rows.weight + kWeights / 2) / kWeights;
  const std::array weights = {kWeights - columns.weight - rows.weight + both, columns.weight - both,
                              rows.weight - both, both};
  Floats sum = {};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;  // a texel without weight may be infinite
    const Texel texel = texel_of(texture, columns.texels[i % 2], rows.texels[i / 2]);
    const float weight = static_cast<float>(weights[i]) / kWeights;
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += weight * std::bit_cast<float>(texel.channels[k]);
  }
  return std::bit_cast<Texel>(sum);
}

Texel nearest(const Texture& texture, float x, float y) {
  const auto column = static_cast<long>(std::floor(in_texels(x, texture.width, texture)));
  const auto row = static_cast<long>(std::floor(in_texels(y, texture.height, texture)));
  return texel_of(texture, texel_at(column, static_cast<long>(texture.width), mode_of(texture, 0)),
                  texture.dimensions == 1
                      ? 0
                      : texel_at(row, static_cast<long>(texture.height), mode_of(texture, 1)));
}

}  // namespace

Texel fetch(cudaTextureObject_t number, float x, float y, const Fetch& fetch) {
  const Texture& texture = require_texture(number, fetch);
  return texture.description.filterMode == cudaFilterModeLinear ? filtered(texture, x, y)
                                                                : nearest(texture, x, y);
}

Texel fetch_element(cudaTextureObject_t number, int index, const Fetch& fetch) {
  const Texture& texture = require_texture(number, fetch);
  if (index < 0 || static_cast<std::size_t>(index) >= texture.width) return {};
  return texel_of(texture, index, 0);
}

}  // namespace ladder::glassbox
