// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/warp_meeting.cpp
/// \brief BlockRunner's warps: lanes that wait for each other in warp functions.
#include <cstdio>
#include <cstring>
#include <utility>

#include "common/emulator/run/block_runner.hpp"

namespace ladder::emulator {
namespace {

bool same_call(const WarpCall& a, const WarpCall& b) {
  return a.answer == b.answer && a.where.line() == b.where.line() &&
         std::strcmp(a.function, b.function) == 0 &&
         std::strcmp(a.where.file_name(), b.where.file_name()) == 0;
}

std::string hexadecimal(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string text_of(const WarpCall& call) {
  return std::string(call.function) + " of line " + std::to_string(call.where.line());
}

}  // namespace

/// The lanes of the call's mask that the block has.
unsigned BlockRunner::effective_mask(const WarpState& warp, const Lane& lane) const {
  return lane.call->mask & warp.exists;
}

/// Number within the block of the lowest of `lanes`, which are not empty.
unsigned BlockRunner::first_lane(const WarpState& warp, unsigned lanes) const {
  const auto w = static_cast<unsigned>(&warp - warps_.data());
  return 32 * w + static_cast<unsigned>(__builtin_ctz(lanes));
}

void BlockRunner::meet_in_warp(const WarpCall& call) {
  Lane& lane = *running_;
  WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  if ((call.mask & bit) == 0) {
    fail_at(KernelErrorKind::kWarpArguments,
            std::string(call.function) + " is called by lane " + std::to_string(lane.number % 32) +
                ", which is not in its own mask " + hexadecimal(call.mask) + ",",
            lane.number, call.where);
  }
  lane.call = &call;
  lane.where = call.where;
  warp.ready &= ~bit;
  warp.in_call |= bit;
  const unsigned mask = effective_mask(warp, lane);
  if ((warp.in_call & mask) == mask && complete_call(warp, mask)) return;
  settle(warp);
  suspend();
  if (asked_to_stop()) fail_endless_loop();
}

/// All lanes of the mask wait in warp functions: answers them if it is the same one. False if one
/// of them waits in a function with another mask, which may yet let it go on.
bool BlockRunner::complete_call(WarpState& warp, unsigned mask) {
  Lane* const first = &lanes_[first_lane(warp, mask)];
  WarpRequests requests = {mask, {}};
  bool same_mask = true;
  for_each_lane(mask, [&](unsigned bit) {
    Lane& lane = lanes_[first->number / 32 * 32 + bit];
    same_mask = same_mask && effective_mask(warp, lane) == mask;
    requests.request[bit] = lane.call->request;
  });
  if (!same_mask) return false;
  for_each_lane(mask, [&](unsigned bit) {
    Lane& lane = lanes_[first->number / 32 * 32 + bit];
    if (!same_call(*first->call, *lane.call)) fail_different_calls(*first, lane);
  });
  if (tracer_ != nullptr && mask == warp.exists) tracer_->meet(first->number / 32);
  first->call->answer(requests);
  warp.in_call &= ~mask;
  warp.ready |= mask;
  return true;
}

unsigned BlockRunner::lanes_at_this_line(std::source_location where) {
  Lane& lane = *running_;
  WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  lane.where = where;
  warp.ready &= ~bit;
  warp.at_line |= bit;
  settle(warp);
  suspend();
  return lane.answer;
}

/// A lane of the warp stopped to be ready. If it was the last, lanes in __activemask get their
/// answer, and lanes in a warp function wait in vain.
void BlockRunner::settle(WarpState& warp) {
  if (warp.ready != 0) return;
  look_at_log(static_cast<unsigned>(&warp - warps_.data()));
  if (warp.log_full != 0) {
    warp.ready = std::exchange(warp.log_full, 0);
    tracer_->begin_chunk(static_cast<unsigned>(&warp - warps_.data()));
  } else if (warp.at_line != 0) {
    answer_lanes_at_line(warp);
  } else if (warp.in_call != 0 && warp.waiting == 0) {
    fail_stuck_warp(warp);
  }
}

/// Answers the lanes that are in the same __activemask as the lowest lane that waits in one.
void BlockRunner::answer_lanes_at_line(WarpState& warp) {
  const Lane& first = lanes_[first_lane(warp, warp.at_line)];
  unsigned together = 0;
  for_each_lane(warp.at_line, [&](unsigned bit) {
    const Lane& lane = lanes_[first.number / 32 * 32 + bit];
    if (lane.where.line() == first.where.line()) together |= 1u << bit;
  });
  for_each_lane(together,
                [&](unsigned bit) { lanes_[first.number / 32 * 32 + bit].answer = together; });
  warp.at_line &= ~together;
  warp.ready |= together;
}

void BlockRunner::fail_different_calls(const Lane& lane, const Lane& other) {
  fail_at(KernelErrorKind::kWarpMismatch,
          "lanes of one mask must make the same call, but " + name_of(lane.number) + " waits in " +
              text_of(*lane.call) + " with mask " + hexadecimal(lane.call->mask) + ", " +
              name_of(other.number) + " in " + text_of(*other.call) + " with mask " +
              hexadecimal(other.call->mask) + ",",
          lane.number, lane.where);
}

/// No lane of the warp can go on. Says which lane is missing where, the lowest waiting lane first.
void BlockRunner::fail_stuck_warp(const WarpState& warp) {
  const unsigned base = first_lane(warp, warp.exists) / 32 * 32;
  for_each_lane(warp.in_call, [&](unsigned waiting) {
    const Lane& lane = lanes_[base + waiting];
    const std::string start = lane.call->function + std::string(" waits for ");
    for_each_lane(effective_mask(warp, lane), [&](unsigned missing) {
      const Lane& other = lanes_[base + missing];
      const unsigned bit = 1u << missing;
      if (warp.finished & bit) {
        fail_at(KernelErrorKind::kWarpMismatch,
                start + name_of(other.number) + ", which is in its mask " +
                    hexadecimal(lane.call->mask) + " but has left the kernel,",
                lane.number, lane.where);
      }
      if (warp.at_barrier & bit) {
        fail_at(KernelErrorKind::kWarpMismatch,
                start + name_of(other.number) + ", which is in its mask " +
                    hexadecimal(lane.call->mask) + " but waits at the barrier of line " +
                    std::to_string(other.where.line()) + ",",
                lane.number, lane.where);
      }
      const bool mutual = (warp.in_call & bit) && (other.call->mask >> waiting & 1u);
      if (mutual && !(same_call(*lane.call, *other.call) &&
                      effective_mask(warp, lane) == effective_mask(warp, other))) {
        fail_different_calls(lane, other);
      }
    });
  });
  std::string list;
  for_each_lane(warp.in_call, [&](unsigned waiting) {
    const Lane& lane = lanes_[base + waiting];
    list += (list.empty() ? "" : "; ") + name_of(lane.number) + " in " + text_of(*lane.call) +
            " for mask " + hexadecimal(lane.call->mask);
  });
  const Lane& first = lanes_[first_lane(warp, warp.in_call != 0 ? warp.in_call : warp.exists)];
  fail_at(KernelErrorKind::kDeadlock, "deadlock: every thread waits for another one (" + list + ")",
          first.number, first.where);
}

}  // namespace ladder::emulator
