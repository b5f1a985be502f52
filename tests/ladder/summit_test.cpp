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
#include <set>
#include <string>
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
  const Plan plan{.log_rows = 0,
                  .log_columns = 0,
                  .k_tiles = cut.k_tiles,
                  .per_tile = cut.k_tiles,
                  .whole = cut.whole,
                  .split = cut.split,
                  .share = cut.share,
                  .counters = nullptr,
                  .order = Order(1, 1, 1),
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

void expect_sound(const Size& size, const Cluster& cluster, const Shape& shape, int sms) {
  const Cut cut = cut_of(size, cluster, shape, sms);
  ASSERT_GE(cut.clusters, 1);
  ASSERT_LE(cut.clusters * cluster.rows * cluster.columns, sms);
  ASSERT_GE(cut.k_tiles * 64, shape.K);
  ASSERT_GT(cut.us, 0);
  const auto of_tile = pieces_of(cut);
  std::vector<int> left(cut.clusters);  // parts: there is room for one
  for (int tile = 0; tile < static_cast<int>(of_tile.size()); ++tile) {
    expect_sound(of_tile[tile], cut, size.BM / size.box);
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
    const Size& size = kSizes[random() % kSizes.size()];
    for (const Cluster& cluster : kClusters) {
      if (cluster.rows * cluster.columns > sms) continue;
      SCOPED_TRACE(fmt::format("{} x {} x {} in {}, clusters of {} x {}, on {} SMs", shape.M,
                               shape.N, shape.K, size.name, cluster.rows, cluster.columns, sms));
      expect_sound(size, cluster, shape, sms);
      if (HasFatalFailure()) return;
      split += cut_of(size, cluster, shape, sms).split > 0;
    }
  }
  EXPECT_GE(split, 100) << "hardly a shape was shared";
}

TEST(SummitCutTest, TilesAreSharedOnlyWhereThatIsSooner) {
  constexpr double kRounded = 1 + 1e-9;  // the same sum in another order
  std::mt19937 random(23);
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape(random);
    for (int j = 0; j < static_cast<int>(kSizes.size()); ++j) {
      const Size& size = kSizes[j];
      const Choice choice = fastest_clusters(j, shape, 132);
      const Cluster& cluster = kClusters[choice.cluster];
      const Cut& cut = choice.cut;
      const int tiles = cut.whole + cut.split;
      const double round =
          kFinishUs * size.BM * size.BN / 32768 + cut.k_tiles * step_us(size, cluster, shape, 1);
      const double alone = *std::ranges::max_element(kStartUs) +
                           ceil_div(tiles, clusters_at_once(cluster, 132)) * round;
      EXPECT_LE(cut.us, alone * kRounded);
      if (cut.split == 0) continue;
      EXPECT_EQ(cut.whole % cut.clusters, 0);
      EXPECT_LT(cut.split, cut.clusters);
      EXPECT_LE(cut.split * cut.k_tiles, cut.share * cut.clusters);
    }
  }
}

TEST(SummitCutTest, FewClustersAndWholeLinesLoadSooner) {
  for (Size size : kSizes) {
    size.step_us = 0;  // so that loads are all
    const Cluster alone = {1, 1};
    const Shape whole = {1280, 1280, 1024};
    const Shape ragged = {1280, 1288, 1032};
    EXPECT_LT(step_us(size, alone, whole, 0.5), step_us(size, alone, whole, 1));
    EXPECT_GT(step_us(size, alone, ragged, 1), step_us(size, alone, {1280, 1280, 1032}, 1));
    EXPECT_GT(step_us(size, alone, {1280, 1280, 1032}, 1), step_us(size, alone, whole, 1));
    EXPECT_LT(step_us(size, {2, 1}, whole, 1), step_us(size, alone, whole, 1));
    EXPECT_LT(step_us(size, {1, 2}, whole, 1), step_us(size, alone, whole, 1));
    size.step_us = 100;
    EXPECT_NEAR(step_us(size, alone, whole, 1), 100, 1);
  }
}

TEST(SummitCutTest, TheFastestChoiceIsTheOneWithTheLeastTime) {
  std::mt19937 random(24);
  std::set<int> clusters;
  for (int i = 0; i < 600; ++i) {
    const Shape shape = random_shape(random);
    const int sms = std::vector{1, 4, 132}[i % 3];
    const Choice taken = fastest(shape, sms);
    clusters.insert(taken.cluster);
    const Cluster& cluster = kClusters[taken.cluster];
    EXPECT_LE(cluster.rows * cluster.columns, sms);
    EXPECT_EQ(taken.cut.us, cut_of(kSizes[taken.size], cluster, shape, sms).us);
    for (int j = 0; j < static_cast<int>(kSizes.size()); ++j)
      EXPECT_LE(taken.cut.us, cut_of(kSizes[j], {1, 1}, shape, sms).us) << kSizes[j].name;
    EXPECT_EQ(fastest(shape, sms).size, taken.size);
  }
  EXPECT_EQ(clusters.size(), kClusters.size()) << "one is never worth it";
}

TEST(SummitCutTest, QuotientsAreExact) {
  std::mt19937 random(25);
  for (int i = 0; i < 100000; ++i) {
    const auto number = [&] { return static_cast<int>(random() >> random() % 31 >> 1); };
    const int value = number();
    const int divisor = std::max(1, number());
    ASSERT_EQ(Divisor(divisor).quotient(value), value / divisor) << value << " / " << divisor;
  }
}

TEST(SummitCutTest, EachTileHasItsOwnPosition) {
  for (const auto& [rows, columns, band] :
       {std::array{1, 1, 1}, {7, 3, 2}, {6, 5, 3}, {4, 9, 8}, {9, 1, 4}, {1, 6, 66}}) {
    const Order order(rows, columns, band);
    std::set<std::pair<int, int>> seen;
    for (int tile = 0; tile < rows * columns; ++tile) {
      const Position position = order.position(tile);
      ASSERT_TRUE(position.row >= 0 && position.row < rows);
      ASSERT_TRUE(position.column >= 0 && position.column < columns);
      ASSERT_EQ(position.row / band, tile / (band * columns)) << "a band is finished first";
      seen.emplace(position.row, position.column);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows) * columns);
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
    const WorkPlan plan = find_rung(emulated_rungs(), "hopper_summit").plans(shape).at(GetParam());
    SCOPED_TRACE(fmt::format("{}: {} x {} x {}, alpha {}, beta {}", plan.name, shape.M, shape.N,
                             shape.K, alpha, beta));
    Verifier verifier(*machine_, shape, 3, kBf16);
    const Verdict verdict = verifier.verify(plan.launch, alpha, beta, {size().BM, size().BN});
    EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    EXPECT_TRUE(no_word_is_left()) << "the next launch would find a count or a flag";
  }

  /// Two tiles more than blocks, and so much of K that they share it.
  static Shape shared_shape() {
    Shape shape = {size().BM - 3, size().BN * (kSms + 2) - 8, 1016};
    while (fastest_clusters(GetParam(), shape, kSms).cut.split == 0 && shape.K < 20000)
      shape.K += 256;
    return shape;
  }

 private:
  /// Counters and flags are in front of the parts of tiles.
  static bool no_word_is_left() {
    return std::ranges::all_of(emulator::whole_workspace().first(8192),
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
  ASSERT_GT(fastest_clusters(GetParam(), shape, kSms).cut.split, 0);
  for (const unsigned threads : {1u, 2u}) {  // that run blocks side by side
    emulator::set_cpu_threads(threads);
    expect_right(shape, 1.0f, 0.0f);
    expect_right(shape, -0.5f, 1.7320508f);
  }
}

// Blocks share A, B or both, two to eight of them.
TEST(SummitClustersTest, AreAllRight) {
  constexpr int kSmsOfH100 = 132;
  const emulator::ScopedMultiprocessors all{kSmsOfH100};
  const auto machine = make_cpu_machine();
  const Rung& rung = find_rung(emulated_rungs(), "hopper_summit");
  std::mt19937 random(26);
  std::set<int> seen;
  for (int i = 0; i < 20000 && seen.size() < kClusters.size(); ++i) {
    const Shape shape = random_shape(random);
    if (flops(shape) > 1e8) continue;
    const int size = static_cast<int>(random() % kSizes.size());
    if (!seen.insert(fastest_clusters(size, shape, kSmsOfH100).cluster).second) continue;
    const WorkPlan plan = rung.plans(shape).at(size);
    SCOPED_TRACE(fmt::format("{}: {} x {} x {}", plan.name, shape.M, shape.N, shape.K));
    Verifier verifier(*machine, shape, 3, kBf16);
    EXPECT_TRUE(verifier.verify(plan.launch, -0.5f, 1.7320508f, plan.tile).right);
  }
  EXPECT_EQ(seen.size(), kClusters.size()) << "no shape had the others";
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
