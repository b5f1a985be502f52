// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/nccl_windows.hpp
/// \brief What only NCCL's device interface tells, and so only nvcc compiles.
#pragma once

#include <nccl.h>

namespace ladder::many_gpus {

/// Ranks, this one included, whose memory a kernel reaches by load and store.
int ranks_in_reach(ncclComm_t communicator);

/// \brief  Where each rank's part of a window lies, as this GPU sees it.
/// \param  windows  (ranks)  on the GPU; complete when the default stream is
/// \throws GpuError
void find_windows(ncclWindow_t window, int ranks, void** windows);

}  // namespace ladder::many_gpus
