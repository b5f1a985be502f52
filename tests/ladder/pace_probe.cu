// SPDX-License-Identifier: MIT
#include "tests/ladder/pace_probe.hpp"

#include <algorithm>
#include <vector>

#include "common/launch.cuh"
#include "ladder/20_in_step/pace.cuh"

namespace ladder {
namespace {

constexpr unsigned kAllOfThem = 1u << 30;  // epochs: it has begun its last

/// \param epochs  (blocks)
/// \param begun   (blocks)  zero: epochs that each block is about to begin, or has begun
__global__ void walk(const unsigned* epochs, unsigned most, unsigned* counters, unsigned* begun,
                     unsigned* widest) {
  in_step::Pace pace(counters, gridDim.x);
  for (unsigned epoch = 1; epoch <= epochs[blockIdx.x]; ++epoch) {
    atomicExch(&begun[blockIdx.x], epoch);
    pace.begin_epoch();
    for (unsigned other = 0; other < gridDim.x; ++other) {
      const unsigned theirs = atomicAdd(&begun[other], 0);
      if (theirs < epoch) atomicMax(widest, epoch - theirs);
    }
  }
  atomicExch(&begun[blockIdx.x], kAllOfThem);
  pace.end(most);
}

}  // namespace

unsigned widest_gap(std::span<const unsigned> epochs, unsigned* counters) {
  const auto blocks = static_cast<unsigned>(epochs.size());
  std::vector<unsigned> begun(blocks);
  unsigned widest = 0;
  launch(walk, {.grid = dim3(blocks), .block = dim3(1), .cooperative = true}, epochs.data(),
         *std::max_element(epochs.begin(), epochs.end()), counters, begun.data(), &widest);
  return widest;
}

}  // namespace ladder
