// SPDX-License-Identifier: MIT
/// \file  emulator/trace/hazard_list.hpp
/// \brief The faults that a tracer has found, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/trace/tracer_state.hpp"

namespace ladder::emulator {

/// A fault before its lines and names are looked up.
struct RawHazard {
  FaultKind kind = FaultKind::kMisaligned;
  AccessCode code = 0;
  AccessCode earlier = 0;                      ///< race: the access before
  std::uint64_t block = 0;                     ///< the lowest with this fault
  std::optional<std::uint64_t> by_block = {};  ///< if it is not the one that runs
  std::uint16_t thread = 0;                    ///< within the block
  std::uint16_t earlier_thread = 0;
  std::optional<std::uint64_t> earlier_block = {};  ///< race of two blocks
  bool shared = false;
  bool updates = false;                       ///< race of two stores: the line loads there, too
  const PreviousKernel* previous = nullptr;   ///< that may still run
  std::optional<AccessVerb> use_before = {};  ///< what it does there
  std::uint64_t address = 0;                  ///< shared: offset in shared memory
  std::optional<Fault> found = {};            ///< by other means than accesses
  Place place = {};                           ///< likewise
  unsigned column = 0;                        ///< likewise
  std::uint64_t times = 1;
  std::size_t array = 0;  ///< that the address lies in: from 1 on; 0: in none
};

/// \brief Faults of the blocks of a grid.
class HazardList {
 public:
  explicit HazardList(const TracerState& state) : state_(state) {}

  void start_grid() {
    hazards_.clear();
    same_lines_.clear();
  }

  /// Of the block that runs; alike ones of one array are counted.
  void report(RawHazard hazard);

  const std::vector<RawHazard>& all() const { return hazards_; }

 private:
  std::size_t array_of(const RawHazard& hazard) const;
  bool updates(const RawHazard& hazard);
  bool is_same_line(AccessCode a, AccessCode b);

  const TracerState& state_;
  std::map<std::pair<AccessCode, AccessCode>, bool> same_lines_;
  std::vector<RawHazard> hazards_;
};

}  // namespace ladder::emulator
