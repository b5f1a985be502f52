// SPDX-License-Identifier: MIT
/// \file  emulator/trace/wide_loads.hpp
/// \brief Scalar loads of neighbouring words that a GPU's compiler makes one wide load of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/shared_counts.hpp"

namespace ladder::emulator {

/// \brief nvcc's assembler makes one LDS.128 of four scalar loads from neighbouring words when all
///        lanes are aligned and no store lies between (LDS.64 of two). True where it unrolls the
///        loop that the loads stand in, which it does to the inner loops of tiles.
class WideLoads {
 public:
  WideLoads(RequestSites& sites, SharedCounts& counts) : sites_(sites), counts_(counts) {}

  /// \return false: the load cannot be a part of a wide one, and stays as it is
  bool take(const RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);

  /// No more loads join those that were taken: they are counted.
  void settle();

 private:
  struct Load {
    AccessCode code;
    std::uint32_t lanes;
    unsigned count;
    unsigned limit;
    std::array<std::uint64_t, 32> address;  ///< of the first
  };

  bool join(const RequestSite& site, const std::uint64_t* address, std::uint32_t lanes);
  void emit_and_erase(std::size_t i);
  void emit(const Load& load);

  RequestSites& sites_;
  SharedCounts& counts_;
  std::vector<Load> loads_;
};

}  // namespace ladder::emulator
