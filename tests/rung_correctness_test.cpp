// SPDX-License-Identifier: MIT
/// \file  tests/rung_correctness_test.cpp
/// \brief Every rung gives right results, or refuses the shape as the table says: at the edges of
///        tiles and at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

bool takes(const Rung& rung, const Shape& shape) {
  return shape.N % rung.multiple_of == 0 && shape.K % rung.multiple_of == 0;
}

/// The rungs of one machine, "cpu" or "gpu".
class RungCorrectnessTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!on_gpu()) {
      machine_ = make_cpu_machine();
      rungs_ = emulated_rungs();
      return;
    }
    try {
      machine_ = make_gpu_machine();
      rungs_ = rungs();
    } catch (const MachineError& error) {
      GTEST_SKIP() << "no GPU: " << error.what();
    }
  }

  bool on_gpu() const { return std::string(GetParam()) == "gpu"; }

  /// Each rung must be right, or refuse what the table says it does not take.
  void expect_right_or_refused(Verifier& verifier, const Problem& problem) {
    const auto [M, N, K] = problem.shape;
    for (const Rung& rung : rungs_) {
      if (rung.compute_capability > machine_->compute_capability()) continue;
      SCOPED_TRACE(fmt::format("{}: M = {}, N = {}, K = {}, alpha = {}, beta = {}, seed = {}",
                               label(rung), M, N, K, problem.alpha, problem.beta, problem.seed));
      try {
        const Verdict verdict = verifier.verify(rung.run, problem.alpha, problem.beta, rung.tile);
        EXPECT_TRUE(verdict.right) << verdict.complaint;
        EXPECT_TRUE(takes(rung, problem.shape)) << "accepted, but the table says it is refused";
      } catch (const ShapeRefused& refusal) {
        EXPECT_FALSE(takes(rung, problem.shape)) << refusal.what();
      }
    }
  }

  std::unique_ptr<Machine> machine_;
  std::span<const Rung> rungs_;
};

TEST_P(RungCorrectnessTest, AtTheEdges) {
  const std::vector<Shape> shapes = {
      {1, 1, 1},                                        // the smallest
      {7, 13, 31},    {127, 131, 137},                  // primes
      {31, 31, 31},   {32, 32, 32},    {33, 33, 33},    // around the tile of 32
      {127, 127, 7},  {128, 128, 8},   {129, 129, 9},   // around the tile of 128 x 128 x 8
      {1, 1, 300},    {64, 96, 1},                      // long and short sums
      {1, 300, 40},   {300, 1, 40},                     // one row, one column
      {1000, 3, 5},   {3, 1000, 5},                     // tall, wide
      {1, 4, 4},      {5, 132, 4},     {127, 124, 4},   // the same for rungs that want fours
      {128, 128, 16}, {129, 132, 12},  {131, 260, 68},  //
      {517, 4, 12},   {3, 1004, 8},    {2, 4, 2000},    //
      {2177, 260, 4}, {4225, 132, 4},                   // more tile rows than a band holds
  };
  constexpr std::uint64_t kSeed = 11;
  const std::vector<float> factors = {0.0f, 1.0f, -0.5f, 1.7320508f};
  for (const Shape& shape : shapes) {
    Verifier verifier(*machine_, shape, kSeed);
    for (const float alpha : factors) {
      for (const float beta : factors) {
        expect_right_or_refused(verifier,
                                {.shape = shape, .alpha = alpha, .beta = beta, .seed = kSeed});
      }
    }
  }
}

TEST_P(RungCorrectnessTest, AtRandom) {
  const char* const wanted = std::getenv("LADDER_RANDOM_SHAPES");
  const int count = wanted != nullptr ? std::atoi(wanted) : on_gpu() ? 2000 : 200;
  ASSERT_GT(count, 0) << "LADDER_RANDOM_SHAPES is no number: " << wanted;
  const int largest = on_gpu() ? 1200 : 300;
  for (int seed = 1; seed <= count && !HasFatalFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const auto extent = [&] { return std::uniform_int_distribution<int>(1, largest)(random); };
    const auto factor = [&] { return std::uniform_real_distribution<float>(-2.0f, 2.0f)(random); };
    Problem problem{.shape = {extent(), extent(), extent()},
                    .alpha = factor(),
                    .beta = factor(),
                    .seed = static_cast<std::uint64_t>(seed)};
    if (seed % 4 == 0) problem.beta = 0.0f;
    if (seed % 2 == 0) {  // one random shape in 16 alone would suit the rungs that want fours
      problem.shape.N = (problem.shape.N + 3) / 4 * 4;
      problem.shape.K = (problem.shape.K + 3) / 4 * 4;
    }
    Verifier verifier(*machine_, problem.shape, problem.seed);
    expect_right_or_refused(verifier, problem);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RungCorrectnessTest, testing::Values("cpu", "gpu"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ladder
