// SPDX-License-Identifier: MIT
#include "emulator/run/waits/mbarriers.hpp"

#include <algorithm>
#include <cstring>

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

Fields Mbarrier::missing(unsigned parity) const {
  return {{"parity", parity},
          {"missing_arrivals", missing_arrivals},
          {"arrivals", expected},
          {"missing_bytes", missing_bytes}};
}

Mbarrier* Mbarriers::find(void* word) {
  if (!shared_.holds(word, kWordBytes)) return nullptr;
  std::uint64_t content;
  std::memcpy(&content, word, sizeof content);
  const auto index = static_cast<std::uint32_t>(content);
  if (index >= count_ || content != content_of(word, index)) return nullptr;
  return barriers_[index].word == word ? &barriers_[index] : nullptr;
}

Mbarrier& Mbarriers::at(void* word, std::source_location where) {
  Mbarrier* const barrier = find(word);
  if (barrier != nullptr) return *barrier;
  scheduler_.fail({FaultKind::kMbarrierInvalid}, where);
}

void Mbarriers::init(void* word, int arrivals, std::source_location where) {
  shared_.require_alignment("mbarrier", word, kWordBytes, where);
  shared_.require_inside("mbarrier", word, kWordBytes, where);
  if (arrivals < 1 || arrivals > kMaxCount) {
    scheduler_.fail({FaultKind::kMbarrierCount, {{"arrivals", arrivals}, {"limit", kMaxCount}}},
                    where);
  }
  if (find(word) != nullptr) {
    scheduler_.fail({FaultKind::kMbarrierTwice}, where);
  }
  const std::size_t index = count_++;
  if (index == barriers_.size()) barriers_.emplace_back();
  Mbarrier& barrier = barriers_[index] = Mbarrier();
  barrier.word = word;
  barrier.expected = barrier.missing_arrivals = static_cast<std::uint32_t>(arrivals);
  const std::uint64_t content = content_of(word, index);
  std::memcpy(word, &content, sizeof content);
}

void Mbarriers::fence() {
  for (; fenced_ < count_; ++fenced_)
    barriers_[fenced_].fenced = true;
}

void Mbarriers::require_arrival(const Mbarrier& barrier, int announced_bytes,
                                std::source_location where) {
  if (barrier.missing_arrivals == 0) {
    scheduler_.fail({FaultKind::kMbarrierOverfull,
                     {{"arrivals", barrier.expected}, {"missing_bytes", barrier.missing_bytes}}},
                    where);
  }
  if (!barrier.seen) {
    scheduler_.fail({FaultKind::kMbarrierUnseen}, where);
  }
  if (announced_bytes < 0 || barrier.missing_bytes + announced_bytes > kMaxCount) {
    scheduler_.fail({FaultKind::kMbarrierBytes, {{"bytes", announced_bytes}, {"limit", kMaxCount}}},
                    where);
  }
}

void Mbarriers::arrive(void* word, int announced_bytes, std::source_location where) {
  Mbarrier& barrier = at(word, where);
  require_arrival(barrier, announced_bytes, where);
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->arrived(scheduler_.running().number, word);
  }
  barrier.missing_bytes += announced_bytes;
  --barrier.missing_arrivals;
  scheduler_.note_change();
  complete_phase_if_due(barrier);
}

void Mbarriers::drop(void* word, std::source_location where) {
  Mbarrier& barrier = at(word, where);
  require_arrival(barrier, 0, where);
  --barrier.expected;
  arrive(word, 0, where);
}

void Mbarriers::receive(Mbarrier& barrier, void* shared, unsigned bytes) {
  if (scheduler_.observer() != nullptr) {
    if (arrival_ == CopyArrival::kEarly) {
      barrier.early.push_back({shared, bytes});
    } else {
      scheduler_.observer()->box_landed(shared, bytes, barrier.word);
    }
  }
  barrier.missing_bytes -= bytes;
  complete_phase_if_due(barrier);
}

void Mbarriers::complete_phase_if_due(Mbarrier& barrier) {
  if (barrier.missing_arrivals != 0 || barrier.missing_bytes != 0) return;
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    for (const Mbarrier::Arrived& box : barrier.early)
      observer->box_landed(box.shared, box.bytes, barrier.word);
    barrier.early.clear();
    observer->completed(barrier.word);
  }
  ++barrier.phase;
  barrier.seen = false;
  barrier.missing_arrivals = barrier.expected;
  scheduler_.note_progress();
  scheduler_.wake(barrier.waiting);
}

void Mbarriers::wait(void* word, int parity, std::source_location where) {
  Lane& lane = scheduler_.running();
  lane.where = where;
  Mbarrier& barrier = at(word, where);
  if (parity != 0 && parity != 1) {
    scheduler_.fail({FaultKind::kMbarrierParity, {{"parity", parity}}}, where);
  }
  if ((barrier.phase & 1) == static_cast<unsigned>(parity)) {
    const std::uint32_t phase = barrier.phase;
    scheduler_.wait_for({&barrier, static_cast<unsigned>(parity)}, barrier.waiting);
    if (barrier.phase - phase != 1) {
      scheduler_.fail({FaultKind::kMbarrierPhaseMissed}, where);
    }
  }
  barrier.seen = true;
  if (scheduler_.observer() != nullptr) scheduler_.observer()->acquired(lane.number, word);
}

}  // namespace ladder::emulator
