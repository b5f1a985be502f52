// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_grid_test.cpp
/// \brief Grids and blocks of one to three dimensions, CUDA's limits, and equal results every time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

using probes::Extents;

std::size_t product(const Extents& e) {
  return std::size_t{e[0]} * e[1] * e[2];
}

void expect_indices(const Extents& grid, const Extents& block) {
  std::vector<unsigned> out(product(grid) * product(block) * 12, 12345u);
  probes::write_indices(grid, block, out.data());
  std::size_t at = 0;
  for (unsigned bz = 0; bz < grid[2]; ++bz) {
    for (unsigned by = 0; by < grid[1]; ++by) {
      for (unsigned bx = 0; bx < grid[0]; ++bx) {
        for (unsigned tz = 0; tz < block[2]; ++tz) {
          for (unsigned ty = 0; ty < block[1]; ++ty) {
            for (unsigned tx = 0; tx < block[0]; ++tx, at += 12) {
              const std::vector<unsigned> expected = {
                  tx, ty, tz, bx, by, bz, block[0], block[1], block[2], grid[0], grid[1], grid[2]};
              ASSERT_EQ(std::vector<unsigned>(&out[at], &out[at] + 12), expected);
            }
          }
        }
      }
    }
  }
}

TEST(EmulatorGrid, OneDimension) {
  expect_indices({7, 1, 1}, {33, 1, 1});
}

TEST(EmulatorGrid, TwoDimensions) {
  expect_indices({3, 5, 1}, {16, 16, 1});
}

TEST(EmulatorGrid, ThreeDimensions) {
  expect_indices({2, 3, 4}, {3, 5, 2});
}

TEST(EmulatorGrid, LargestBlock) {
  expect_indices({2, 1, 1}, {32, 32, 1});
}

TEST(EmulatorGrid, BlocksOfChangingSize) {
  for (const unsigned threads : {1u, 1024u, 31u, 256u, 32u})
    expect_indices({2, 1, 1}, {threads, 1, 1});
}

TEST(EmulatorGrid, EveryThreadRunsOnce) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    set_cpu_threads(workers);
    std::vector<int> visits(1000 * 32, 0);
    probes::count_visits({1000, 1, 1}, {32, 1, 1}, 0, visits.data());
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
  }
}

TEST(EmulatorGrid, RepeatedRunsAreEqualToTheBit) {
  std::vector<float> first(500);
  set_cpu_threads(1);
  probes::harmonic_sums(500, first.data());
  set_cpu_threads(3);
  for (int run = 0; run < 5; ++run) {
    std::vector<float> again(500);
    probes::harmonic_sums(500, again.data());
    EXPECT_EQ(first, again);
  }
}

TEST(EmulatorGrid, CountsBlocksThreadsAndBarriers) {
  std::vector<float> sums(9);
  probes::harmonic_sums(9, sums.data());
  EXPECT_EQ(last_run().blocks, 9u);
  EXPECT_EQ(last_run().threads_per_block, 64u);
  EXPECT_EQ(last_run().barriers_per_block, 1u);
}

void expect_refused(const Extents& grid, const Extents& block, std::size_t shared_bytes,
                    FaultKind kind, const Fields& fields) {
  int visits = 0;
  const auto error = error_of([&] { probes::count_visits(grid, block, shared_bytes, &visits); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), kind) << error->what();
  EXPECT_EQ(group_of(error->kind()), FaultGroup::kLaunch);
  expect_fields(error->fault(), fields);
  EXPECT_EQ(visits, 0);
}

TEST(EmulatorGrid, RefusesWhatCudaRefuses) {
  using Numbers = FieldValue::Numbers;
  const FaultKind too_large = FaultKind::kLaunchExtentTooLarge;
  const FaultKind zero = FaultKind::kLaunchExtentZero;
  const Numbers of_block = {1024, 1024, 64};
  const Numbers of_grid = {2147483647, 65535, 65535};
  expect_refused({1, 1, 1}, {1025, 1, 1}, 0, too_large, {{"what", "block"}, {"limits", of_block}});
  expect_refused({1, 1, 1}, {32, 33, 1}, 0, FaultKind::kLaunchTooManyThreads,
                 {{"threads", 1056}, {"limit", 1024}});
  expect_refused({1, 1, 1}, {1, 1, 65}, 0, too_large, {{"what", "block"}, {"limits", of_block}});
  expect_refused({0, 1, 1}, {1, 1, 1}, 0, zero, {{"what", "grid"}, {"extents", Numbers{0, 1, 1}}});
  expect_refused({1, 1, 1}, {1, 0, 1}, 0, zero, {{"what", "block"}, {"extents", Numbers{1, 0, 1}}});
  expect_refused({1, 65536, 1}, {1, 1, 1}, 0, too_large, {{"what", "grid"}, {"limits", of_grid}});
  expect_refused({1, 1, 65536}, {1, 1, 1}, 0, too_large, {{"what", "grid"}, {"limits", of_grid}});
  expect_refused({0x80000000u, 1, 1}, {1, 1, 1}, 0, too_large,
                 {{"what", "grid"}, {"limits", of_grid}});
  expect_refused({1, 1, 1}, {1, 1, 1}, 227 * 1024 + 1, FaultKind::kLaunchDynamicShared,
                 {{"bytes", 227 * 1024 + 1}, {"limit", 227 * 1024}});
}

TEST(EmulatorGrid, SettingsRefuseNonsense) {
  EXPECT_THROW(set_cpu_threads(0), std::invalid_argument);
  EXPECT_THROW(set_cpu_threads(25), std::invalid_argument);
  EXPECT_THROW(set_hang_limit(Seconds(0)), std::invalid_argument);
  EXPECT_THROW(set_hang_limit(Seconds(-1)), std::invalid_argument);
  for (const int bytes : {0, -1, 227 * 1024 + 1})
    EXPECT_THROW(set_shared_bytes_per_block(bytes), std::invalid_argument) << bytes;
}

TEST(EmulatorGridDeathTest, EnvironmentSetsTheDefaults) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("LADDER_HANG_SECONDS", "0.25", 1);
  setenv("LADDER_CPU_THREADS", "3", 1);
  EXPECT_EXIT(std::exit(hang_limit().count() == 0.25 && cpu_threads() == 3 ? 0 : 1),
              testing::ExitedWithCode(0), "");
  setenv("LADDER_HANG_SECONDS", "soon", 1);
  EXPECT_EXIT(
      {
        try {
          hang_limit();
        } catch (const std::invalid_argument&) {
          std::exit(7);
        }
      },
      testing::ExitedWithCode(7), "");
  unsetenv("LADDER_HANG_SECONDS");
  unsetenv("LADDER_CPU_THREADS");
}

}  // namespace
}  // namespace ladder::emulator
