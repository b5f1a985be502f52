// SPDX-License-Identifier: MIT
#include "glassbox/runtime/access_record.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/program_variables.hpp"

namespace ladder::glassbox {
namespace {

/// Bytes that are all there, and take memory only where something is stored.
bool map_at(std::uintptr_t address, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    madvise(got, bytes, MADV_DONTDUMP);
    return true;
  }
  if (got != MAP_FAILED) munmap(got, bytes);
  return false;
}

bool map_marks() {
  return map_at(kMarksBegin, kTouches * kArraysBytes) &&
         map_at(kPageMarksBegin, (kTouches + 1) * (kArraysBytes / kMarkedPage));
}

/// \brief Pieces of equal marks: eight bytes at once where that is possible.
void take_page(std::uintptr_t page, Touch touch, ByteRanges& ranges) {
  constexpr std::uint64_t kAll = 0x0101010101010101;
  auto* const marks = reinterpret_cast<std::uint8_t*>(page + mark_distance(touch));
  std::size_t begin = kMarkedPage;  // of the piece that has no end yet
  for (std::size_t at = 0; at < kMarkedPage;) {
    const bool inside = begin < kMarkedPage;
    if (at % sizeof kAll == 0) {
      std::uint64_t word;
      std::memcpy(&word, marks + at, sizeof word);
      if (word == (inside ? kAll : 0)) {
        at += sizeof word;
        continue;
      }
    }
    const bool is_marked = marks[at] != 0;
    if (is_marked && !inside) begin = at;
    if (!is_marked && inside) {
      ranges.append({page + begin, page + at});
      begin = kMarkedPage;
    }
    ++at;
  }
  if (begin < kMarkedPage) ranges.append({page + begin, page + kMarkedPage});
  std::memset(marks, 0, kMarkedPage);
}

}  // namespace

std::atomic<std::uintptr_t> recorded_begin = kArraysEnd;
std::atomic<std::uintptr_t> variables_begin = 0, variables_bytes = 0;
std::atomic<bool> kernel_has_fenced = false;

void* addresses_for_array(std::size_t bytes, bool shared_with_host) {
  static std::mutex mutex;
  static std::uintptr_t next[] = {kArraysBegin, kSharedBegin};
  const std::lock_guard lock(mutex);
  std::uintptr_t& free = next[shared_with_host ? 1 : 0];
  const std::uintptr_t end = shared_with_host ? kArraysEnd : kVariablesBegin;
  if (!AccessRecord::has_marks() || bytes > end - free) return nullptr;
  const std::uintptr_t given = free;
  free += bytes;
  return reinterpret_cast<void*>(given);
}

AccessRecord& AccessRecord::instance() {
  static auto* const record = new AccessRecord();  // used until the very end of the process
  return *record;
}

bool AccessRecord::has_marks() {
  static const bool are_there = map_marks();
  return are_there;
}

void AccessRecord::start(Extent extent) {
  recorded_begin = extent == Extent::kAll      ? kArraysBegin
                   : extent == Extent::kShared ? kSharedBegin
                                               : kArraysEnd;
  const Bytes variables = extent == Extent::kAll      ? program_variables()
                          : extent == Extent::kShared ? managed_variables()
                                                      : Bytes();
  variables_begin = variables.begin;
  variables_bytes = variables.end - variables.begin;
  kernel_has_fenced = false;
}

bool AccessRecord::end() {
  recorded_begin = kArraysEnd;
  variables_bytes = 0;
  return kernel_has_fenced;
}

void AccessRecord::take_variables(TouchedBytes& touched) {
  TouchedBytes marked;
  if (variables_bytes == 0) return;
  take({kVariablesBegin, kVariablesBegin + variables_bytes}, marked);
  for (std::size_t i = 0; i < kTouches; ++i) {
    for (const Bytes& bytes : marked.of[i].all()) {
      const std::uintptr_t begin = bytes.begin - kVariablesBegin + variables_begin;
      touched.of[i].append({begin, begin + (bytes.end - bytes.begin)});
    }
  }
}

void AccessRecord::take(const Bytes& array, TouchedBytes& touched) {
  const bool is_recorded = array.begin >= recorded_begin || array.begin == kVariablesBegin;
  if (!is_in_arrays(array.begin) || !is_recorded) return;
  const std::uintptr_t first = array.begin / kMarkedPage * kMarkedPage;
  for (std::size_t i = 0; i < kTouches; ++i) {
    const auto touch = static_cast<Touch>(i);
    std::uint8_t* const marks = page_mark(first, touch);
    std::uint8_t* const end = marks + (array.end - first + kMarkedPage - 1) / kMarkedPage;
    for (std::uint8_t* mark = marks; mark < end; ++mark) {
      mark = static_cast<std::uint8_t*>(std::memchr(mark, 1, static_cast<std::size_t>(end - mark)));
      if (mark == nullptr) break;
      *mark = 0;
      take_page(first + static_cast<std::uintptr_t>(mark - marks) * kMarkedPage, touch,
                touched[touch]);
    }
  }
}

}  // namespace ladder::glassbox
