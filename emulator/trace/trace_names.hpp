// SPDX-License-Identifier: MIT
/// \file  emulator/trace/trace_names.hpp
/// \brief From instructions and addresses to what a person reads: lines, array elements, faults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/grid_plan.hpp"
#include "emulator/trace/block_tracer.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// What an instruction does to memory.
Operation operation_of(AccessCode code, bool shared);

/// \brief The names of one kernel's arrays and lines.
class TraceNames {
 public:
  /// All arguments must outlive this.
  TraceNames(const GridPlan& plan, const TraceWishes& wishes,
             const std::vector<SharedArray>& shared)
      : plan_(plan), arrays_(wishes.arrays), index_(wishes.index), shared_(shared) {}

  Fault hazard(const RawHazard& raw) const;
  WarpRequest request(const RawRequest& raw) const;
  /// "A", "sB"; empty for none. See SiteCounts::array.
  std::string array_name(std::size_t array) const;

 private:
  OtherAccess other_access(const RawHazard& raw) const;
  void name_kind(const RawHazard& raw, Fault& fault) const;
  Place place_at(AccessCode code) const;
  Element global_element(std::uint64_t address) const;
  void name_addresses(const RawRequest& raw, WarpRequest& request) const;

  const GridPlan& plan_;
  const std::vector<TracedArray>& arrays_;
  const ArrayIndex& index_;
  const std::vector<SharedArray>& shared_;
};

}  // namespace ladder::emulator
