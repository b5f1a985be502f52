// SPDX-License-Identifier: MIT
/// \file  emulator/run/workspace.hpp
/// \brief The emulator's memory behind common/workspace.hpp: one for all launches, which come one
///        after the other.
#pragma once

#include <cstddef>
#include <span>

namespace ladder::emulator {

/// All of it; a traced kernel may touch it as well as the arrays that it was given.
std::span<std::byte> whole_workspace();

/// Of its beginning, where races are looked for. Flags are there, and what few blocks hand over.
inline constexpr std::size_t kWatchedWorkspaceBytes = std::size_t{64} << 20;

/// \return its beginning
/// \throws std::invalid_argument  it has fewer than `bytes` bytes
void* workspace(std::size_t bytes);

/// Zeros again, as before the first launch, in memory of this process or shared with others.
void clear_workspace();

/// \return the most bytes that anyone has asked for
std::size_t workspace_in_use();

}  // namespace ladder::emulator
