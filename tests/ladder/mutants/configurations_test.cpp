// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/configurations_test.cpp
/// \brief Each configuration of rungs 13 and 14 is right and free of hazards on every shape,
///        also where its model would choose another one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "ladder/program/rung_trace.hpp"
#include "tests/ladder/mutants/mutants.hpp"

namespace ladder {
namespace {

using emulator::CopyArrival;

class ConfigurationTest : public testing::TestWithParam<Mutant> {
 protected:
  void SetUp() override { emulator::clear_workspace(); }
  void TearDown() override {
    emulator::set_multiprocessors(usual_sms_);
    emulator::set_copy_arrival(usual_arrival_);
  }

  /// The blocks of a cluster have K enough only here to come back to their rings' first stage.
  static std::vector<Shape> with_deep_one(std::vector<Shape> shapes) {
    if (GetParam().configuration.find("cluster") != std::string::npos)
      shapes.push_back({9, 12, 4612});
    return shapes;
  }

  const std::unique_ptr<Machine> machine_ = make_cpu_machine();

 private:
  int usual_sms_ = emulator::multiprocessors();
  CopyArrival usual_arrival_ = emulator::copy_arrival();
};

TEST_P(ConfigurationTest, IsRightAtEdgesAndAtRandom) {
  std::vector<Shape> shapes = {
      {1, 4, 4},     {32, 32, 64},  {33, 36, 60},   {47, 48, 68},   {49, 52, 128},
      {64, 64, 512}, {65, 60, 516}, {127, 252, 20}, {129, 260, 12}, {8, 8, 1024},
  };
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    const auto four = [&](int most) { return 4 * static_cast<int>(1 + random() % (most / 4)); };
    shapes.push_back({static_cast<int>(1 + random() % 200), four(300), four(400)});
  }
  shapes = with_deep_one(shapes);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    SCOPED_TRACE(fmt::format("M = {}, N = {}, K = {}", shape.M, shape.N, shape.K));
    emulator::set_multiprocessors(std::array{3, 8, 13}[i % 3]);
    Verifier verifier(*machine_, shape, i);
    for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
      emulator::set_copy_arrival(arrival);
      const float beta = arrival == CopyArrival::kLate ? 0.0f : -0.75f;
      const Verdict verdict = verifier.verify(GetParam().run, 1.25f, beta, {});
      EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    }
  }
}

TEST_P(ConfigurationTest, HasNoHazard) {
  Rung rung = find_rung(traced_rungs(), GetParam().rung);
  rung.run = GetParam().run;
  TraceChoice choice;
  choice.all_blocks = true;
  DeviceCard card = load_card("h200");
  card.sms = 3;
  for (const Shape& shape : with_deep_one({{70, 68, 452}, {32, 32, 448}})) {
    for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
      emulator::set_copy_arrival(arrival);
      Problem problem;
      problem.shape = shape;
      problem.beta = 0.5f;
      const RungTrace trace = trace_rung(*machine_, rung, problem, card, choice);
      for (const auto& hazard : trace.kernel.hazards) {
        ADD_FAILURE() << text_of(hazard);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigurationTest,
                         testing::ValuesIn(configurations_alone().begin(),
                                           configurations_alone().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ConfigurationTableTest, HasEveryConfiguration) {
  EXPECT_EQ(configurations_alone().size(), 31u)
      << "the table of configurations in launch.cu was not found";
}

}  // namespace
}  // namespace ladder
