// SPDX-License-Identifier: MIT
#include "emulator/trace/shared_requests.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "emulator/run/debug_info/shared_arrays.hpp"
#include "emulator/trace/code_places.hpp"
#include "emulator/trace/ordinary_words.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

/// Which words the site's pattern touches, each once per store lane and once per request for loads.
void find_words(RequestSite& site, const std::uint64_t* address) {
  const unsigned bytes = bytes_of(site.code);
  const std::uint64_t base_word = address[std::countr_zero(site.lanes)] / 4;
  std::map<std::pair<std::int32_t, std::uint8_t>, TouchedWord> words;
  for_each_lane(site.lanes, [&](unsigned lane) {
    const std::uint64_t last = (address[lane] + bytes - 1) / 4;
    for (std::uint64_t word = address[lane] / 4; word <= last; ++word) {
      const std::uint64_t low = std::max(address[lane], word * 4) % 4;
      const std::uint64_t high = std::min(address[lane] + bytes, word * 4 + 4) - word * 4;
      const auto mask = static_cast<std::uint8_t>((1u << high) - (1u << low));
      const auto relative = static_cast<std::int32_t>(word - base_word);
      const auto [found, is_new] = words.try_emplace(
          {relative, mask}, TouchedWord{.word = relative, .bytes = mask, .lanes = 0});
      found->second.lanes |= 1u << lane;
    }
  });
  site.words.clear();
  for (const auto& [place, word] : words)
    site.words.push_back(word);
  std::ranges::stable_sort(site.words, {}, [](const TouchedWord& one) {
    return one.lane();
  });  // the lowest thread is reported
}

}  // namespace

void SharedRequests::learn(RequestSite& site, const std::uint64_t* address,
                           std::uint64_t first) const {
  site.phase_in_word = static_cast<unsigned>(first % 4);
  site.is_guard = std::ranges::any_of(state_.shared_guards, [&](const SharedArray& guard) {
    return first - guard.offset < guard.bytes;
  });
  find_words(site, address);
  const WarpAddresses request = {address, site.lanes, bytes_of(site.code)};
  const AccessType type = type_of(site.code);
  site.shape = type == AccessType::kLoad     ? shared_load_shape(request)
               : type == AccessType::kAtomic ? shared_atomic_shape(request)
                                             : shared_store_shape(request);
  site.copies.clear();
}

void SharedRequests::request(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t first = address[std::countr_zero(lanes)] - state_.shared_begin;
  if (site.words.empty() || site.phase_in_word != first % 4) learn(site, address, first);
  if (site.is_guard) return;
  check(site, first);

  const AccessType type = type_of(site.code);
  if (state_.is_ordered()) {
    see_order(type, first + static_cast<std::uint64_t>(site.lowest),
              first + static_cast<std::uint64_t>(site.highest), first);
  }
  if (type == AccessType::kLoad) {
    if (bytes_of(site.code) == 4 && wide_loads_.take(site, address, lanes)) return;
  } else if (type == AccessType::kCopyLanded) {
    return;  // nothing that counts
  } else if (type == AccessType::kCopyTarget) {
    counts_.count_copy(site, address, lanes);
    return;
  } else {
    wide_loads_.settle();
  }
  counts_.count(site, address, lanes, site.shape);
}

void SharedRequests::see_order(AccessType type, std::uint64_t begin, std::uint64_t end,
                               std::uint64_t first) {
  switch (type) {
    case AccessType::kLoad:
      order_.shared_load(state_.warp, first);
      break;
    case AccessType::kCopyLanded:
      order_.copy_landed(state_.warp, begin, end);
      break;
    case AccessType::kCopyTarget:
      order_.copy_started(state_.warp, begin);
      break;
    default:
      order_.shared_store(state_.warp, begin, end);
  }
}

// -- Checks --------------------------------------------------------------------------------------

bool SharedRequests::is_inside(std::uint64_t begin, std::uint64_t end) const {
  return std::ranges::any_of(state_.shared_arrays, [&](const SharedArray& array) {
    return begin >= array.offset && end <= array.offset + array.bytes;
  });
}

/// Reports lanes that access what is in no array. False: none does.
bool SharedRequests::report_outside(const RequestSite& site, std::uint64_t first) {
  bool any = false;
  // A function that the kernel found in a table may have arrays that nobody knows.
  const bool knows_arrays =
      is_code_of_call(site.code) ||
      reaches(state_.plan->kernel, state_.dynamic_offset, state_.code_begin + offset_of(site.code));
  for_each_lane(site.lanes, [&](unsigned lane) {
    const std::uint64_t at = first + site.delta[lane];
    if (is_inside(at, at + bytes_of(site.code))) return;
    if (!knows_arrays && at + bytes_of(site.code) <= state_.shared_bytes) return;
    any = true;
    hazards_.report({.kind = FaultKind::kSharedOutOfBounds,
                     .code = site.code,
                     .thread = state_.thread(lane),
                     .shared = true,
                     .address = at});
  });
  return any;
}

/// Is what is touched of the word in an array?
bool SharedRequests::holds(const TouchedWord& touched, std::uint32_t word) const {
  const std::uint64_t at = std::uint64_t{4} * word;
  const auto byte = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(touched.bytes)));
  return is_inside(at + byte, at + std::bit_width(static_cast<unsigned>(touched.bytes)));
}

inline Conflict SharedRequests::access(AccessType type, const WordAccess& access) {
  return type == AccessType::kLoad          ? shadow_.load(access)
         : type == AccessType::kStore       ? shadow_.store(access)
         : type == AccessType::kAtomic      ? shadow_.update(access)
         : type == AccessType::kAtomicStore ? shadow_.store_atomically(access)
         : type == AccessType::kCopyTarget  ? shadow_.start_copy(access)
                                            : shadow_.land_copy(access);
}

/// \param is_ordinary  of whole words: nothing more is to be checked
template <class Skip, class IsOrdinary>
inline void SharedRequests::check_words(const RequestSite& site, WordAccess one, Skip skip,
                                        IsOrdinary is_ordinary) {
  const std::uint32_t base = one.word;
  for (const TouchedWord& touched : site.words) {
    const std::uint32_t word = base + static_cast<std::uint32_t>(touched.word);
    if (skip(touched, word)) continue;
    const std::uint32_t lanes = touched.lanes;
    const unsigned thread = 32 * state_.warp + static_cast<unsigned>(std::countr_zero(lanes));
    if (touched.bytes == 15 && is_ordinary(word, lanes, thread)) continue;
    one.word = word;
    one.bytes = touched.bytes;
    one.thread = static_cast<std::uint16_t>(thread);
    one.lanes = lanes;
    check_lanes(type_of(site.code), one);
  }
}

/// Of a load, some of whose lanes guess.
void SharedRequests::check_guesses(const RequestSite& site, WordAccess one) {
  const std::uint32_t base = one.word;
  for (const TouchedWord& touched : site.words) {
    one.word = base + static_cast<std::uint32_t>(touched.word);
    one.bytes = touched.bytes;
    for (const bool is_guess : {false, true}) {
      one.is_guess = is_guess;
      one.lanes = touched.lanes & (is_guess ? state_.marks.guesses : ~state_.marks.guesses);
      if (one.lanes == 0) continue;
      one.thread = state_.thread(static_cast<unsigned>(std::countr_zero(one.lanes)));
      check_lanes(AccessType::kLoad, one);
    }
  }
}

inline void SharedRequests::check_lanes(AccessType type, WordAccess& one) {
  if (in_order_of_epochs_ || state_.epochs.earliest != state_.epochs.latest) {
    check_by_epochs(type, one);
  } else {
    check_word(type, one);
  }
}

void SharedRequests::check(RequestSite& site, std::uint64_t first) {
  const std::uint64_t begin = first + static_cast<std::uint64_t>(site.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(site.highest);
  const WordAccess one = {.word = static_cast<std::uint32_t>(first / 4),
                          .thread = static_cast<std::uint16_t>(32 * state_.warp),
                          .sync = syncs_[state_.warp],
                          .code = site.code,
                          .epoch = state_.epochs.latest,
                          .knows = state_.epochs.earliest};
  const auto never = [](const auto&...) { return false; };
  if (!is_inside(begin, end) && report_outside(site, first)) [[unlikely]] {
    // The others' accesses count: what they store is not uninitialised later.
    const auto skip = [&](const TouchedWord& touched, std::uint32_t word) {
      return !holds(touched, word);
    };
    check_words(site, one, skip, never);
    return;
  }
  const SharedShadow::SettledWords settled =
      shadow_.settled_words(state_.warp, state_.epochs.latest);
  const bool is_load = type_of(site.code) == AccessType::kLoad;
  if (is_load && state_.marks.guesses != 0) [[unlikely]] {
    check_guesses(site, one);
    return;
  }
  const bool skips_settled = is_load && !orders_lanes_;
  const auto skip = [&](const TouchedWord&, std::uint32_t word) {
    return skips_settled && settled.contain(word);
  };
  if (in_order_of_epochs_ || !OrdinaryWords::suit(shadow_)) [[unlikely]] {
    check_words(site, one, skip, never);
  } else if (one.epoch != one.knows) [[unlikely]] {
    check_lanes_apart(site, one, begin / 4, end / 4 + 1, skip);
  } else {
    OrdinaryWords words(shadow_, one, begin / 4, end / 4 + 1);
    switch (type_of(site.code)) {
      case AccessType::kLoad:
        if (clocks_.is_active()) {
          check_words(site, one, skip,
                      [&](auto... access) { return words.load_with_clocks(access...); });
        } else {
          check_words(site, one, skip, [&](auto... access) { return words.load(access...); });
        }
        break;
      case AccessType::kStore:
        check_words(site, one, never, [&](auto word, std::uint32_t lanes, unsigned thread) {
          return words.store(word, lanes, thread, state_.stored[std::countr_zero(lanes)]);
        });
        break;
      case AccessType::kCopyTarget:
        check_words(site, one, never, [&](auto... access) { return words.start_copy(access...); });
        break;
      case AccessType::kCopyLanded:
        check_words(site, one, never, [&](auto... access) { return words.land_copy(access...); });
        break;
      default:
        check_words(site, one, never, never);
    }
  }
}

/// The request's lanes are in several epochs; most words are touched by one lane.
template <class Skip>
void SharedRequests::check_lanes_apart(const RequestSite& site, WordAccess one, std::size_t begin,
                                       std::size_t end, Skip skip) {
  const AccessType type = type_of(site.code);
  WordAccess alone = one;
  alone.knows = alone.epoch;
  OrdinaryWords words(shadow_, alone, begin, end);
  check_words(site, one, skip, [&](std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    if ((lanes & (lanes - 1)) != 0) return false;
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    alone.epoch = alone.knows = state_.lane_epochs[lane];
    if (alone.epoch != words.epoch()) words = OrdinaryWords(shadow_, alone, begin, end);
    switch (type) {
      case AccessType::kLoad:
        return words.load_with_clocks(word, lanes, thread);
      case AccessType::kStore:
        return words.store(word, lanes, thread, state_.stored[lane]);
      case AccessType::kCopyTarget:
        return words.start_copy(word, lanes, thread);
      case AccessType::kCopyLanded:
        return words.land_copy(word, lanes, thread);
      default:
        return false;
    }
  });
}

/// By these lanes at the same time.
inline void SharedRequests::check_word(AccessType type, WordAccess& one) {
  one.several = (one.lanes & (one.lanes - 1)) != 0;
  if (type == AccessType::kStore) add_value(one);
  const Conflict conflict = access(type, one);
  if (conflict.kind != Conflict::Kind::kNone) [[unlikely]]
    report_conflict(one, conflict);
}

/// What the lanes store. Those that store the same count as one.
inline void SharedRequests::add_value(WordAccess& one) const {
  one.has_value = true;
  one.value = state_.stored[std::countr_zero(one.lanes)];
  if (one.several) [[unlikely]]
    one.several = !stores_the_same(one.lanes);
}

void SharedRequests::settle() {
  in_order_of_epochs_ = false;
  if (to_check_.empty()) return;
  std::ranges::stable_sort(to_check_, {}, [](const auto& entry) { return entry.second.epoch; });
  for (const auto& [type, one] : to_check_) {
    const Conflict conflict = access(type, one);
    if (conflict.kind != Conflict::Kind::kNone) report_conflict(one, conflict);
  }
  to_check_.clear();
}

/// Lanes that something has put in order did the same one after the other.
void SharedRequests::check_by_epochs(AccessType type, WordAccess& one) {
  std::uint32_t left = one.lanes;
  while (left != 0) {
    Epoch first = ~Epoch{0};
    for_each_lane(left, [&](unsigned lane) { first = std::min(first, state_.lane_epochs[lane]); });
    one.lanes = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (state_.lane_epochs[lane] == first) one.lanes |= 1u << lane;
    });
    left &= ~one.lanes;
    one.thread = state_.thread(static_cast<unsigned>(std::countr_zero(one.lanes)));
    one.epoch = one.knows = first;
    if (!in_order_of_epochs_) {
      check_word(type, one);
      continue;
    }
    one.several = (one.lanes & (one.lanes - 1)) != 0;
    if (type == AccessType::kStore) add_value(one);
    to_check_.emplace_back(type, one);
  }
}

bool SharedRequests::stores_the_same(std::uint32_t lanes) const {
  const std::uint32_t value = state_.stored[std::countr_zero(lanes)];
  bool same = true;
  for_each_lane(lanes, [&](unsigned lane) { same = same && state_.stored[lane] == value; });
  return same;
}

/// Is it padding, or a member that nobody set, of an object that is loaded whole?
bool SharedRequests::is_of_written_object(std::size_t at, AccessCode code) const {
  if (type_of(code) != AccessType::kLoad) return false;  // what an atomic leaves is written
  const SharedArray* const array = array_near(state_.shared_arrays, at);
  if (array == nullptr) return false;
  // Dynamic shared memory holds objects of any type.
  const auto [begin, end] =
      state_.object_around(at - array->offset, code, array->is_dynamic ? 1 : array->element_bytes);
  return shadow_.is_written(array->offset + begin, array->offset + end);
}

void SharedRequests::report_conflict(const WordAccess& access, const Conflict& conflict,
                                     std::optional<std::uint64_t> block) {
  if (conflict.kind == Conflict::Kind::kRace &&
      flags_.excuse(access.word, access.code, conflict.earlier)) {
    return;
  }
  FaultKind kind = FaultKind::kUninitialisedShared;
  if (conflict.kind == Conflict::Kind::kRace) kind = FaultKind::kRaceInShared;
  if (conflict.kind == Conflict::Kind::kInFlight) kind = FaultKind::kCopyInFlight;
  if (conflict.kind == Conflict::Kind::kUnfenced) kind = FaultKind::kCopyUnfenced;
  if (conflict.kind == Conflict::Kind::kBeingRead) kind = FaultKind::kCopyStillReads;
  // What filled the word may be in a log that nobody could look at yet.
  const bool is_unfilled =
      kind == FaultKind::kUninitialisedShared || kind == FaultKind::kCopyInFlight;
  const std::uint64_t begin = std::uint64_t{4} * access.word;
  if (kind == FaultKind::kUninitialisedShared && is_of_written_object(begin, access.code)) return;
  if (is_unfilled && clocks_.is_active() &&
      logs_.is_written_elsewhere(state_.shared_begin + begin, state_.warp)) {
    return;
  }
  hazards_.report(
      {.kind = kind,
       .code = access.code,
       .earlier = conflict.earlier,
       .by_block = block,
       .thread = access.thread,
       .earlier_thread = conflict.earlier_thread,
       .earlier_block = block ? state_.block : conflict.earlier_block,
       .shared = true,
       .address = begin + static_cast<unsigned>(std::countr_zero(unsigned{access.bytes}))});
}

}  // namespace ladder::emulator
