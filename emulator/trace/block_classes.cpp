// SPDX-License-Identifier: MIT
#include "emulator/trace/block_classes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ladder::emulator {
namespace {

using KnownShifts = std::array<std::optional<std::int64_t>, kMaxArrays>;

/// How far `stream` is from `other` in each array that they touch; nothing if they do not do the
/// same.
std::optional<KnownShifts> shifts_between(const BlockStream& other, const BlockStream& stream) {
  if (stream.accesses.size() != other.accesses.size() || stream.slice_ends != other.slice_ends) {
    return std::nullopt;
  }
  KnownShifts shifts;
  for (std::size_t i = 0; i < stream.accesses.size(); ++i) {
    const StreamAccess& a = other.accesses[i];
    const StreamAccess& b = stream.accesses[i];
    if (a.pattern != b.pattern || a.array != b.array || a.store != b.store) return std::nullopt;
    std::optional<std::int64_t>& shift = shifts[a.array];
    if (!shift) shift = b.line - a.line;
    if (*shift != b.line - a.line) return std::nullopt;
  }
  return shifts;
}

}  // namespace

/// The class of a block, a new one if it does what none did before. `complete`: the stream is all
/// that the block does.
TracedBlock BlockClasses::add(std::uint64_t block, BlockStream stream, bool complete) {
  constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);
  for (std::size_t i = first_; i < classes_.size(); ++i) {
    const std::optional<KnownShifts> shifts = shifts_between(classes_[i].stream, stream);
    if (!shifts) continue;
    KnownShifts bytes = *shifts;
    for (auto& shift : bytes) {
      if (shift) *shift *= kLine;
    }
    if (!complete && !(complete_shifts_ && complete_shifts_(bytes))) {
      continue;
    }
    TracedBlock traced = {.stream = i};
    bool whole_lines = true;
    for (std::size_t array = 0; array < kMaxArrays; ++array) {
      whole_lines = whole_lines && bytes[array].value_or(0) % kLine == 0;
      traced.line_shift[array] = bytes[array].value_or(0) / kLine;
    }
    if (!whole_lines) continue;
    ++classes_[i].members;
    classes_[i].representative = std::min(classes_[i].representative, block);
    return traced;
  }
  classes_.push_back({.stream = std::move(stream), .representative = block, .members = 1});
  return {.stream = classes_.size() - 1};
}

/// A class has the stream of the block that happened to end first, until its representative's takes
/// that place.
void BlockClasses::count_shifts_from_representatives(std::span<TracedBlock> launched) const {
  std::vector<TracedBlock> representatives;
  for (std::size_t i = first_; i < classes_.size(); ++i)
    representatives.push_back(launched[classes_[i].representative]);
  for (TracedBlock& block : launched) {
    const TracedBlock& representative = representatives[block.stream - first_];
    for (std::size_t array = 0; array < kMaxArrays; ++array)
      block.line_shift[array] -= representative.line_shift[array];
  }
}

}  // namespace ladder::emulator
