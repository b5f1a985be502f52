// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/questions_test.cpp
/// \brief What ladder/questions.json asks of each rung can be counted, is recorded, and follows
///        from what the question says.
#include "ladder/program/questions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device_card.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/run_command.hpp"

namespace ladder {
namespace {

const Rung& rung(const std::string& name) {
  return find_rung(emulated_rungs(), name);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(QuestionsTest, EveryRungWithAKernelHasTwo) {
  for (const Rung& asked : emulated_rungs()) {
    SCOPED_TRACE(label(asked));
    const std::vector<Question> questions = questions_of(asked);
    if (asked.number == 0) {
      EXPECT_TRUE(questions.empty());
      continue;
    }
    ASSERT_EQ(questions.size(), 2u);
    EXPECT_NE(questions[0].id, questions[1].id);
    for (const Question& question : questions) {
      const int size = std::visit([](const auto& figure) { return figure.size; }, question.figure);
      EXPECT_TRUE(says(question.text, "M = N = K = " + std::to_string(size))) << question.text;
      EXPECT_EQ(question.text.find_last_of('?') == std::string::npos, false) << question.text;
      EXPECT_LE(question.name.size(), 32u) << "does not fit the table: " << question.name;
      EXPECT_FALSE(question.unit.empty());
    }
  }
}

TEST(QuestionsTest, WhatIsComparedIsTheRungBelow) {
  for (const Rung& asked : emulated_rungs()) {
    SCOPED_TRACE(label(asked));
    for (const Question& question : questions_of(asked)) {
      const auto* speed = std::get_if<SpeedRatio>(&question.figure);
      const auto* ratio = std::get_if<CounterRatio>(&question.figure);
      if (speed != nullptr) {  // a rung below in another precision computes something else
        const bool alike = asked.builds_on < 0 ||
                           find_rung(emulated_rungs(), std::to_string(asked.builds_on)).precision ==
                               asked.precision ||
                           asked.precision != kFp32;
        EXPECT_EQ(speed->over, alike ? asked.builds_on : 0);
      }
      if (ratio != nullptr && ratio->over) {
        EXPECT_EQ(*ratio->over, asked.builds_on);
      }
    }
  }
}

TEST(QuestionsTest, OnlyPossibleAnswersAreTaken) {
  const Question share{.id = "a", .name = "a", .text = "a?", .unit = "percent", .figure = {}};
  require_possible(share, 100);
  EXPECT_THROW(require_possible(share, 101), std::invalid_argument);
  const Question choice{.id = "a",
                        .name = "a",
                        .text = "Which?",
                        .unit = "number",
                        .figure = Fullest{.names = {"x", "y"}, .counters = {"c", "d"}, .size = 64}};
  EXPECT_EQ(asked_text(choice), "Which? 1 x, 2 y.");
  require_possible(choice, 2);
  for (const double wrong : {0.0, 3.0, 1.5})
    EXPECT_THROW(require_possible(choice, wrong), std::invalid_argument);
}

/// What each question's own words add up to.
const std::map<int, double> kByHand = {{2, (1 + (4 + 5) / 2.0) / 2},
                                       {3, 1 + 2 / 4.0 + 4 / 64.0},
                                       {5, (16 + 512 / 32) / 2.0},
                                       {6, (1024 / 8 + 1) * 8 / (1024 / 8 * 8.0)},
                                       {8, (2 * 2 + 2 * 4) / 4.0},
                                       {9, (8 * (2 * 2 + 2 * 4) + 4 + 4 * 4) / (8 * 64.0)},
                                       {10, (2 * 2 + 4 * 4) / 128.0},
                                       {11, 128 * 256 * 16 / 32.0 / (128 * 16 / 4 / 32)},
                                       {12, 1 + 96 / 32.0},
                                       {13, 32 * 64 * 16 / 32.0 / ((32 + 64) * 16 / 4 / 32)},
                                       {14, 16 * 32 * 16 / 32.0 / ((16 + 32) * 16 / 4 / 32)},
                                       {15, 32 * 16 * 8 * 8 / 32.0 / (16 / 4 + 16)},
                                       {16, 64 * 64 * 16 / 32.0 / (2 * 64 * 16 / (4 * 8 * 8))},
                                       {20, 3},
                                       {21, 5},
                                       {22, 1024 * 1024 / (4 * 8 * 8.0)}};

/// What comes from caches comes from a model.
double tolerance(const CounterRatio& ratio) {
  return ratio.of.starts_with("lts__") ? 0.15 : 0.01;
}

class CountsTest : public testing::TestWithParam<int> {};

TEST_P(CountsTest, AreThoseOfTheHardwareAndOfTheQuestionsArithmetic) {
  const std::string name = std::to_string(GetParam());
  const Rung& asked = rung(name);
  const std::vector<Question> questions = questions_of(asked);
  for (const Question& question : questions) {
    const auto* ratio = std::get_if<CounterRatio>(&question.figure);
    if (ratio == nullptr || ratio->profiled) continue;
    SCOPED_TRACE(question.id);
    const std::optional<double> own = counted(asked, *ratio);
    ASSERT_TRUE(own) << "`ladder trace` does not know " << ratio->of << " or " << ratio->per;
    const auto hand = kByHand.find(GetParam());
    if (&question == &questions[1] && hand != kByHand.end()) {
      EXPECT_NEAR(*own / hand->second, 1.0, 0.01) << question.text;
    }
    const std::optional<double> recorded = recorded_answer(question, asked);
    if (!recorded) {
      EXPECT_TRUE(recorded_counters(asked.number, ratio->size).empty())
          << "the profile does not know " << ratio->of << " or " << ratio->per;
      continue;  // not profiled at this size
    }
    EXPECT_NEAR(in_unit_of(question, *own) / *recorded, 1.0, tolerance(*ratio));
  }
}

TEST(QuestionsTest, WhatOnlyAGpuCountsIsRecorded) {
  for (const Rung& asked : emulated_rungs()) {
    for (const Question& question : questions_of(asked)) {
      const int size = std::visit([](const auto& figure) { return figure.size; }, question.figure);
      const auto* ratio = std::get_if<CounterRatio>(&question.figure);
      const bool profiled =
          ratio != nullptr ? ratio->profiled : std::holds_alternative<Fullest>(question.figure);
      if (!profiled || recorded_counters(asked.number, size).empty()) continue;
      EXPECT_TRUE(recorded_answer(question, asked)) << label(asked) << " " << question.id;
    }
  }
}

std::vector<int> numbers_of_own_kernels() {
  std::vector<int> numbers;
  for (const Rung& rung : emulated_rungs()) {
    if (rung.tile.BM > 0) numbers.push_back(rung.number);
  }
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(Rungs, CountsTest, testing::ValuesIn(numbers_of_own_kernels()));

TEST(QuestionsTest, SpeedsAreThoseOfTheRecordedClimb) {
  const Question gain = questions_of(rung("04")).at(1);
  const int size = std::get<SpeedRatio>(gain.figure).size;
  const std::optional<Recording> recording = recorded_climb_at(size);
  if (!recording) GTEST_SKIP() << "no recorded climb in these sources";
  EXPECT_EQ(recording->protocol, "graph");
  std::map<int, RecordedFigure> figures;
  for (const RecordedFigure& figure : recording->figures)
    figures.emplace(figure.rung, figure);
  EXPECT_DOUBLE_EQ(*recorded_answer(gain, rung("04")), figures.at(4).tflops / figures.at(3).tflops);
  EXPECT_FALSE(recorded_climb_at(77));
}

TEST(QuestionsTest, SharesAndTheFullestAreThoseOfTheProfile) {
  const auto counters = recorded_counters(4, 4096);
  if (counters.empty()) GTEST_SKIP() << "no recorded profile in these sources";
  const Question fullest = questions_of(rung("04")).at(0);
  const auto& among = std::get<Fullest>(fullest.figure);
  const std::size_t answer = static_cast<std::size_t>(*recorded_answer(fullest, rung("04"))) - 1;
  for (const std::string& other : among.counters)
    EXPECT_GE(counters.at(among.counters.at(answer)), counters.at(other));
  const double time_s = recorded_counters(1, 4096).at("gpu__time_duration.sum") * 1e-9;
  EXPECT_NEAR(*recorded_answer(questions_of(rung("01")).at(1), rung("01")),
              100 * recorded_counters(1, 4096).at("dram__bytes_read.sum") /
                  (time_s * load_card("h200").dram_bytes_per_second),
              1e-9);
}

TEST(QuestionsTest, CountsOfTheShape) {
  EXPECT_EQ(shape_count("warp_multiply_adds", 64, Format::fp32), 64 * 64 * 64 / 32);
  EXPECT_EQ(shape_count("bytes_of_a_and_b", 64, Format::fp32), 2 * 64 * 64 * 4);
  EXPECT_EQ(shape_count("sectors_of_c", 64, Format::fp32), 64 * 64 * 4 / 32);
  EXPECT_EQ(shape_count("one", 64, Format::fp32), 1);
  EXPECT_EQ(shape_count("hundred", 64, Format::fp32), 100);
  EXPECT_FALSE(shape_count("sectors_of_d", 64, Format::fp32));
  const auto nothing = [](const std::string&) { return std::optional(0.0); };
  EXPECT_FALSE(value_of({.of = "a", .per = "b", .size = 64}, Format::fp32, nothing)) << "0 / 0";
}

}  // namespace
}  // namespace ladder
