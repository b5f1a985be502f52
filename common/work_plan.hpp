// SPDX-License-Identifier: MIT
/// \file  common/work_plan.hpp
/// \brief How a rung that chooses by shape says what it would do.
#pragma once

#include <string_view>

#include "common/gemm.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder {

/// \brief What one configuration of a rung would do for a shape. The k tiles of all tiles that are
///        not whole form one long row, which ranks share.
struct WorkPlan {
  std::string_view name;  ///< "128 x 256"
  BlockTile tile;         ///< part of C per block, or per cluster
  int BK;                 ///< values of k multiplied at a time: a k tile
  int blocks_per_sm;      ///< as the configuration was designed
  int cluster;            ///< blocks that share a tile's K from the start
  bool taken;             ///< it is the one that the rung chooses
  long long tiles;        ///< of C
  long long k_tiles;      ///< of one tile
  long long whole_tiles;  ///< tiles that one block, or cluster, computes from end to end
  int ranks;              ///< blocks that share the other tiles; 0: there are none
  long long share;        ///< k tiles of each rank
  int longer;             ///< so many ranks, the first ones, have one more
  int fan_in;             ///< of the tree in which ranks add their parts; 1: one adds all in turn;
                          ///< 0: no tile is split among ranks, whatever the shape
  double expected_us;     ///< what the rung's model says that it takes; 0: it has no model
  Run launch;             ///< runs this configuration
};

}  // namespace ladder
