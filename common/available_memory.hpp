// SPDX-License-Identifier: MIT
/// \file  common/available_memory.hpp
/// \brief How much memory this process can still be given.
#pragma once

#include <cstddef>
#include <filesystem>

namespace ladder {

/// \brief  What Linux can give this process without swapping: MemAvailable of /proc/meminfo, which
///         counts caches that the kernel would drop, and no more than what the limits of its
///         control groups (of a container, of a batch job) leave.
/// \param  root  of a file system with proc/ and sys/fs/cgroup/, for tests
/// \return bytes; 0 where /proc is not there
/// \source Linux, Documentation/filesystems/proc.rst and admin-guide/cgroup-v2.rst
std::size_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace ladder
