// SPDX-License-Identifier: MIT
#include "emulator/run/waits/hang_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "emulator/run/debug_info/source_lines.hpp"

namespace ladder::emulator {
namespace {

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

/// "0, 3 and 7"
std::string list_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 < numbers.size() ? ", " : " and ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

/// "0-3", "2 and 3", "0, 2, ..., 62"; empty if that needs too many words
std::string short_list_of(const std::vector<unsigned>& numbers) {
  constexpr std::size_t kMostNumbers = 3;
  constexpr std::ptrdiff_t kMostRanges = 3;
  if (numbers.size() < kMostNumbers) return list_of(numbers);
  std::string ranges = ranges_of(numbers);
  if (std::ranges::count(ranges, ',') < kMostRanges) return ranges;
  const unsigned step = numbers[1] - numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != step) return "";
  }
  return std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ", ..., " +
         std::to_string(numbers.back());
}

/// What lane waits for; `threads` is left empty.
KernelWaiters waiter(const BlockThreads& threads, const Lane& lane, unsigned at_barrier) {
  KernelWaiters result;
  result.block = array_of(unpack(threads.block_index()));
  result.file = without_repository(lane.where.file_name());
  result.line = lane.where.line();
  const WarpState& warp = threads.warp_of(lane);
  if ((warp.at_barrier & lane.bit()) != 0) {
    result.what = "wait at __syncthreads";
    result.detail = threads_here(at_barrier, threads.count());
  } else if ((warp.in_call & lane.bit()) != 0) {
    result.what = std::string("wait in ") + lane.call->function;
    result.detail = "for lanes of their warp";
  } else if ((warp.waiting & lane.bit()) != 0) {
    result.what = lane.wait.object->what();
    result.detail = lane.wait.object->missing(lane.wait.value);
  } else {
    result.what = "spin";
  }
  return result;
}

}  // namespace

std::string threads_here(unsigned arrived, unsigned of) {
  return std::to_string(arrived) + " of " + std::to_string(of) + " threads are here";
}

std::string threads_that(const BlockThreads& threads, const ThreadSet& set,
                         const std::pair<std::string, std::string>& verb) {
  std::vector<unsigned> numbers;
  std::vector<unsigned> whole;  // warps
  bool any_part = false;
  for (unsigned w = 0; w < threads.warps(); ++w) {
    for_each_lane(set[w], [&](unsigned bit) { numbers.push_back(32 * w + bit); });
    if (set[w] != 0 && set[w] == threads.warp(w).exists) {
      whole.push_back(w);
    } else {
      any_part = any_part || set[w] != 0;
    }
  }
  const std::string list = short_list_of(numbers);
  const bool one = numbers.size() == 1;
  if (threads.warps() > 1 && !any_part && !list.empty()) {
    return (whole.size() == 1 ? "warp " : "warps ") + short_list_of(whole) +
           (one ? " (thread " : " (threads ") + list + ") " +
           (whole.size() == 1 ? verb.first : verb.second);
  }
  if (!list.empty()) {
    return (one ? "thread " : "threads ") + list + " " + (one ? verb.first : verb.second);
  }
  return std::to_string(numbers.size()) + " of " + std::to_string(threads.count()) +
         " threads, the first of them " + threads.name_of(numbers.front()) + ", " + verb.second;
}

std::vector<KernelWaiters> waiters_of(const BlockThreads& threads, unsigned at_barrier) {
  std::vector<std::pair<KernelWaiters, std::vector<unsigned>>> groups;
  for (unsigned number = 0; number < threads.count(); ++number) {
    const Lane& lane = threads.lane(number);
    if ((threads.warp_of(lane).finished & lane.bit()) != 0) continue;
    KernelWaiters one = waiter(threads, lane, at_barrier);
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      const KernelWaiters& other = group.first;
      return other.line == one.line && other.what == one.what && other.file == one.file &&
             other.detail == one.detail;
    });
    if (same != groups.end()) {
      same->second.push_back(number);
    } else {
      groups.emplace_back(std::move(one), std::vector<unsigned>{number});
    }
  }
  std::vector<KernelWaiters> result;
  for (auto& [group, numbers] : groups) {
    group.threads = ranges_of(numbers);
    result.push_back(std::move(group));
  }
  return result;
}

std::string return_note(const void* kernel, const std::string& file, unsigned line) {
  const SourceLine begin = source_line_of(std::array{reinterpret_cast<std::uintptr_t>(kernel)});
  const std::string name = without_repository(file);
  if (without_repository(begin.file) != name) return "";
  const std::vector<unsigned> lines = lines_that_return(name, begin.line, line);
  return lines.size() == 1 ? "; see the return in line " + std::to_string(lines[0]) : "";
}

KernelError::Place place_of(const std::vector<KernelWaiters>& waiters, const GridPlan& plan) {
  const auto thread = static_cast<unsigned>(std::stoul(waiters.front().threads));
  return {.file = waiters.front().file,
          .line = waiters.front().line,
          .block = waiters.front().block,
          .thread = array_of(plan.thread_index(thread))};
}

}  // namespace ladder::emulator
