// SPDX-License-Identifier: MIT
#include "glassbox/runtime/remembered_work.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ranges>
#include <utility>

#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/hook_slots.hpp"
#include "glassbox/runtime/host_accesses.hpp"
#include "glassbox/runtime/program_variables.hpp"

namespace ladder::glassbox {
namespace {

using emulator::AccessVerb;
using emulator::Fault;
using emulator::FaultKind;

/// More work that the host has not waited for is not remembered: the oldest goes.
constexpr std::size_t kMaxRunning = 4096;
/// Of what one other may have stored, that many bytes are kept, from both ends of each piece:
/// enough to see whether two stored the same.
constexpr std::size_t kMaxOldBytes = std::size_t{64} << 10;

/// Pairs of work without an order that are remembered, so that each is told once.
constexpr std::size_t kMaxPairs = 64;

bool any_of(const ByteRanges& ranges, bool (*wanted)(std::uintptr_t)) {
  return std::ranges::any_of(ranges.all(), [&](const Bytes& one) { return wanted(one.begin); });
}

/// In memory that the host shares with kernels, or its own.
bool may_be_of_host(std::uintptr_t address) {
  if (is_in_arrays(address)) return is_shared_with_host(address);
  return !is_in(program_variables(), address) || is_in(managed_variables(), address);
}

/// An array that is not freed, or a variable.
bool is_there(const void* data) {
  return Allocations::instance().with(data) != nullptr ||
         is_in(program_variables(), reinterpret_cast<std::uintptr_t>(data));
}

enum class Values { kUnknown, kSame, kOthers };

/// Whether what the earlier one has stored is still there, although the later one has stored, too.
Values compare_values(const Bytes& both, const OldValues& before) {
  Values result = Values::kUnknown;
  for (const auto& [where, values] : before) {
    const Bytes known = common(where, both);
    if (known.is_empty()) continue;
    if (std::memcmp(reinterpret_cast<const void*>(known.begin),
                    values.data() + (known.begin - where.begin), known.end - known.begin) != 0) {
      return Values::kOthers;
    }
    result = Values::kSame;
  }
  return result;
}

/// \brief  Bytes that both have stored.
/// \return nothing if both have stored the same values, as far as that is known
std::optional<Bytes> stored_by_both(const ByteRanges& first, const ByteRanges& second,
                                    const OldValues& before) {
  std::optional<Bytes> found;
  bool any_same = false;
  const bool others = first.any_common(second, [&](const Bytes& both) {
    const Values values = compare_values(both, before);
    any_same |= values == Values::kSame;
    if (!found || values == Values::kOthers) found = both;
    return values == Values::kOthers;
  });
  return others || !any_same ? found : std::nullopt;
}

/// \brief The later work may have waited for a flag or a lock that the earlier one has set: then
///        what orders them is in the kernels.
bool may_have_signalled(const TouchedBytes& earlier, const TouchedBytes& later) {
  return earlier.has_fenced && (earlier[Touch::kUpdate].meets(later[Touch::kLook]) ||
                                earlier[Touch::kUpdate].meets(later[Touch::kUpdate]));
}

struct Pair {
  Touch first, second;
};
/// Accesses that need an order.
constexpr std::array kClashes = {
    Pair{Touch::kStore, Touch::kLoad},   Pair{Touch::kLoad, Touch::kStore},
    Pair{Touch::kStore, Touch::kStore},  Pair{Touch::kUpdate, Touch::kLoad},
    Pair{Touch::kLoad, Touch::kUpdate},  Pair{Touch::kUpdate, Touch::kStore},
    Pair{Touch::kStore, Touch::kUpdate},
};

}  // namespace

std::optional<NamedBytes> WorkOrder::Remembered::array_with(std::uintptr_t address) const {
  const auto found = std::ranges::find_if(
      arrays, [&](const NamedBytes& array) { return is_in(array.bytes, address); });
  if (found != arrays.end()) return *found;
  const ProgramVariable* const variable = variable_with(address);
  if (variable == nullptr) return std::nullopt;
  return NamedBytes{variable->name, variable->bytes};
}

AccessVerb verb_of(Touch touch) {
  return touch == Touch::kStore    ? AccessVerb::kStore
         : touch == Touch::kUpdate ? AccessVerb::kUpdate
                                   : AccessVerb::kLoad;
}

const char* code_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kKernel:
      return "kernel";
    case WorkKind::kCopy:
      return "copy";
    case WorkKind::kFill:
      return "fill";
    case WorkKind::kHost:
      return "host-function";
    case WorkKind::kAllocation:
      return "allocation";
    case WorkKind::kFree:
      return "free";
  }
  return "";
}

emulator::Element element_of(const std::string& array) {
  emulator::Element element;
  element.array = array;
  return element;
}

void WorkOrder::forget_what_is_done() {
  const auto gone = std::erase_if(running_, [&](const Remembered& one) {
    return host_.covers(one.position.lane, one.position.count);
  });
  if (gone > 0) watch();
}

/// Marks the pages at which the host may meet work that still runs.
void WorkOrder::watch() {
  static std::vector<std::uint8_t*> marked;
  for (std::uint8_t* const mark : marked)
    *mark = 0;
  marked.clear();
  Bytes own = {kArraysEnd, 0};
  bool any = false;
  for (const Remembered& one : running_) {
    if (!one.is_of_host || one.is_known) continue;
    any = true;
    for (const ByteRanges& ranges : one.work.touched.of) {
      for (const Bytes& bytes : ranges.all()) {
        if (!may_be_of_host(bytes.begin)) continue;
        if (is_in_arrays(bytes.begin)) {
          for (std::uintptr_t page = bytes.begin / kMarkedPage * kMarkedPage; page < bytes.end;
               page += kMarkedPage) {
            std::uint8_t* const mark = watch_mark(page);
            if (*mark != 0) continue;
            *mark = 1;
            marked.push_back(mark);
          }
        } else {
          if (own.is_empty()) own = bytes;
          own = {std::min(own.begin, bytes.begin), std::max(own.end, bytes.end)};
        }
      }
    }
  }
  // A function of the host may signal with any word.
  watched_begin = host_functions_ > 0 || own.is_empty() ? 0 : own.begin;
  watched_end = host_functions_ > 0 ? UINTPTR_MAX : own.is_empty() ? 0 : own.end;
  host_is_watched = any || host_functions_ > 0;
  record_accesses(host_is_watched || recorded_begin != kArraysEnd);
}

void WorkOrder::keep(Remembered work) {
  // What the same line has done to the same bytes before, in its turn, tells nothing more.
  std::erase_if(running_, [&](const Remembered& one) {
    return one.work.place == work.work.place && one.work.kind == work.work.kind &&
           is_before(one.position, work.position) &&
           std::ranges::equal(one.work.touched.of, work.work.touched.of);
  });
  if (running_.size() == kMaxRunning) running_.pop_front();
  running_.push_back(std::move(work));
}

OldValues WorkOrder::values_before(const ByteRanges* where) {
  OldValues values;
  if (!current_work) return values;
  std::size_t room = 0;
  const auto keep_piece = [&](const Bytes& bytes) {
    const auto* const data = reinterpret_cast<const std::byte*>(bytes.begin);
    if (!is_there(data)) return;
    values.emplace_back(bytes, std::vector<std::byte>(data, data + (bytes.end - bytes.begin)));
    room -= bytes.end - bytes.begin;
  };
  const auto keep_values = [&](const Bytes& bytes) {
    const std::size_t half = room / 2;
    if (bytes.end - bytes.begin <= room) {
      keep_piece(bytes);
    } else if (half > 0) {
      keep_piece({bytes.begin, bytes.begin + half});
      keep_piece({bytes.end - half, bytes.end});
    }
    return room == 0;
  };
  const std::lock_guard lock(mutex_);
  for (const Remembered& one : running_) {
    if (!is_unordered(one.position, *current_work)) continue;
    if (one.work.kind == WorkKind::kAllocation || one.work.kind == WorkKind::kFree) continue;
    const ByteRanges& stored = one.work.touched[Touch::kStore];
    room = kMaxOldBytes;
    stored.any_common(where == nullptr ? stored : *where, keep_values);
  }
  return values;
}

void WorkOrder::add(DoneWork work, const OldValues& before) {
  if (!current_work) return;
  Remembered now = {.work = std::move(work), .position = *current_work};
  for (const ByteRanges& ranges : now.work.touched.of) {
    for (const Bytes& bytes : ranges.all()) {
      now.is_of_host |= may_be_of_host(bytes.begin);
      if (now.array_with(bytes.begin)) continue;
      if (const Allocation* const array =
              Allocations::instance().with(reinterpret_cast<const void*>(bytes.begin))) {
        now.arrays.push_back({array->name, bytes_at(array->data, array->bytes)});
      }
    }
  }
  if (std::ranges::all_of(now.work.touched.of, &ByteRanges::is_empty)) return;
  now.signals_host =
      now.work.touched.has_fenced && any_of(now.work.touched[Touch::kUpdate], &may_be_of_host);
  const std::lock_guard lock(mutex_);
  now.number = ++numbers_;
  for (const Remembered& one : running_ | std::views::reverse) {
    if (!is_unordered(one.position, now.position)) continue;
    if (may_have_signalled(one.work.touched, now.work.touched)) continue;
    // The order that is missing between two of them would be one for what comes before the first,
    // and for what comes behind the second: the latest and the earliest are told.
    const auto tells_as_much = [&](const auto& pair) {
      return is_until(one.position, pair.first) && is_until(pair.second, now.position);
    };
    if (std::ranges::any_of(unordered_, tells_as_much)) continue;
    const std::optional<Clash> clash = clash_of(one, now, before);
    if (!clash) continue;
    tell(*clash);
    if (unordered_.size() == kMaxPairs) unordered_.erase(unordered_.begin());
    unordered_.emplace_back(one.position, now.position);
  }
  const bool changes_watch = now.is_of_host;
  keep(std::move(now));
  if (changes_watch) watch();
}

std::optional<WorkOrder::Clash> WorkOrder::clash_of(const Remembered& one, const Remembered& now,
                                                    const OldValues& before) {
  std::optional<Clash> clash;
  const auto takes_or_frees = [](WorkKind kind) {
    return kind == WorkKind::kAllocation || kind == WorkKind::kFree;
  };
  // One stream takes an array, another one frees it: whoever used it is to be told of.
  if (takes_or_frees(one.work.kind) && takes_or_frees(now.work.kind)) return clash;
  const bool is_use = !takes_or_frees(one.work.kind) && !takes_or_frees(now.work.kind);
  for (const auto& [first, second] : kClashes) {
    const ByteRanges& by_first = one.work.touched[first];
    const ByteRanges& by_second = now.work.touched[second];
    std::optional<Bytes> bytes;
    if (is_use && first == Touch::kStore && second == Touch::kStore) {
      bytes = stored_by_both(by_first, by_second, before);
    } else {
      by_first.any_common(by_second, [&](const Bytes& both) {
        bytes = both;
        return true;
      });
    }
    if (!bytes) continue;
    clash.emplace(Clash{&one, &now, *bytes, first, second});
    break;
  }
  // Nodes of a graph run here in the opposite order.
  if (clash && one.position.run != nullptr && one.position.run == now.position.run &&
      now.position.node < one.position.node) {
    std::swap(clash->first, clash->second);
    std::swap(clash->by_first, clash->by_second);
  }
  return clash;
}

void WorkOrder::tell(const Clash& clash) {
  const Remembered& first = *clash.first;
  const Remembered& second = *clash.second;
  const Bytes& bytes = clash.bytes;
  const bool is_graph = first.position.run != nullptr && second.position.run != nullptr &&
                        first.position.lane == second.position.lane &&
                        first.position.count == second.position.count;
  FaultKind kind = is_graph ? FaultKind::kRaceBetweenNodes : FaultKind::kRaceBetweenStreams;
  if (first.work.kind == WorkKind::kFree || second.work.kind == WorkKind::kFree) {
    kind = FaultKind::kFreedInUse;
  } else if (first.work.kind == WorkKind::kAllocation) {
    kind = FaultKind::kUsedBeforeAllocated;
  }
  std::optional<NamedBytes> array = second.array_with(bytes.begin);
  if (!array) array = first.array_with(bytes.begin);
  if (!array) return;
  Fault fault(kind, {{"work", second.work.name},
                     {"work_kind", code_of(second.work.kind)},
                     {"stream", is_graph ? "" : second.position.stream},
                     {"other_work", first.work.name},
                     {"other_work_kind", code_of(first.work.kind)},
                     {"other_stream", is_graph ? "" : first.position.stream},
                     {"verb", emulator::code_of(verb_of(clash.by_second))},
                     {"from_byte", bytes.begin - array->bytes.begin},
                     {"bytes", bytes.end - bytes.begin}});
  fault.place = second.work.place;
  fault.other.emplace(first.work.place, emulator::Index{});
  fault.other->verb = verb_of(clash.by_first);
  fault.element = element_of(array->name);
  Findings::instance().add(std::move(fault));
}

}  // namespace ladder::glassbox
