// SPDX-License-Identifier: MIT
/// \file  common/side_aware/side_probe.hpp
/// \brief Finds the sides of a GPU's SMs and of addresses by the latency of atomics.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/side_aware/context.hpp"
#include "common/side_aware/latency_matrix.hpp"
#include "common/side_aware/launch_plan.hpp"

namespace ladder::side_aware {

/// Which SMs compare, and where the line between their two sides of differences is.
struct Comparison {
  std::vector<int> sms;  ///< half of them of side 0, then half of side 1
  double middle = 0;     ///< cycles
};

/// \brief  The side of each address, from latencies of SMs of both sides.
/// \param  cycles  (comparison.sms, addresses)
std::vector<int> sides_by_comparison(const Matrix& cycles, const Comparison& comparison);

/// The CUDA source of the kernel that measures.
const char* side_probe_source();

class SideProbe {
 public:
  /// \param page  2 MiB of mapped memory that nobody uses
  /// \throws SideAwareError  the GPU does not put one block on each SM
  SideProbe(const Context& context, Address page);

  /// The mask is 0 if this GPU has no two sides that a parity of address bits explains.
  const GpuSides& sides() const { return sides_; }
  /// \brief  Sides of addresses; all 0 if the GPU has no two sides. The words there keep their
  ///         values, and nobody else may change them meanwhile.
  std::vector<int> sides_of(const std::vector<Address>& addresses, int repeats) const;
  /// \return (sms, addresses) cycles of one atomic addition, median of the repeats
  Matrix latencies(std::span<const int> sms, const std::vector<Address>& addresses,
                   int repeats) const;

 private:
  void find_sides_of_gpu(Address page);

  const Context& context_;
  Module module_;
  CUfunction kernel_;
  GpuSides sides_;
  Comparison comparison_;
};

}  // namespace ladder::side_aware
