// SPDX-License-Identifier: MIT
#include "glassbox/runtime/allocations.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "glassbox/runtime/access_record.hpp"

namespace ladder::glassbox {
namespace {

/// In front of each array and behind it: what runs over its end meets no other array.
constexpr std::size_t kGuardBytes = std::size_t{1} << 20;
/// Larger arrays lie in huge pages, where Linux has them: with small ones, each launch would wait
/// for thousands of pages to be opened and closed again.
constexpr std::size_t kHugeBytes = std::size_t{4} << 20;
/// Larger arrays are not filled: that would take long.
constexpr std::size_t kMaxFilledBytes = std::size_t{256} << 20;

std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

void protect(const Allocation& array, int protection) {
  if (array.freed) return;
  if (array.kind != MemoryKind::kDevice && array.kind != MemoryKind::kHeap) return;
  mprotect(array.data, whole_pages(array.bytes), protection);
}

/// Memory at first: a NaN in each of CUDA's floating-point types, and no number that a program is
/// likely to write everywhere.
constexpr std::uint32_t kFill = 0xFFF5FFA7;

void fill(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof kFill)
    std::memcpy(data + at, &kFill, std::min(sizeof kFill, bytes - at));
}

/// Where accesses are recorded, if there is room.
void* map_array(std::size_t bytes, bool shared_with_host) {
  void* const wanted = addresses_for_array(bytes, shared_with_host);
  const int fixed = wanted == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  return mmap(wanted, bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

}  // namespace

bool Allocation::is_written() const {
  if (written || bytes > kMaxFilledBytes) return true;
  if (kind != MemoryKind::kManaged && kind != MemoryKind::kHost) return false;
  for (std::size_t at = 0; at < bytes; at += sizeof kFill) {
    if (std::memcmp(data + at, &kFill, std::min(sizeof kFill, bytes - at)) != 0) return true;
  }
  return false;
}

std::size_t Allocation::unwritten_elements(const void* begin, std::size_t bytes_of_them) const {
  if (bytes > kMaxFilledBytes || kind != MemoryKind::kDevice) return 0;
  const std::size_t first = static_cast<std::size_t>(static_cast<const std::byte*>(begin) - data);
  const std::size_t last = first + bytes_of_them;
  const auto is_filled = [&](std::size_t at, std::size_t count) {
    for (std::size_t byte = at; byte < at + count; ++byte) {
      if (data[byte] != static_cast<std::byte>(kFill >> 8 * (byte % sizeof kFill))) return false;
    }
    return true;
  };
  std::size_t unwritten = 0;
  // Of smaller elements, single ones may well be equal to that.
  const std::size_t unit = std::max(element_bytes, sizeof kFill / element_bytes * element_bytes);
  for (std::size_t at = first; at + unit <= last; at += unit)
    unwritten += is_filled(at, unit) ? unit / element_bytes : 0;
  return unwritten;
}

Allocations& Allocations::instance() {
  static auto* const all = new Allocations();  // used until the very end of the process
  return *all;
}

/// "rows", "rows#2", "rows#3": the first that no live array has.
std::string Allocations::take_name(const std::string& name) {
  if (names_.insert(name).second) return name;
  int& next = next_number_.try_emplace(name, 2).first->second;
  std::string numbered;
  do {
    numbered = name + "#" + std::to_string(next++);
  } while (!names_.insert(numbered).second);
  return numbered;
}

void Allocations::give_back_name(const std::string& name) {
  names_.erase(name);
  const std::size_t mark = name.rfind('#');
  if (mark == std::string::npos) return;
  const auto numbered = next_number_.find(name.substr(0, mark));
  if (numbered == next_number_.end()) return;
  numbered->second = std::min(numbered->second, std::atoi(name.c_str() + mark + 1));
}

Allocation& Allocations::keep(Allocation array) {
  array.name = take_name(array.name.empty() ? "memory" : array.name);
  Allocation& kept = all_.emplace_back(std::move(array));
  by_address_[kept.data] = &kept;
  return kept;
}

/// The array that begins at the address or last before it; null if none does.
Allocation* Allocations::nearest_before(const void* address) {
  const auto next = by_address_.upper_bound(static_cast<const std::byte*>(address));
  return next == by_address_.begin() ? nullptr : std::prev(next)->second;
}

void* Allocations::add(std::size_t bytes, MemoryKind kind, const std::string& name,
                       const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  const std::size_t room = whole_pages(std::max<std::size_t>(bytes, 1));
  void* const all =
      map_array(room + 2 * kGuardBytes, kind == MemoryKind::kManaged || kind == MemoryKind::kHost);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const data = static_cast<std::byte*>(all) + kGuardBytes;
  if (room >= kHugeBytes) madvise(data, room, MADV_HUGEPAGE);
  if (bytes <= kMaxFilledBytes && kind != MemoryKind::kHeap) fill(data, bytes);
  const Allocation& array = keep({.name = name,
                                  .kind = kind,
                                  .place = place,
                                  .data = data,
                                  .bytes = bytes,
                                  .written = kind == MemoryKind::kHeap});
  if (doors_ == 0) protect(array, PROT_NONE);
  return data;
}

void Allocations::add_registered(void* data, std::size_t bytes, const std::string& name,
                                 const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  keep({.name = name,
        .kind = MemoryKind::kRegistered,
        .place = place,
        .data = static_cast<std::byte*>(data),
        .bytes = bytes,
        .written = true});
}

Allocation* Allocations::starting_at(const void* address) {
  const std::lock_guard lock(mutex_);
  Allocation* const array = nearest_before(address);
  return array != nullptr && !array->freed && array->data == address ? array : nullptr;
}

Allocation* Allocations::with(const void* address) {
  const std::lock_guard lock(mutex_);
  Allocation* const array = nearest_before(address);
  return array != nullptr && !array->freed && array->contains(address) ? array : nullptr;
}

const Allocation* Allocations::freed_with(const void* address) {
  const std::lock_guard lock(mutex_);
  const Allocation* const array = nearest_before(address);
  return array != nullptr && array->freed && array->contains(address) ? array : nullptr;
}

const Allocation* Allocations::around(const void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [&](const Allocation& array) {
    const auto away =
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - array.data) + kGuardBytes;
    return array.kind != MemoryKind::kRegistered &&
           away < whole_pages(array.bytes) + 2 * kGuardBytes;
  });
  return found == all_.end() ? nullptr : &*found;
}

void Allocations::free(Allocation& allocation, const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  give_back_name(allocation.name);
  if (allocation.kind == MemoryKind::kRegistered) {
    by_address_.erase(allocation.data);
    all_.remove_if([&](const Allocation& array) { return &array == &allocation; });
    return;
  }
  allocation.freed = true;
  allocation.freed_at = place;
  // The addresses stay taken, the memory does not.
  const std::size_t room = whole_pages(std::max<std::size_t>(allocation.bytes, 1));
  static_cast<void>(mmap(allocation.data - kGuardBytes, room + 2 * kGuardBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
}

std::vector<Allocation*> Allocations::live() {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation*> arrays;
  for (Allocation& array : all_) {
    if (!array.freed && array.kind != MemoryKind::kHeap) arrays.push_back(&array);
  }
  return arrays;
}

Allocations::Door::Door() : lock_(instance().mutex_) {
  Allocations& all = instance();
  if (all.doors_++ > 0) return;
  for (const Allocation& array : all.all_) {
    if (array.doors == 0) protect(array, PROT_READ | PROT_WRITE);
  }
}

Allocations::Door::Door(std::initializer_list<const void*> touched)
    : lock_(instance().mutex_), all_(false) {
  for (const void* const address : touched) {
    Allocation* const array = instance().with(address);
    if (array == nullptr) continue;
    touched_.push_back(array);
    if (array->doors++ == 0 && instance().doors_ == 0) protect(*array, PROT_READ | PROT_WRITE);
  }
}

Allocations::Door::~Door() {
  Allocations& all = instance();
  for (Allocation* const array : touched_) {
    if (--array->doors == 0 && all.doors_ == 0) protect(*array, PROT_NONE);
  }
  if (!all_ || --all.doors_ > 0) return;
  for (const Allocation& array : all.all_) {
    if (array.doors == 0) protect(array, PROT_NONE);
  }
}

}  // namespace ladder::glassbox
