// SPDX-License-Identifier: MIT
#include "emulator/trace/undefined_values.hpp"

#include <algorithm>
#include <optional>
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

Element element_of(const TracedArray& array, const std::uint32_t* word) {
  return {.space = MemorySpace::kGlobal,
          .array = array.name,
          .indices = {word - static_cast<const std::uint32_t*>(array.data)}};
}

}  // namespace

void UndefinedValues::start(const std::vector<TracedArray>& arrays) {
  for_each_undefined(arrays,
                     [&](const TracedArray&, const std::uint32_t* word) { known_.insert(word); });
}

std::uint16_t UndefinedValues::add(const GridPlan& plan, std::uint64_t block, unsigned thread,
                                   const UndefinedShuffle& shuffle) {
  const Place place = {without_repository(shuffle.where.file_name()), shuffle.where.line()};
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(
      shuffles_, [&](const Shuffle& known) { return known.hazard.place == place; });
  const bool is_new = found == shuffles_.end();
  const auto number = static_cast<std::size_t>(found - shuffles_.begin());
  if (is_new) found = shuffles_.insert(found, Shuffle());
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
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(kFirstNan + number, std::size_t{kLastNan}));
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
    const std::function<Place(const std::string&)>& place_of_store) const {
  const std::lock_guard lock(mutex_);
  std::vector<Fault> found;
  std::set<std::size_t> shuffles;
  std::set<std::string> named;
  for_each_undefined(arrays, [&](const TracedArray& array, const std::uint32_t* word) {
    if (known_.contains(word)) return;
    Element element = element_of(array, word);
    if (const auto number = shuffle_of(*word)) {
      if (*number >= shuffles_.size() || !shuffles.insert(*number).second) return;
      found.push_back(shuffles_[*number].hazard);
      found.back().element = std::move(element);
      return;
    }
    if (!named.insert(array.name).second) return;
    const Place place = place_of_store(array.name);
    if (place.line == 0) return;
    found.emplace_back(FaultKind::kUninitialisedLocal);
    found.back().place = place;
    found.back().element = std::move(element);
  });
  return found;
}

}  // namespace ladder::emulator
