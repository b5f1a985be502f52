// SPDX-License-Identifier: MIT
/// \file  emulator/trace/shared_counts.hpp
/// \brief What requests to shared memory cost.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/trace/recorded_warp.hpp"
#include "emulator/trace/request_shape.hpp"
#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/tracer_state.hpp"

namespace ladder::emulator {

/// \brief Adds up wavefronts, and for copies what both of their sides cost.
class SharedCounts {
 public:
  SharedCounts(const TracerState& state, RequestSites& sites, RecordedWarp& recorded)
      : state_(state), sites_(sites), recorded_(recorded) {}

  void count(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes,
             const SharedShape& shape);

  /// \brief  The lanes' cp.async reads from here; their targets come next.
  /// \return the lanes that read anything
  std::uint32_t set_copy_source(const std::uint64_t* address, std::uint32_t lanes);
  void count_copy(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);

 private:
  /// The site's counts are of the array that `offset` lies in.
  void count_for_array_at(RequestSite& site, std::uint64_t offset) const;
  CopyShape shape_of_copy(RequestSite& site, const WarpAddresses& source,
                          const WarpAddresses& target);

  const TracerState& state_;
  RequestSites& sites_;
  RecordedWarp& recorded_;
  std::array<std::uint64_t, 32> copy_source_ = {};  ///< of each lane's latest cp.async; 0: zeros
};

}  // namespace ladder::emulator
