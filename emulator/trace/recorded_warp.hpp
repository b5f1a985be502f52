// SPDX-License-Identifier: MIT
/// \file  emulator/trace/recorded_warp.hpp
/// \brief The requests of the one warp that a trace records in full.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// A warp request before its line and array are looked up.
struct RawRequest {
  AccessCode code = 0;
  bool shared = false;
  std::uint32_t lanes = 0;
  std::array<std::uint64_t, 32> address = {};
  AccessCounts counts = {};
};

/// \brief Records what the warp that is looked at asks, if it is the wanted one.
class RecordedWarp {
 public:
  explicit RecordedWarp(const TracerState& state) : state_(state) {}

  void start_grid() {
    requests_.clear();
    copy_source_.reset();
  }

  /// \param base  addresses are recorded relative to it
  void add(AccessCode code, bool shared, std::uint32_t lanes, const std::uint64_t* address,
           std::uint64_t base, const AccessCounts& counts) {
    if (!is_wanted()) return;
    RawRequest& raw = requests_.emplace_back();
    raw = {.code = code, .shared = shared, .lanes = lanes, .counts = counts};
    for_each_lane(lanes, [&](unsigned lane) { raw.address[lane] = address[lane] - base; });
    if (type_of(code) == AccessType::kCopySource) copy_source_ = requests_.size() - 1;
  }

  /// A copy's source comes next, if the copy reads anything.
  void expect_copy_source() { copy_source_.reset(); }
  /// What the copy cost on the side of its source is known when its target is.
  void set_copy_source_counts(const AccessCounts& counts) {
    if (copy_source_) requests_[*copy_source_].counts = counts;
  }

  const std::vector<RawRequest>& all() const { return requests_; }

 private:
  bool is_wanted() const {
    const auto& wanted = state_.wishes->warp;
    return wanted && wanted->first == state_.block && wanted->second == state_.warp &&
           requests_.size() < kMaxRecordedRequests;
  }

  const TracerState& state_;
  std::vector<RawRequest> requests_;
  std::optional<std::size_t> copy_source_;  ///< its place, if it was recorded
};

}  // namespace ladder::emulator
