// SPDX-License-Identifier: MIT
/// \file  tests/ladder/shared_k_rule_test.cpp
/// \brief Rung 13's rule: rung 12's tile where there are many of them, small ones where there are
///        few; each side of each boundary, and right on both.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

class SharedKRuleTest : public testing::Test {
 protected:
  void SetUp() override { emulator::set_multiprocessors(132); }
  void TearDown() override { emulator::set_multiprocessors(usual_sms_); }

  WorkPlan taken(const Shape& shape) const {
    const std::vector<WorkPlan> plans = rung_.plans(shape);
    EXPECT_EQ(std::ranges::count_if(plans, &WorkPlan::taken), 1);
    return *std::ranges::find_if(plans, &WorkPlan::taken);
  }

  const Rung rung_ = find_rung(emulated_rungs(), "shared_k");
  const std::unique_ptr<Machine> machine_ = make_cpu_machine();

 private:
  int usual_sms_ = emulator::multiprocessors();
};

TEST_F(SharedKRuleTest, LargeSquaresKeepTheTileOfRung12) {
  const Rung& below = find_rung(emulated_rungs(), "stream_k");
  for (const int size : {2048, 4096, 8192}) {
    const WorkPlan plan = taken({size, size, size});
    const WorkPlan of_below = below.plans({size, size, size}).at(0);
    EXPECT_EQ(plan.name, of_below.name);
    EXPECT_EQ(plan.whole_tiles, of_below.whole_tiles) << size;
    EXPECT_EQ(plan.ranks, of_below.ranks) << size;
    EXPECT_EQ(plan.share, of_below.share) << size;
  }
}

TEST_F(SharedKRuleTest, ATileForEveryFourSmsIsEnough) {
  EXPECT_EQ(taken({33 * 128, 256, 4096}).name, "128 x 256");
  EXPECT_EQ(taken({33 * 128, 256, 8}).name, "128 x 256");
  EXPECT_EQ(taken({32 * 128, 256, 2048}).name, "64 x 128");
  EXPECT_EQ(taken({1024, 1024, 1024}).name, "64 x 128") << "32 tiles of 128 x 256";
  emulator::set_multiprocessors(128);
  EXPECT_EQ(taken({32 * 128, 256, 2048}).name, "128 x 256");
}

TEST_F(SharedKRuleTest, SoAre96KTilesForEachSm) {
  EXPECT_EQ(taken({32 * 128, 256, 96 * 132 / 32 * 8}).name, "128 x 256");
  EXPECT_EQ(taken({32 * 128, 256, 96 * 132 / 32 * 8 - 8}).name, "64 x 128");
}

TEST_F(SharedKRuleTest, RowsThatFillHalfOfATileTakeASmallerOne) {
  EXPECT_EQ(taken({65, 33 * 256, 4096}).name, "128 x 256");
  EXPECT_EQ(taken({64, 33 * 256, 4096}).name, "64 x 128");
  EXPECT_EQ(taken({64, 33 * 256, 512}).name, "32 x 64");
}

TEST_F(SharedKRuleTest, DeepKTakesWarpsThatShareATileOf64x128) {
  EXPECT_EQ(taken({512, 512, 512}).name, "32 x 64");
  EXPECT_EQ(taken({512, 512, 516}).name, "64 x 128");
}

TEST_F(SharedKRuleTest, AClusterHasAsManyBlocksAsThereAreSmsForATile) {
  EXPECT_EQ(taken({32, 64, 512}).cluster, 8) << "at most";
  EXPECT_EQ(taken({32, 16 * 64, 512}).cluster, 8) << "132 / 16";
  EXPECT_EQ(taken({32, 17 * 64, 512}).cluster, 4) << "132 / 17 is 7: no power of two";
  EXPECT_EQ(taken({32, 66 * 64, 512}).cluster, 2);
  EXPECT_EQ(taken({32, 67 * 64, 512}).cluster, 1);
  EXPECT_EQ(taken({32, 64, 128}).cluster, 2) << "64 of K for each block";
  EXPECT_EQ(taken({32, 64, 252}).cluster, 4);
  EXPECT_EQ(taken({32, 64, 192}).cluster, 2);
  EXPECT_EQ(taken({1, 4, 4}).cluster, 1);
}

TEST_F(SharedKRuleTest, EachSideOfEachBoundaryIsRight) {
  emulator::set_multiprocessors(8);  // two tiles of 128 x 256 are many
  for (const Shape& shape : {Shape{129, 256, 36},
                             {128, 256, 36},
                             {128, 256, 512},
                             {128, 256, 516},
                             {64, 64, 512},
                             {32, 192, 260},
                             {33, 68, 4}}) {
    Verifier verifier(*machine_, shape, 1);
    const Verdict verdict = verifier.verify(rung_.run, 1.25f, -0.5f, rung_.tile);
    EXPECT_TRUE(verdict.right) << shape.M << " x " << shape.N << " x " << shape.K << ": "
                               << taken(shape).name << ": " << text_of(verdict.wrong);
  }
}

TEST_F(SharedKRuleTest, WhereABlockGetsLittleSharedMemoryATileFits) {
  const int usual = emulator::shared_bytes_per_block();
  emulator::set_shared_bytes_per_block(99 * 1024);
  EXPECT_EQ(taken({4096, 4096, 4096}).name, "128 x 256");
  EXPECT_EQ(taken({512, 512, 4096}).name, "32 x 64") << "64 x 128 takes more than 99 KiB";
  emulator::set_shared_bytes_per_block(usual);
}

}  // namespace
}  // namespace ladder
