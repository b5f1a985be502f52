// SPDX-License-Identifier: MIT
#include "emulator/trace/undefined_values.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder::emulator {
namespace {

// Halves of words. From kFirstNan to kLastNan each is a NaN as a number of 16 bits, and two of them
// are one as a number of 32. 0xFFFF is that of memory that nobody wrote.
constexpr std::uint16_t kFirstNan = 0xFFC1;
constexpr std::uint16_t kLastNan = 0xFFFE;

/// What -ftrivial-auto-var-init=pattern puts into local variables: -1.69e38.
constexpr std::uint32_t kLocal = 0xFEFEFEFE;

/// Number of the shuffle that this word comes from.
std::optional<std::size_t> shuffle_of(std::uint32_t word) {
  const std::uint32_t half = word & 0xFFFFu;
  if (word >> 16 != half || half < kFirstNan || half > kLastNan) return std::nullopt;
  return half - kFirstNan;
}

/// Calls visit(array, word) for each word that is undefined.
template <class Visit>
void for_each_undefined(const std::vector<TracedArray>& arrays, Visit visit) {
  for (const TracedArray& array : arrays) {
    if (array.element_bytes != sizeof(std::uint32_t)) continue;
    const auto* const begin = static_cast<const std::uint32_t*>(array.data);
    // What nobody asked for of the workspace has no pages yet, and should get none.
    const bool is_workspace = array.data == whole_workspace().data();
    const std::size_t bytes =
        is_workspace ? std::min(array.bytes, workspace_in_use()) : array.bytes;
    const auto* const end = begin + bytes / sizeof(std::uint32_t);
    for (const std::uint32_t* word = begin; word != end; ++word) {
      if (*word < kLocal) [[likely]]
        continue;
      if (*word == kLocal || shuffle_of(*word)) visit(array, word);
    }
  }
}

/// Of shuffles, one after the other, those of all sessions: what an earlier launch has left is not
/// taken for what this one does.
std::size_t next_number() {
  static std::atomic<std::size_t> next = 0;
  return next++ % (kLastNan - kFirstNan + 1u);
}

/// Is this index a small step away from an undefined value, or from a small multiple of it?
bool comes_from(std::int64_t index, std::uint32_t undefined) {
  constexpr std::int64_t kStep = 4096;
  const std::array<std::int64_t, 2> values = {static_cast<std::int32_t>(undefined), undefined};
  for (const std::int64_t value : values) {
    for (std::int64_t factor = 1; factor <= 64; factor *= 2) {
      if (std::abs(index - factor * value) <= kStep) return true;
    }
  }
  return false;
}

std::uint32_t word_of(std::size_t number) {
  const auto half = static_cast<std::uint32_t>(kFirstNan + number);
  return half << 16 | half;
}

Element element_of(const TracedArray& array, const std::uint32_t* word) {
  return {.space = MemorySpace::kGlobal,
          .array = array.name,
          .indices = {word - static_cast<const std::uint32_t*>(array.data)}};
}

}  // namespace

void UndefinedValues::start(const std::vector<TracedArray>& arrays) {
  for_each_undefined(arrays,
                     [&](const TracedArray&, const std::uint32_t* word) { known_[word] = *word; });
}

std::uint16_t UndefinedValues::add(const GridPlan& plan, std::uint64_t block, unsigned thread,
                                   const UndefinedShuffle& shuffle) {
  const Place place = {without_repository(shuffle.where.file_name()), shuffle.where.line()};
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(
      shuffles_, [&](const Shuffle& known) { return known.hazard.place == place; });
  const bool is_new = found == shuffles_.end();
  if (is_new) {
    found = shuffles_.insert(found, Shuffle());
    found->number = next_number();
  }
  ++found->times;
  if (is_new || std::pair(block, thread) < std::pair(found->block, found->thread)) {
    found->function = shuffle.function;
    found->block = block;
    found->thread = thread;
    found->hazard =
        Fault(FaultKind::kUndefinedShuffle, {{"function", shuffle.function},
                                             {"lane", shuffle.source},
                                             {"why", !shuffle.exists    ? "no-such-thread"
                                                     : shuffle.has_left ? "has-left"
                                                                        : "not-in-mask"},
                                             {"mask", shuffle.mask}});
    found->hazard.place = place;
    found->hazard.block = array_of(plan.block_index(block));
    found->hazard.thread = array_of(plan.thread_index(thread));
  }
  return static_cast<std::uint16_t>(kFirstNan + found->number);
}

std::vector<StrayShuffles> UndefinedValues::strays(const std::vector<Fault>& hazards) const {
  const std::lock_guard lock(mutex_);
  std::vector<StrayShuffles> strays;
  for (const Shuffle& shuffle : shuffles_) {
    const Place& place = shuffle.hazard.place;
    if (std::ranges::find(hazards, place, &Fault::place) != hazards.end()) continue;
    strays.push_back({.place = place, .function = shuffle.function, .times = shuffle.times});
  }
  return strays;
}

std::vector<Fault> UndefinedValues::find_in(
    const std::vector<TracedArray>& arrays,
    const std::function<Place(const std::string&)>& place_of_store,
    const std::function<bool(std::size_t, std::size_t)>& was_stored) const {
  const std::lock_guard lock(mutex_);
  std::vector<Fault> found;
  std::set<std::size_t> shuffles;
  std::set<std::string> named;
  for_each_undefined(arrays, [&](const TracedArray& array, const std::uint32_t* word) {
    const auto before = known_.find(word);
    const bool is_known = before != known_.end() && before->second == *word;
    Element element = element_of(array, word);
    if (const auto number = shuffle_of(*word)) {
      const auto shuffle = std::ranges::find(shuffles_, *number, &Shuffle::number);
      if (is_known || shuffle == shuffles_.end() || !shuffles.insert(*number).second) return;
      found.push_back(shuffle->hazard);
      found.back().element = std::move(element);
      return;
    }
    const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(word) -
                                             static_cast<const std::byte*>(array.data));
    if (is_known && !was_stored(static_cast<std::size_t>(&array - arrays.data()), at)) return;
    if (!named.insert(array.name).second) return;
    const Place place = place_of_store(array.name);
    if (place.line == 0) return;
    found.emplace_back(FaultKind::kUninitialisedLocal);
    found.back().place = place;
    found.back().element = std::move(element);
  });
  return found;
}

Fields UndefinedValues::origin_of_index(std::int64_t index) const {
  const std::lock_guard lock(mutex_);
  for (const Shuffle& shuffle : shuffles_) {
    if (!comes_from(index, word_of(shuffle.number))) continue;
    Fields fields = shuffle.hazard.fields;
    fields.set("index_file", shuffle.hazard.place.file);
    fields.set("index_line", shuffle.hazard.place.line);
    return fields;
  }
  if (comes_from(index, kLocal)) return {{"why", "local"}};
  return {};
}

}  // namespace ladder::emulator
