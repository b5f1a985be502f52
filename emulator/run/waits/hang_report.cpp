// SPDX-License-Identifier: MIT
#include "emulator/run/waits/hang_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "emulator/run/debug_info/source_lines.hpp"

namespace ladder::emulator {
namespace {

/// What a lane waits for, without its number.
ThreadGroup waiter(const BlockThreads& threads, const Lane& lane, unsigned at_barrier) {
  ThreadGroup result = threads_that_wait(threads, {lane.number}, WaitKind::kSpin);
  result.place = {without_repository(lane.where.file_name()), lane.where.line()};
  const WarpState& warp = threads.warp_of(lane);
  if ((warp.at_barrier & lane.bit()) != 0) {
    result.wait = WaitKind::kSyncthreads;
    result.missing = {{"arrived", at_barrier}, {"expected", threads.count()}};
  } else if ((warp.in_call & lane.bit()) != 0) {
    result.wait = WaitKind::kWarpCall;
    result.missing = {{"function", lane.call->function}};
  } else if ((warp.waiting & lane.bit()) != 0) {
    result.wait = lane.wait.object->kind();
    result.missing = lane.wait.object->missing(lane.wait.value);
  }
  return result;
}

}  // namespace

ThreadGroup threads_that_wait(const BlockThreads& threads, std::vector<unsigned> numbers,
                              WaitKind wait) {
  const unsigned first = numbers.front();
  return {.block = array_of(unpack(threads.block_index())),
          .threads = std::move(numbers),
          .first = threads.index_of(first),
          .wait = wait};
}

std::vector<ThreadGroup> waiters_of(const BlockThreads& threads, unsigned at_barrier) {
  std::vector<ThreadGroup> groups;
  for (unsigned number = 0; number < threads.count(); ++number) {
    const Lane& lane = threads.lane(number);
    if ((threads.warp_of(lane).finished & lane.bit()) != 0) continue;
    ThreadGroup one = waiter(threads, lane, at_barrier);
    const auto same = std::ranges::find_if(groups, [&](const ThreadGroup& other) {
      return other.place == one.place && other.wait == one.wait && other.missing == one.missing;
    });
    if (same != groups.end()) {
      same->threads.push_back(number);
    } else {
      groups.push_back(std::move(one));
    }
  }
  return groups;
}

void add_return_line(const void* kernel, Fault& fault) {
  const SourceLine begin = source_line_of(std::array{reinterpret_cast<std::uintptr_t>(kernel)});
  const std::string name = without_repository(fault.place.file);
  if (without_repository(begin.file) != name) return;
  const std::vector<unsigned> lines = lines_that_return(name, begin.line, fault.place.line);
  if (lines.size() == 1) fault.fields.set("return_line", lines[0]);
}

void take_place_of_first(Fault& fault) {
  const ThreadGroup& first = fault.groups.front();
  fault.place = first.place;
  fault.block = first.block;
  fault.thread = first.first;
}

}  // namespace ladder::emulator
