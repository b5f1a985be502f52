// SPDX-License-Identifier: MIT
#include "tests/ladder/sides_probe.hpp"

#include "common/launch.cuh"
#include "ladder/21_l2_sides/launch.cu"

namespace ladder::sides_probe {
namespace {

/// \param sm_of_cluster  (clusters)  a block stands for each
/// \param seats          (clusters)  that they take
__global__ void sit_down(const unsigned* sm_of_cluster, int* seats, l2_sides::Sides sides) {
  seats[blockIdx.x] = sides.take_seat(sm_of_cluster[blockIdx.x], blockIdx.x, gridDim.x);
}

}  // namespace

Taken take_seats(std::span<const unsigned> sm_of_cluster, const side_aware::SideBits& sides) {
  Taken taken = {std::vector<int>(sm_of_cluster.size(), -1), {}};
  launch(sit_down, {.grid = dim3(sm_of_cluster.size()), .block = dim3(1)}, sm_of_cluster.data(),
         taken.of_cluster.data(), l2_sides::Sides{l2_sides::kSides, sides, taken.tickets});
  return taken;
}

std::vector<Place> tiles_of_seat(int M, int N, int seat, int clusters, int sides) {
  using l2_sides::BAND, l2_sides::BM, l2_sides::BN;
  const l2_sides::Order<BM, BN, BAND> order(M, N, seat, clusters, sides);
  std::vector<Place> places;
  for (int tile = order.first; tile < order.tiles(); tile += order.step)
    places.push_back({order.row(tile), order.column(tile)});
  return places;
}

void run(const Gemm<bfloat16>& gemm, const side_aware::SideBits* sides, Stream stream) {
  l2_sides::run_with(gemm, sides, stream);
}

bool finds_sides() {
  return side_aware::multiprocessor_sides().has_value();
}

}  // namespace ladder::sides_probe
