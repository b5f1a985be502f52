// SPDX-License-Identifier: MIT
/// \file  tests/ladder/summit_test.cpp
/// \brief Rung 22: each k tile of each tile of C is computed once, whatever the shape and the GPU;
///        every tile size is right, shares its last tiles, and leaves no count and no flag.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/22_hopper_summit/schedule.cuh"
#include "ladder/22_hopper_summit/sizes.hpp"
#include "ladder/ladder.hpp"
#include "tests/ladder/summit_probe.hpp"

namespace ladder::hopper_summit {
namespace {

// -- The cut -------------------------------------------------------------------------------------

constexpr unsigned kMostPieces = 16;  // of a tile, when a share begins where the tile does

/// A segment and whose it is.
struct Piece {
  int cluster;
  Segment segment;
};

/// What all clusters compute, tile by tile, each along K.
std::vector<std::vector<Piece>> pieces_of(const Cut& cut) {
  const Plan plan{.k_tiles = cut.k_tiles,
                  .whole = cut.whole,
                  .split = cut.split,
                  .share = cut.share,
                  .counters = nullptr,
                  .band = 1,
                  .parts = nullptr,
                  .flags = nullptr};
  std::vector<std::vector<Piece>> of_tile(cut.whole + cut.split);
  for (int cluster = 0; cluster < cut.clusters; ++cluster) {
    Segments segments(plan, cluster, cut.clusters);
    for (Segment segment; segments.next(segment);)
      of_tile.at(segment.tile).push_back({cluster, segment});
  }
  for (std::vector<Piece>& pieces : of_tile)
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.segment.first; });
  return of_tile;
}

/// What kernel.cuh takes for granted of the pieces of one tile.
void expect_sound(const std::vector<Piece>& pieces, const Cut& cut, int boxes) {
  int done = 0;
  int cluster = pieces.empty() ? 0 : pieces.front().cluster;
  for (const auto& [owner, segment] : pieces) {
    ASSERT_EQ(segment.first, done) << "a gap, or computed twice";
    ASSERT_GE(segment.last - segment.first, boxes) << "results leave under so many k tiles";
    ASSERT_EQ(owner, cluster++) << "the first one adds what the next clusters have";
    const bool in_between = segment.first > 0 && segment.last < cut.k_tiles;
    ASSERT_TRUE(!in_between || segment.last - segment.first == cut.share);
    done = segment.last;
  }
  ASSERT_EQ(done, cut.k_tiles);
}

void expect_sound(const Size& size, const Shape& shape, int sms) {
  const Cut cut = cut_of(size, shape, sms);
  ASSERT_GE(cut.clusters, 1);
  ASSERT_LE(cut.clusters * size.rows * size.columns, sms);
  ASSERT_GE(cut.k_tiles * 64, shape.K);
  ASSERT_GT(cut.us, 0);
  const auto of_tile = pieces_of(cut);
  std::vector<int> left(cut.clusters);  // parts: there is room for one
  for (int tile = 0; tile < static_cast<int>(of_tile.size()); ++tile) {
    expect_sound(of_tile[tile], cut, size.BN / 64);
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_LE(of_tile[tile].size(), tile < cut.whole ? 1u : kMostPieces + 1u);
    for (const Piece& piece : of_tile[tile])
      left[piece.cluster] += piece.segment.first > 0;
  }
  ASSERT_LE(*std::ranges::max_element(left), 1);
}

/// Logarithms are uniform.
Shape random_shape(std::mt19937& random) {
  const auto extent = [&](double most) {
    return static_cast<int>(
        std::exp2(std::uniform_real_distribution(0.0, std::log2(most))(random)));
  };
  return {extent(20000), 8 * extent(2500), 8 * extent(2500)};
}

TEST(SummitCutTest, EveryKTileOfEveryTileIsComputedOnce) {
  std::mt19937 random(22);
  int split = 0;
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape(random);
    const int sms = std::vector{2, 3, 8, 66, 78, 114, 132, 144}[i % 8];
    for (const Size& size : kSizes) {
      if (size.rows * size.columns > sms) continue;
      SCOPED_TRACE(
          fmt::format("{} x {} x {} in {} on {} SMs", shape.M, shape.N, shape.K, size.name, sms));
      expect_sound(size, shape, sms);
      if (HasFatalFailure()) return;
      split += cut_of(size, shape, sms).split > 0;
    }
  }
  EXPECT_GE(split, 100) << "hardly a shape was shared";
}

TEST(SummitCutTest, TilesAreSharedOnlyWhereThatIsSooner) {
  constexpr double kRounded = 1 + 1e-9;  // the same sum in another order
  std::mt19937 random(23);
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape(random);
    for (const Size& size : kSizes) {
      const Cut cut = cut_of(size, shape, 132);
      const int tiles = cut.whole + cut.split;
      const double alone =
          size.start_us +
          ceil_div(tiles, cut.clusters) * (size.tile_us + cut.k_tiles * step_us(size, shape, 1));
      EXPECT_LE(cut.us, alone * kRounded);
      if (cut.split == 0) continue;
      EXPECT_LT(cut.us, alone);
      EXPECT_EQ(cut.whole % cut.clusters, 0);
      EXPECT_LT(cut.split, cut.clusters);
      EXPECT_LE(cut.split * cut.k_tiles, cut.share * cut.clusters);
    }
  }
}

TEST(SummitCutTest, FewClustersAndWholeLinesLoadSooner) {
  for (Size size : kSizes) {
    size.step_us = 0;  // so loads take longer
    const Shape whole = {1024, 1024, 1024};
    EXPECT_LT(step_us(size, whole, 0.5), step_us(size, whole, 1));
    EXPECT_EQ(step_us(size, whole, 0.01), step_us(size, whole, 0.02)) << "an SM has a limit, too";
    EXPECT_DOUBLE_EQ(step_us(size, {1024, 1032, 1032}, 1), 2 * step_us(size, whole, 1));
    EXPECT_LT(step_us(size, {1024, 1032, 1024}, 1), 2 * step_us(size, whole, 1));
    size.step_us = 100;
    EXPECT_EQ(step_us(size, whole, 1), 100);
  }
}

TEST(SummitCutTest, TheFastestSizeIsTheOneWithTheLeastTime) {
  std::mt19937 random(24);
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape(random);
    const int taken = fastest_size(shape, 132);
    for (const Size& size : kSizes)
      EXPECT_LE(cut_of(kSizes[taken], shape, 132).us, cut_of(size, shape, 132).us) << size.name;
    EXPECT_EQ(fastest_size(shape, 132), taken);
  }
}

// -- Every size, on the emulator -----------------------------------------------------------------

constexpr int kSms = 12;

class SummitSizeTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { emulator::clear_workspace(); }
  void TearDown() override {
    emulator::set_cpu_threads(usual_threads_);
    emulator::clear_workspace();
  }

  static const Size& size() { return kSizes[GetParam()]; }

  void expect_right(const Shape& shape, float alpha, float beta) {
    SCOPED_TRACE(
        fmt::format("{} x {} x {}, alpha {}, beta {}", shape.M, shape.N, shape.K, alpha, beta));
    const WorkPlan plan = find_rung(emulated_rungs(), "hopper_summit").plans(shape).at(GetParam());
    ASSERT_EQ(plan.name, size().name);
    Verifier verifier(*machine_, shape, 3, kBf16);
    const Verdict verdict = verifier.verify(plan.launch, alpha, beta, {size().BM, size().BN});
    EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    EXPECT_TRUE(no_word_is_left()) << "the next launch would find a count or a flag";
  }

  /// Two tiles more than clusters, and so much of K that they share it.
  static Shape shared_shape() {
    const int tiles = kSms / (size().rows * size().columns) + 2;
    Shape shape = {size().rows * size().BM - 3, size().columns * size().BN * tiles - 8, 1016};
    while (cut_of(size(), shape, kSms).split == 0 && shape.K < 20000)
      shape.K += 256;
    return shape;
  }

 private:
  /// Counters and flags are in front of the parts of tiles.
  static bool no_word_is_left() {
    return std::ranges::all_of(emulator::whole_workspace().first(4096),
                               [](std::byte byte) { return byte == std::byte{}; });
  }

  unsigned usual_threads_ = emulator::cpu_threads();
  emulator::ScopedMultiprocessors few_{kSms};
  std::unique_ptr<Machine> machine_ = make_cpu_machine();
};

TEST_P(SummitSizeTest, IsRightOnRaggedShapes) {
  for (const Shape& shape : {Shape{1, 8, 8},
                             {63, 56, 72},
                             {65, 72, 264},
                             {257, 264, 136},
                             {130, 1160, 328},
                             {700, 520, 64}}) {
    expect_right(shape, 1.0f, 0.0f);
    expect_right(shape, -0.5f, 1.7320508f);
  }
}

TEST_P(SummitSizeTest, SharesTheLastTiles) {
  const Shape shape = shared_shape();
  ASSERT_GT(cut_of(size(), shape, kSms).split, 0);
  for (const unsigned threads : {1u, 2u}) {  // that run blocks side by side
    emulator::set_cpu_threads(threads);
    expect_right(shape, 1.0f, 0.0f);
    expect_right(shape, -0.5f, 1.7320508f);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SummitSizeTest, testing::Range(0, static_cast<int>(kSizes.size())));

// -- Pace ----------------------------------------------------------------------------------------

// A plain launch may begin while others still have its SMs: then a cluster goes on alone.
TEST(SummitPaceTest, EndsAlthoughTheOtherClusterDoesNotRun) {
  std::array<unsigned, 3> counters = {};
  begin_epochs_alone(9, counters.data());
  EXPECT_EQ(counters, (std::array<unsigned, 3>{5, 4, 1})) << "the other one would reset them";
  begin_epochs_alone(9, counters.data());
  EXPECT_EQ(counters, (std::array<unsigned, 3>{})) << "this is the other one";
}

}  // namespace
}  // namespace ladder::hopper_summit
