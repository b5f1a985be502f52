// SPDX-License-Identifier: MIT
#include "emulator/run/wait_text.hpp"

#include <algorithm>
#include <cstdio>

namespace ladder::emulator {
namespace {

constexpr unsigned kWarp = 32;

/// What one thread does, and what several do.
struct Verb {
  std::string one;
  std::string several;
};

/// "0-127, 130"
std::string ranges_text(const std::vector<unsigned>& numbers) {
  std::string text;
  for (const auto& [first, last] : ranges_of(numbers)) {
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
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
  constexpr std::size_t kMostRanges = 3;
  if (numbers.size() < kMostNumbers) return list_of(numbers);
  if (ranges_of(numbers).size() <= kMostRanges) return ranges_text(numbers);
  const unsigned step = numbers[1] - numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != step) return "";
  }
  return std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ", ..., " +
         std::to_string(numbers.back());
}

/// "warps 2 and 3 (threads 64-127) wait", "thread 5 waits"
std::string threads_that(const ThreadGroup& group, unsigned threads_per_block, const Verb& verb) {
  const std::vector<unsigned>& numbers = group.threads;
  std::vector<unsigned> whole;  // warps
  std::size_t in_whole = 0;
  for (unsigned warp = 0; kWarp * warp < threads_per_block; ++warp) {
    const unsigned exist = std::min(kWarp, threads_per_block - kWarp * warp);
    const auto here = static_cast<unsigned>(
        std::ranges::count_if(numbers, [&](unsigned number) { return number / kWarp == warp; }));
    if (here != exist) continue;
    whole.push_back(warp);
    in_whole += here;
  }
  const std::string list = short_list_of(numbers);
  const bool one = numbers.size() == 1;
  if (threads_per_block > kWarp && in_whole == numbers.size() && !list.empty()) {
    return (whole.size() == 1 ? "warp " : "warps ") + short_list_of(whole) +
           (one ? " (thread " : " (threads ") + list + ") " +
           (whole.size() == 1 ? verb.one : verb.several);
  }
  if (!list.empty()) {
    return (one ? "thread " : "threads ") + list + " " + (one ? verb.one : verb.several);
  }
  return std::to_string(numbers.size()) + " of " + std::to_string(threads_per_block) +
         " threads, the first of them thread " + to_text(group.first) + ", " + verb.several;
}

/// "12 of 64 threads are here"
std::string threads_here(const Fields& missing) {
  return missing.digits("arrived") + " of " + missing.digits("expected") + " threads are here";
}

std::string missing_of_mbarrier(const Fields& missing) {
  const std::int64_t bytes = missing.number("missing_bytes");
  std::string text = "phase parity " + missing.digits("parity") + ": " +
                     missing.digits("missing_arrivals") + " of " + missing.digits("arrivals") +
                     " arrivals and " + std::to_string(std::max<std::int64_t>(bytes, 0)) +
                     " bytes are missing";
  if (bytes < 0) {
    text += ", and " + std::to_string(-bytes) + " bytes have come that nobody announced";
  }
  return text;
}

/// "wait for an mbarrier", and what is missing.
struct Wait {
  std::string one;
  std::string several;
  std::string missing;
};

Wait wait_of(const ThreadGroup& group) {
  const Fields& missing = group.missing;
  switch (group.wait) {
    case WaitKind::kSyncthreads:
      return {"waits at __syncthreads", "wait at __syncthreads", threads_here(missing)};
    case WaitKind::kWarpCall:
      return {"waits in " + missing.word("function"), "wait in " + missing.word("function"),
              "for lanes of their warp"};
    case WaitKind::kMbarrier:
      return {"waits for an mbarrier", "wait for an mbarrier", missing_of_mbarrier(missing)};
    case WaitKind::kNamedBarrier:
      return {"waits at a named barrier", "wait at a named barrier",
              "barrier " + missing.digits("barrier") + ": " + threads_here(missing)};
    case WaitKind::kWarpgroup:
      return {"waits for a product of wgmma", "wait for a product of wgmma",
              "another warp of their warpgroup has not started it"};
    case WaitKind::kClusterBarrier:
      return {"waits at cluster_sync", "wait at cluster_sync",
              threads_here(missing) +
                  (missing.truth("of_another_block") ? ", those of another block are not" : "")};
    case WaitKind::kGridBarrier:
      return {"waits at grid.sync()", "wait at grid.sync()",
              missing.digits("missing_blocks") + " of " + missing.digits("blocks") +
                  " blocks have not come"};
    case WaitKind::kFlag:
      return {"waits for a flag", "wait for a flag", "it holds " + missing.digits("value")};
    case WaitKind::kSpin:
      return {"spins", "spin", ""};
    case WaitKind::kGone:
      break;
  }
  return {"has left the kernel", "have left the kernel", ""};
}

/// "threads 0-31 wait for an mbarrier at FILE:LINE (what is missing)"
std::string text_of(const ThreadGroup& group) {
  const bool one = group.threads.size() == 1;
  const Wait wait = wait_of(group);
  return (one ? "thread " : "threads ") + ranges_text(group.threads) + " " +
         (one ? wait.one : wait.several) + " at " + group.place.file + ":" +
         std::to_string(group.place.line) + (wait.missing.empty() ? "" : " (" + wait.missing + ")");
}

/// Blocks that have not started, because those that wait fill the GPU.
std::string unstarted_text(const Fields& fields) {
  if (!fields.has("blocks_not_started")) return "";
  const std::int64_t resident = fields.number("resident_blocks");
  const std::int64_t sms = fields.number("multiprocessors");
  return "; blocks that have not started, because those that wait fill the GPU: " +
         fields.digits("blocks_not_started") + " (it holds " + std::to_string(resident) +
         " at a time, " + std::to_string(resident / sms) + " of " + fields.digits("threads") +
         " threads on each of " + std::to_string(sms) +
         " SMs; LADDER_MULTIPROCESSORS sets how many SMs there are)";
}

std::string deadlock_text(const Fault& fault) {
  constexpr std::size_t kMostGroups = 12;
  const std::vector<ThreadGroup>& groups = fault.groups;
  const bool one_block = std::ranges::all_of(
      groups, [&](const ThreadGroup& other) { return other.block == groups.front().block; });
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    text += i == 0 ? "deadlock: nobody can go on: " : "; ";
    if (!one_block) text += "block " + to_text(groups[i].block) + " ";
    text += text_of(groups[i]);
  }
  if (groups.size() > kMostGroups) {
    text += "; and " + std::to_string(groups.size() - kMostGroups) + " more groups of threads";
  }
  if (fault.other) {
    text += "; the bytes were announced at " + place_text(fault.other->place) + " by " +
            thread_text(fault.other->thread);
  }
  return text + unstarted_text(fault.fields) + ", first";
}

std::string warp_deadlock_text(const Fault& fault) {
  std::string list;
  for (const ThreadGroup& lane : fault.groups) {
    list += (list.empty() ? "thread " : "; thread ") + to_text(lane.first) + " in " +
            lane.missing.word("function") + " of line " + std::to_string(lane.place.line) +
            " for mask " + mask_text(lane.missing.number("mask"));
  }
  return "deadlock: every thread waits for another one (" + list + ")";
}

std::string endless_loop_text(const Fields& fields) {
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", fields.real("seconds"));
  return std::string("endless loop: for ") + limit +
         " s no thread of the block has left the kernel" +
         (fields.truth("traced") ? ", passed a barrier or accessed anything new"
                                 : " or passed a barrier") +
         " (a slow kernel needs a larger LADDER_HANG_SECONDS); it was stopped";
}

}  // namespace

std::string mask_text(std::int64_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(mask));
  return text;
}

std::string text_of_barrier(const Fault& fault) {
  const Fields& fields = fault.fields;
  const auto threads = static_cast<unsigned>(fields.number("threads"));
  std::string waiters, gone;
  for (const ThreadGroup& group : fault.groups) {
    if (group.wait == WaitKind::kGone) {
      gone = threads_that(group, threads, {"has left the kernel", "have left the kernel"});
    } else {
      waiters += (waiters.empty() ? "" : ", and ") +
                 threads_that(group, threads, {"waits", "wait"}) + " at the barrier of line " +
                 std::to_string(group.place.line);
    }
  }
  if (fault.kind == FaultKind::kDivergentBarrier) {
    return "divergent barrier: " + waiters + (gone.empty() ? "" : ", and " + gone) +
           "; all threads of a block must reach the same one,";
  }
  const std::string note =
      fields.has("return_line") ? "; see the return in line " + fields.digits("return_line") : "";
  const std::string begin = "missing barrier: " + waiters + ", but " + gone;
  if (fields.truth("passed")) {
    return begin + note + "; GPUs from Volta on go on without them, older ones need not,";
  }
  return begin + "; all threads of a block must reach it" + note + ",";
}

std::string text_of_hang(const Fault& fault) {
  if (fault.kind == FaultKind::kEndlessLoop) return endless_loop_text(fault.fields);
  return fault.kind == FaultKind::kDeadlock ? deadlock_text(fault) : warp_deadlock_text(fault);
}

}  // namespace ladder::emulator
