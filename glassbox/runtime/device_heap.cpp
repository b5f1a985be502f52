// SPDX-License-Identifier: MIT
#include "glassbox/runtime/device_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/orders.hpp"

namespace ladder::glassbox {
namespace {

constexpr std::size_t kUnit = 16;  ///< sizes and addresses are multiples of it

/// \brief Pieces of one array, the first that fits.
class Heap {
 public:
  static Heap& instance() {
    static auto* const heap = new Heap();  // used until the very end of the process
    return *heap;
  }

  std::size_t bytes = std::size_t{8} << 20;  ///< CUDA's own default

  Allocation* array() {
    const std::lock_guard lock(mutex_);
    if (array_ == nullptr) {
      Allocations& all = Allocations::instance();
      begin_ = static_cast<std::byte*>(
          all.add(bytes, MemoryKind::kHeap, "memory of malloc() in kernels", {}));
      array_ = all.starting_at(begin_);
      free_[0] = bytes;
    }
    return array_;
  }

  void start_launch() {
    const std::lock_guard lock(mutex_);
    for (const std::size_t at : given_back_)
      add_free(at);
    given_back_.clear();
    calls_.clear();
  }

  /// \return null if there is no room
  void* take(std::size_t wanted) {
    const std::lock_guard lock(mutex_);
    const std::size_t size = (std::max<std::size_t>(wanted, 1) + kUnit - 1) / kUnit * kUnit;
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
      const auto [at, room] = *piece;
      if (room < size) continue;
      free_.erase(piece);
      if (room > size) free_[at + size] = room - size;
      taken_[at] = size;
      std::memset(begin_ + at, 0xFF, size);
      return begin_ + at;
    }
    return nullptr;
  }

  bool holds(const void* address) const { return array_ != nullptr && array_->contains(address); }

  /// \param  call  behind the instruction that frees it
  /// \return the bytes; 0 if it is not the start of a piece that is taken
  std::size_t give_back(const void* address, const void* call) {
    const std::lock_guard lock(mutex_);
    const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_);
    if (!taken_.contains(at)) return 0;
    for (const std::size_t other : given_back_)
      if (other == at) return 0;
    given_back_.push_back(at);
    calls_.insert(reinterpret_cast<std::uintptr_t>(call) - 1);
    return taken_.at(at);
  }

  /// Where memory was freed in this launch.
  std::vector<emulator::Place> places_of_frees() {
    const std::lock_guard lock(mutex_);
    std::vector<emulator::Place> places;
    for (const std::uintptr_t call : calls_) {
      const emulator::SourceLine line = emulator::source_line_of({&call, 1});
      places.push_back({emulator::without_repository(line.file), line.line});
    }
    return places;
  }

 private:
  void add_free(std::size_t at) {
    std::size_t size = taken_.at(at);
    taken_.erase(at);
    const auto next = free_.find(at + size);
    if (next != free_.end()) {
      size += next->second;
      free_.erase(next);
    }
    const auto behind = free_.lower_bound(at);
    if (behind != free_.begin()) {
      const auto before = std::prev(behind);
      if (before->first + before->second == at) {
        before->second += size;
        return;
      }
    }
    free_[at] = size;
  }

  std::mutex mutex_;
  Allocation* array_ = nullptr;
  std::byte* begin_ = nullptr;
  std::map<std::size_t, std::size_t> free_;   ///< offset, bytes
  std::map<std::size_t, std::size_t> taken_;  ///< likewise
  std::vector<std::size_t> given_back_;       ///< in this launch
  std::set<std::uintptr_t> calls_;            ///< by which it was, likewise
};

bool in_kernel() {
  return emulator::BlockRunner::of_this_cpu_thread() != nullptr;
}

/// What a kernel frees. Memory of the host is left alone: a copy of an argument, which no GPU
/// destroys, may come here with it.
void free_in_kernel(void* address, const void* call) {
  constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  Heap& heap = Heap::instance();
  if (!heap.holds(address)) return;
  if (const std::size_t bytes = heap.give_back(address, call); bytes > 0) {
    emulator::gives_back(address, std::min(bytes, kMostBytes), call);
    return;
  }
  emulator::BlockRunner::of_this_cpu_thread()->failures().fail_in_call(
      {emulator::FaultKind::kHeapFree});
}

void free_memory(void* address, const void* call) {
  if (in_kernel()) return free_in_kernel(address, call);
  if (!Heap::instance().holds(address)) std::free(address);
}

void* take_on_host(std::size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void set_heap_bytes(std::size_t bytes) {
  Heap::instance().bytes = bytes;
}

std::size_t heap_bytes() {
  return Heap::instance().bytes;
}

Allocation* device_heap() {
  return orders().device_heap ? Heap::instance().array() : nullptr;
}

void start_heap_launch() {
  if (device_heap() != nullptr) Heap::instance().start_launch();
}

void tell_of_frees(emulator::KernelTrace& trace) {
  const Allocation* const heap = device_heap();
  if (heap == nullptr) return;
  const std::vector<emulator::Place> frees = Heap::instance().places_of_frees();
  const auto frees_at = [&](const emulator::Place& place) {
    return std::ranges::find(frees, place) != frees.end();
  };
  const auto is_of_free = [&](const emulator::Fault& fault) {
    return group_of(fault.kind) == emulator::FaultGroup::kRace && fault.other && fault.element &&
           fault.element->array == heap->name &&
           (frees_at(fault.place) || frees_at(fault.other->place));
  };
  // The last who counts down frees: an atomic before it is over.
  std::erase_if(trace.hazards, [&](const emulator::Fault& fault) {
    return is_of_free(fault) && fault.access &&
           (fault.access->verb == emulator::AccessVerb::kUpdate ||
            fault.other->verb == emulator::AccessVerb::kUpdate);
  });
  for (emulator::Fault& fault : trace.hazards) {
    if (!is_of_free(fault)) continue;
    if (!frees_at(fault.place)) {
      std::swap(fault.place, fault.other->place);
      std::swap(fault.thread, fault.other->thread);
      if (fault.other->block) std::swap(fault.block, *fault.other->block);
    }
    fault.kind = emulator::FaultKind::kHeapFreedInUse;
    fault.access.reset();
    fault.other->verb.reset();
  }
  // Which of the two came first says nothing.
  std::vector<emulator::Fault> hazards;
  for (emulator::Fault& fault : trace.hazards) {
    const auto known = std::ranges::find_if(
        hazards, [&](const emulator::Fault& other) { return is_same(other, fault); });
    if (fault.kind == emulator::FaultKind::kHeapFreedInUse && known != hazards.end()) {
      known->times += fault.times;
    } else {
      hazards.push_back(std::move(fault));
    }
  }
  trace.hazards = std::move(hazards);
  std::erase_if(trace.lines, [&](const emulator::LineCounts& line) {
    return line.operation == emulator::Operation::kGlobalStore && line.array == heap->name &&
           frees_at({line.file, line.line});
  });
}

}  // namespace ladder::glassbox

// What the program's calls become when it is linked with --wrap.
extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  using namespace ladder::glassbox;
  return in_kernel() ? Heap::instance().take(bytes) : std::malloc(bytes);
}
void __wrap_free(void* address) {
  ladder::glassbox::free_memory(address, __builtin_return_address(0));
}
void* __wrap__Znwm(std::size_t bytes) {
  using namespace ladder::glassbox;
  return in_kernel() ? Heap::instance().take(bytes) : take_on_host(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return __wrap__Znwm(bytes);
}
void __wrap__ZdlPv(void* address) {
  ladder::glassbox::free_memory(address, __builtin_return_address(0));
}
void __wrap__ZdlPvm(void* address, std::size_t) {
  ladder::glassbox::free_memory(address, __builtin_return_address(0));
}
void __wrap__ZdaPv(void* address) {
  ladder::glassbox::free_memory(address, __builtin_return_address(0));
}
void __wrap__ZdaPvm(void* address, std::size_t) {
  ladder::glassbox::free_memory(address, __builtin_return_address(0));
}

}  // extern "C"
