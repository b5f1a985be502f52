// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_mbarriers.cpp
/// \brief BlockRunner's mbarriers: phases that complete when all arrivals and all announced bytes
///        have come.
#include <cstring>
#include <string>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/run/settings.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kWordBytes = 8;
constexpr int kMaxCount = (1 << 20) - 1;  // of arrivals and of bytes in one phase

/// What the word of barrier number `index` at `word` holds: changed bytes, and words that were
/// copied elsewhere, do not look like this.
std::uint64_t content_of(const void* word, std::size_t index) {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  const std::uint64_t check = (address * 0x9E3779B97F4A7C15u) >> 32;
  return check << 32 | index;
}

}  // namespace

/// The barrier that lives at this word; null if none does.
MbarrierState* BlockRunner::find_mbarrier(void* word) {
  if (!shared_.holds(static_cast<const std::byte*>(word), kWordBytes,
                     plan_->dynamic_shared_bytes)) {
    return nullptr;
  }
  std::uint64_t content;
  std::memcpy(&content, word, sizeof content);
  const auto index = static_cast<std::uint32_t>(content);
  if (index >= async_.mbarrier_count || content != content_of(word, index)) return nullptr;
  MbarrierState& barrier = async_.mbarriers[index];
  return barrier.word == word ? &barrier : nullptr;
}

MbarrierState& BlockRunner::mbarrier_at(void* word, std::source_location where) {
  MbarrierState* const barrier = find_mbarrier(word);
  if (barrier != nullptr) return *barrier;
  fail_at(KernelErrorKind::kMbarrier,
          "mbarrier used before mbarrier_init, or after its memory was overwritten,",
          running_->number, where);
}

MbarrierState& BlockRunner::mbarrier_of_copy(const PendingBox& box) {
  MbarrierState* const barrier = find_mbarrier(box.barrier);
  if (barrier != nullptr) return *barrier;
  fail_at(KernelErrorKind::kMbarrier,
          "the memory of an mbarrier was overwritten before the copy arrived that was to arrive at "
          "it, started",
          box.thread, box.where);
}

void BlockRunner::init_mbarrier(void* word, int arrivals, std::source_location where) {
  require_alignment("an mbarrier", word, kWordBytes, where);
  require_shared("the mbarrier", word, kWordBytes, where);
  if (arrivals < 1 || arrivals > kMaxCount) {
    fail_at(KernelErrorKind::kMbarrier,
            "mbarrier_init with " + std::to_string(arrivals) + " arrivals; it must be 1 to " +
                std::to_string(kMaxCount) + ",",
            running_->number, where);
  }
  if (find_mbarrier(word) != nullptr) {
    fail_at(KernelErrorKind::kMbarrier, "mbarrier_init of memory that is an mbarrier already,",
            running_->number, where);
  }
  async_.used = true;
  const std::size_t index = async_.mbarrier_count++;
  if (index == async_.mbarriers.size()) async_.mbarriers.emplace_back();
  const auto count = static_cast<std::uint32_t>(arrivals);
  async_.mbarriers[index] = {.word = word, .expected = count, .missing = count};
  const std::uint64_t content = content_of(word, index);
  std::memcpy(word, &content, sizeof content);
}

void BlockRunner::arrive_at_mbarrier(void* word, int announced_bytes, std::source_location where) {
  MbarrierState& barrier = mbarrier_at(word, where);
  const unsigned thread = running_->number;
  if (barrier.missing == 0) {
    fail_at(KernelErrorKind::kMbarrier,
            "more arrivals at an mbarrier than the " + std::to_string(barrier.expected) +
                " of its phase, which still waits for " + std::to_string(barrier.missing_bytes) +
                " bytes,",
            thread, where);
  }
  if (!barrier.seen) {
    fail_at(KernelErrorKind::kMbarrier,
            "an arrival at an mbarrier though no thread has seen the end of its phase before: PTX "
            "wants a wait for each phase,",
            thread, where);
  }
  if (announced_bytes < 0 || barrier.missing_bytes + announced_bytes > kMaxCount) {
    fail_at(KernelErrorKind::kMbarrier,
            std::to_string(announced_bytes) +
                " bytes are announced to an mbarrier; a phase takes "
                "0 to " +
                std::to_string(kMaxCount) + ",",
            thread, where);
  }
  if (tracer_ != nullptr) tracer_->arrived(thread, word);
  barrier.missing_bytes += announced_bytes;
  --barrier.missing;
  idle_turns_ = 0;
  complete_phase_if_due(barrier);
}

void BlockRunner::complete_phase_if_due(MbarrierState& barrier) {
  if (barrier.missing != 0 || barrier.missing_bytes != 0) return;
  std::erase_if(async_.arrived_early, [&](const PendingBox& box) {
    if (box.barrier != barrier.word) return false;
    tracer_->box_landed(box.shared, static_cast<unsigned>(box.data.size()), box.barrier);
    return true;
  });
  if (tracer_ != nullptr) tracer_->completed(barrier.word);
  ++barrier.phase;
  barrier.seen = false;
  barrier.missing = barrier.expected;
  note_progress();
  wake(barrier.waiting);
}

void BlockRunner::wait_for_mbarrier(void* word, int parity, std::source_location where) {
  Lane& lane = *running_;
  lane.where = where;
  MbarrierState& barrier = mbarrier_at(word, where);
  if (parity != 0 && parity != 1) {
    fail_at(KernelErrorKind::kMbarrier,
            "mbarrier_wait for parity " + std::to_string(parity) + "; it is 0 or 1,", lane.number,
            where);
  }
  if ((barrier.phase & 1) == static_cast<unsigned>(parity)) {
    const std::uint32_t phase = barrier.phase;
    wait_for({WaitKind::kMbarrier, &barrier, static_cast<unsigned>(parity)}, &barrier.waiting);
    if (barrier.phase - phase != 1) fail_overtaken(where);
  }
  barrier.seen = true;
  if (tracer_ != nullptr) tracer_->acquired(lane.number, word);
}

void BlockRunner::fail_overtaken(std::source_location where) {
  fail_at(KernelErrorKind::kMbarrier,
          "an mbarrier completed a second phase before this thread saw the end of the first: a "
          "waiter may lag behind by one phase, and on a GPU may wait for ever,",
          running_->number, where);
}

}  // namespace ladder::emulator
