// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_ordinary_words_test.cpp
/// \brief Ordinary words of shared memory are told from others: the shadow finds the same conflicts
///        with the short test and without it, whatever threads do. No kernel runs here.
#include "emulator/trace/ordinary_words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <utility>

#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kWarps = 3;
constexpr unsigned kThreads = 32 * kWarps;
constexpr std::uint32_t kWords = 6;
constexpr int kBarriers = 2;

/// \brief A block whose threads do anything at all, seen by two shadows: one is asked at once, the
///        other one only about words that are not ordinary.
class RandomBlock {
 public:
  explicit RandomBlock(unsigned seed) : random_(seed) {
    for (SharedShadow* shadow : {&plain_, &quick_})
      shadow->resize(4 * kWords);
    start_block();
  }

  void act() {
    switch (pick(36)) {
      case 0:
        start_block();
        break;
      case 1:
      case 2:
        plain_.pass_barrier();
        quick_.pass_barrier();
        if (clocks_.is_active()) clocks_.pass_barrier();
        break;
      case 3:
      case 4: {
        const unsigned warp = pick(kWarps);
        ++syncs_[warp];
        if (clocks_.is_active()) clocks_.meet(warp);
        break;
      }
      case 5:
        if (pick(8) == 0) start_clocks();
        break;
      case 6:
        if (clocks_.is_active()) clocks_.release(pick_thread(), &flag_);
        break;
      case 7:
        if (clocks_.is_active()) clocks_.acquire(pick_thread(), &flag_);
        break;
      case 8:
        if (clocks_.is_active()) clocks_.fence(pick_thread());
        break;
      case 9:
      case 12:
      case 13:
        if (clocks_.is_active()) start_box();
        break;
      case 10:
      case 14:
      case 15:
        if (clocks_.is_active()) land_box();
        break;
      case 11:
      case 16:
      case 17:
      case 18:
        if (clocks_.is_active()) clocks_.acquire(pick_thread(), &barriers_[pick(kBarriers)]);
        break;
      default:
        access();
    }
  }

  int ordinary() const { return ordinary_; }
  int conflicts() const { return conflicts_; }

 private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  /// The first lanes of warps do most.
  unsigned pick_thread() { return 32 * pick(kWarps) + (pick(3) == 0 ? pick(2) : 0); }

  void start_block() {
    clocks_.start_block(kThreads);
    plain_.start_block();
    quick_.start_block();
    syncs_.fill(0);
    boxes_.fill(0);
  }

  void start_clocks() {
    if (clocks_.is_active()) return;
    clocks_.activate();
    plain_.use_clocks();
    quick_.use_clocks();
  }

  void access() {
    constexpr std::array kTypes = {
        AccessType::kLoad,  AccessType::kLoad,   AccessType::kLoad,       AccessType::kStore,
        AccessType::kStore, AccessType::kAtomic, AccessType::kCopyTarget, AccessType::kCopyLanded};
    const AccessType type = kTypes[pick(clocks_.is_active() ? 8 : 6)];
    if (type == AccessType::kAtomic && pick(4) != 0) return;
    const unsigned thread = pick_thread();
    const std::uint32_t lanes = 1u << thread % 32 | (pick(4) == 0 ? 2u : 0u);
    const Epoch epoch = clocks_.epoch_of(thread);
    const Epoch other = clocks_.epoch_of(thread / 32 * 32 + 1);
    const bool several = std::popcount(lanes) > 1;
    if (several && (epoch != other || type == AccessType::kStore)) return;
    const bool is_store = type == AccessType::kStore;
    const WordAccess one = {.word = pick(kWords),
                            .bytes = 15,
                            .several = several,
                            .thread = static_cast<std::uint16_t>(thread),
                            .sync = syncs_[thread / 32],
                            .code = pack_access(1 + pick(3), type, 4),
                            .epoch = epoch,
                            .knows = epoch,
                            .lanes = lanes,
                            .has_value = is_store,
                            .value = is_store ? pick(2) : 0};
    expect_the_same(ask(plain_, type, one), ask_ordinary_first(type, one));
    const unsigned warp = thread / 32;
    EXPECT_EQ(plain_.settled_words(warp, epoch).contain(one.word),
              quick_.settled_words(warp, epoch).contain(one.word));
  }

  static Conflict ask(SharedShadow& shadow, AccessType type, const WordAccess& one) {
    switch (type) {
      case AccessType::kLoad:
        return shadow.load(one);
      case AccessType::kStore:
        return shadow.store(one);
      case AccessType::kAtomic:
        return shadow.update(one);
      case AccessType::kCopyTarget:
        return shadow.start_copy(one);
      default:
        return shadow.land_copy(one);
    }
  }

  bool asks_words(OrdinaryWords& words, AccessType type, const WordAccess& one) const {
    switch (type) {
      case AccessType::kLoad:
        return clocks_.is_active() ? words.load_with_clocks(one.word, one.lanes, one.thread)
                                   : words.load(one.word, one.lanes, one.thread);
      case AccessType::kStore:
        return words.store(one.word, one.lanes, one.thread, one.value);
      case AccessType::kCopyTarget:
        return words.start_copy(one.word, one.lanes, one.thread);
      case AccessType::kCopyLanded:
        return words.land_copy(one.word, one.lanes, one.thread);
      default:
        return false;
    }
  }

  Conflict ask_ordinary_first(AccessType type, const WordAccess& one) {
    OrdinaryWords words(quick_, one, one.word, one.word + 1);
    const bool ordinary = asks_words(words, type, one);
    ordinary_ += ordinary ? 1 : 0;
    return ordinary ? Conflict() : ask(quick_, type, one);
  }

  void start_box() {
    const unsigned thread = pick_thread();
    const unsigned which = pick(kBarriers);
    if (boxes_[which] != 0) return;
    const BoxCopy box = {.copy_barrier = clocks_.copy_barrier(&barriers_[which]),
                         .code = pack_access(9, AccessType::kBox, 16),
                         .epoch = clocks_.epoch_of(thread),
                         .thread = static_cast<std::uint16_t>(thread)};
    clocks_.advance(thread);
    boxes_[which] = plain_.start_box(box);
    quick_.start_box(box);
    const std::uint32_t begin = pick(kWords - 1);
    const WordAccess start = {
        .thread = box.thread, .code = box.code, .epoch = box.epoch, .knows = box.epoch};
    OrdinaryWords words(quick_, start, begin, begin + 2);
    const bool all = words.fill(begin, begin + 2, boxes_[which]);
    ordinary_ += all ? 1 : 0;
    for (std::uint32_t word = begin; word < begin + 2; ++word) {
      expect_the_same(plain_.fill(word, boxes_[which]),
                      all ? Conflict() : quick_.fill(word, boxes_[which]));
    }
  }

  void land_box() {
    const unsigned which = pick(kBarriers);
    if (boxes_[which] == 0) return;
    const std::uint32_t phase = clocks_.landed(&barriers_[which]);
    plain_.land_box(boxes_[which], phase);
    quick_.land_box(boxes_[which], phase);
    clocks_.complete(&barriers_[which]);
    boxes_[which] = 0;
  }

  void expect_the_same(const Conflict& plain, const Conflict& quick) {
    EXPECT_EQ(plain.kind, quick.kind);
    EXPECT_EQ(plain.earlier, quick.earlier);
    EXPECT_EQ(plain.earlier_thread, quick.earlier_thread);
    conflicts_ += plain.kind != Conflict::Kind::kNone ? 1 : 0;
  }

  std::minstd_rand random_;
  WarpClocks clocks_;
  SharedShadow plain_{clocks_};
  SharedShadow quick_{clocks_};
  std::array<std::uint32_t, kWarps> syncs_ = {};
  std::array<int, kBarriers> barriers_ = {};
  std::array<std::uint32_t, kBarriers> boxes_ = {};  ///< in flight, by barrier; 0: none
  int flag_ = 0;
  int ordinary_ = 0;
  int conflicts_ = 0;
};

TEST(EmulatorOrdinaryWords, AreNoConflictThatTheShadowWouldFind) {
  int ordinary = 0;
  int conflicts = 0;
  for (unsigned seed = 1; seed <= 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomBlock block(seed);
    for (int i = 0; i < 300; ++i)
      block.act();
    ordinary += block.ordinary();
    conflicts += block.conflicts();
  }
  EXPECT_GT(ordinary, 10'000);
  EXPECT_GT(conflicts, 10'000);
}

}  // namespace
}  // namespace ladder::emulator
