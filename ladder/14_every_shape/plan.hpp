// SPDX-License-Identifier: MIT
/// \file  ladder/14_every_shape/plan.hpp
/// \brief The model that picks: how long each configuration takes for a shape and which is fastest.
///
/// Nothing is timed at run time. The same shape gets the same configuration in every program on the
/// same kind of GPU, so its result is the same too.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "common/gemm.hpp"
#include "common/stream_k_schedule.cuh"

namespace ladder::every_shape {

struct Plan;

/// \brief A kernel with its tile, and how long it takes on one SM of an H100 or H200. The times
///        were fitted by `python3 -m bench.record.fit_plan`, so that what is picked is the fastest
///        or close to it. Only the ratios of the times matter.
struct Configuration {
  const char* name;
  int cluster;      ///< most blocks that share a tile's K from the start
  int BM, BN, BK;   ///< block tile, and the values of k that a block multiplies at a time
  int blocks;       ///< blocks that share an SM
  int bytes = 0;    ///< of shared memory, of a block
  double start_us;  ///< to start the launch and to end it
  double tile_us;   ///< to begin and to finish a tile
  double step_us;   ///< to multiply BK of K
  double wait_us;   ///< what a step takes on top, however many blocks share the SM
  double part_us;   ///< to add a peer's partial tile, or the sums of another block of the cluster
  int fan_in;  ///< of the tree in which peers add; 1: the first adds all in turn; 0: no stream-K
  void (*launch)(const Gemm<float>&, Stream, const Plan&);
};

/// What one configuration would do for one shape, and the time that it should take.
struct Plan {
  const Configuration* configuration;
  Decomposition split;  ///< for stream-K
  int cluster;          ///< blocks that share a tile's K from the start
  long long tiles;
  int k_tiles;      ///< k tiles of one tile
  int split_tiles;  ///< tiles whose K several blocks of the grid share
  double us;
};

/// What the model asks of a GPU.
struct Card {
  int sms;
  double dram_bytes_per_us;  ///< what DRAM can do at most
};

constexpr double kDramShare = 0.79;  ///< of what DRAM can do, kernels reach so much
constexpr double kSpreadUs = 0.15;   ///< from the first block's start, for each doubling of blocks

/// Whole tiles as long as every block gets one; then as many ranks as finish the rest soonest.
inline double plan_stream_k(Plan& plan, int sms) {
  const Configuration& c = *plan.configuration;
  // With more ranks, each multiplies less and adds more partial tiles.
  const auto cost_us = [&](int k_tiles, int peers) {
    return k_tiles * c.step_us + c.tile_us + parts_in_turn(c.fan_in, peers) * c.part_us;
  };
  plan.split = decompose(plan.tiles, plan.k_tiles, sms, cost_us);
  const int left = static_cast<int>(plan.tiles % sms);
  const double whole_us = plan.tiles / sms * cost_us(plan.k_tiles, 1);
  if (left == 0) return whole_us;
  const auto& [k_tiles, first_split, ranks, share, longer] = plan.split;
  plan.split_tiles = ranks > left ? left : 0;  // with a rank per tile, each has one whole tile
  return whole_us + cost_us(share + (longer > 0 ? 1 : 0), ceil_div(ranks, left));
}

/// \brief SMs that clusters can fill. A cluster stays in one group of SMs, a GPC, of 16 or a few
///        more.
inline int usable_sms(int sms, int cluster) {
  if (cluster == 1) return sms;
  const int group = std::min(sms, 16);
  return std::max(1, sms / group * (group / cluster * cluster));
}

/// A cluster of blocks per tile, or a single block: they share K.
inline double plan_clusters(Plan& plan, int K, int sms) {
  const Configuration& c = *plan.configuration;
  const double per_sm =
      std::ceil(static_cast<double>(plan.tiles) * plan.cluster / usable_sms(sms, plan.cluster));
  // The last k tile may be mostly empty: it is waited for like the others, but has less work.
  const int BK = plan.cluster * c.BK;
  const double steps_us = 1.0 * K / BK * c.step_us;
  plan.k_tiles = ceil_div(K, BK);
  return per_sm * (steps_us + c.tile_us + (plan.cluster - 1) * c.part_us) +
         std::ceil(per_sm / c.blocks) * plan.k_tiles * c.wait_us;
}

/// \brief  How long a configuration takes: the time of its multiplications, combined with that of
///         the DRAM traffic that no configuration can avoid. The longer one counts most: a sum of
///         cubes, because the two overlap only in part.
/// \param  cluster  blocks that share a tile's K from the start
inline Plan plan_with(const Configuration& configuration, int cluster, const Shape& shape,
                      const Card& card) {
  const auto [M, N, K] = shape;
  // Arrays that fit no GPU may have more tiles than an int counts; explain() shows them.
  Plan plan = {&configuration, {}, cluster, 0, ceil_div(K, configuration.BK), 0, 0};
  plan.tiles =
      static_cast<long long>(ceil_div(M, configuration.BM)) * ceil_div(N, configuration.BN);
  const bool stream_k = configuration.fan_in > 0;
  const double us = stream_k ? plan_stream_k(plan, card.sms) : plan_clusters(plan, K, card.sms);
  // A block that has its SM to itself cannot load while it stores: C takes twice as long.
  const double store = stream_k ? 2.0 : 1.0;
  const double floats = 1.0 * M * K + 1.0 * K * N + store * M * N;
  const double dram_us = sizeof(float) * floats / (kDramShare * card.dram_bytes_per_us);
  // The more blocks there are, the later the last of them begins.
  const double begin = std::log2(std::min<double>(1.0 * plan.tiles * cluster, card.sms));
  plan.us = configuration.start_us + kSpreadUs * begin +
            std::cbrt(us * us * us + dram_us * dram_us * dram_us);
  return plan;
}

/// \return the fastest plan; the first one if several are equally fast
/// \param  plans  at least one
inline const Plan& quickest(std::span<const Plan> plans) {
  return *std::min_element(plans.begin(), plans.end(),
                           [](const Plan& a, const Plan& b) { return a.us < b.us; });
}

/// \brief What a configuration would do, with clusters of 2, 4 or 8 blocks, whatever is fastest.
///        Those of 3, 5, 6 or 7 were slower nearly everywhere: they fill the SMs of a GPC worse.
inline Plan plan_for(const Configuration& configuration, const Shape& shape, const Card& card) {
  std::vector<Plan> plans;
  for (int cluster = std::min(configuration.cluster, 2); cluster <= configuration.cluster;
       cluster *= 2) {
    plans.push_back(plan_with(configuration, cluster, shape, card));
  }
  return quickest(plans);
}

/// \brief One plan per configuration, in their order.
inline std::vector<Plan> plans_for(std::span<const Configuration> configurations,
                                   const Shape& shape, const Card& card) {
  std::vector<Plan> plans;
  for (const Configuration& configuration : configurations) {
    plans.push_back(plan_for(configuration, shape, card));
  }
  return plans;
}

}  // namespace ladder::every_shape
