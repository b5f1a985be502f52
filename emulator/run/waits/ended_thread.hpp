// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/ended_thread.hpp
/// \brief The end of a process whose kernel has ended a CPU thread.
#pragma once

namespace ladder::emulator {

/// Exit status of a process in which a kernel has ended a CPU thread that runs blocks: whoever
/// waits for the grid would wait forever.
inline constexpr int kThreadEndedStatus = 89;

/// Says so on standard error, and ends the process with that status.
[[noreturn]] void end_with_thread() noexcept;

}  // namespace ladder::emulator
