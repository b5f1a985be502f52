// SPDX-License-Identifier: MIT
/// \file  tests/ladder/pace_test.cpp
/// \brief Rung 20's clusters: none is more than an epoch ahead of another, and each launch leaves
///        the counters as it found them.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/ladder/pace_probe.hpp"

namespace ladder {
namespace {

using Counters = std::array<unsigned, 3>;

class PaceTest : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { emulator::set_cpu_threads(GetParam()); }
  void TearDown() override { emulator::set_cpu_threads(usual_threads_); }

 private:
  unsigned usual_threads_ = emulator::cpu_threads();
  emulator::ScopedMultiprocessors enough_{16};
};

TEST_P(PaceTest, NobodyIsMoreThanAnEpochAhead) {
  Counters counters = {};
  for (const std::vector<unsigned>& epochs :
       {std::vector<unsigned>(9, 12), std::vector<unsigned>{40, 40, 40}, {7}, {1, 1}, {0, 1, 2}}) {
    EXPECT_LE(widest_gap(epochs, counters.data()), 1u) << epochs.size() << " blocks";
    EXPECT_EQ(counters, Counters{}) << epochs.size() << " blocks";
  }
}

// A block that has ended counts for nobody else: the others stay as close as before.
TEST_P(PaceTest, NorAreThoseThatGoOnWhenSomeHaveEnded) {
  Counters counters = {};
  for (const std::vector<unsigned>& epochs :
       {std::vector<unsigned>{4, 30, 4, 30, 30, 4}, {30, 4, 4, 4, 30}, {3, 3, 3, 64, 64}}) {
    EXPECT_LE(widest_gap(epochs, counters.data()), 1u);
    EXPECT_EQ(counters, Counters{});
  }
}

INSTANTIATE_TEST_SUITE_P(CpuThreads, PaceTest, testing::Values(1, 2, 5),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ladder
