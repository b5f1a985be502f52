// SPDX-License-Identifier: MIT
#include "emulator/trace/box_events.hpp"

#include <algorithm>

#include "emulator/trace/ordinary_words.hpp"

namespace ladder::emulator {

void BoxEvents::start(const BoxCopy& box, const void* shared, unsigned bytes, const void* barrier) {
  const std::uint32_t number = shadow_.start_box(box);
  boxes_.push_back({shared, barrier, number});
  const std::size_t begin = offset_of(shared);
  const std::size_t end = std::min(begin + bytes, state_.shared_bytes);
  const WordAccess start = {
      .thread = box.thread, .code = box.code, .epoch = box.epoch, .knows = box.epoch};
  const bool suits = !box.block && OrdinaryWords::suit(shadow_);
  OrdinaryWords ordinary(shadow_, start, begin / 4, end / 4 + 1);
  const bool all = suits && ordinary.fill(static_cast<std::uint32_t>(begin / 4),
                                          static_cast<std::uint32_t>(end / 4), number);
  for (std::size_t at = begin; !all && at < end; at += 4) {
    const auto word = static_cast<std::uint32_t>(at / 4);
    const Conflict conflict = shadow_.fill(word, number);
    if (conflict.kind == Conflict::Kind::kNone) [[likely]]
      continue;
    requests_.report_conflict({.word = word,
                               .bytes = 15,
                               .several = false,
                               .thread = box.thread,
                               .sync = 0,
                               .code = box.code},
                              conflict, box.block);
  }
  if (state_.is_ordered()) {
    if (box.block) {
      order_.see_phases(static_cast<int>(clocks_.phases_known(box.knows)));
    } else {
      see_order_as(box.thread / 32u, box.epoch);
    }
    order_.box_started(begin, end);
  }
}

void BoxEvents::land(const void* shared, unsigned bytes, const void* barrier) {
  const auto started = std::ranges::find_if(
      boxes_, [&](const Started& box) { return box.shared == shared && box.barrier == barrier; });
  if (started == boxes_.end()) return;
  shadow_.land_box(started->number, clocks_.landed(barrier));
  boxes_.erase(started);
  if (state_.is_ordered()) order_.box_landed(offset_of(shared), offset_of(shared) + bytes);
}

void BoxEvents::start_store(AccessCode code, unsigned thread,
                            std::span<const std::uintptr_t> pieces) {
  const Epoch epoch = clocks_.epoch_of(thread);
  WordAccess access = {.bytes = 15,
                       .thread = static_cast<std::uint16_t>(thread),
                       .code = code,
                       .epoch = epoch,
                       .knows = epoch};
  for (const std::uintptr_t piece : pieces) {
    access.word = word_of(piece);
    const Conflict conflict = shadow_.start_reading(access);
    if (conflict.kind != Conflict::Kind::kNone) [[unlikely]]
      requests_.report_conflict(access, conflict);
  }
  clocks_.advance(thread);
}

void BoxEvents::end_store(AccessCode code, unsigned thread,
                          std::span<const std::uintptr_t> pieces) {
  const unsigned warp = thread / 32;
  const unsigned number = ++stores_read_[warp];
  for (const std::uintptr_t piece : pieces)
    shadow_.end_copy(word_of(piece), code, warp, number);
  clocks_.wait_for_copy(thread, number);
}

std::uint32_t BoxEvents::word_of(std::uintptr_t piece) const {
  return static_cast<std::uint32_t>((piece - state_.shared_begin) / 4);
}

void BoxEvents::see_order_as(unsigned warp, Epoch at) {
  if (!state_.is_ordered() || !clocks_.is_active()) return;
  order_.see_phases(static_cast<int>(clocks_.phases_known(warp, at)));
}

}  // namespace ladder::emulator
