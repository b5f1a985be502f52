// SPDX-License-Identifier: MIT
/// \file  classroom/private_view.hpp
/// \brief What a process sees of the machine: the files that it is told of, to read, a folder or
///        two to write to, and a /tmp of its own. Nothing else exists for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::grader {

struct PrivateView {
  std::vector<std::string> read;    ///< files and folders; those that are not there are left out
  std::vector<std::string> write;   ///< folders; they win where one lies in a folder to read
  std::size_t temporary_bytes = 0;  ///< of /tmp, which is in memory
};

/// What a process's children are numbered in.
enum class ProcessIds { of_machine, own };

/// \brief  Gives this process mounts, a network and queues of its own, and its children process
///         ids: as root as it is, else in a user namespace in which it is the user `nobody`.
/// \return false: this machine does not let it, and nothing has changed
bool separate_from_machine(ProcessIds ids);

/// \brief  Makes a view the only files that there are. Needs separate_from_machine().
/// \return false: this machine forbids mounts even so, and nothing has changed
/// \throws std::system_error
bool see_only(const PrivateView& view);

/// \brief  Refuses to open any file outside of a view, which still exists for this process
///         (Landlock). For good, and for all of its children.
/// \return false: this kernel has no Landlock
/// \throws std::system_error
bool open_only(const PrivateView& view);

}  // namespace ladder::grader
