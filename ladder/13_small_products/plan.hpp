// SPDX-License-Identifier: MIT
/// \file  ladder/13_small_products/plan.hpp
/// \brief The model that picks: how long each configuration takes for a shape and which is fastest.
///
/// Nothing is timed at run time. The same shape gets the same configuration in every program on the
/// same number of SMs, so its result is the same too.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "common/gemm.hpp"
#include "ladder/13_small_products/schedule.cuh"

namespace ladder::small_products {

constexpr double kDramBytesPerUs = 3.8e6;  ///< what an H200 reads and writes

/// \brief A kernel with its tile, and how long it takes on one SM of an H200. The times of all but
///        stream-K were fitted to those of 1218 shapes, so that what is picked is the fastest or
///        close to it. Only the ratios of the times matter.
struct Configuration {
  const char* name;
  int cluster;      ///< blocks that share a tile's K from the start; 0: stream-K splits it
  int BM, BN, BK;   ///< block tile, and the values of k multiplied at a time
  int blocks;       ///< blocks that share an SM
  int bytes = 0;    ///< of shared memory, of a block
  double start_us;  ///< to start the launch and to end it
  double tile_us;   ///< to begin and to finish a tile
  double step_us;   ///< to multiply BK of K
  double wait_us;   ///< what a step takes on top, however many blocks share the SM
  double part_us;   ///< to add a peer's partial tile
  int fan_in;       ///< of the tree in which peers add; 0: the first peer adds all in turn
  void (*launch)(const Gemm<float>&, Stream, const Decomposition&);
};

/// What one configuration would do for one shape, and the time that it should take.
struct Plan {
  const Configuration* configuration;
  Decomposition split;  ///< for stream-K
  long long tiles;
  int k_tiles;      ///< k tiles of one tile
  int split_tiles;  ///< tiles whose K several blocks of the grid share
  double us;
};

/// Number of partial tiles that the first of a tile's peers adds, one after the other.
inline int parts_in_turn(int fan_in, int peers) {
  if (fan_in == 0) return peers - 1;
  int parts = 0;
  for (; peers > 1; peers = ceil_div(peers, fan_in)) {
    parts += std::min(peers, fan_in) - 1;
  }
  return parts;
}

/// Whole tiles as long as every block gets one; then as many ranks as finish the rest soonest.
inline double plan_stream_k(Plan& plan, int sms) {
  const Configuration& c = *plan.configuration;
  const long long whole = plan.tiles / sms;
  const int left = static_cast<int>(plan.tiles % sms);
  plan.split = {plan.k_tiles, static_cast<int>(whole * sms), 1, 0, 0};
  double us = whole * (plan.k_tiles * c.step_us + c.tile_us);
  if (left == 0) return us;
  // With more ranks, each multiplies less and adds more partial tiles.
  const long long row = static_cast<long long>(left) * plan.k_tiles;
  double best_us = 0;
  int best = left;
  for (int ranks = left; ranks <= std::min<long long>(sms, row); ++ranks) {
    const double ranks_us = std::ceil(static_cast<double>(row) / ranks) * c.step_us + c.tile_us +
                            parts_in_turn(c.fan_in, ceil_div(ranks, left)) * c.part_us;
    if (ranks > left && ranks_us >= best_us) continue;
    best_us = ranks_us;
    best = ranks;
  }
  plan.split.ranks = best;
  plan.split.share = static_cast<int>(row / best);
  plan.split.longer = static_cast<int>(row % best);
  plan.split_tiles = best > left ? left : 0;  // with a rank per tile, each has one whole tile
  return us + best_us;
}

/// \brief  How long a configuration takes: the time of its multiplications, combined with that of
///         the DRAM traffic that no configuration can avoid. The longer one counts most: a sum of
///         cubes, because the two overlap only in part.
/// \param  sms  SMs of the machine
inline Plan plan_for(const Configuration& configuration, const Shape& shape, int sms) {
  const auto [M, N, K] = shape;
  // Arrays that fit no GPU may have more tiles than an int counts; explain() shows them.
  Plan plan = {&configuration, {}, 0, ceil_div(K, configuration.BK), 0, 0};
  plan.tiles =
      static_cast<long long>(ceil_div(M, configuration.BM)) * ceil_div(N, configuration.BN);
  double us = 0;
  // A block that has its SM to itself cannot load while it stores: C takes twice as long.
  double store = 2.0;
  if (configuration.cluster == 0) {
    us = plan_stream_k(plan, sms);
  } else {
    const double per_sm = std::ceil(static_cast<double>(plan.tiles) * configuration.cluster / sms);
    // The last k tile may be mostly empty: it is waited for like the others, but has less work.
    const double k_tiles = 1.0 * K / configuration.BK;
    us = per_sm * (k_tiles * configuration.step_us + configuration.tile_us) +
         std::ceil(per_sm / configuration.blocks) * plan.k_tiles * configuration.wait_us;
    store = 1.0;
  }
  const double floats = 1.0 * M * K + 1.0 * K * N + store * M * N;
  const double dram_us = sizeof(float) * floats / kDramBytesPerUs;
  plan.us = configuration.start_us + std::cbrt(us * us * us + dram_us * dram_us * dram_us);
  return plan;
}

/// \brief One plan per configuration, in their order.
inline std::vector<Plan> plans_for(std::span<const Configuration> configurations,
                                   const Shape& shape, int sms) {
  std::vector<Plan> plans;
  for (const Configuration& configuration : configurations) {
    plans.push_back(plan_for(configuration, shape, sms));
  }
  return plans;
}

/// \return the fastest plan; the first one if several are equally fast
/// \param  plans  at least one
inline const Plan& quickest(std::span<const Plan> plans) {
  return *std::min_element(plans.begin(), plans.end(),
                           [](const Plan& a, const Plan& b) { return a.us < b.us; });
}

}  // namespace ladder::small_products
