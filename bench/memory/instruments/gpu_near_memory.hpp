// SPDX-License-Identifier: MIT
/// \file  bench/memory/instruments/gpu_near_memory.hpp
/// \brief Streams through side-aware memory of a GPU.
#pragma once

#include <memory>

#include "bench/memory/instruments/instruments.hpp"
#include "bench/memory/instruments/near_memory.hpp"
#include "common/timing.hpp"

namespace ladder::labs {

std::unique_ptr<NearMemoryInstrument> make_gpu_near_memory(Stopwatch& stopwatch,
                                                           const MemoryFacts& facts);

}  // namespace ladder::labs
