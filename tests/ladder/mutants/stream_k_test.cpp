// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/stream_k_test.cpp
/// \brief Rungs 12 to 14 where blocks share tiles: right on any number of SMs, launch after launch,
///        and the same bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/ladder.hpp"
#include "tests/ladder/mutants/mutants.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;

constexpr std::size_t kFlagBytes = 4096;  // where the workspaces of both have their flags
constexpr std::size_t kPartialBytes = std::size_t{1} << 20;

/// A kernel that splits tiles along K, and shapes around its tile.
struct Splitter {
  const char* name;
  const char* rung;
  const char* configuration;  ///< that is left of a rung that chooses
  std::vector<Shape> shapes;
  Shape one_tile;  ///< that three SMs share
  Shape ragged;    ///< of which three SMs split a tile

  friend std::ostream& operator<<(std::ostream& out, const Splitter& s) { return out << s.name; }
};

const std::vector<Splitter> kSplitters = {
    {"Rung12",
     "stream_k",
     "",
     {{128, 256, 8},
      {128, 256, 256},
      {129, 260, 68},
      {250, 516, 36},
      {1, 4, 512},
      {385, 256, 132},
      {300, 300, 4}},
     {128, 256, 256},
     {130, 260, 260}},
    {"Rung14",
     "every_shape",
     "64 x 64",
     {{64, 64, 64},
      {64, 64, 2048},
      {65, 132, 68},
      {128, 256, 260},
      {129, 260, 516},
      {1, 4, 1024},
      {250, 260, 132},
      {320, 64, 1028},
      {192, 448, 12},
      {300, 300, 4}},
     {64, 64, 2048},
     {65, 196, 2052}},
};

class StreamKTest : public testing::TestWithParam<Splitter> {
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
  static bool some_tile_was_split() {
    return std::ranges::any_of(emulator::whole_workspace().subspan(kFlagBytes, kPartialBytes),
                               [](std::byte byte) { return byte != std::byte{0xff}; });
  }

  void expect_right(const Shape& shape, std::uint64_t seed, float beta) {
    Verifier verifier(*machine_, shape, seed);
    const Verdict verdict = verifier.verify(rung_.run, 1.25f, beta, rung_.tile);
    EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    EXPECT_TRUE(flags_are_zero()) << "the next launch would take old sums for new ones";
  }

  const std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const Rung rung_ = alone(GetParam());

 private:
  /// A rung as if it had one configuration: for shapes that suit a test it may take others.
  static Rung alone(const Splitter& splitter) {
    Rung rung = find_rung(emulated_rungs(), splitter.rung);
    for (const Mutant& copy : configurations_alone()) {
      if (copy.configuration == splitter.configuration) rung.run = copy.run;
    }
    return rung;
  }

  int usual_sms_ = emulator::multiprocessors();
  unsigned usual_threads_ = emulator::cpu_threads();
  CopyArrival usual_arrival_ = emulator::copy_arrival();
  BlockOrder usual_order_ = emulator::block_order();
};

TEST_P(StreamKTest, LaunchAfterLaunchIsRightOnAnyNumberOfSms) {
  for (const int sms : {1, 2, 3, 8, 13}) {
    emulator::set_multiprocessors(sms);
    int split = 0;
    for (const Shape& shape : GetParam().shapes) {
      SCOPED_TRACE(fmt::format("{} SMs, M = {}, N = {}, K = {}", sms, shape.M, shape.N, shape.K));
      forget_workspace();
      emulator::set_block_order(BlockOrder::kDescending);
      expect_right(shape, 1, 0.0f);
      split += some_tile_was_split() ? 1 : 0;
      expect_right(shape, 2, -0.75f);
      emulator::set_block_order(BlockOrder::kAscending);
      expect_right(shape, 3, 1.0f);
    }
    if (sms > 1) {
      EXPECT_GE(split, 1) << "no shape splits a tile on " << sms << " SMs";
    }
  }
}

TEST_P(StreamKTest, WhoSharesATileWaitsForTheOthers) {
  emulator::set_multiprocessors(3);
  emulator::set_cpu_threads(1);
  const Shape shape = GetParam().one_tile;
  emulator::set_block_order(BlockOrder::kDescending);
  expect_right(shape, 1, 0.0f);
  ASSERT_TRUE(some_tile_was_split());
  EXPECT_TRUE(emulator::last_run().blocks_waited);
  emulator::set_block_order(BlockOrder::kAscending);
  expect_right(shape, 1, 0.0f);
  EXPECT_FALSE(emulator::last_run().blocks_waited) << "lower blocks had ended";
}

TEST_P(StreamKTest, TheSameComesOutBitByBit) {
  emulator::set_multiprocessors(3);
  const auto [M, N, K] = GetParam().ragged;
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
  EXPECT_TRUE(some_tile_was_split());
  for (const std::vector<float>& result : results)
    EXPECT_EQ(result, results[0]);
}

INSTANTIATE_TEST_SUITE_P(All, StreamKTest, testing::ValuesIn(kSplitters),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ladder
