// SPDX-License-Identifier: MIT
#include "emulator/run/waits/mbarriers.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "emulator/run/block/block_runner.hpp"

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

bool Mbarrier::is_awaited() const {
  return std::ranges::any_of(waiting, [](std::uint32_t lanes) { return lanes != 0; });
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
  if (barrier == nullptr) scheduler_.fail({FaultKind::kMbarrierInvalid}, where);
  if (scheduler_.observer() != nullptr) check_order(*barrier, where);
  return *barrier;
}

/// On a GPU, the running thread's warp may be faster than the one that initialises the barrier.
void Mbarriers::check_order(const Mbarrier& barrier, std::source_location where) {
  const unsigned thread = scheduler_.running().number;
  if (scheduler_.observer()->knows_step(thread, barrier.maker, barrier.made_in)) return;
  OtherAccess maker = scheduler_.other(barrier.maker, barrier.made_at);
  maker.block.reset();
  scheduler_.report({FaultKind::kMbarrierTooEarly, {}, std::move(maker)}, thread, where);
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
  barrier.maker = scheduler_.running().number;
  if (scheduler_.observer() != nullptr) {
    barrier.made_in = scheduler_.observer()->take_step(barrier.maker);
  }
  barrier.made_after = cluster_.arrivals(barrier.maker);
  barrier.made_at = where;
  const std::uint64_t content = content_of(word, index);
  std::memcpy(word, &content, sizeof content);
}

void Mbarriers::fence() {
  for (; fenced_ < count_; ++fenced_)
    barriers_[fenced_].fenced = true;
}

void Mbarriers::require_arrival(BlockScheduler& scheduler, const Mbarrier& barrier,
                                int announced_bytes, std::source_location where) {
  if (barrier.missing_arrivals == 0) {
    scheduler.fail({FaultKind::kMbarrierOverfull,
                    {{"arrivals", barrier.expected}, {"missing_bytes", barrier.missing_bytes}}},
                   where);
  }
  if (!barrier.seen) {
    scheduler.fail({FaultKind::kMbarrierUnseen}, where);
  }
  if (announced_bytes < 0 || barrier.missing_bytes + announced_bytes > kMaxCount) {
    scheduler.fail({FaultKind::kMbarrierBytes, {{"bytes", announced_bytes}, {"limit", kMaxCount}}},
                   where);
  }
}

void Mbarriers::arrive(void* word, int announced_bytes, std::source_location where) {
  Mbarrier& barrier = at(word, where);
  require_arrival(scheduler_, barrier, announced_bytes, where);
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->arrived(scheduler_.running().number, word);
  }
  if (announced_bytes > 0) {
    barrier.announcer = scheduler_.running().number;
    barrier.announced_at = where;
  }
  barrier.missing_bytes += announced_bytes;
  --barrier.missing_arrivals;
  scheduler_.note_change();
  complete_phase_if_due(barrier);
}

void Mbarriers::drop(void* word, std::source_location where) {
  Mbarrier& barrier = at(word, where);
  require_arrival(scheduler_, barrier, 0, where);
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
  if (!visits_.empty()) forget_visits(barrier);
  if (scheduler_.observer() != nullptr) scheduler_.observer()->acquired(lane.number, word);
}

// -- Other blocks of the cluster -----------------------------------------------------------------

Mbarrier& Mbarriers::visit(BlockRunner& visitor, void* word, bool is_copy,
                           std::source_location where) {
  BlockScheduler& scheduler = visitor.scheduler();
  const unsigned thread = scheduler.running().number;
  const unsigned passes = visitor.cluster().passes(thread);
  Mbarrier* const barrier = find(word);
  if (barrier == nullptr && passes > 0) scheduler.fail({FaultKind::kMbarrierInvalid}, where);
  // The arrival after the initialisation shows it to those who have waited as often.
  if (barrier == nullptr || passes <= barrier->made_after) {
    Fault fault(FaultKind::kClusterMbarrierUnknown, {{"copies", is_copy}});
    if (barrier != nullptr) fault.other = scheduler_.other(barrier->maker, barrier->made_at);
    scheduler.fail(std::move(fault), where);
  }
  if (is_copy && !barrier->fenced) scheduler.fail({FaultKind::kMbarrierUnfenced}, where);
  visits_.push_back({.barrier = barrier,
                     .phase = barrier->phase,
                     .is_copy = is_copy,
                     .after = visitor.cluster().arrivals(thread),
                     .actor = visitor.actor(where)});
  return *barrier;
}

void Mbarriers::arrive_from(BlockRunner& visitor, void* word, std::source_location where) {
  Mbarrier& barrier = visit(visitor, word, false, where);
  require_arrival(visitor.scheduler(), barrier, 0, where);
  if (scheduler_.observer() != nullptr) {
    visitor.observer()->arrived_elsewhere(visitor.scheduler().running().number,
                                          *scheduler_.observer(), word);
  }
  --barrier.missing_arrivals;
  visitor.scheduler().note_change();
  complete_phase_if_due(barrier);
}

/// A phase has been seen to end: what came before is over, and with a thread's arrival all that the
/// thread did before.
void Mbarriers::forget_visits(const Mbarrier& barrier) {
  const auto is_over = [&](const Visit& visit) {
    return visit.barrier == &barrier && visit.phase < barrier.phase;
  };
  if (std::ranges::none_of(visits_, is_over)) return;
  std::vector<Visit> left;
  for (auto visit = visits_.begin(); visit != visits_.end(); ++visit) {
    const auto tells_of_it = [&](const Visit& later) {
      return is_over(later) && !later.is_copy && later.actor.block == visit->actor.block &&
             later.actor.thread == visit->actor.thread;
    };
    const bool known =
        visit->is_copy ? is_over(*visit) : std::any_of(visit, visits_.end(), tells_of_it);
    if (!known) left.push_back(*visit);
  }
  visits_ = std::move(left);
}

void Mbarriers::pass_cluster_barrier(unsigned rounds) {
  std::erase_if(visits_,
                [&](const Visit& visit) { return !visit.is_copy && visit.after < rounds; });
}

void Mbarriers::check_at_end() {
  if (visits_.empty()) return;
  const Visit& visit = visits_.front();
  const Lane& last = scheduler_.running();
  scheduler_.fail({FaultKind::kClusterLeftEarly,
                   {{"copies", visit.is_copy}},
                   scheduler_.other(last.number, last.where)},
                  visit.actor);
}

std::optional<OtherAccess> Mbarriers::wrong_announcement() const {
  for (const Mbarrier& barrier : barriers_ | std::views::take(count_)) {
    if (barrier.is_awaited() && barrier.missing_arrivals == 0 && barrier.announced_at.line() != 0) {
      return scheduler_.other(barrier.announcer, barrier.announced_at);
    }
  }
  return std::nullopt;
}

bool Mbarriers::any_waits() const {
  return std::ranges::any_of(barriers_ | std::views::take(count_), &Mbarrier::is_awaited);
}

}  // namespace ladder::emulator
