// SPDX-License-Identifier: MIT
#include "tests/ladder/summit_probe.hpp"

#include "common/launch.cuh"
#include "ladder/22_hopper_summit/pace.cuh"

namespace ladder {
namespace {

__global__ void walk_alone(unsigned epochs, unsigned* counters) {
  hopper_summit::Pace pace(counters, gridDim.x + 1);
  for (unsigned epoch = 0; epoch < epochs; ++epoch)
    pace.begin_epoch();
  pace.end(epochs);
}

}  // namespace

void begin_epochs_alone(unsigned epochs, unsigned* counters) {
  launch(walk_alone, {.grid = dim3(1), .block = dim3(1)}, epochs, counters);
}

}  // namespace ladder
