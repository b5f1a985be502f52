// SPDX-License-Identifier: MIT
#include "glassbox/runtime/texture_calls.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/cuda_array.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/texture.hpp"

namespace ladder::glassbox {
namespace {

constexpr const char* kCreate = "cudaCreateTextureObject";
constexpr std::size_t kStartAlignment = 512;
constexpr std::size_t kPitchAlignment = 32;

/// A texture's number is its place, counted from 1. Who adds one holds the door, so no kernel runs.
std::deque<Texture>& textures() {
  static auto* const all = new std::deque<Texture>();  // used until the very end of the process
  return *all;
}

/// Where the texels are: start, format and extents of a resource.
struct Surface {
  const void* data;
  cudaChannelFormatDesc format;
  int dimensions;
  std::size_t width, height, pitch;
  std::size_t bytes;
};

Surface surface_of(const cudaResourceDesc& resource) {
  if (resource.resType == cudaResourceTypeArray) {
    const cudaArray& array = *resource.res.array.array;
    return {.data = array.data,
            .format = array.format,
            .dimensions = array.height == 0 ? 1 : 2,
            .width = array.width,
            .height = array.rows(),
            .pitch = array.row_bytes(),
            .bytes = array.rows() * array.row_bytes()};
  }
  if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    const std::size_t texel = texel_bytes(linear.desc);
    return {.data = linear.devPtr,
            .format = linear.desc,
            .dimensions = 0,
            .width = texel == 0 ? 0 : linear.sizeInBytes / texel,
            .height = 1,
            .pitch = linear.sizeInBytes,
            .bytes = linear.sizeInBytes};
  }
  const auto& pitched = resource.res.pitch2D;
  const std::size_t row = pitched.width * texel_bytes(pitched.desc);
  return {.data = pitched.devPtr,
          .format = pitched.desc,
          .dimensions = 2,
          .width = pitched.width,
          .height = pitched.height,
          .pitch = pitched.pitchInBytes,
          .bytes = pitched.height == 0 ? 0 : (pitched.height - 1) * pitched.pitchInBytes + row};
}

/// What is wrong with a resource; nothing if all is well.
std::optional<CallProblem> wrong_resource(const cudaResourceDesc& resource) {
  if (resource.resType == cudaResourceTypeArray) {
    if (is_live_array(resource.res.array.array)) return std::nullopt;
    return CallProblem{CallReason::kTextureOfArray};
  }
  if (resource.resType == cudaResourceTypeMipmappedArray) {
    return CallProblem{CallReason::kNoMipmaps};
  }
  if (resource.resType != cudaResourceTypeLinear && resource.resType != cudaResourceTypePitch2D) {
    return CallProblem{CallReason::kNoResourceType, {{"type", static_cast<int>(resource.resType)}}};
  }
  const Surface surface = surface_of(resource);
  if (texel_bytes(surface.format) == 0) return CallProblem{CallReason::kTexelFormat};
  if (reinterpret_cast<std::uintptr_t>(surface.data) % kStartAlignment != 0) {
    return CallProblem{CallReason::kTextureAlignment, {{"multiple", kStartAlignment}}};
  }
  if (surface.width == 0 || surface.height == 0) return CallProblem{CallReason::kTextureEmpty};
  if (surface.dimensions == 2) {
    const std::size_t row = surface.width * texel_bytes(surface.format);
    if (surface.pitch % kPitchAlignment != 0 || surface.pitch < row) {
      return CallProblem{
          CallReason::kTexturePitch,
          {{"pitch", surface.pitch}, {"multiple", kPitchAlignment}, {"row_bytes", row}}};
    }
  }
  return std::nullopt;
}

/// The error of filters and read modes that do not go with a format.
cudaError_t require_modes(const Texture& texture, const Here& here) {
  const bool integers = texture.format.f != cudaChannelFormatKindFloat;
  const bool normalised = texture.description.readMode == cudaReadModeNormalizedFloat;
  if (integers && !(normalised && texture.format.x < 32) && texture.dimensions > 0 &&
      texture.description.filterMode == cudaFilterModeLinear) {
    return failed(cudaErrorInvalidFilterSetting, {CallReason::kFilterOfIntegers}, kCreate, here);
  }
  if (integers && normalised && texture.format.x == 32) {
    return failed(cudaErrorInvalidNormSetting, {CallReason::kNormalisedWide}, kCreate, here);
  }
  return cudaSuccess;
}

cudaError_t no_texture(const char* function, const Here& here) {
  return failed(cudaErrorInvalidValue, {CallReason::kNoTexture}, function, here);
}

Texture* live_texture(cudaTextureObject_t number) {
  Texture* const texture = texture_of(number);
  return texture == nullptr || texture->destroyed ? nullptr : texture;
}

}  // namespace

Texture* texture_of(cudaTextureObject_t number) {
  return number == 0 || number > textures().size() ? nullptr : &textures()[number - 1];
}

void tell_unwritten_textures() {
  for (Texture& texture : textures()) {
    if (!texture.first_of_unwritten) continue;
    emulator::Fault fault(
        emulator::FaultKind::kUninitialisedTexture,
        {{"function", texture.first_of_unwritten->function}, {"array", texture.memory->name}});
    fault.place = place_of(texture.first_of_unwritten->here);
    Findings::instance().add(std::move(fault));
    texture.first_of_unwritten.reset();
  }
}

bool gives_floats(const Texture& texture) {
  return texture.format.f == cudaChannelFormatKindFloat ||
         texture.description.readMode == cudaReadModeNormalizedFloat;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  std::optional<CallProblem> wrong = wrong_resource(*resource);
  if (view != nullptr) wrong = CallProblem{CallReason::kNoViews};
  if (description->sRGB != 0) wrong = CallProblem{CallReason::kNoSrgb};
  if (wrong) return failed(cudaErrorInvalidValue, *wrong, kCreate, here);
  const Surface surface = surface_of(*resource);
  wrong = wrong_access("resource", surface.data, surface.bytes, true);
  if (wrong) return failed(cudaErrorInvalidValue, *wrong, kCreate, here);
  const Allocations::Door no_kernel_runs;
  Texture& made = textures().emplace_back();
  made.resource = *resource;
  made.description = *description;
  made.memory = Allocations::instance().with(surface.data);
  made.data = static_cast<const std::byte*>(surface.data);
  made.format = surface.format;
  made.dimensions = surface.dimensions;
  made.width = surface.width;
  made.height = surface.height;
  made.pitch = surface.pitch;
  const cudaError_t error = require_modes(made, here);
  if (error != cudaSuccess) {
    textures().pop_back();
    return error;
  }
  *texture = textures().size();
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (texture == 0) return cudaSuccess;
  const Allocations::Door no_kernel_runs;
  Texture* const found = live_texture(texture);
  if (found == nullptr) return no_texture("cudaDestroyTextureObject", here);
  found->destroyed = true;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture, Here here) {
  const Texture* const found = live_texture(texture);
  if (found == nullptr) return no_texture("cudaGetTextureObjectResourceDesc", here);
  *resource = found->resource;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture, Here here) {
  const Texture* const found = live_texture(texture);
  if (found == nullptr) return no_texture("cudaGetTextureObjectTextureDesc", here);
  *description = found->description;
  return cudaSuccess;
}
