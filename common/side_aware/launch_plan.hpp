// SPDX-License-Identifier: MIT
/// \file  common/side_aware/launch_plan.hpp
/// \brief Who shall work on what: from arrays, sides and a choice to the arguments of a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/side_aware/allocator.hpp"
#include "common/side_aware/kernels/arguments.hpp"

namespace ladder::side_aware {

/// Which granules an SM works on. The instructions are the same for each.
enum class Assignment : std::uint8_t {
  off,     ///< one half of each pair for either side of SMs, in the order of addresses
  right,   ///< those at home on its own side of L2
  wrong,   ///< those at home on the other side
  random,  ///< half of them near, by a parity that has nothing to do with the sides
};

std::string name_of(Assignment assignment);

/// What is known of a GPU's two sides.
struct GpuSides {
  /// Bits of an address within a page whose parity chooses the side; 0: there are no sides, or
  /// nobody knows.
  std::uint64_t mask = 0;
  std::vector<int> of_sm = {};  ///< (SMs)  0 or 1
};

/// Arrays of one launch. Those that the operation lacks are 0.
struct Arrays {
  std::array<Address, 4> outputs = {};
  std::array<Address, 4> inputs = {};
  std::uint64_t elements = 0;
};

/// Everything of a launch but the pointers to the GPU's own tables.
struct LaunchPlan {
  ElementwiseArguments arguments = {};
  bool aligned = false;  ///< which of the two kernels
  unsigned blocks = 0;   ///< as many as there are slots
  /// (words)  bits of pages whose side is another than their address says; empty: none
  std::vector<unsigned> page_flags = {};
};

/// \brief  Slots of either side: `blocks_per_sm` for each of its SMs, and at least one.
std::array<unsigned, 2> slots_of(const std::vector<int>& side_of_sm, unsigned blocks_per_sm);

/// \brief  Plans a launch.
/// \param  rule  of the block that holds the leading array; nothing: it is other memory, whose
///               sides nobody knows, and the assignment is off
/// \throws SideAwareError  an array is missing, not wanted or misaligned
LaunchPlan plan_launch(const OperationShape& shape, const Arrays& arrays,
                       const std::optional<SideRule>& rule, const GpuSides& sides,
                       Assignment assignment, unsigned blocks_per_sm);

/// \brief  The side on which an address is at home.
int side_of(Address address, const SideRule& rule, std::uint64_t mask);

}  // namespace ladder::side_aware
