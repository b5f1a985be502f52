// SPDX-License-Identifier: MIT
/// \file  common/ptx/sm_id.cuh
/// \brief Which SM a thread runs on.
#pragma once

#include "common/device.cuh"

namespace ladder::ptx {

/// \brief  Number of this SM: %smid, PTX ISA 10.
/// \return 0 on the emulator, whose blocks have no place
__device__ __forceinline__ unsigned sm_id() {
#ifdef __CUDACC__
  unsigned id = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
#else
  return 0;
#endif
}

}  // namespace ladder::ptx
