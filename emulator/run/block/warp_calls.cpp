// SPDX-License-Identifier: MIT
#include "emulator/run/block/warp_calls.hpp"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/run/debug_info/source_lines.hpp"

namespace ladder::emulator {
namespace {

bool is_syncwarp(const WarpCall& call) {
  return std::strcmp(call.function, "__syncwarp") == 0;
}

/// __syncwarp() may meet itself at another line, in the other branch; what hands values on may not.
bool same_call(const WarpCall& a, const WarpCall& b) {
  if (is_syncwarp(a) && is_syncwarp(b)) return true;
  return a.answer == b.answer && a.where.line() == b.where.line() &&
         std::strcmp(a.function, b.function) == 0 &&
         std::strcmp(a.where.file_name(), b.where.file_name()) == 0;
}

/// Of all warp functions only __syncwarp is a barrier for memory.
bool orders_memory(const WarpCall& call) {
  return call.request == nullptr;
}

/// Where another lane waits.
OtherAccess place_of(const BlockThreads& threads, const Lane& lane) {
  return {{lane.where.file_name(), lane.where.line()}, threads.index_of(lane.number)};
}

}  // namespace

/// The lanes of the call's mask that are there: CUDA waits for no thread that has left the kernel.
unsigned WarpCalls::effective_mask(const WarpState& warp, const Lane& lane) {
  return lane.call->mask & warp.exists & ~warp.finished;
}

void WarpCalls::refuse_width(const char* function, int width, std::source_location where) {
  scheduler_.fail({FaultKind::kWarpWidth, {{"function", function}, {"width", width}}}, where);
}

void WarpCalls::meet(const WarpCall& call) {
  Lane& lane = scheduler_.running();
  WarpState& warp = scheduler_.threads().warp_of(lane);
  if ((call.mask & lane.bit()) == 0) {
    scheduler_.fail(
        {FaultKind::kLaneNotInMask,
         {{"function", call.function}, {"lane", lane.number % 32}, {"mask", call.mask}}},
        call.where);
  }
  lane.call = &call;
  lane.where = call.where;
  warp.ready &= ~lane.bit();
  warp.in_call |= lane.bit();
  const unsigned mask = effective_mask(warp, lane);
  if ((warp.in_call & mask) == mask && complete(warp, mask)) return;
  scheduler_.settle(warp);
  scheduler_.suspend();
  scheduler_.stop_if_asked();
}

/// All lanes of the mask wait in warp functions: answers them if it is the same one. False if one
/// of them waits in a function with another mask, which may yet let it go on.
bool WarpCalls::complete(WarpState& warp, unsigned mask) {
  BlockThreads& threads = scheduler_.threads();
  Lane* const first = &threads.lane(threads.first_lane(warp, mask));
  const unsigned base = first->number / 32 * 32;
  WarpRequests requests = {mask, {}};
  bool same_mask = true;
  for_each_lane(mask, [&](unsigned bit) {
    const Lane& lane = threads.lane(base + bit);
    same_mask = same_mask && effective_mask(warp, lane) == mask;
    requests.request[bit] = lane.call->request;
  });
  if (!same_mask) return false;
  for_each_lane(mask, [&](unsigned bit) {
    const Lane& lane = threads.lane(base + bit);
    if (!same_call(*first->call, *lane.call)) fail_different(*first, lane);
  });
  if (scheduler_.observer() != nullptr) {
    if (!is_syncwarp(*first->call)) scheduler_.observer()->give_values(base / 32, mask);
    if (mask == warp.exists) {
      if (orders_memory(*first->call)) {
        scheduler_.observer()->meet(base / 32);
      } else {
        scheduler_.observer()->exchange(base / 32);
      }
    } else if (is_syncwarp(*first->call)) {
      scheduler_.observer()->meet_lanes(base / 32, mask);
    }
  }
  first->call->answer(requests);
  warp.in_call &= ~mask;
  warp.ready |= mask;
  return true;
}

void WarpCalls::give_undefined(void* result, std::size_t bytes, unsigned lane, unsigned source) {
  BlockThreads& threads = scheduler_.threads();
  const unsigned first = threads.running().number / 32 * 32;
  const WarpState& warp = threads.warp_of(threads.running());
  std::uint16_t half = 0xFFFF;
  if (scheduler_.observer() != nullptr) {
    const WarpCall& call = *threads.lane(first + lane).call;
    half = scheduler_.observer()->give_undefined(first + lane,
                                                 {.function = call.function,
                                                  .where = call.where,
                                                  .mask = call.mask,
                                                  .source = source,
                                                  .exists = (warp.exists >> source & 1u) != 0,
                                                  .has_left = (warp.finished >> source & 1u) != 0});
  }
  auto* const to = static_cast<unsigned char*>(result);
  for (std::size_t byte = 0; byte < bytes; ++byte)
    to[byte] = static_cast<unsigned char>(half >> 8 * (byte % 2));
}

unsigned WarpCalls::lanes_at_this_line(std::source_location where) {
  Lane& lane = scheduler_.running();
  lane.where = where;
  scheduler_.stop(&WarpState::at_line);
  return lane.answer;
}

void WarpCalls::settle(WarpState& warp) {
  if (warp.at_line != 0) {
    answer_lanes_at_line(warp);
  } else if (warp.in_call != 0 && warp.waiting == 0 && !complete_without_others(warp)) {
    fail_stuck(warp);
  }
}

/// Lanes may have left the kernel that others have waited for.
bool WarpCalls::complete_without_others(WarpState& warp) {
  BlockThreads& threads = scheduler_.threads();
  const unsigned base = 32 * threads.number_of(warp);
  bool any = false;
  for_each_lane(warp.in_call, [&](unsigned bit) {
    if (any || (warp.in_call >> bit & 1u) == 0) return;
    const unsigned mask = effective_mask(warp, threads.lane(base + bit));
    any = (warp.in_call & mask) == mask && complete(warp, mask);
  });
  return any;
}

/// Answers the lanes that are in the same __activemask as the lowest lane that waits in one.
void WarpCalls::answer_lanes_at_line(WarpState& warp) {
  BlockThreads& threads = scheduler_.threads();
  const Lane& first = threads.lane(threads.first_lane(warp, warp.at_line));
  const unsigned base = first.number / 32 * 32;
  unsigned together = 0;
  for_each_lane(warp.at_line, [&](unsigned bit) {
    if (threads.lane(base + bit).where.line() == first.where.line()) together |= 1u << bit;
  });
  for_each_lane(together, [&](unsigned bit) { threads.lane(base + bit).answer = together; });
  warp.at_line &= ~together;
  warp.ready |= together;
}

// -- Failures ------------------------------------------------------------------------------------

void WarpCalls::fail_different(const Lane& lane, const Lane& other) {
  scheduler_.fail({FaultKind::kWarpDifferentCalls,
                   {{"function", lane.call->function},
                    {"mask", lane.call->mask},
                    {"other_function", other.call->function},
                    {"other_mask", other.call->mask}},
                   place_of(scheduler_.threads(), other)},
                  lane.number, lane.where);
}

void WarpCalls::fail_deadlock() {
  fail_stuck(scheduler_.threads().warp_of(scheduler_.running()));
}

/// No lane of the warp can go on. Says which lane is missing where, the lowest waiting lane first.
void WarpCalls::fail_stuck(const WarpState& warp) {
  const BlockThreads& threads = scheduler_.threads();
  const unsigned base = 32 * threads.number_of(warp);
  Fault fault(FaultKind::kWarpDeadlock);
  for_each_lane(warp.in_call, [&](unsigned waiting) {
    const Lane& lane = threads.lane(base + waiting);
    for_each_lane(effective_mask(warp, lane),
                  [&](unsigned missing) { fail_if_missing(warp, lane, missing); });
    fault.groups.push_back(
        {.block = array_of(unpack(threads.block_index())),
         .threads = {lane.number},
         .first = threads.index_of(lane.number),
         .wait = WaitKind::kWarpCall,
         .missing = {{"function", lane.call->function}, {"mask", lane.call->mask}},
         .place = {without_repository(lane.where.file_name()), lane.where.line()}});
  });
  const unsigned first = threads.first_lane(warp, warp.in_call != 0 ? warp.in_call : warp.exists);
  scheduler_.fail(std::move(fault), first, threads.lane(first).where);
}

/// Fails if it can say why a lane of the warp will not come where `lane` waits.
void WarpCalls::fail_if_missing(const WarpState& warp, const Lane& lane, unsigned missing) {
  const BlockThreads& threads = scheduler_.threads();
  const Lane& other = threads.lane(32 * threads.number_of(warp) + missing);
  if ((warp.at_barrier & other.bit()) != 0) {
    scheduler_.fail({FaultKind::kLaneAtBarrier,
                     {{"function", lane.call->function}, {"mask", lane.call->mask}},
                     place_of(threads, other)},
                    lane.number, lane.where);
  }
  const bool mutual = (warp.in_call & other.bit()) != 0 && (other.call->mask & lane.bit()) != 0;
  if (mutual && !(same_call(*lane.call, *other.call) &&
                  effective_mask(warp, lane) == effective_mask(warp, other))) {
    fail_different(lane, other);
  }
}

}  // namespace ladder::emulator
