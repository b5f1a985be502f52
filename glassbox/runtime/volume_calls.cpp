// SPDX-License-Identifier: MIT
#include "glassbox/runtime/volume_calls.hpp"

#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/cuda_array.hpp"

namespace ladder::glassbox {
namespace {

/// One end of a copy: slices of rows, and where the first byte is.
struct Volume {
  std::byte* start;
  std::size_t pitch, slice;  ///< distance of rows and of slices
};

Volume volume_of(const cudaArray* array, const cudaPos& at, const cudaPitchedPtr& memory) {
  const std::size_t pitch = array == nullptr ? memory.pitch : array->row_bytes();
  const std::size_t rows = array == nullptr ? memory.ysize : array->rows();
  const std::size_t x = array == nullptr ? at.x : at.x * texel_bytes(array->format);
  auto* const data = array == nullptr ? static_cast<std::byte*>(memory.ptr) : array->data;
  return {data + at.z * rows * pitch + at.y * pitch + x, pitch, rows * pitch};
}

bool is_wrong(const cudaArray* array, const cudaPitchedPtr& memory) {
  return array == nullptr ? memory.ptr == nullptr : memory.ptr != nullptr || !is_live_array(array);
}

}  // namespace

cudaError_t copy_volume(const cudaMemcpy3DParms& copy, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (is_wrong(copy.srcArray, copy.srcPtr) || is_wrong(copy.dstArray, copy.dstPtr)) {
    return failed(cudaErrorInvalidValue, {CallReason::kEndsOfCopy}, "cudaMemcpy3D", here);
  }
  const cudaArray* const any = copy.srcArray != nullptr ? copy.srcArray : copy.dstArray;
  const std::size_t width = copy.extent.width * (any == nullptr ? 1 : texel_bytes(any->format));
  const Volume from = volume_of(copy.srcArray, copy.srcPos, copy.srcPtr);
  const Volume to = volume_of(copy.dstArray, copy.dstPos, copy.dstPtr);
  for (std::size_t z = 0; z < copy.extent.depth; ++z) {
    const cudaError_t error =
        copy_rows("cudaMemcpy3D", to.start + z * to.slice, to.pitch, from.start + z * from.slice,
                  from.pitch, width, copy.extent.height, copy.kind, here);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent, Here here) {
  *pointer = {nullptr, 0, extent.width, extent.height};
  return take_pitched(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth,
                      "cudaMalloc3D", here);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent, Here here) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    auto* const slice = static_cast<std::byte*>(pointer.ptr) + z * pointer.ysize * pointer.pitch;
    const cudaError_t error =
        cudaMemset2D(slice, pointer.pitch, value, extent.width, extent.height, here);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy, Here here) {
  return copy_volume(*copy, here);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream, Here here) {
  return submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpy3DAsync", here,
                [all = *copy, here] { return copy_volume(all, here); });
}
