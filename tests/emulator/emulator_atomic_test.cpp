// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_atomic_test.cpp
/// \brief Atomics between the threads of many blocks, and loops that wait for other threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::probes {
namespace {

class EmulatorAtomic : public testing::Test {
 protected:
  EmulatorAtomic() { emulator::set_cpu_threads(4); }
};

TEST_F(EmulatorAtomic, AddLosesNothing) {
  int i = 0;
  unsigned u = 0;
  unsigned long long ull = 0;
  float f = 0;
  double d = 0;
  add_from_all(200, 100, &i, &u, &ull, &f, &d);
  EXPECT_EQ(i, -400000);
  EXPECT_EQ(u, 800000u);
  EXPECT_EQ(ull, 400000ull * 5000000000ull);
  EXPECT_EQ(f, 200000.0f);
  EXPECT_EQ(d, 20 * 19999.0 * 20000.0 / 2);
}

TEST_F(EmulatorAtomic, MinAndMax) {
  int out[2] = {1000000, -1000000};
  unsigned unsigned_out[2] = {0xFFFFFFFFu, 0};
  min_max_from_all(20, 50, out, unsigned_out);
  EXPECT_EQ(out[0], -100);
  EXPECT_EQ(out[1], 899);
  EXPECT_EQ(unsigned_out[0], 0u);
  EXPECT_EQ(unsigned_out[1], 0xFFFFFFFFu);
}

TEST_F(EmulatorAtomic, Bits) {
  unsigned out[3] = {0xFFFFFFFFu, 0, 0};
  bits_from_all(out);
  EXPECT_EQ(out[0], 0x80000000u);
  EXPECT_EQ(out[1], 0x7FFFFFFFu);
  EXPECT_EQ(out[2], 0x80000001u);
}

TEST_F(EmulatorAtomic, ScopesMayBeNamed) {
  int out[6] = {0, 0, 0, 300, 77, 0};
  scoped_atomics(out);
  EXPECT_EQ(out[0], 512);
  EXPECT_EQ(out[1], -768);
  EXPECT_EQ(out[2], 255);
  EXPECT_EQ(out[3], 0);
  EXPECT_EQ(out[4], 1077);
  EXPECT_EQ(out[5], 77);
}

TEST_F(EmulatorAtomic, IncrementsWrapAround) {
  unsigned counters[2] = {0, 0};
  std::vector<unsigned> olds(2 * 12);
  increments(12, 4, counters, olds.data());
  for (unsigned i = 0; i < 12; ++i) {
    EXPECT_EQ(olds[i], i % 5);
    EXPECT_EQ(olds[12 + i], (5 - i % 5) % 5);
  }
  EXPECT_EQ(counters[0], 2u);
  EXPECT_EQ(counters[1], 3u);
}

TEST_F(EmulatorAtomic, ExchangeHandsEachValueToOneThread) {
  constexpr unsigned kThreads = 4000 * 32;
  unsigned slot = 0;
  std::vector<unsigned> seen(kThreads + 1, 0);
  exchange_chain(4000, 32, &slot, seen.data());
  seen[0] = slot;
  std::sort(seen.begin(), seen.end());
  for (unsigned i = 0; i <= kThreads; ++i)
    ASSERT_EQ(seen[i], i);
}

TEST_F(EmulatorAtomic, SpinLockMakesProgress) {
  unsigned lock = 0;
  int counter = 0;
  spin_lock(500, 64, &lock, &counter);
  EXPECT_EQ(counter, 500 * 64);
  EXPECT_EQ(lock, 0u);
}

TEST_F(EmulatorAtomic, ThreadsMayWaitForALaterThread) {
  int flag = 0;
  std::vector<int> out(256, 0);
  wait_for_last_thread(&flag, out.data());
  EXPECT_EQ(out, std::vector<int>(256, 1));
}

TEST_F(EmulatorAtomic, BlocksMayWaitForLowerBlocks) {
  for (const unsigned workers : {1u, 4u}) {
    emulator::set_cpu_threads(workers);
    std::vector<int> flags(100, 0);
    wait_for_lower_block(100, flags.data());
    EXPECT_EQ(flags, std::vector<int>(100, 1));
  }
}

}  // namespace
}  // namespace ladder::probes
