// SPDX-License-Identifier: MIT
/// \file  tests/ladder/rung_correctness_test.cpp
/// \brief Every rung gives right results, or refuses the shape as the table says: at the edges of
///        tiles and at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/small_problems.hpp"
#include "tests/ladder/rung_shapes.hpp"

namespace ladder {
namespace {

using emulator::CopyArrival;

/// Copies are asynchronous from compute capability 8.0 on.
bool may_copy_asynchronously(const Rung& rung) {
  return lowest_compute_capability(rung) >= 80;
}

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

  void TearDown() override {
    emulator::set_copy_arrival(usual_arrival_);
    emulator::set_multiprocessors(usual_sms_);
  }

  bool on_gpu() const { return std::string(GetParam()) == "gpu"; }

  /// Each rung must be right, or refuse what the table says it does not take. On the emulator,
  /// those that copy asynchronously must be right however their copies arrive.
  /// \param factors    alpha and beta
  /// \param least_tile  rows of the blocks' tiles
  void expect_right_or_refused(const Shape& shape, std::uint64_t seed,
                               const std::vector<std::pair<float, float>>& factors,
                               int least_tile = 0) {
    for (const Precision& precision : precisions_of(rungs_)) {
      Verifier verifier(*machine_, shape, seed, precision);
      for (const Rung& rung : rungs_) {
        if (rung.precision != precision || rung.tile.BM < least_tile ||
            !runs_on(rung, machine_->compute_capability())) {
          continue;
        }
        for (const auto& [alpha, beta] : factors) {
          expect_right_or_refused(verifier, {shape, alpha, beta, seed}, rung);
        }
      }
    }
  }

  std::unique_ptr<Machine> machine_;
  std::span<const Rung> rungs_;

 private:
  void expect_right_or_refused(Verifier& verifier, const Problem& problem, const Rung& rung) {
    for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
      if (arrival == CopyArrival::kEarly && (on_gpu() || !may_copy_asynchronously(rung))) continue;
      emulator::set_copy_arrival(arrival);
      SCOPED_TRACE(arrival == CopyArrival::kLate ? "copies arrive late" : "copies arrive early");
      expect_one_right_or_refused(verifier, problem, rung);
    }
  }

  void expect_one_right_or_refused(Verifier& verifier, const Problem& problem, const Rung& rung) {
    const auto [M, N, K] = problem.shape;
    SCOPED_TRACE(fmt::format("{}: M = {}, N = {}, K = {}, alpha = {}, beta = {}, seed = {}",
                             label(rung), M, N, K, problem.alpha, problem.beta, problem.seed));
    try {
      const Verdict verdict = verifier.verify(rung.run, problem.alpha, problem.beta, rung.tile);
      EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
      EXPECT_TRUE(takes(rung, problem.shape)) << "accepted, but the table says it is refused";
    } catch (const ShapeRefused& refusal) {
      EXPECT_FALSE(takes(rung, problem.shape)) << refusal.what();
    }
  }

  CopyArrival usual_arrival_ = emulator::copy_arrival();
  int usual_sms_ = emulator::multiprocessors();
};

TEST_P(RungCorrectnessTest, AtTheEdges) {
  constexpr std::uint64_t kSeed = 11;
  for (const Shape& shape : kShapesAtEdges)
    expect_right_or_refused(shape, kSeed, kAllFactors);
}

TEST_P(RungCorrectnessTest, AtTheEdgesOfPipelines) {
  constexpr std::uint64_t kSeed = 12;
  constexpr int kLeastTile = 128;  // the others have no pipeline
  for (const Shape& shape : kShapesOfPipelines)
    expect_right_or_refused(shape, kSeed, kTwoFactors, kLeastTile);
}

TEST_P(RungCorrectnessTest, BeyondTwoThousandRowsAndColumns) {
  constexpr std::uint64_t kSeed = 13;
  for (const Shape& shape : kLargeShapes)
    expect_right_or_refused(shape, kSeed, {{-0.5f, kRoot}});
}

TEST_P(RungCorrectnessTest, AtEveryK) {
  constexpr std::uint64_t kSeed = 14;
  emulator::set_multiprocessors(3);  // some share K, some do not
  for (const Shape& shape : shapes_of_every_k())
    expect_right_or_refused(shape, kSeed, {{-0.5f, kRoot}});
}

TEST_P(RungCorrectnessTest, OnIntegersToTheLastBit) {
  for (const Rung& rung : rungs_) {
    if (rung.number == 0 || !runs_on(rung, machine_->compute_capability())) continue;
    const SmallProblems found = verify_small_problems(*machine_, rung);
    EXPECT_TRUE(found.findings.empty()) << label(rung);
    EXPECT_GE(found.verified, static_cast<int>(small_problems_of(rung).size())) << label(rung);
    if (rung.plans == nullptr) continue;
    EXPECT_EQ(found.configurations, static_cast<int>(rung.plans({64, 64, 64}).size()));
  }
}

TEST_P(RungCorrectnessTest, AtRandom) {
  const char* const wanted = std::getenv("LADDER_RANDOM_SHAPES");
  const int count = wanted != nullptr ? std::atoi(wanted) : on_gpu() ? 2000 : 80;
  ASSERT_GT(count, 0) << "LADDER_RANDOM_SHAPES is no number: " << wanted;
  const int largest = on_gpu() ? 1200 : 300;
  for (int seed = 1; seed <= count && !HasFatalFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const auto extent = [&] { return std::uniform_int_distribution<int>(1, largest)(random); };
    const auto factor = [&] { return std::uniform_real_distribution<float>(-2.0f, 2.0f)(random); };
    Shape shape{extent(), extent(), extent()};
    const float alpha = factor();
    const float beta = seed % 4 == 0 ? 0.0f : factor();
    if (seed % 2 == 0) {  // one random shape in 16 alone would suit the rungs that want fours
      shape.N = (shape.N + 3) / 4 * 4;
      shape.K = (shape.K + 3) / 4 * 4;
    }
    emulator::set_multiprocessors(std::array{3, 8, 13}[seed % 3]);  // for 12, 13
    expect_right_or_refused(shape, static_cast<std::uint64_t>(seed), {{alpha, beta}});
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RungCorrectnessTest, testing::Values("cpu", "gpu"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ladder
