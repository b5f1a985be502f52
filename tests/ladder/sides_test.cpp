// SPDX-License-Identifier: MIT
/// \file  tests/ladder/sides_test.cpp
/// \brief Rung 21: wherever clusters run, each has a seat of its own, and every tile one cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "tests/ladder/sides_probe.hpp"

namespace ladder {
namespace {

using side_aware::SideBits;
using sides_probe::Place;
using sides_probe::Taken;

constexpr int kTile = 256;  // rows and columns of a pair of blocks

/// So many SMs of side 1 first, all others on side 0.
SideBits first_on_side_1(unsigned count) {
  SideBits sides;
  for (unsigned sm = 0; sm < count; ++sm)
    sides.set(sm);
  return sides;
}

TEST(SideBitsTest, EachSmHasABitOfItsOwn) {
  SideBits sides;
  for (const unsigned sm : {0u, 31u, 32u, 131u, 255u})
    sides.set(sm);
  for (unsigned sm = 0; sm < side_aware::kMostMultiprocessors; ++sm) {
    const bool set = sm == 0 || sm == 31 || sm == 32 || sm == 131 || sm == 255;
    EXPECT_EQ(sides.of(sm), set ? 1 : 0) << sm;
  }
}

TEST(SideBitsTest, WithoutAGpuThereAreNoSides) {
  EXPECT_FALSE(sides_probe::finds_sides());
}

class SidesTest : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    emulator::set_cpu_threads(GetParam());
    emulator::clear_workspace();
  }
  void TearDown() override {
    emulator::set_cpu_threads(usual_threads_);
    emulator::clear_workspace();
  }

  /// Runs rung 21 twice, and looks at what it leaves for the next launch.
  void expect_right(const Shape& shape, const SideBits* sides, float alpha, float beta) {
    Verifier verifier(*machine_, shape, 7, kBf16);
    const ladder::Run run = [&](const Gemm<bfloat16>& gemm, Stream stream) {
      sides_probe::run(gemm, sides, stream);
    };
    for (int launch = 0; launch < 2; ++launch) {
      const Verdict verdict = verifier.verify(run, alpha, beta, {128, kTile});
      EXPECT_TRUE(verdict.right) << shape.M << " x " << shape.N << " x " << shape.K << ": "
                                 << text_of(verdict.wrong);
      EXPECT_TRUE(std::ranges::all_of(emulator::whole_workspace().first(5 * sizeof(unsigned)),
                                      [](std::byte byte) { return byte == std::byte{}; }))
          << "counters or seats are left over";
    }
  }

 private:
  unsigned usual_threads_ = emulator::cpu_threads();
  emulator::ScopedMultiprocessors enough_{16};
  std::unique_ptr<Machine> machine_ = make_cpu_machine();
};

// Of any clusters on side 1, as many as find a seat there sit there.
TEST_P(SidesTest, EachClusterHasASeatOfItsOwn) {
  std::mt19937 random(GetParam());
  constexpr unsigned kClusters = 16;
  for (unsigned on_side_1 = 0; on_side_1 <= kClusters; ++on_side_1) {
    std::vector<unsigned> sms(kClusters);
    std::iota(sms.begin(), sms.end(), 0u);
    std::ranges::shuffle(sms, random);
    const SideBits sides = first_on_side_1(on_side_1);
    const Taken taken = sides_probe::take_seats(sms, sides);
    std::vector<int> sorted = taken.of_cluster;
    std::ranges::sort(sorted);
    for (int seat = 0; seat < static_cast<int>(kClusters); ++seat)
      EXPECT_EQ(sorted[seat], seat) << on_side_1 << " on side 1";
    int at_home = 0;
    for (unsigned i = 0; i < kClusters; ++i)
      at_home += sides.of(sms[i]) == taken.of_cluster[i] / static_cast<int>(kClusters / 2);
    const unsigned fewer = std::min(on_side_1, kClusters - on_side_1);
    // The others may take a seat before one who is at home comes, who then sits on the other side.
    EXPECT_GE(at_home, static_cast<int>(2 * fewer)) << on_side_1 << " on side 1";
    const unsigned most = std::max(on_side_1, kClusters - on_side_1);
    EXPECT_GE(std::max(taken.tickets[0], taken.tickets[1]), most);
  }
}

// 300 x 1000 is 2 x 4 tiles, none of the last row or column whole.
TEST_P(SidesTest, IsRightOnWhateverSideAllOfThemRun) {
  for (const unsigned side : {0u, 1u}) {
    const SideBits sides = first_on_side_1(side);  // the emulator's blocks all run on SM 0
    expect_right({300, 1000, 2056}, &sides, 1.0f, 0.0f);
    expect_right({40, 264, 2048}, &sides, -0.5f, 1.7320508f);
  }
  expect_right({40, 264, 2048}, nullptr, 1.0f, 0.0f);
}

// Halves of three columns would leave one out; three clusters have no halves; less of K no seats.
TEST_P(SidesTest, WhereThereAreNoHalvesItTakesOneSide) {
  const SideBits sides = first_on_side_1(1);
  expect_right({40, 520, 2048}, &sides, 1.0f, 0.5f);
  expect_right({40, 512, 2040}, &sides, 1.0f, 0.0f);
  const emulator::ScopedMultiprocessors three_clusters(6);
  expect_right({264, 512, 2048}, &sides, 1.0f, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(CpuThreads, SidesTest, testing::Values(1, 2, 5),
                         testing::PrintToStringParamName());

// Any seat of a side has columns of that half alone, and all seats have all tiles once.
TEST(SidesOrderTest, EachSideHasOneHalfOfTheColumns) {
  for (const auto& [M, N] : {std::pair(300, 1000), {4096, 4096}, {2304, 512}, {256, 8200}}) {
    const int columns = (N + kTile - 1) / kTile;
    for (const int sides : {1, 2}) {
      if (columns % sides != 0) continue;
      for (const int clusters : {2, 8, 66}) {
        std::vector<Place> all;
        for (int seat = 0; seat < clusters; ++seat) {
          for (const Place& place : sides_probe::tiles_of_seat(M, N, seat, clusters, sides)) {
            const int side = seat / (clusters / sides);
            EXPECT_EQ(place.column / kTile / (columns / sides), side) << N << ", seat " << seat;
            all.push_back(place);
          }
        }
        std::ranges::sort(all);
        std::vector<Place> expected;
        for (int row = 0; row < M; row += kTile)
          for (int column = 0; column < N; column += kTile)
            expected.push_back({row, column});
        EXPECT_EQ(all, expected) << M << " x " << N << " by " << clusters << ", " << sides;
      }
    }
  }
}

}  // namespace
}  // namespace ladder
