// SPDX-License-Identifier: MIT
#include "glassbox/runtime/array_calls.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/cuda_array.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {
namespace {

/// Those that were taken and not freed.
class LiveArrays {
 public:
  static LiveArrays& instance() {
    static auto* const all = new LiveArrays();  // used until the very end of the process
    return *all;
  }
  void add(const cudaArray* array) {
    const std::lock_guard lock(mutex_);
    arrays_.insert(array);
  }
  bool has(const cudaArray* array) {
    const std::lock_guard lock(mutex_);
    return arrays_.contains(array);
  }
  bool remove(const cudaArray* array) {
    const std::lock_guard lock(mutex_);
    return arrays_.erase(array) > 0;
  }

 private:
  std::mutex mutex_;
  std::set<const cudaArray*> arrays_;
};

/// A part of an array: `height` rows of `width` bytes.
struct Part {
  std::size_t x, y, width, height;
};

cudaError_t require_part(const char* function, const cudaArray* array, const Part& part,
                         const Here& here) {
  if (!LiveArrays::instance().has(array)) {
    return failed(cudaErrorInvalidResourceHandle, {CallReason::kNoArray}, function, here);
  }
  if (part.x + part.width <= array->row_bytes() && part.y + part.height <= array->rows()) {
    return cudaSuccess;
  }
  const Allocation* const memory = Allocations::instance().with(array->data);
  return failed(cudaErrorInvalidValue,
                {CallReason::kPartDoesNotFit,
                 {{"height", part.height},
                  {"width", part.width},
                  {"x", part.x},
                  {"y", part.y},
                  {"array", memory->name},
                  {"rows", array->rows()},
                  {"row_bytes", array->row_bytes()}}},
                function, here);
}

cudaError_t copy_to_array(const char* function, cudaArray* to, const Part& part, const void* from,
                          std::size_t pitch, cudaMemcpyKind kind, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  const cudaError_t error = require_part(function, to, part, here);
  if (error != cudaSuccess) return error;
  std::byte* const start = to->data + part.y * to->row_bytes() + part.x;
  return copy_rows(function, start, to->row_bytes(), static_cast<const std::byte*>(from), pitch,
                   part.width, part.height, kind, here);
}

cudaError_t copy_from_array(const char* function, void* to, std::size_t pitch,
                            const cudaArray* from, const Part& part, cudaMemcpyKind kind,
                            const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  const cudaError_t error = require_part(function, from, part, here);
  if (error != cudaSuccess) return error;
  const std::byte* const start = from->data + part.y * from->row_bytes() + part.x;
  return copy_rows(function, static_cast<std::byte*>(to), pitch, start, from->row_bytes(),
                   part.width, part.height, kind, here);
}

/// \brief Bytes row after row, in at most three parts: the rest of the first row, whole rows, and
///        the start of the last.
template <class Copy>
cudaError_t copy_through_rows(const cudaArray* array, std::size_t x, std::size_t y,
                              std::size_t bytes, const Copy& copy) {
  const std::size_t row = LiveArrays::instance().has(array) ? array->row_bytes() : bytes;
  std::size_t done = 0;
  const auto do_part = [&](std::size_t width, std::size_t height) {
    const cudaError_t error =
        width * height == 0 ? cudaSuccess : copy(Part{x, y, width, height}, done);
    done += width * height;
    y += height;
    x = 0;
    return error;
  };
  if (x > 0) {
    const cudaError_t error = do_part(x < row ? std::min(row - x, bytes) : bytes, 1);
    if (error != cudaSuccess) return error;
  }
  const cudaError_t error = do_part(row, row == 0 ? 0 : (bytes - done) / row);
  if (error != cudaSuccess || done == bytes) return error;
  return do_part(bytes - done, 1);
}

}  // namespace

bool is_live_array(const cudaArray* array) {
  return LiveArrays::instance().has(array);
}

std::size_t texel_bytes(const cudaChannelFormatDesc& format) {
  const std::array bits = {format.x, format.y, format.z, format.w};
  std::size_t count = 0;
  while (count < bits.size() && bits[count] != 0)
    ++count;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] != (i < count ? bits[0] : 0)) return 0;
  }
  const bool is_known =
      bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && format.f != cudaChannelFormatKindFloat);
  const bool is_kind =
      format.f >= cudaChannelFormatKindSigned && format.f <= cudaChannelFormatKindFloat;
  return is_known && is_kind && count != 3 ? count * static_cast<std::size_t>(bits[0]) / 8 : 0;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  const std::size_t texel = texel_bytes(*format);
  if (texel == 0 || width == 0) {
    return failed(cudaErrorInvalidValue,
                  {width == 0 ? CallReason::kArrayWidthZero : CallReason::kTexelFormat},
                  "cudaMallocArray", here);
  }
  void* data = nullptr;
  const std::size_t rows = height == 0 ? 1 : height;
  const cudaError_t error = take_memory(&data, width * rows * texel, "cudaMallocArray", here);
  if (error != cudaSuccess) return error;
  *array = new cudaArray{static_cast<std::byte*>(data), *format, width, height, flags};
  LiveArrays::instance().add(*array);
  return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (array == nullptr) return cudaSuccess;
  if (!LiveArrays::instance().remove(array)) {
    return failed(cudaErrorInvalidResourceHandle, {CallReason::kNoArray}, "cudaFreeArray", here);
  }
  WorkOrder::instance().host_waits_for_all();
  Allocations& all = Allocations::instance();
  if (Allocation* const memory = all.starting_at(array->data)) all.free(*memory, place_of(here));
  delete array;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  *format = array->format;
  return sticky_error();
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind, Here here) {
  return copy_to_array("cudaMemcpy2DToArray", to, {x, y, width, height}, from, pitch, kind, here);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream, Here here) {
  return submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpy2DToArrayAsync", here, [=] {
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind, here);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind, Here here) {
  return copy_from_array("cudaMemcpy2DFromArray", to, pitch, from, {x, y, width, height}, kind,
                         here);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                                       Here here) {
  return submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpy2DFromArrayAsync", here, [=] {
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind, here);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind, Here here) {
  return copy_through_rows(to, x, y, bytes, [&](const Part& part, std::size_t done) {
    return copy_to_array("cudaMemcpyToArray", to, part, static_cast<const std::byte*>(from) + done,
                         part.width, kind, here);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind, Here here) {
  return copy_through_rows(from, x, y, bytes, [&](const Part& part, std::size_t done) {
    return copy_from_array("cudaMemcpyFromArray", static_cast<std::byte*>(to) + done, part.width,
                           from, part, kind, here);
  });
}
