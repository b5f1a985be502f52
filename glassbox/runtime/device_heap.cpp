// SPDX-License-Identifier: MIT
#include "glassbox/runtime/device_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
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

  /// \return false if it is not the start of a piece that is taken
  bool give_back(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_);
    if (!taken_.contains(at)) return false;
    for (const std::size_t other : given_back_)
      if (other == at) return false;
    given_back_.push_back(at);
    return true;
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
};

bool in_kernel() {
  return emulator::BlockRunner::of_this_cpu_thread() != nullptr;
}

/// What a kernel frees. Memory of the host is left alone: a copy of an argument, which no GPU
/// destroys, may come here with it.
void free_in_kernel(void* address) {
  Heap& heap = Heap::instance();
  if (!heap.holds(address) || heap.give_back(address)) return;
  emulator::BlockRunner::of_this_cpu_thread()->failures().fail_in_call(
      {emulator::FaultKind::kHeapFree});
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

}  // namespace ladder::glassbox

// What the program's calls become when it is linked with --wrap.
extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  using namespace ladder::glassbox;
  return in_kernel() ? Heap::instance().take(bytes) : std::malloc(bytes);
}
void __wrap_free(void* address) {
  using namespace ladder::glassbox;
  if (in_kernel()) return free_in_kernel(address);
  if (!Heap::instance().holds(address)) std::free(address);
}
void* __wrap__Znwm(std::size_t bytes) {
  using namespace ladder::glassbox;
  return in_kernel() ? Heap::instance().take(bytes) : take_on_host(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return __wrap__Znwm(bytes);
}
void __wrap__ZdlPv(void* address) {
  __wrap_free(address);
}
void __wrap__ZdlPvm(void* address, std::size_t) {
  __wrap_free(address);
}
void __wrap__ZdaPv(void* address) {
  __wrap_free(address);
}
void __wrap__ZdaPvm(void* address, std::size_t) {
  __wrap_free(address);
}

}  // extern "C"
