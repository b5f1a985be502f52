// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/stream_k_test.cpp
/// \brief Rung 11 where blocks share tiles: right on any number of SMs, launch after launch, and
///        the same bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/emulator/run/settings.hpp"
#include "common/emulator/run/workspace.hpp"
#include "common/verify.hpp"
#include "ladder/ladder.hpp"
#include "tests/ladder/mutants/mutants.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;

constexpr std::size_t kFlagBytes = 4096;  // where the workspace of rung 11 has its flags
constexpr std::size_t kPartialBytes = std::size_t{1} << 20;

class StreamKTest : public testing::Test {
 protected:
  void SetUp() override { forget_workspace(); }
  void TearDown() override {
    emulator::set_multiprocessors(usual_sms_);
    emulator::set_cpu_threads(usual_threads_);
    emulator::set_copy_arrival(usual_arrival_);
    emulator::set_block_order(usual_order_);
    forget_workspace();
  }

  /// Flags as the first launch finds them, and partial sums that spoil every result.
  static void forget_workspace() {
    const std::span<std::byte> workspace = emulator::whole_workspace();
    std::memset(workspace.data(), 0, kFlagBytes);
    std::memset(workspace.data() + kFlagBytes, 0xff, kPartialBytes);
  }
  static bool flags_are_zero() {
    return std::ranges::all_of(emulator::whole_workspace().first(kFlagBytes),
                               [](std::byte byte) { return byte == std::byte{}; });
  }
  static bool some_tile_was_cut() {
    return std::ranges::any_of(emulator::whole_workspace().subspan(kFlagBytes, kPartialBytes),
                               [](std::byte byte) { return byte != std::byte{0xff}; });
  }

  void expect_right(const Shape& shape, std::uint64_t seed, float beta) {
    Verifier verifier(*machine_, shape, seed);
    const Verdict verdict = verifier.verify(rung_.run, 1.25f, beta, rung_.tile);
    EXPECT_TRUE(verdict.right) << verdict.complaint;
    EXPECT_TRUE(flags_are_zero()) << "the next launch would take old sums for new ones";
  }

  const std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const Rung rung_ = alone("64 x 64");

 private:
  /// Rung 11 as if it had one way: for shapes that are small enough for a test it takes others.
  static Rung alone(const std::string& way) {
    Rung rung = find_rung(emulated_rungs(), "stream_k");
    for (const Mutant& copy : way_copies()) {
      if (copy.way == way) rung.run = copy.run;
    }
    return rung;
  }

  int usual_sms_ = emulator::multiprocessors();
  unsigned usual_threads_ = emulator::cpu_threads();
  CopyArrival usual_arrival_ = emulator::copy_arrival();
  BlockOrder usual_order_ = emulator::block_order();
};

TEST_F(StreamKTest, LaunchAfterLaunchIsRightOnAnyNumberOfSms) {
  const std::vector<Shape> shapes = {
      {64, 64, 64}, {64, 64, 2048},  {65, 132, 68},   {128, 256, 260}, {129, 260, 516},
      {1, 4, 1024}, {250, 260, 132}, {320, 64, 1028}, {192, 448, 12},  {300, 300, 4},
  };
  for (const int sms : {1, 2, 3, 8, 13}) {
    emulator::set_multiprocessors(sms);
    int cut = 0;
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(fmt::format("{} SMs, M = {}, N = {}, K = {}", sms, shape.M, shape.N, shape.K));
      forget_workspace();
      emulator::set_block_order(BlockOrder::kDescending);
      expect_right(shape, 1, 0.0f);
      cut += some_tile_was_cut() ? 1 : 0;
      expect_right(shape, 2, -0.75f);
      emulator::set_block_order(BlockOrder::kAscending);
      expect_right(shape, 3, 1.0f);
    }
    if (sms > 1) {
      EXPECT_GE(cut, 1) << "no shape cuts a tile on " << sms << " SMs";
    }
  }
}

TEST_F(StreamKTest, WhoSharesATileWaitsForTheOthers) {
  emulator::set_multiprocessors(3);
  emulator::set_cpu_threads(1);
  const Shape shape = {.M = 64, .N = 64, .K = 2048};
  emulator::set_block_order(BlockOrder::kDescending);
  expect_right(shape, 1, 0.0f);
  ASSERT_TRUE(some_tile_was_cut());
  EXPECT_TRUE(emulator::last_run().blocks_waited);
  emulator::set_block_order(BlockOrder::kAscending);
  expect_right(shape, 1, 0.0f);
  EXPECT_FALSE(emulator::last_run().blocks_waited) << "lower blocks had ended";
}

TEST_F(StreamKTest, TheSameComesOutBitByBit) {
  emulator::set_multiprocessors(3);
  const auto [M, N, K] = Shape{.M = 65, .N = 196, .K = 2052};
  const MachineArray<float> a(*machine_, static_cast<std::size_t>(M) * K);
  const MachineArray<float> b(*machine_, static_cast<std::size_t>(K) * N);
  machine_->fill_random(a.data(), a.size(), {.seed = 7, .array = 0});
  machine_->fill_random(b.data(), b.size(), {.seed = 7, .array = 1});
  std::vector<std::vector<float>> results;
  for (const unsigned threads : {1u, 2u, 3u}) {
    for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
      emulator::set_cpu_threads(threads);
      emulator::set_copy_arrival(arrival);
      emulator::set_block_order(arrival == CopyArrival::kLate ? BlockOrder::kAscending
                                                              : BlockOrder::kDescending);
      const MachineArray<float> c(*machine_, static_cast<std::size_t>(M) * N);
      rung_.run({.M = M,
                 .N = N,
                 .K = K,
                 .alpha = 1.0f,
                 .A = a.data(),
                 .B = b.data(),
                 .beta = 0.0f,
                 .C = c.data()},
                nullptr);
      results.emplace_back(c.data(), c.data() + c.size());
    }
  }
  EXPECT_TRUE(some_tile_was_cut());
  for (const std::vector<float>& result : results)
    EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace ladder
