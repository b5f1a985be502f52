// SPDX-License-Identifier: MIT
#include "glassbox/runtime/memory_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/device_calls.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/recorded_work.hpp"
#include "glassbox/runtime/stream_capture.hpp"
#include "glassbox/runtime/variable_names.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {
namespace {

/// In a kernel, CUDA has cudaMalloc() as a part of dynamic parallelism.
void refuse_within_kernel(const char* function, const Here& here) {
  emulator::BlockRunner* const runner = emulator::BlockRunner::of_this_cpu_thread();
  if (runner == nullptr) return;
  runner->failures().fail_at({emulator::FaultKind::kDeviceRuntimeCall, {{"function", function}}},
                             here.file_name(), here.line());
}

MemoryKind kind_of(const std::string& function) {
  if (function == "cudaMallocManaged") return MemoryKind::kManaged;
  return function == "cudaMallocHost" || function == "cudaHostAlloc" ? MemoryKind::kHost
                                                                     : MemoryKind::kDevice;
}

/// Of the GPU's memory. Managed memory may be larger than that: its pages move to the host.
std::size_t bytes_in_use() {
  std::size_t bytes = 0;
  for (const Allocation* array : Allocations::instance().live())
    bytes += array->kind == MemoryKind::kDevice ? array->bytes : 0;
  return bytes;
}

bool is_of_device(const Allocation* array) {
  return array != nullptr && array->kind == MemoryKind::kDevice;
}

/// Is it a variable of the program? cudaGetSymbolAddress() gives addresses of those of the GPU.
bool may_be_symbol(const void* address) {
  Dl_info library;
  return dladdr(address, &library) != 0;
}

/// A copy to the host that takes along what nobody wrote: the program may never look at it.
void note_unwritten(const void* to, const void* from, std::size_t bytes, const Here& here) {
  const Allocation* const array = Allocations::instance().with(from);
  if (array == nullptr || is_of_device(Allocations::instance().with(to))) return;
  const std::size_t unwritten = array->unwritten_elements(from, bytes);
  if (unwritten == 0) return;
  Findings::instance().note({CallReason::kUnwrittenCopied,
                             {{"unwritten", unwritten},
                              {"elements", bytes / array->element_bytes},
                              {"array", array->name}}},
                            place_of(here));
}

/// A kernel that failed makes the call fail that gives this memory back: it is no leak.
void note_given_back(const void* pointer) {
  Allocation* const array = Allocations::instance().starting_at(pointer);
  if (array != nullptr) array->given_back = true;
}

CallProblem freed_before(const Allocation& freed) {
  CallProblem problem = {CallReason::kFreedBefore, {{"array", freed.name}}};
  add_freed_at(problem.fields, freed);
  return problem;
}

/// The GPU's alone; else the host may touch it, too, or it is the host's.
bool is_device_memory(const void* address) {
  return is_of_device(Allocations::instance().with(address)) || may_be_symbol(address);
}

/// Memory of the host of which CUDA does not know.
bool is_pageable(const void* address) {
  return Allocations::instance().with(address) == nullptr && !may_be_symbol(address);
}

/// As wait_for_copy(), for a fill without a stream.
cudaError_t wait_for_fill(const void* to, cudaError_t error) {
  if (error == cudaSuccess && !is_device_memory(to))
    WorkOrder::instance().host_waits_for(stream_at(nullptr)->position);
  return error;
}

/// \brief What a free waits for: its stream; for nothing, if the memory is of cudaMallocAsync ("the
///        driver assumes that all accesses to the allocation are complete", says CUDA's guide);
///        else for all.
void order_free(const char* function, const Allocation& array, std::optional<cudaStream_t> stream,
                const Here& here) {
  if (stream) {
    const StreamTurn turn(*stream);
    RecordedCopy freed(function, here);
    freed.writes(array.data, array.bytes);
    freed.tell(WorkKind::kFree);
  } else if (array.stream_ordered) {
    WorkOrder::instance().host_frees(array, place_of(here));
  } else {
    WorkOrder::instance().host_waits_for_all();
  }
}

/// \param  stream  whose work it is; none: the host's
cudaError_t free_array(const char* function, void* pointer, std::optional<cudaStream_t> stream,
                       const Here& here) {
  // A thread's copy of an argument is destroyed, which no GPU does.
  if (emulator::BlockRunner::of_this_cpu_thread() != nullptr) return cudaSuccess;
  if (sticky_error() != cudaSuccess) {
    note_given_back(pointer);
    return sticky_error();
  }
  if (pointer == nullptr) return cudaSuccess;
  if (const cudaError_t unsafe = require_safe(function, here); unsafe != cudaSuccess) return unsafe;
  Allocations& all = Allocations::instance();
  Allocation* const array = all.starting_at(pointer);
  if (array != nullptr &&
      (array->kind == MemoryKind::kDevice || array->kind == MemoryKind::kManaged)) {
    order_free(function, *array, stream, here);
    all.free(*array, place_of(here));
    return cudaSuccess;
  }
  const Allocation* const freed = all.freed_with(pointer);
  const Allocation* const inside = all.with(pointer);
  CallProblem problem = {CallReason::kNotOfDevice};
  if (freed != nullptr) {
    problem = freed_before(*freed);
  } else if (inside != nullptr) {
    problem = {CallReason::kNotStartOfArray, {{"array", inside->name}}};
  }
  return failed(cudaErrorInvalidValue, problem, "cudaFree", here);
}

}  // namespace

void wait_for_copy(const void* to, const void* from, bool has_stream) {
  const bool within_device = is_device_memory(to) && is_device_memory(from);
  const bool within_host = !is_device_memory(to) && !is_device_memory(from);
  if (is_pageable(to) || within_host || (!has_stream && !within_device)) host_waits_for_work();
}

void add_freed_at(emulator::Fields& fields, const Allocation& freed) {
  if (freed.freed_at.line == 0) return;
  fields.set("freed_file", freed.freed_at.file);
  fields.set("freed_line", freed.freed_at.line);
}

std::optional<CallProblem> wrong_access(const char* role, const void* address, std::size_t bytes,
                                        bool device_wanted) {
  Allocations& all = Allocations::instance();
  const Allocation* const array = all.with(address);
  if (const Allocation* const freed = all.freed_with(address); freed != nullptr) {
    CallProblem problem = {CallReason::kFreedMemory, {{"role", role}, {"array", freed->name}}};
    add_freed_at(problem.fields, *freed);
    return problem;
  }
  if (array == nullptr) {
    if (address == nullptr) return CallProblem{CallReason::kNullPointer, {{"role", role}}};
    if (!device_wanted) return std::nullopt;
    return CallProblem{CallReason::kHostMemory, {{"role", role}}};
  }
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - array->data);
  if (offset + bytes > array->bytes) {
    CallProblem problem = {CallReason::kDoesNotFit,
                           {{"role", role},
                            {"bytes", bytes},
                            {"array", array->name},
                            {"array_bytes", array->bytes},
                            {"array_file", array->place.file},
                            {"array_line", array->place.line}}};
    if (offset > 0) problem.fields.set("from_byte", offset);
    return problem;
  }
  if (!device_wanted && is_of_device(array)) {
    return CallProblem{CallReason::kDeviceMemory, {{"role", role}, {"array", array->name}}};
  }
  return std::nullopt;
}

void note_written(void* address, std::size_t bytes) {
  Allocation* const array = Allocations::instance().with(address);
  if (array != nullptr && bytes > 0) array->written = true;
}

cudaError_t take_memory(void** pointer, std::size_t bytes, const char* function, const Here& here) {
  refuse_within_kernel(function, here);
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (const cudaError_t unsafe = require_safe(function, here); unsafe != cudaSuccess) return unsafe;
  if (pointer == nullptr) {
    return failed(cudaErrorInvalidValue, {CallReason::kNullPointer}, function, here);
  }
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const MemoryKind kind = kind_of(function);
  if (kind == MemoryKind::kDevice &&
      bytes_in_use() + bytes > static_cast<std::size_t>(card().dram_bytes)) {
    return failed(cudaErrorMemoryAllocation,
                  {CallReason::kOutOfMemory,
                   {{"bytes", bytes},
                    {"card", card().name},
                    {"card_bytes", static_cast<std::size_t>(card().dram_bytes)},
                    {"taken_bytes", bytes_in_use()}}},
                  function, here);
  }
  const emulator::Place place = place_of(here);
  // "Managing memory allocations using cudaMalloc and cudaFree causes GPU to synchronize across all
  // executing CUDA streams", says CUDA's guide.
  if (std::string_view(function) != "cudaMallocAsync") WorkOrder::instance().host_waits_for_all();
  try {
    *pointer = Allocations::instance().add(bytes, kind,
                                           variable_in_call(function, place, here.column()), place);
  } catch (const std::bad_alloc&) {
    return failed(cudaErrorMemoryAllocation, {CallReason::kMachineOutOfMemory, {{"bytes", bytes}}},
                  function, here);
  }
  return cudaSuccess;
}

cudaError_t take_in_stream(void** pointer, std::size_t bytes, cudaStream_t stream,
                           const Here& here) {
  constexpr const char* function = "cudaMallocAsync";
  cudaError_t error = require_no_memory_node(stream, function, here);
  if (error == cudaSuccess) error = take_memory(pointer, bytes, function, here);
  if (error != cudaSuccess || *pointer == nullptr) return error;
  Allocations::instance().starting_at(*pointer)->stream_ordered = true;
  const StreamTurn turn(stream);
  RecordedCopy taken(function, here);
  taken.writes(*pointer, bytes);
  taken.tell(WorkKind::kAllocation);
  return cudaSuccess;
}

cudaError_t take_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                         const char* function, const Here& here) {
  constexpr std::size_t kRowAlignment = 512;  // of an H200, and of the GPUs before
  *pitch = (width + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  return take_memory(pointer, *pitch * height, function, here);
}

cudaError_t require_copy(const char* function, void* to, const void* from, CopyBytes bytes,
                         cudaMemcpyKind kind, const Here& here) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return failed(cudaErrorInvalidMemcpyDirection,
                  {CallReason::kNoDirection, {{"direction", static_cast<int>(kind)}}}, function,
                  here);
  }
  const bool known = kind != cudaMemcpyDefault;
  const bool to_device = known ? kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
                               : is_of_device(Allocations::instance().with(to));
  const bool from_device = known
                               ? kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
                               : is_of_device(Allocations::instance().with(from));
  std::optional<CallProblem> wrong;
  if (!may_be_symbol(to)) wrong = wrong_access("target", to, bytes.to, to_device);
  if (!wrong && !may_be_symbol(from)) wrong = wrong_access("source", from, bytes.from, from_device);
  return wrong ? failed(cudaErrorInvalidValue, *wrong, function, here) : cudaSuccess;
}

cudaError_t require_fill(const char* function, void* to, std::size_t bytes, const Here& here) {
  if (may_be_symbol(to)) return cudaSuccess;
  const std::optional<CallProblem> wrong = wrong_access("target", to, bytes, true);
  return wrong ? failed(cudaErrorInvalidValue, *wrong, function, here) : cudaSuccess;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (bytes == 0) return cudaSuccess;
  const cudaError_t error = require_copy("cudaMemcpy", to, from, bytes, kind, here);
  if (error != cudaSuccess) return error;
  const StreamTurn turn(nullptr);
  const Allocations::Door open({to, from});
  note_unwritten(to, from, bytes, here);
  RecordedCopy copied(turn.is_outermost() ? "cudaMemcpy" : "cudaMemcpyAsync", here);
  copied.reads(from, bytes);
  copied.writes(to, bytes);
  copied.begin();
  std::memmove(to, from, bytes);
  copied.tell(WorkKind::kCopy);
  wait_for_copy(to, from, !turn.is_outermost());
  note_written(to, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(const char* function, std::byte* to, std::size_t to_pitch,
                      const std::byte* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (width == 0 || height == 0) return cudaSuccess;
  if (width > to_pitch || width > from_pitch) {
    return failed(
        cudaErrorInvalidPitchValue,
        {CallReason::kPitchTooSmall, {{"width", width}, {"pitch", std::min(to_pitch, from_pitch)}}},
        function, here);
  }
  const auto span = [&](std::size_t pitch) { return (height - 1) * pitch + width; };
  const cudaError_t error =
      require_copy(function, to, from, {span(to_pitch), span(from_pitch)}, kind, here);
  if (error != cudaSuccess) return error;
  const StreamTurn turn(nullptr);
  const Allocations::Door open({to, from});
  RecordedCopy copied(function, here);
  for (std::size_t row = 0; row < height; ++row) {
    copied.reads(from + row * from_pitch, width);
    copied.writes(to + row * to_pitch, width);
  }
  copied.begin();
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(to + row * to_pitch, from + row * from_pitch, width);
  copied.tell(WorkKind::kCopy);
  wait_for_copy(to, from, !turn.is_outermost());
  note_written(to, width);
  return cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes, const Here& here) {
  return fill_pattern(to, static_cast<unsigned>(value), 1, bytes, here);
}

cudaError_t fill_pattern(void* to, unsigned value, std::size_t element_bytes, std::size_t bytes,
                         const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (bytes == 0) return cudaSuccess;
  const cudaError_t error = require_fill("cudaMemset", to, bytes, here);
  if (error != cudaSuccess) return error;
  const StreamTurn turn(nullptr);
  const Allocations::Door open({to});
  RecordedCopy filled("cudaMemset", here);
  filled.writes(to, bytes);
  filled.begin();
  if (element_bytes == 1) {
    std::memset(to, static_cast<int>(value), bytes);
  } else {
    for (std::size_t at = 0; at < bytes; at += element_bytes)
      std::memcpy(static_cast<std::byte*>(to) + at, &value, element_bytes);
  }
  filled.tell(WorkKind::kFill);
  note_written(to, bytes);
  return cudaSuccess;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaFree(void* pointer, Here here) {
  return free_array("cudaFree", pointer, std::nullopt, here);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream, Here here) {
  const cudaError_t error = require_no_memory_node(stream, "cudaFreeAsync", here);
  return error == cudaSuccess ? free_array("cudaFreeAsync", pointer, stream, here) : error;
}

cudaError_t cudaFreeHost(void* pointer, Here here) {
  if (pointer == nullptr) return cudaSuccess;
  Allocation* const array = Allocations::instance().starting_at(pointer);
  if (array == nullptr || array->kind != MemoryKind::kHost) {
    const Allocation* const freed = Allocations::instance().freed_with(pointer);
    return failed(cudaErrorInvalidValue,
                  freed != nullptr ? freed_before(*freed) : CallProblem{CallReason::kNotPinned},
                  "cudaFreeHost", here);
  }
  WorkOrder::instance().host_waits_for_all();
  Allocations::instance().free(*array, place_of(here));
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return sticky_error();
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, std::size_t) {
  return sticky_error();
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return sticky_error();
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return sticky_error();
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = static_cast<std::size_t>(card().dram_bytes);
  *free = *total - bytes_in_use();
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       Here here) {
  const cudaError_t error = require_no_blocking_capture("cudaMemcpy", here);
  return error == cudaSuccess ? copy(to, from, bytes, kind, here) : error;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream, Here here) {
  if (is_captured(stream)) {
    const cudaError_t error = require_copy("cudaMemcpyAsync", to, from, bytes, kind, here);
    if (error != cudaSuccess) return error;
  }
  return submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpyAsync", here,
                [=] { return copy(to, from, bytes, kind, here); });
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes, Here here) {
  WorkOrder::instance().host_waits_for_all();
  const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice, here);
  WorkOrder::instance().host_waits_for_all();
  return error;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream, Here here) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream, here);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind, Here here) {
  const cudaError_t error = require_no_blocking_capture("cudaMemcpy2D", here);
  if (error != cudaSuccess) return error;
  return copy_rows("cudaMemcpy2D", static_cast<std::byte*>(to), to_pitch,
                   static_cast<const std::byte*>(from), from_pitch, width, height, kind, here);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream, Here here) {
  return submit(stream, cudaGraphNodeTypeMemcpy, "cudaMemcpy2D", here, [=] {
    return copy_rows("cudaMemcpy2D", static_cast<std::byte*>(to), to_pitch,
                     static_cast<const std::byte*>(from), from_pitch, width, height, kind, here);
  });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes, Here here) {
  return wait_for_fill(to, cudaMemsetAsync(to, value, bytes, nullptr, here));
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream,
                            Here here) {
  if (is_captured(stream)) {
    const cudaError_t error = require_fill("cudaMemsetAsync", to, bytes, here);
    if (error != cudaSuccess) return error;
  }
  return submit(stream, cudaGraphNodeTypeMemset, "cudaMemset", here,
                [=] { return fill(to, value, bytes, here); });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height, Here here) {
  return wait_for_fill(to, cudaMemset2DAsync(to, pitch, value, width, height, nullptr, here));
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream, Here here) {
  return submit(stream, cudaGraphNodeTypeMemset, "cudaMemset2D", here, [=] {
    if (sticky_error() != cudaSuccess) return sticky_error();
    if (width == 0 || height == 0) return cudaSuccess;
    if (const cudaError_t error =
            require_fill("cudaMemset2D", to, (height - 1) * pitch + width, here);
        error != cudaSuccess) {
      return error;
    }
    for (std::size_t row = 0; row < height; ++row) {
      const cudaError_t error = fill(static_cast<std::byte*>(to) + row * pitch, value, width, here);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return sticky_error();
}

cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return sticky_error();
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return sticky_error();
}

cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return sticky_error();
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return sticky_error();
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (pointer == nullptr || Allocations::instance().with(pointer) != nullptr) {
    return failed(cudaErrorInvalidValue, {CallReason::kNotToRegister}, "cudaHostRegister", here);
  }
  const auto place = place_of(here);
  Allocations::instance().add_registered(
      pointer, bytes, variable_in_call("cudaHostRegister", place, here.column()), place);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer, Here here) {
  if (sticky_error() != cudaSuccess) {
    note_given_back(pointer);
    return sticky_error();
  }
  Allocation* const array = Allocations::instance().starting_at(pointer);
  if (array == nullptr || array->kind != MemoryKind::kRegistered) {
    return failed(cudaErrorInvalidValue, {CallReason::kNotRegistered}, "cudaHostUnregister", here);
  }
  WorkOrder::instance().host_waits_for_all();
  Allocations::instance().free(*array, place_of(here));
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const Allocation* const array = Allocations::instance().with(pointer);
  void* const address = const_cast<void*>(pointer);
  if (array == nullptr) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
  } else {
    const bool on_host = array->kind == MemoryKind::kHost || array->kind == MemoryKind::kRegistered;
    const bool is_managed = array->kind == MemoryKind::kManaged;
    *attributes = {on_host      ? cudaMemoryTypeHost
                   : is_managed ? cudaMemoryTypeManaged
                                : cudaMemoryTypeDevice,
                   0, address, on_host || is_managed ? address : nullptr};
  }
  return sticky_error();
}
