// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/hang_report.cpp
/// \brief What BlockRunner says when nobody can go on: every group of threads, where it waits, and
///        what is missing.
#include <algorithm>
#include <string>
#include <utility>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/run/source_lines.hpp"

namespace ladder::emulator {
namespace {

std::string count_of(unsigned arrived, unsigned of) {
  return std::to_string(arrived) + " of " + std::to_string(of) + " threads are here";
}

std::string missing_at(const MbarrierState& barrier) {
  std::string text = std::to_string(barrier.missing) + " of " + std::to_string(barrier.expected) +
                     " arrivals and " +
                     std::to_string(std::max<std::int64_t>(barrier.missing_bytes, 0)) +
                     " bytes are missing";
  if (barrier.missing_bytes < 0) {
    text += ", and " + std::to_string(-barrier.missing_bytes) +
            " bytes have come that nobody announced";
  }
  return text;
}

/// "0-127, 130"
std::string ranges_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

/// What lane waits for; `threads` is left empty.
KernelWaiters BlockRunner::waiter(const Lane& lane) const {
  KernelWaiters result;
  result.block = array_of(unpack(block_index_));
  result.file = without_repository(lane.where.file_name());
  result.line = lane.where.line();
  const WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  if ((warp.at_barrier & bit) != 0) {
    result.what = "wait at __syncthreads";
    result.detail = count_of(arrived_, plan_->threads);
  } else if ((warp.in_call & bit) != 0) {
    result.what = std::string("wait in ") + lane.call->function;
    result.detail = "for lanes of their warp";
  } else if ((warp.waiting & bit) != 0) {
    constexpr const char* kWhat[] = {"wait for an mbarrier", "wait at a named barrier",
                                     "wait at cluster_sync", "wait for a flag"};
    result.what = kWhat[static_cast<std::size_t>(lane.wait.kind)];
    result.detail = detail_of(lane);
  } else {
    result.what = "spin";
  }
  return result;
}

std::string BlockRunner::detail_of(const Lane& lane) const {
  const LaneWait& wait = lane.wait;
  switch (wait.kind) {
    case WaitKind::kMbarrier:
      return "phase parity " + std::to_string(wait.value) + ": " +
             missing_at(*static_cast<const MbarrierState*>(wait.object));
    case WaitKind::kNamedBarrier: {
      const auto& barrier = *static_cast<const NamedBarrier*>(wait.object);
      return "barrier " + std::to_string(wait.value) + ": " +
             count_of(barrier.arrived, barrier.expected);
    }
    case WaitKind::kClusterBarrier:
      return count_of(cluster_arrived_, plan_->threads) +
             (cluster_arrived_ == plan_->threads ? ", those of another block are not" : "");
    case WaitKind::kFlag:
      break;
  }
  return "it holds " + std::to_string(wait.value);
}

std::vector<KernelWaiters> BlockRunner::waiters() const {
  std::vector<std::pair<KernelWaiters, std::vector<unsigned>>> groups;
  for (unsigned number = 0; number < plan_->threads; ++number) {
    if ((warps_[number / 32].finished >> number % 32 & 1u) != 0) continue;
    KernelWaiters one = waiter(lanes_[number]);
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      const KernelWaiters& other = group.first;
      return other.line == one.line && other.what == one.what && other.file == one.file &&
             other.detail == one.detail;
    });
    if (same != groups.end()) {
      same->second.push_back(number);
    } else {
      groups.push_back({std::move(one), {number}});
    }
  }
  std::vector<KernelWaiters> result;
  for (auto& [group, numbers] : groups) {
    group.threads = ranges_of(numbers);
    result.push_back(std::move(group));
  }
  return result;
}

KernelError::Place BlockRunner::place_of(const std::vector<KernelWaiters>& waiters) const {
  const auto thread = static_cast<unsigned>(std::stoul(waiters.front().threads));
  return {.file = waiters.front().file,
          .line = waiters.front().line,
          .block = waiters.front().block,
          .thread = array_of(plan_->thread_index(thread))};
}

/// Nobody in the block can go on, and no other block can help.
void BlockRunner::fail_hang() {
  const bool some_wait =
      std::ranges::any_of(warps_, [](const WarpState& warp) { return warp.waiting != 0; });
  if (!some_wait) fail_stuck_warp(warps_[running_->number / 32]);
  give_up({.kind = KernelErrorKind::kDeadlock,
           .sentence = "",
           .lane = running_->number,
           .file = "",
           .waiters = waiters()});
}

}  // namespace ladder::emulator
