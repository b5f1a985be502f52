// SPDX-License-Identifier: MIT
/// \file  common/terminal/access_verdict.hpp
/// \brief What the requests of a line cost, in words: found from their counts and from the
///        addresses of one of them.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/trace/trace.hpp"

namespace ladder {

/// A copy asks both memories.
bool asks_global_memory(emulator::Operation operation);
bool asks_shared_memory(emulator::Operation operation);

/// \brief  "32 sectors where 4 would do, and 32 wavefronts where 1 would do: neighbouring threads
///         read different rows of A, 1024 bytes apart, and all 32 words lie in one bank."
/// \param  line  counts, and the example that the reasons are found in
/// \param  row_bytes  from one row of the line's array to the next; 0: no matrix, or not known
std::string verdict_of(const emulator::LineCounts& line, std::size_t row_bytes);

}  // namespace ladder
