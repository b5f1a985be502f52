// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/code_references.hpp
/// \brief What machine code refers to, read with Capstone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ladder::emulator {

/// \brief Calls visit(address) for every place that the instructions call, jump to, or access at
///        a distance from themselves. Places may be visited more than once.
/// \param code   the first instruction, in this process
/// \param bytes  how long the code is; bytes that are no instruction are passed over
void for_each_reference(std::uintptr_t code, std::size_t bytes,
                        const std::function<void(std::uintptr_t)>& visit);

/// \brief Calls visit(constant) for every number that stands in an instruction, as a value or as a
///        distance from a register.
void for_each_constant(std::uintptr_t code, std::size_t bytes,
                       const std::function<void(std::int64_t)>& visit);

}  // namespace ladder::emulator
