// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/nccl_windows.hpp"

#include <nccl_device.h>

#include "common/launch.cuh"

namespace ladder::many_gpus {
namespace {

__global__ void find(ncclWindow_t window, void** windows) {
  windows[threadIdx.x] = ncclGetLsaPointer(window, 0, static_cast<int>(threadIdx.x));
}

}  // namespace

int ranks_in_reach(ncclComm_t communicator) {
  return ncclTeamLsa(communicator).nRanks;
}

void find_windows(ncclWindow_t window, int ranks, void** windows) {
  launch(find, {.grid = dim3(1), .block = dim3(ranks)}, window, windows);
}

}  // namespace ladder::many_gpus
