// SPDX-License-Identifier: MIT
#include "glassbox/runtime/symbol_calls.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/program_variables.hpp"
#include "glassbox/runtime/recorded_work.hpp"
#include "glassbox/runtime/stream_capture.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {
namespace {

/// Variables of the device, and those of the host beside them.
struct HostSides {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<std::max_align_t[]>> of;
  std::map<const void*, const void*> back;
};

HostSides& host_sides() {
  static auto* const sides = new HostSides();  // used until the very end of the process
  return *sides;
}

}  // namespace

void* host_side_of(const void* variable, std::size_t bytes) {
  HostSides& sides = host_sides();
  const std::lock_guard lock(sides.mutex);
  auto& side = sides.of[variable];
  if (side == nullptr) {
    side = std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
    sides.back[side.get()] = variable;
  }
  return side.get();
}

void* device_side_of(const void* address) {
  HostSides& sides = host_sides();
  const std::lock_guard lock(sides.mutex);
  const auto found = sides.back.find(address);
  return const_cast<void*>(found == sides.back.end() ? address : found->second);
}

void* address_of_symbol(const void* symbol) {
  void* const address = device_side_of(symbol);
  note_device_variable(reinterpret_cast<std::uintptr_t>(address));
  return address;
}

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, void* memory, std::size_t bytes,
                        std::size_t offset, bool to_symbol, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (offset + bytes > symbol_bytes) {
    return failed(cudaErrorInvalidValue,
                  {CallReason::kSymbolTooSmall,
                   {{"bytes", bytes}, {"from_byte", offset}, {"symbol_bytes", symbol_bytes}}},
                  to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol", here);
  }
  const StreamTurn turn(nullptr);
  const Allocations::Door open({symbol, memory});
  std::byte* const place = static_cast<std::byte*>(symbol) + offset;
  RecordedCopy copied(to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol", here);
  if (to_symbol) {
    copied.reads(memory, bytes);
    copied.writes_symbol(place, bytes);
    copied.begin();
    std::memcpy(place, memory, bytes);
    wait_for_copy(place, memory, !turn.is_outermost());
  } else {
    copied.writes(memory, bytes);
    copied.reads_symbol(place, bytes);
    copied.begin();
    std::memcpy(memory, place, bytes);
    wait_for_copy(memory, place, !turn.is_outermost());
  }
  copied.tell(WorkKind::kCopy);
  return cudaSuccess;
}

}  // namespace ladder::glassbox
