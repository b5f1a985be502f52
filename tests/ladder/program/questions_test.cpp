// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/questions_test.cpp
/// \brief What ladder/questions.json asks of each rung can be counted, is recorded, and follows
///        from what the question says.
#include "ladder/program/questions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
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

TEST(QuestionsTest, EveryRungWithAKernelHasAGainAndACount) {
  for (const Rung& asked : emulated_rungs()) {
    SCOPED_TRACE(label(asked));
    const std::vector<Question> questions = questions_of(asked);
    if (asked.number == 0) {
      EXPECT_TRUE(questions.empty());
      continue;
    }
    ASSERT_EQ(questions.size(), 2u);
    ASSERT_TRUE(std::holds_alternative<SpeedRatio>(questions[0].figure));
    ASSERT_TRUE(std::holds_alternative<CounterRatio>(questions[1].figure));
    EXPECT_NE(questions[0].id, questions[1].id);
    const auto& speed = std::get<SpeedRatio>(questions[0].figure);
    if (asked.builds_on < 0) {
      EXPECT_FALSE(speed.over);
      EXPECT_EQ(questions[0].unit, "percent");
    } else {
      EXPECT_EQ(speed.over, asked.builds_on);
      EXPECT_TRUE(says(questions[0].text, "rung " + folder(asked).substr(0, 2)));
    }
    for (const Question& question : questions) {
      const int size = std::visit([](const auto& figure) { return figure.size; }, question.figure);
      EXPECT_TRUE(says(question.text, "M = N = K = " + std::to_string(size))) << question.text;
      EXPECT_EQ(question.text.back(), '?') << question.text;
      EXPECT_LE(question.name.size(), 32u) << "does not fit the table: " << question.name;
      EXPECT_FALSE(question.unit.empty());
    }
  }
}

/// What each question's own words add up to.
const std::map<int, double> kByHand = {{1, (32 + 1) / 2.0},
                                       {2, (1 + (4 + 5) / 2.0) / 2},
                                       {3, 1 + 2 / 4.0 + 4 / 64.0},
                                       {4, 64 / (8 / 4.0 + 8)},
                                       {5, (16 + 512 / 32) / 2.0},
                                       {6, (8 * (2 * 2 + 2 * 4) + 4 + 4) / (8 * 64.0)},
                                       {8, (2 * 2 + 2 * 4) / 4.0},
                                       {9, (8 * (2 * 2 + 2 * 4) + 4 + 4 * 4) / (8 * 64.0)},
                                       {10, (2 * 2 + 4 * 4) / 128.0},
                                       {11, 128 * 256 * 16 / 32.0 / (128 * 16 / 4 / 32)},
                                       {12, 1 + 96 / 32.0},
                                       {13, 32 * 64 * 16 / 32.0 / ((32 + 64) * 16 / 4 / 32)},
                                       {14, 16 * 32 * 16 / 32.0 / ((16 + 32) * 16 / 4 / 32)},
                                       {15, 32 * 16 * 8 * 8 / 32.0 / (16 + 16)},
                                       {16, 64 * 64 * 16 / 32.0 / (2 * 64 * 16 / (4 * 8 * 8))}};

/// Bytes of DRAM come from a model.
double tolerance(const CounterRatio& ratio) {
  return ratio.of.starts_with("dram__") ? 0.15 : 0.01;
}

class CountsTest : public testing::TestWithParam<int> {};

TEST_P(CountsTest, AreThoseOfTheHardwareAndOfTheQuestionsArithmetic) {
  const std::string name = std::to_string(GetParam());
  const Rung& asked = rung(name);
  const Question question = questions_of(asked).at(1);
  const auto& ratio = std::get<CounterRatio>(question.figure);
  const std::optional<double> own = counted(asked, ratio);
  ASSERT_TRUE(own) << "`ladder trace` does not know " << ratio.of << " or " << ratio.per;
  const auto hand = kByHand.find(GetParam());
  if (hand != kByHand.end()) {
    EXPECT_NEAR(*own / hand->second, 1.0, 0.01) << question.text;
  }
  const std::optional<double> recorded = recorded_answer(question, asked);
  if (!recorded) {
    EXPECT_TRUE(recorded_counters(asked.number, ratio.size).empty())
        << "the profile does not know " << ratio.of << " or " << ratio.per;
    return;  // not profiled at this size
  }
  EXPECT_NEAR(*own / *recorded, 1.0, tolerance(ratio));
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
  const std::optional<Recording> recording = recorded_climb();
  if (!recording) GTEST_SKIP() << "no recorded climb in these sources";
  std::map<int, RecordedFigure> figures;
  for (const RecordedFigure& figure : recording->figures)
    figures.emplace(figure.rung, figure);
  EXPECT_DOUBLE_EQ(*recorded_answer(questions_of(rung("03")).at(0), rung("03")),
                   figures.at(3).tflops / figures.at(2).tflops);
  EXPECT_DOUBLE_EQ(*recorded_answer(questions_of(rung("01")).at(0), rung("01")),
                   100 * figures.at(1).tflops / load_card("h200").fp32_tflops);
}

TEST(QuestionsTest, CountsOfTheShape) {
  EXPECT_EQ(shape_count("warp_multiply_adds", 64, Format::fp32), 64 * 64 * 64 / 32);
  EXPECT_EQ(shape_count("bytes_of_a_and_b", 64, Format::fp32), 2 * 64 * 64 * 4);
  EXPECT_EQ(shape_count("sectors_of_c", 64, Format::fp32), 64 * 64 * 4 / 32);
  EXPECT_FALSE(shape_count("sectors_of_d", 64, Format::fp32));
  const auto nothing = [](const std::string&) { return std::optional(0.0); };
  EXPECT_FALSE(value_of({.of = "a", .per = "b", .size = 64}, Format::fp32, nothing)) << "0 / 0";
}

}  // namespace
}  // namespace ladder
