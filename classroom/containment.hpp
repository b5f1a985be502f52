// SPDX-License-Identifier: MIT
/// \file  classroom/containment.hpp
/// \brief What a process may still do that runs a student's code. Nothing here keeps such code from
///        the memory of its own process: what it answers is checked by the judge.
#pragma once

#include <string>
#include <vector>

namespace ladder::grader {

/// What the process runs kernels on. CUDA's driver needs more of the system than the emulator does.
enum class RunsOn { emulator, gpu };

/// \brief  Gives up the rights of root and limits memory, output and files; closes all descriptors
///         but those that messages.hpp names.
/// \param  other_user  become `nobody`; only root can
/// \return what holds now: "limits", "user", "network"
/// \throws std::system_error
std::vector<std::string> give_up_rights(bool other_user, RunsOn machine);

/// \brief  For loading the student's library: no other process, no socket, no file but to read it,
///         and those only in the folders that are given.
/// \return "seccomp", and "files" where the kernel knows Landlock
/// \throws std::system_error
std::vector<std::string> forbid_all_but_loading(const std::vector<std::string>& folders,
                                                RunsOn machine);

/// \brief  For running it on the emulator: what remains is memory, threads of this process, its
///         clock, and the socket to the judge. Everything else ends the process.
/// \throws std::system_error
void forbid_all_but_running();

}  // namespace ladder::grader
