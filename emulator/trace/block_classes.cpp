// SPDX-License-Identifier: MIT
#include "emulator/trace/block_classes.hpp"

#include <algorithm>
#include <utility>

namespace ladder::emulator {
namespace {

constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);

/// The same of blocks that do the same.
std::uint64_t shape_of(const BlockStream& stream) {
  std::uint64_t hash = stream.accesses.size() + 0x9E3779B97F4A7C15u * stream.slice_ends.size();
  if (!stream.accesses.empty()) {
    const StreamAccess& first = stream.accesses.front();
    hash ^=
        (std::uint64_t{first.pattern} << 32 | first.array << 2 | first.store) * 0xBF58476D1CE4E5B9u;
  }
  return hash;
}

}  // namespace

LineShifts LineShifts::operator-(const LineShifts& other) const {
  LineShifts difference;
  auto mine = shifts_.begin();
  auto theirs = other.shifts_.begin();
  while (mine != shifts_.end() || theirs != other.shifts_.end()) {
    const bool has_mine =
        mine != shifts_.end() && (theirs == other.shifts_.end() || mine->array <= theirs->array);
    const bool has_theirs =
        theirs != other.shifts_.end() && (mine == shifts_.end() || theirs->array <= mine->array);
    difference.add(has_mine ? mine->array : theirs->array,
                   (has_mine ? mine->lines : 0) - (has_theirs ? theirs->lines : 0));
    if (has_mine) ++mine;
    if (has_theirs) ++theirs;
  }
  return difference;
}

BlockClasses::BlockClasses(std::size_t arrays, std::function<bool(ArrayShifts&)> complete_shifts)
    : complete_shifts_(std::move(complete_shifts)), shifts_(arrays) {}

/// Sets how far `stream` is from `other`, in bytes, in each array that they touch; false if they do
/// not do the same.
bool BlockClasses::find_shifts(const BlockStream& other, const BlockStream& stream) {
  for (const std::uint32_t array : std::exchange(touched_, {}))
    shifts_[array].reset();
  if (stream.accesses.size() != other.accesses.size() || stream.slice_ends != other.slice_ends)
    return false;
  for (std::size_t i = 0; i < stream.accesses.size(); ++i) {
    const StreamAccess& a = other.accesses[i];
    const StreamAccess& b = stream.accesses[i];
    if (a.pattern != b.pattern || a.array != b.array || a.store != b.store) return false;
    std::optional<std::int64_t>& shift = shifts_[a.array];
    if (!shift) {
      shift = (b.line - a.line) * kLine;
      touched_.push_back(a.array);
    }
    if (*shift != (b.line - a.line) * kLine) return false;
  }
  return true;
}

/// Of the arrays that the last blocks touched, or of all that the shifts were completed for.
std::optional<LineShifts> BlockClasses::line_shifts(bool complete) {
  if (!complete) {
    if (!complete_shifts_ || !complete_shifts_(shifts_)) return std::nullopt;
    touched_.clear();
    for (std::size_t array = 0; array < shifts_.size(); ++array) {
      if (shifts_[array]) touched_.push_back(static_cast<std::uint32_t>(array));
    }
  }
  std::ranges::sort(touched_);
  LineShifts lines;
  for (const std::uint32_t array : touched_) {
    if (*shifts_[array] % kLine != 0) return std::nullopt;
    lines.add(array, *shifts_[array] / kLine);
  }
  return lines;
}

void BlockClasses::start_grid() {
  first_ = classes_.size();
  by_shape_.clear();
}

void BlockClasses::forget_grid() {
  classes_.resize(first_);
  by_shape_.clear();
}

TracedBlock BlockClasses::add(std::uint64_t block, BlockStream stream, bool complete) {
  std::vector<std::size_t>& alike = by_shape_[shape_of(stream)];
  for (const std::size_t i : alike) {
    if (!find_shifts(classes_[i].stream, stream)) continue;
    std::optional<LineShifts> shifts = line_shifts(complete);
    if (!shifts) continue;
    ++classes_[i].members;
    classes_[i].representative = std::min(classes_[i].representative, block);
    return {.stream = i, .line_shift = *std::move(shifts)};
  }
  alike.push_back(classes_.size());
  classes_.push_back({.stream = std::move(stream), .representative = block, .members = 1});
  return {.stream = classes_.size() - 1};
}

void BlockClasses::count_shifts_from_representatives(std::span<TracedBlock> launched) const {
  std::vector<TracedBlock> representatives;
  for (std::size_t i = first_; i < classes_.size(); ++i)
    representatives.push_back(launched[classes_[i].representative]);
  for (TracedBlock& block : launched)
    block.line_shift = block.line_shift - representatives[block.stream - first_].line_shift;
}

}  // namespace ladder::emulator
