// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_near_memory.hpp
/// \brief Streams through side-aware memory of a GPU.
#pragma once

#include <memory>

#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/instruments/near_memory.hpp"
#include "common/timing.hpp"

namespace ladder::labs {

std::unique_ptr<NearMemoryInstrument> make_gpu_near_memory(Stopwatch& stopwatch,
                                                           const MemoryFacts& facts);

}  // namespace ladder::labs
