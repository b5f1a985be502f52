// SPDX-License-Identifier: MIT
/// \file  common/ptx/here.cuh
/// \brief The line of a kernel that executes a PTX instruction: the emulator names it in its
///        reports, and a GPU has no use for it.
#pragma once

#include "common/device.cuh"

#ifndef __CUDACC__
#include <source_location>
#endif

namespace ladder::ptx {

#ifdef __CUDACC__
struct Here {
  __host__ __device__ static constexpr Here current() { return {}; }
};
#else
using Here = std::source_location;
#endif

}  // namespace ladder::ptx
