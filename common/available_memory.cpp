// SPDX-License-Identifier: MIT
#include "common/available_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace ladder {
namespace {

namespace fs = std::filesystem;

/// The only number in a file; nothing where it says "max" or is not there.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number behind a name in a file of lines "NAME NUMBER" or "NAME: NUMBER kB".
std::optional<std::uint64_t> named_number_in(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first && (first == name || first == name + ":") && words >> number) return number;
  }
  return std::nullopt;
}

/// What the files of one control group leave; all there is where it has no limit.
std::uint64_t left_in(const fs::path& group, const char* limit_file, const char* used_file,
                      const std::string& cache) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto limit = number_in(group / limit_file);
  const auto used = number_in(group / used_file);
  if (!limit || !used) return kNoLimit;
  // Files that the group has read are dropped before it runs out.
  const std::uint64_t dropped = named_number_in(group / "memory.stat", cache).value_or(0);
  const std::uint64_t held = *used - std::min(*used, dropped);
  return *limit - std::min(*limit, held);
}

/// The least that a control group and those around it leave.
std::uint64_t left_in_all(const fs::path& mount, fs::path group, const char* limit_file,
                          const char* used_file, const std::string& cache) {
  std::uint64_t least = left_in(mount, limit_file, used_file, cache);
  for (; !group.empty() && group != group.parent_path(); group = group.parent_path()) {
    least = std::min(least, left_in(mount / group.relative_path(), limit_file, used_file, cache));
  }
  return least;
}

/// What the limits of this process's control groups leave, of both versions.
std::uint64_t left_in_groups(const fs::path& root) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/user.slice", "4:memory:/job"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, left_in_all(root / "sys/fs/cgroup", group, "memory.max",
                                          "memory.current", "inactive_file"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least =
          std::min(least, left_in_all(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
                                      "memory.usage_in_bytes", "total_inactive_file"));
    }
  }
  return least;
}

}  // namespace

std::size_t available_memory_bytes(const fs::path& root) {
  constexpr std::uint64_t kKib = 1024;
  const std::uint64_t of_machine =
      kKib * named_number_in(root / "proc/meminfo", "MemAvailable").value_or(0);
  return static_cast<std::size_t>(std::min(of_machine, left_in_groups(root)));
}

}  // namespace ladder
