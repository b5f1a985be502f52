// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/near_passes.hpp
/// \brief What a kernel saves by what the one before it left in L2: a part of L10.
#pragma once

#include "bench/labs/instruments/near_memory.hpp"
#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// \brief  Adds what reverse_order and input_evict change in the time of two passes, and what that
///         says to the claims about them. Nothing but a note where there is no GPU.
void add_two_passes(LabReport& report, NearMemoryInstrument& memory, std::uint64_t l2_bytes,
                    const LabOptions& options);

}  // namespace ladder::labs
