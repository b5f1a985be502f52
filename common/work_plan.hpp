// SPDX-License-Identifier: MIT
/// \file  common/work_plan.hpp
/// \brief How a rung that chooses by shape says what it would do.
#pragma once

#include <string_view>

#include "common/gemm.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder {

/// \brief What one configuration of a rung would do for a shape. Tiles that are not whole are laid
///        end to end and shared along K by ranks.
struct WorkPlan {
  std::string_view name;  ///< "128 x 256"
  BlockTile tile;         ///< part of C per block, or per cluster
  int BK;                 ///< of K what is multiplied at a time: a k tile
  int blocks_per_sm;      ///< that it is made for
  int cluster;            ///< blocks that share a tile's K from the start
  bool taken;             ///< the rung would choose it
  long long tiles;        ///< of C
  long long k_tiles;      ///< of one tile
  long long whole_tiles;  ///< that one block, or cluster, computes from end to end
  int ranks;              ///< blocks that share the others; 0: there are no others
  long long share;        ///< k tiles of each rank
  int longer;             ///< the first so many ranks have one more
  Run launch;             ///< runs this configuration
};

}  // namespace ladder
