// SPDX-License-Identifier: MIT
/// \file  emulator/trace/global_requests.hpp
/// \brief Requests to global memory: their sectors, lines and arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/run/block/cluster.hpp"
#include "emulator/trace/early_accesses.hpp"
#include "emulator/trace/event_order.hpp"
#include "emulator/trace/hazard_list.hpp"
#include "emulator/trace/recorded_warp.hpp"
#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/stream_slices.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/words/tensor_map.hpp"

namespace ladder::emulator {

/// One lane's access.
struct LaneAccess {
  AccessCode code;
  std::uint64_t address;
  unsigned thread;
  std::uint32_t value;  ///< that it stored
  bool is_volatile;
  bool is_of_block;  ///< see WarpLog::Marks
};

/// \brief Counts requests to global memory and finds those beyond the arrays.
class GlobalRequests {
 public:
  GlobalRequests(const TracerState& state, const ThreadOrder& block_order, StreamSlices& stream,
                 HazardList& hazards, EventOrder& order, RecordedWarp& recorded,
                 EarlyAccesses& early)
      : state_(state),
        thread_order_(block_order),
        stream_(stream),
        hazards_(hazards),
        order_(order),
        recorded_(recorded),
        early_(early) {}

  void start_grid();

  /// From the first to the last known array, and what lies near.
  std::uintptr_t begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

  void request(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);

  /// \brief A lane's asynchronous copy reads fewer bytes than it writes. It counts like the others,
  ///        but the bytes that it fills with zeros may lie anywhere.
  void copies_in_part(std::uint64_t address, unsigned bytes) {
    unsigned& most = copied_in_part_[address];
    most = std::max(most, bytes);
  }
  void start_block() { copied_in_part_.clear(); }

  /// Row by row a box's bytes within the matrix are asked of L2, once for all blocks that receive
  /// them; L1 keeps none of them.
  void request_box(RequestSite& site, unsigned thread, const ptx::TensorMap& map, int row,
                   int column);
  /// A box arrives at this block: all of it counts, and a sector twice if it goes to two lines.
  void receive_box(RequestSite& site, const ptx::TensorMap& map, int row, int column);
  /// \brief A box is written.
  /// \param data  of the whole box, row by row
  void store_box(RequestSite& site, unsigned thread, const ptx::TensorMap& map, int row, int column,
                 std::span<const std::byte> data);

  /// \brief  An access of a thread to what is neither shared memory nor near an array.
  /// \return false: it is of no concern, e.g. of a local variable
  bool report_elsewhere(unsigned thread, std::uintptr_t address, AccessCode code);

  void report(unsigned thread, AccessCode code, std::uint64_t address);

  /// Checks a lane's access ahead of its request.
  void check_alone(const LaneAccess& access);
  /// Checks accesses to the shared memory of the cluster against those of its other blocks.
  void check_in_cluster(AccessCode code, const std::uint64_t* address, std::uint32_t lanes);
  bool is_in_cluster(std::uintptr_t address) const;

  /// What the blocks of the grid did so far, by array.
  const std::vector<ArrayUse>& uses() const { return uses_; }

 private:
  void check(AccessCode code, std::size_t array, const std::uint64_t* address, std::uint32_t lanes);
  GlobalShadow& shadow_of_cluster(unsigned rank);
  LaneAccess lane_access(AccessCode code, const std::uint64_t* address, unsigned lane) const;
  GlobalConflict conflict_of(GlobalShadow& shadow, const LaneAccess& lane, std::size_t array,
                             std::size_t at) const;
  void check_in_cluster(const LaneAccess& lane);
  bool concerns(AccessCode code, std::size_t array) const;
  void check_lane(const LaneAccess& access, std::size_t array);
  void visit_array(AccessCode code, std::size_t array, const std::uint64_t* address,
                   std::uint32_t lanes, std::uint64_t begin, std::uint32_t pattern);
  [[gnu::cold]] bool visit_apart(RequestSite& site, const std::uint64_t* address,
                                 std::uint32_t lanes);
  const GlobalPhase& phase_of(RequestSite& site, const std::uint64_t* address) const;
  bool is_in(std::size_t array, std::uint64_t begin, std::uint64_t end) const;
  std::int64_t line_of(std::size_t array, std::uint64_t address) const;
  void stream_row(std::size_t array, std::uint64_t begin, std::uint64_t end, std::uint32_t store);
  void stream_beyond(const ptx::TensorMap& map, int row, int column, std::uint64_t sectors);
  static void count_row(AccessCounts& counts, std::uint64_t begin, std::uint64_t end);
  void check_row_of_store(AccessCode code, unsigned thread, std::size_t array, std::uint64_t begin,
                          std::span<const std::byte> data);
  bool is_of_no_concern(std::uintptr_t address, AccessCode code);
  unsigned bytes_at(AccessCode code, std::uint64_t address) const;
  bool is_of_host(std::uintptr_t address) const;
  bool is_launch_code(AccessCode code);

  const TracerState& state_;
  const ThreadOrder& thread_order_;
  StreamSlices& stream_;
  HazardList& hazards_;
  EventOrder& order_;
  RecordedWarp& recorded_;
  EarlyAccesses& early_;
  std::vector<ArrayUse> uses_;
  /// By rank in the cluster: the shared memory that was asked for last, and its shadow.
  std::array<std::pair<const std::byte*, GlobalShadow*>, Cluster::kMaxBlocks> of_cluster_ = {};
  std::size_t checked_ = kNoArray;  ///< array of the last access that was checked alone
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
  std::uintptr_t code_begin_ = 0;  ///< of the library that launch_code_ is of
  std::unordered_map<AccessCode, bool> launch_code_;
  std::unordered_map<std::uint64_t, unsigned> copied_in_part_;  ///< by this block
};

}  // namespace ladder::emulator
