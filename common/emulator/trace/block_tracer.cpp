// SPDX-License-Identifier: MIT
#include "common/emulator/trace/block_tracer.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/trace/code_places.hpp"
#include "common/emulator/words/warp_functions.hpp"

namespace ladder::emulator {

constinit thread_local AccessCursor access_cursor;

namespace {

constexpr std::size_t kMaxHazards = 200;

}  // namespace

void BlockTracer::start_grid(const GridPlan& plan, const SharedMemory& shared,
                             const TraceWishes& wishes, TraceSink& sink) {
  plan_ = &plan;
  wishes_ = &wishes;
  sink_ = &sink;
  if (code_begin_ != plan.code.begin()) launch_code_.clear();
  code_begin_ = plan.code.begin();
  shared_begin_ = reinterpret_cast<std::uintptr_t>(shared.arrays.data());
  if (shared_bytes_ != shared.arrays.size()) shadow_.resize(shared.arrays.size());
  shared_bytes_ = shared.arrays.size();
  const auto dynamic_offset =
      static_cast<std::size_t>(shared.dynamic.data() - shared.arrays.data());
  shared_arrays_ = shared_arrays_of(plan.kernel, dynamic_offset, plan.dynamic_shared_bytes);
  shared_guards_ = shared_guards_of(plan.kernel);

  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  for (const TracedArray& array : wishes.arrays) {
    const auto first = reinterpret_cast<std::uintptr_t>(array.data);
    begin = std::min(begin, first);
    end = std::max(end, first + array.bytes);
  }
  constexpr std::size_t kNearGlobal = std::size_t{1} << 20;
  global_begin_ = wishes.arrays.empty() ? 0 : begin - kNearGlobal;
  global_bytes_ = wishes.arrays.empty() ? 0 : end - begin + 2 * kNearGlobal;
  sites_.clear();
  recent_sites_.fill(nullptr);
  hazards_.clear();
  recorded_.clear();
  recorded_source_.reset();
  clocks_.deactivate();
  order_.start(shared_arrays_);
}

void BlockTracer::start_block(std::uint64_t block) {
  block_ = block;
  clocks_.start_block(plan_->threads);
  shadow_.start_block();
  boxes_.clear();
  for (std::vector<EpochChange>& changes : changes_)
    changes.clear();
  rows_.fill(0);
  syncs_.fill(0);
  stream_ = {};
  chunks_.fill(0);
  slice_chunk_ = 0;
  access_cursor = {.code_begin = code_begin_,
                   .shared_begin = shared_begin_ - kNearShared,
                   .shared_bytes = shared_bytes_ + 2 * kNearShared,
                   .global_begin = global_begin_,
                   .global_bytes = global_bytes_};
}

void BlockTracer::end_grid() {
  access_cursor = {};
  inside_ = false;
  sink_->end_grid(*this);
}

// -- Barriers -----------------------------------------------------------------------------------

void BlockTracer::pass_barrier() {
  shadow_.pass_barrier();
  if (clocks_.is_active()) clocks_.pass_barrier();
  if (block_ == wishes_->ordered_block) order_.pass_barrier();
  end_slice();
}

void BlockTracer::end_slice() {
  stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
  chunks_.fill(0);
  slice_chunk_ = 0;
}

bool BlockTracer::has_slice() const {
  constexpr std::size_t kMostSlices = 8;  // a kernel that shows nothing by then will not
  const std::size_t slices = stream_.slice_ends.size();
  if (slices == 0) return false;
  if (slices >= kMostSlices || !wishes_->complete_shifts) return true;
  ArrayShifts shifts;
  for (const StreamAccess& access : stream_.accesses)
    shifts[access.array] = 0;
  return wishes_->complete_shifts(shifts);
}

void BlockTracer::meet(unsigned warp) {
  look_at(warp);
  ++syncs_[warp];
  if (clocks_.is_active()) clocks_.meet(warp);
}

void BlockTracer::end_block() {
  for (unsigned warp = 0; 32 * warp < plan_->threads; ++warp)
    look_at(warp);
  stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
  for (WarpLog*& log : logs_) {
    if (log != nullptr) free_logs_.push_back(std::exchange(log, nullptr));
  }
}

// -- Reports -------------------------------------------------------------------------------------

void BlockTracer::report(RawHazard hazard) {
  hazard.block = block_;
  for (RawHazard& known : hazards_) {
    if (known.kind == hazard.kind && known.code == hazard.code && known.earlier == hazard.earlier &&
        known.place == hazard.place && known.column == hazard.column) {
      const std::uint64_t times = known.times + 1;
      if (hazard.block == known.block && hazard.thread < known.thread) known = std::move(hazard);
      known.times = times;
      return;
    }
  }
  if (hazards_.size() < kMaxHazards) hazards_.push_back(std::move(hazard));
}

/// Is this the code that reads a kernel's arguments from wherever the host program keeps them?
bool BlockTracer::is_launch_code(AccessCode code) {
  const auto [known, is_new] = launch_code_.try_emplace(code, false);
  if (is_new) {
    const SourceLine place = place_of(code_begin_, code);
    known->second = place.file.empty() || place.file.ends_with("common/launch.cuh");
  }
  return known->second;
}

/// Is this a local variable, a constant of the library, or the shared memory of another block of
/// the cluster? They may lie between two arrays.
bool BlockTracer::is_private(std::uintptr_t address) const {
  BlockRunner& runner = *BlockRunner::of_this_cpu_thread();
  return runner.threads().stacks().contains(address) || runner.cluster().shared_contains(address) ||
         plan_->code.library_contains(address);
}

bool BlockTracer::report_elsewhere(std::uintptr_t address, AccessCode code) {
  if (is_private(address) || is_launch_code(code)) return false;
  report({.kind = HazardKind::kGlobalOutOfBounds,
          .code = code,
          .thread = static_cast<std::uint16_t>(running_),
          .address = address});
  return true;
}

void BlockTracer::report_index(Place place, unsigned column, const std::string& text) {
  report({.kind = HazardKind::kSharedOutOfBounds,
          .thread = static_cast<std::uint16_t>(running_),
          .shared = true,
          .text = text,
          .place = std::move(place),
          .column = column});
}

std::vector<std::pair<AccessCode, SiteCounts>> BlockTracer::take_counts() {
  std::vector<std::pair<AccessCode, SiteCounts>> counts;
  for (const auto& [code, site] : sites_)
    counts.emplace_back(code, std::exchange(site->counts, SiteCounts()));
  std::ranges::sort(counts, {}, [](const auto& entry) { return entry.first; });
  return counts;
}

BlockStream BlockTracer::take_stream() {
  return std::exchange(stream_, BlockStream());
}

}  // namespace ladder::emulator
