// SPDX-License-Identifier: MIT
#include "emulator/trace/line_patterns.hpp"

namespace ladder::emulator {

std::uint32_t LinePatterns::number_of(const LinePattern& pattern) {
  std::vector<std::uint64_t> key;
  key.reserve(pattern.size());
  for (const LineTouch& touch : pattern)
    key.push_back(static_cast<std::uint64_t>(static_cast<std::uint32_t>(touch.line)) << 32 |
                  touch.sectors << 1 | (touch.again ? 1u : 0u));
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(patterns_.size());
  const auto [found, is_new] = numbers_.try_emplace(std::move(key), next);
  if (is_new) patterns_.push_back(pattern);
  return found->second;
}

}  // namespace ladder::emulator
