// SPDX-License-Identifier: MIT
#include "emulator/trace/early_accesses.hpp"

#include <algorithm>
#include <optional>

namespace ladder::emulator {
namespace {

/// \brief  What a logged access does to global memory that may have to wait.
/// \return nothing where it writes shared memory, or only looks at what others may change
std::optional<AccessVerb> verb_of(AccessCode code, bool is_volatile) {
  switch (type_of(code)) {
    case AccessType::kLoad:
      return is_volatile ? std::nullopt : std::optional(AccessVerb::kLoad);
    case AccessType::kCopySource:
      return AccessVerb::kLoad;
    case AccessType::kStore:
      return is_volatile ? AccessVerb::kUpdate : AccessVerb::kStore;
    case AccessType::kAtomic:
    case AccessType::kAtomicStore:
      return AccessVerb::kUpdate;
    case AccessType::kCopyTarget:
    case AccessType::kCopyLanded:
    case AccessType::kBox:
      break;
  }
  return std::nullopt;
}

}  // namespace

void EarlyAccesses::check(unsigned thread, AccessCode code, std::uint64_t begin, std::uint64_t end,
                          AccessVerb verb) {
  if (!are_wanted() || waited_[thread]) return;
  if (state_.wishes->index.with(begin, end) == kNoArray) return;
  RawHazard hazard = {.kind = FaultKind::kBeforePreviousKernel,
                      .code = code,
                      .thread = static_cast<std::uint16_t>(thread),
                      .address = begin};
  if (state_.wishes->previous.empty()) hazards_.report(hazard);
  for (const PreviousKernel& previous : state_.wishes->previous) {
    hazard.use_before = previous.use_before(begin, end, verb);
    if (!hazard.use_before) continue;
    hazard.previous = &previous;
    hazards_.report(hazard);
    return;
  }
}

void EarlyAccesses::check_log(unsigned thread) {
  const unsigned rows = waited_[thread] ? 0 : logs_.rows(thread);
  for (unsigned row = 0; row < rows; ++row) {
    const WarpLog::Row& logged = logs_.log_of(thread / 32).row[row];
    const unsigned lane = thread % 32;
    const bool is_volatile = (logs_.marks_in(thread / 32, row).volatiles >> lane & 1) != 0;
    const auto verb = verb_of(logged.code[lane], is_volatile);
    const std::uint64_t begin = logged.address[lane];
    if (verb) check(thread, logged.code[lane], begin, begin + bytes_of(logged.code[lane]), *verb);
  }
}

/// What it has logged so far was too early, and what comes is not.
void EarlyAccesses::has_waited(unsigned thread) {
  check_log(thread);
  waited_.set(thread);
}

void EarlyAccesses::awaits(unsigned thread) {
  if (!are_wanted()) return;
  logs_.count_rows();
  has_waited(thread);
  state_.wishes->awaited_previous->store(true, std::memory_order_relaxed);
}

void EarlyAccesses::look_at(unsigned warp) {
  if (!are_wanted()) return;
  const unsigned end = std::min(state_.plan->threads, 32 * warp + 32);
  for (unsigned thread = 32 * warp; thread < end; ++thread)
    check_log(thread);
}

void EarlyAccesses::meet(unsigned warp) {
  if (!are_wanted() || waited_.none()) return;
  const unsigned end = std::min(state_.plan->threads, 32 * warp + 32);
  bool any = false;
  for (unsigned thread = 32 * warp; thread < end; ++thread)
    any |= waited_[thread];
  for (unsigned thread = 32 * warp; any && thread < end; ++thread)
    has_waited(thread);
}

void EarlyAccesses::pass_barrier() {
  if (!are_wanted() || waited_.none()) return;
  for (unsigned thread = 0; thread < state_.plan->threads; ++thread)
    has_waited(thread);
}

void EarlyAccesses::pass_barrier_of_blocks() {
  if (!are_wanted() || !state_.wishes->awaited_previous->load(std::memory_order_relaxed)) return;
  for (unsigned thread = 0; thread < state_.plan->threads; ++thread)
    has_waited(thread);
}

void EarlyAccesses::acquired(unsigned thread) {
  if (!are_wanted() || !state_.wishes->awaited_previous->load(std::memory_order_relaxed)) return;
  logs_.count_rows();
  has_waited(thread);
}

void EarlyAccesses::learns_from(unsigned thread, const void* word) {
  if (!are_wanted()) return;
  const auto address = reinterpret_cast<std::uint64_t>(word);
  const bool may_know = std::ranges::any_of(
      state_.wishes->previous,
      [&](const PreviousKernel& previous) { return previous.may_signal(address); });
  if (may_know) state_.wishes->awaited_previous->store(true, std::memory_order_relaxed);
  acquired(thread);
}

}  // namespace ladder::emulator
