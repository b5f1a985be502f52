// SPDX-License-Identifier: MIT
/// \file  emulator/trace/block_tracer_requests.cpp
/// \brief BlockTracer: what the rows of a warp's log say, as requests.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/trace/block_tracer.hpp"
#include "emulator/trace/code_places.hpp"
#include "emulator/trace/lane_visits.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

/// Do all of these lanes have the same code in the row?
bool same_code(const WarpLog::Row& row, std::uint32_t lanes) {
  const AccessCode first = row.code[std::countr_zero(lanes)];
  std::uint32_t differs = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    differs |= (row.code[lane] != first ? 1u : 0u) << lane;
  return (differs & lanes) == 0;
}

}  // namespace

void BlockTracer::look_at(unsigned warp) {
  const bool inside = logs_.is_inside();
  logs_.leave();
  const std::uint16_t* const rows = logs_.rows_of(warp);
  std::uint32_t lanes = 0;
  unsigned fewest = WarpLog::kRows;
  unsigned most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (rows[lane] == 0) continue;
    lanes |= 1u << lane;
    fewest = std::min<unsigned>(fewest, rows[lane]);
    most = std::max<unsigned>(most, rows[lane]);
  }
  if (lanes != 0) {
    state_.warp = warp;
    early_.look_at(warp);
    epochs_.sort(warp);
    stream_.go_on_with(warp);
    const bool orders_lanes = clocks_.orders_lanes(warp);
    shared_.look_at(orders_lanes, orders_lanes && !epochs_.are_one(warp, lanes, most));
    const WarpLog& log = logs_.log_of(warp);
    state_.log = &log;
    state_.rows = rows;
    bool in_step = fewest == most;
    for (unsigned row = 0; in_step && row < most; ++row)
      in_step = same_code(log.row[row], lanes);
    if (in_step) {
      look_at_rows_in_step(log, most, lanes);
    } else {
      look_at_rows_one_by_one(log, most);
    }
    wide_loads_.settle();
    shared_.settle();
    state_.log = nullptr;
    logs_.empty(warp);
  }
  epochs_.forget(warp);
  if (inside) logs_.enter(logs_.running());
}

void BlockTracer::set_epochs(const Epochs& epochs) {
  state_.epochs = epochs;
  boxes_.see_order_as(state_.warp, epochs.earliest);
}

void BlockTracer::look_at_rows_in_step(const WarpLog& log, unsigned rows, std::uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  for (unsigned row = 0; row < rows; ++row) {
    if (row == 0 || epochs_.change_at(row)) {
      set_epochs(epochs_.of_lanes(state_.warp, lanes, row, state_.lane_epochs));
    }
    state_.stored = log.stored[row].value;
    state_.marks = logs_.marks_in(state_.warp, row);
    state_.unchecked = logs_.unchecked_in(state_.warp, row);
    request(log.row[row].code[first], log.row[row].address, lanes);
  }
}

/// Lanes went different ways: their accesses are matched by place in the source, visit by visit.
void BlockTracer::look_at_rows_one_by_one(const WarpLog& log, unsigned rows) {
  struct Request {
    unsigned row;
    AccessCode code;
    Epochs epochs;
    std::uint32_t lanes = 0;
    WarpLog::Marks marks = {};
    std::uint32_t unchecked = 0;
    std::array<std::uint64_t, 32> address = {};
    std::array<Epoch, 32> lane_epochs = {};
    std::array<std::uint32_t, 32> stored = {};
  };
  const unsigned warp = state_.warp;
  std::vector<Request> requests;
  std::map<std::tuple<std::uint32_t, AccessCode, unsigned>, std::size_t> found;
  const LaneVisits visits(log, logs_.rows_of(warp), [&](AccessCode code) {
    return std::uint64_t{place_number(state_.code_begin, code)} << 32 | (code & kHowBits);
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned row = 0; row < std::min<unsigned>(rows, logs_.rows_of(warp)[lane]); ++row) {
      const AccessCode code = log.row[row].code[lane];
      const std::uint32_t place = place_number(state_.code_begin, code);
      const unsigned visit = visits.number(lane, row);
      const auto [at, is_new] = found.try_emplace({place, code & kHowBits, visit}, requests.size());
      const Epoch epoch = epochs_.at(warp, lane, row);
      if (is_new) requests.push_back({row, code, {epoch, epoch}});
      Request& request = requests[at->second];
      request.lane_epochs[lane] = epoch;
      request.stored[lane] = log.stored[row].value[lane];
      request.epochs.earliest = std::min(request.epochs.earliest, epoch);
      request.epochs.latest = std::max(request.epochs.latest, epoch);
      request.row = std::max(request.row, row);
      request.lanes |= 1u << lane;
      const WarpLog::Marks marks = logs_.marks_in(warp, row);
      const std::uint32_t bit = 1u << lane;
      request.marks.guesses |= marks.guesses & bit;
      request.marks.volatiles |= marks.volatiles & bit;
      request.marks.of_block |= marks.of_block & bit;
      request.unchecked |= logs_.unchecked_in(warp, row) & bit;
      request.address[lane] = log.row[row].address[lane];
    }
  }
  std::ranges::stable_sort(requests, {}, &Request::row);
  for (const Request& one : requests) {
    set_epochs(one.epochs);
    if (clocks_.is_active()) state_.lane_epochs = one.lane_epochs;
    state_.stored = one.stored.data();
    state_.marks = one.marks;
    state_.unchecked = one.unchecked;
    request(one.code, one.address.data(), one.lanes);
  }
}

void BlockTracer::request(AccessCode code, const std::uint64_t* address, std::uint32_t lanes) {
  if (type_of(code) == AccessType::kCopySource) {
    lanes = shared_counts_.set_copy_source(address, lanes);
    if (lanes == 0) return;
  }
  count_words(code, address, lanes);
  if (state_.plan->cluster > 1) {
    lanes &= ~check_other_blocks(code, address, lanes);
    if (lanes == 0) return;
  }
  RequestSite& site = sites_.at(code, address, lanes);
  const std::uint64_t first = address[std::countr_zero(lanes)];
  if (news_.are_wanted()) [[unlikely]]
    news_.see(state_.warp, code, first);
  const bool shared = state_.is_near_shared(first);
  if (((site.skew | first) & (bytes_of(code) - 1)) != 0) [[unlikely]] {
    report_misaligned(code, address, lanes, shared);
  }
  if (shared) {
    if (state_.checks_cluster()) global_.check_in_cluster(code, address, lanes);
    shared_.request(site, address, lanes);
  } else {
    global_.request(site, address, lanes);
  }
}

/// What threads get of it and hand on; stores were counted when they were made.
void BlockTracer::count_words(AccessCode code, const std::uint64_t* address, std::uint32_t lanes) {
  ThreadWords& words = logs_.words();
  const AccessType type = type_of(code);
  const unsigned bytes = bytes_of(code);
  const bool loads = type == AccessType::kLoad || type == AccessType::kAtomic;
  if (loads) words.loads(state_.warp, lanes, bytes);
  if (state_.plan->cluster > 1) words.is_not_alone();
  if (state_.is_near_shared(address[std::countr_zero(lanes)])) return;
  const auto count = static_cast<unsigned>(std::popcount(lanes));
  if (loads || type == AccessType::kCopySource) words.loads_globally(count, bytes);
  if (!(type == AccessType::kLoad || type == AccessType::kCopySource))
    words.stores_globally(count, bytes);
}

/// Checks accesses to the shared memory of the cluster's other blocks, which nobody counts.
/// \return the lanes that make them
std::uint32_t BlockTracer::check_other_blocks(AccessCode code, const std::uint64_t* address,
                                              std::uint32_t lanes) {
  std::uint32_t elsewhere = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const bool near = state_.is_near_shared(address[lane]);
    elsewhere |= (!near && global_.is_in_cluster(address[lane]) ? 1u : 0u) << lane;
  });
  if (type_of(code) != AccessType::kLoad)
    for_each_lane(elsewhere, [&](unsigned l) { stores_elsewhere(address[l], bytes_of(code)); });
  if (elsewhere != 0 && state_.checks_cluster()) global_.check_in_cluster(code, address, elsewhere);
  return elsewhere;
}

void BlockTracer::stores_elsewhere(std::uintptr_t address, unsigned bytes) {
  if (state_.plan->cluster == 1) return;
  const ClusterMember& cluster = BlockRunner::of_this_cpu_thread()->cluster();
  const auto place = cluster.place_of(address);
  if (!place) return;
  const auto& [rank, at] = *place;
  auto* const other = static_cast<BlockTracer*>(cluster.block(rank).observer());
  if (other != nullptr) other->shadow_.stored_from_elsewhere(at, at + bytes);
}

void BlockTracer::report_misaligned(AccessCode code, const std::uint64_t* address,
                                    std::uint32_t lanes, bool shared) {
  for_each_lane(lanes, [&](unsigned lane) {
    if (address[lane] % bytes_of(code) == 0) return;
    hazards_.report({.kind = FaultKind::kMisaligned,
                     .code = code,
                     .thread = state_.thread(lane),
                     .shared = shared,
                     .address = shared ? address[lane] - state_.shared_begin : address[lane]});
  });
}

}  // namespace ladder::emulator
