// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/predict_test.cpp
/// \brief Predictions are asked for, kept, and shown beside what came out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ladder/program/climb.hpp"
#include "ladder/program/predict_command.hpp"
#include "ladder/program/prediction_table.hpp"
#include "ladder/program/predictions.hpp"
#include "ladder/program/questions.hpp"
#include "tests/common/timed_gpu.hpp"
#include "tests/ladder/program/command_line.hpp"

namespace ladder {
namespace {

using testing_program::longest_line;
using testing_program::says;
using testing_program::text_of;
using testing_program::unwrapped;

const Rung& rung(const std::string& name) {
  return find_rung(emulated_rungs(), name);
}

/// Text of an exception; empty if there was none.
template <class Exception, class Work>
std::string complaint(const Work& work) {
  try {
    work();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nobody complained";
  return "";
}

// -- Keeping them --------------------------------------------------------------------------------

/// A folder that is gone after the test, with a file of predictions.
class PredictionsTest : public testing_program::CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    path_ = folder_ / "predictions.json";
  }

  Predictions predicting(int number, const Answers& answers) {
    Predictions predictions(path_);
    predictions.keep(number, answers);
    return predictions;
  }

  std::string path_;
};

TEST_F(PredictionsTest, AreReadAsTheyWereKept) {
  EXPECT_TRUE(Predictions(path_).of(3).empty()) << "there is no file yet";
  predicting(3, {{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 2}});
  predicting(4, {{"gain", 1e-3}});
  EXPECT_EQ(Predictions(path_).of(3),
            (Answers{{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 2}}));
  EXPECT_EQ(Predictions(path_).of(4), (Answers{{"gain", 1e-3}}));
  EXPECT_TRUE(Predictions(path_).of(5).empty());
}

TEST_F(PredictionsTest, ASecondOneReplacesTheFirstAndNothingElse) {
  predicting(3, {{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 2}});
  predicting(4, {{"gain", 4}});
  predicting(3, {{"pipe_busy", 1.25}});
  EXPECT_EQ(Predictions(path_).of(3),
            (Answers{{"pipe_busy", 1.25}, {"wavefronts_per_multiply_add", 2}}));
  EXPECT_EQ(Predictions(path_).of(4), (Answers{{"gain", 4}}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1)
      << "the unfinished file is gone";
}

TEST_F(PredictionsTest, ABrokenFileIsNamedAndLeftAlone) {
  for (const std::string broken :
       {"{\"03\": {\"gain\": 1.5}", "[1, 2]", "{\"03\": 1.5}", "{\"03\": {\"gain\": \"much\"}}",
        "{\"03\": {\"gain\": null}}", ""}) {
    SCOPED_TRACE(broken);
    std::ofstream(path_) << broken;
    const std::string said = complaint<std::runtime_error>([&] { Predictions(path_).of(3); });
    EXPECT_TRUE(says(said, path_)) << said;
    EXPECT_TRUE(says(said, "left as it is")) << said;
    for (const char* command : {"predict 03 --answers 1,2", "run 03 --device cpu --size 32"}) {
      expect_refused(command, {"predictions.json", "left as it is"});
    }
    EXPECT_EQ(text_of(path_), broken);
  }
}

TEST_F(PredictionsTest, AnUnwritableFileIsNamedAndNothingIsLost) {
  Predictions predictions = predicting(3, {{"gain", 1.5}});
  const std::string elsewhere = path_ + "/predictions.json";  // below a file
  EXPECT_TRUE(says(complaint<std::runtime_error>([&] {
                     Predictions(elsewhere).keep(3, {{"gain", 2}});
                   }),
                   "cannot write " + elsewhere));
  EXPECT_EQ(predictions.of(3), (Answers{{"gain", 1.5}}));
}

// -- Asking for them -----------------------------------------------------------------------------

TEST(AskTest, NumbersAreNumbers) {
  EXPECT_EQ(prediction_from("1.5"), 1.5);
  EXPECT_EQ(prediction_from("  32\r\n"), 32);
  EXPECT_EQ(prediction_from("2e-1"), 0.2);
  EXPECT_EQ(prediction_from("0"), 0);
  for (const char* text : {"much", "nan", "NaN", "inf", "1.5x", "1,5", "", "1e999", "0x10", "1 2"})
    EXPECT_TRUE(says(complaint<std::invalid_argument>([&] { prediction_from(text); }),
                     std::string("'") + text + "' is not a number"));
  EXPECT_TRUE(
      says(complaint<std::invalid_argument>([] { prediction_from("-1"); }), "-1 is negative"));
}

Answers asked(const std::string& input, bool terminal, std::string& output) {
  std::istringstream in(input);
  std::ostringstream out;
  const Answers answers = ask(questions_of(rung("03")), in, out, terminal);
  output = out.str();
  EXPECT_LE(longest_line(output), 80u) << output;
  return answers;
}

TEST(AskTest, ANumberPerLine) {
  std::string output;
  EXPECT_EQ(asked("1.5\n2\n", false, output),
            (Answers{{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 2}}));
  for (const Question& question : questions_of(rung("03")))
    EXPECT_TRUE(says(unwrapped(output), question.text)) << output;
}

TEST(AskTest, AnEmptyLineOrTheEndSkips) {
  std::string output;
  EXPECT_EQ(asked("\n2", true, output), (Answers{{"wavefronts_per_multiply_add", 2}}));
  EXPECT_EQ(asked("1.5\n", true, output), (Answers{{"pipe_busy", 1.5}}));
  EXPECT_TRUE(asked("", false, output).empty());
}

TEST(AskTest, ATerminalAsksAgainAndSaysWhatIsWrong) {
  std::string output;
  EXPECT_EQ(asked("fast\n-2\n120\n1.5\n\n", true, output), (Answers{{"pipe_busy", 1.5}}));
  EXPECT_TRUE(says(output, "'fast' is not a number")) << output;
  EXPECT_TRUE(says(output, "-2 is negative")) << output;
  EXPECT_TRUE(says(output, "120 % is more than all of it")) << output;
  EXPECT_TRUE(says(complaint<std::invalid_argument>([&] { asked("fast\n1.5\n", false, output); }),
                   "'fast' is not a number"))
      << "nobody is there to ask";
}

TEST_F(PredictionsTest, TheCommandKeepsAnswersAndSaysWhatWasThere) {
  testing_program::Outcome outcome = ladder("predict shared_tile --answers 1.5,2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "make run RUNG=03")) << outcome.out;
  EXPECT_FALSE(says(outcome.out, "before")) << outcome.out;
  EXPECT_EQ(Predictions(path_).of(3),
            (Answers{{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 2}}));
  outcome = ladder("predict 03 --answers ,1.75");
  EXPECT_TRUE(says(unwrapped(outcome.out), "wavefronts per multiply-add 1.75 before: 2.00"))
      << outcome.out;
  EXPECT_FALSE(says(outcome.out, "pipe busy")) << "nothing was said of it: " << outcome.out;
  EXPECT_EQ(Predictions(path_).of(3),
            (Answers{{"pipe_busy", 1.5}, {"wavefronts_per_multiply_add", 1.75}}));
}

TEST_F(PredictionsTest, TheCommandReadsStandardInput) {
  const testing_program::Outcome outcome =
      run_program("sh", "-c \"printf '1.5\\n\\n' | '" LADDER_PROGRAM "' predict 03\"");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(unwrapped(outcome.out), "What share of the time")) << outcome.out;
  EXPECT_EQ(Predictions(path_).of(3), (Answers{{"pipe_busy", 1.5}}));
}

TEST_F(PredictionsTest, WithoutAnyAnswerNothingIsKept) {
  const testing_program::Outcome outcome = ladder("predict 03");  // standard input is empty
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "No prediction was kept")) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PredictionsTest, WrongAnswersAreRefused) {
  expect_refused("predict", {"rung"});
  expect_refused("predict 99 --answers 1,2", {"unknown rung '99'", "03 shared_tile"});
  expect_refused("predict 00 --answers 1,2", {"no questions about 00 cublas", "such as 03"});
  expect_refused("predict 03 --answers 1", {"there are 2 questions, and 1 answer;"});
  expect_refused("predict 03 --answers 1,2,3", {"there are 2 questions, and 3 answers;"});
  expect_refused("predict 03 --answers 1,nan", {"'nan' is not a number"});
  expect_refused("predict 03 --answers 1,much", {"'much' is not a number", "such as 1.5"});
  expect_refused("predict 03 --answers=-1,2", {"-1 is negative"});
  expect_refused("predict 03 --answers 101,2", {"101 % is more than all of it"});
  expect_refused("predict 04 --answers 4,2", {"4 is not in the list", "from 1 to 3"});
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// -- Beside what came out ------------------------------------------------------------------------

TEST_F(PredictionsTest, ARunOnTheCpuCountsAndShowsWhatIsRecorded) {
  predicting(3, {{"pipe_busy", 40}, {"wavefronts_per_multiply_add", 2}});
  for (const char* program : {LADDER_PROGRAM, SHARED_TILE_PROGRAM}) {
    const std::string arguments = program == std::string(LADDER_PROGRAM) ? "run 03 " : "";
    const testing_program::Outcome outcome =
        run_program(program, arguments + "--device cpu --size 64");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string text = unwrapped(outcome.out);
    EXPECT_TRUE(says(text, "03 shared_tile at predicted counted recorded share")) << outcome.out;
    EXPECT_TRUE(says(text, "pipe busy 4096 40.00 % not counted here 93.3")) << outcome.out;
    EXPECT_TRUE(says(text, "wavefronts per multiply-add 1024 2.00 1.56 1.56")) << outcome.out;
    EXPECT_TRUE(says(text, "recorded: NVIDIA H200.")) << outcome.out;
  }
}

TEST_F(PredictionsTest, WhatAnotherGpuRecordedIsNamed) {
  predicting(17, {{"tensor_busy", 40}});
  const std::string text = ladder("run 17 --device cpu --size 64").out;
  EXPECT_TRUE(says(text, "recorded: NVIDIA H100 80GB HBM3.")) << text;
}

TEST_F(PredictionsTest, OnlyWhatWasPredictedIsShown) {
  predicting(3, {{"wavefronts_per_multiply_add", 2}});
  const std::string text = ladder("run 02 03 --device cpu --size 64").out;
  EXPECT_TRUE(says(text, "wavefronts per multiply-add")) << text;
  EXPECT_FALSE(says(text, "pipe busy")) << text;
  EXPECT_FALSE(says(text, "Predict first")) << "two rungs: " << text;
  EXPECT_FALSE(says(ladder("run 03 --no-timing --device cpu --size 64").out, "predicted"))
      << "a profiler is looking";
  EXPECT_FALSE(says(ladder("climb --device cpu --size 64").out, "predicted"));
}

TEST_F(PredictionsTest, ASingleRungWithoutOneAsksForIt) {
  EXPECT_TRUE(
      says(ladder("run 03 --device cpu --size 64").out, "\nPredict first: make predict RUNG=03\n"));
  EXPECT_TRUE(says(run_program(SHARED_TILE_PROGRAM, "--device cpu --size 64").out,
                   "\nPredict first: make predict RUNG=03\n"));
  EXPECT_FALSE(says(ladder("run 02 03 --device cpu --size 64").out, "Predict first"));
  EXPECT_FALSE(says(ladder("run 00 --device cpu --size 64").out, "Predict first"));
}

// -- On a GPU ------------------------------------------------------------------------------------

/// Rungs 00 and 02 to 04 that take 1, 50, 9 and 4 ms.
std::vector<Rung> timed_ladder() {
  std::vector<Rung> rungs = {rung("00"), rung("02"), rung("03"), rung("04")};
  rungs[0].run = testing_machine::taking(1, rungs[0]);
  rungs[1].run = testing_machine::taking(50, rungs[1]);
  rungs[2].run = testing_machine::taking(9, rungs[2]);
  rungs[3].run = testing_machine::taking(4, rungs[3]);
  return rungs;
}

std::string counting_nothing(const Predictions& predictions, const Climb& climb) {
  const std::string text = predictions_text(
      predictions, climb, [](const Rung&, const CounterRatio&) { return std::optional<double>(); });
  EXPECT_LE(longest_line(text), 80u) << text;
  return unwrapped(text);
}

Climb climbed(const std::vector<Rung>& ladder, const std::vector<Rung>& chosen,
              const std::vector<Rung>& compared) {
  testing_machine::TimedGpu machine;
  Problem problem;
  problem.shape = {.M = 16, .N = 16, .K = 16};
  return climb(machine, {.ladder = ladder,
                         .chosen = chosen,
                         .problem = problem,
                         .protocol = Protocol::burst,
                         .compared = compared});
}

TEST_F(PredictionsTest, TheRungBelowIsTimedAsWell) {
  const Predictions predictions = predicting(4, {{"gain", 1.5}});
  const std::vector<Rung> ladder = timed_ladder();
  const std::vector<Rung> compared = rungs_to_compare_with(predictions, ladder, {ladder[3]});
  ASSERT_EQ(compared.size(), 1u);
  EXPECT_EQ(compared[0].number, 3);
  Climb climb = climbed(ladder, {ladder[3]}, compared);
  ASSERT_EQ(climb.entries.size(), 1u) << "what is only compared with is in no table";
  ASSERT_EQ(climb.compared.size(), 1u);
  EXPECT_EQ(climb.compared[0].outcome, Outcome::right);
  EXPECT_TRUE(says(counting_nothing(predictions, climb), "gain over rung 03 1024 1.50 2.25 * 1."))
      << "9 ms / 4 ms, at another shape: " << counting_nothing(predictions, climb);
  EXPECT_TRUE(says(counting_nothing(predictions, climb), "*: at the shape of this run"));
  climb.problem.shape = {.M = 1024, .N = 1024, .K = 1024};
  EXPECT_TRUE(says(counting_nothing(predictions, climb), "gain over rung 03 1024 1.50 2.25 1."));
  EXPECT_FALSE(says(counting_nothing(predictions, climb), "*"));
  EXPECT_TRUE(
      says(counting_nothing(predictions, climb), "at predicted counted, measured recorded"));
}

TEST_F(PredictionsTest, OfRungsThatAreChosenAnywayNoneIsTimedTwice) {
  const std::vector<Rung> ladder = timed_ladder();
  Predictions predictions = predicting(4, {{"gain", 1.5}});
  EXPECT_TRUE(rungs_to_compare_with(predictions, ladder, {ladder[2], ladder[3]}).empty());
  const Climb climb = climbed(ladder, {ladder[2], ladder[3]}, {});
  EXPECT_TRUE(says(counting_nothing(predictions, climb), "gain over rung 03 1024 1.50 2.25 *"));
  predictions.keep(3, {{"wavefronts_per_multiply_add", 3}});
  EXPECT_TRUE(rungs_to_compare_with(predictions, ladder, {ladder[2]}).empty())
      << "no gain was predicted";
}

TEST_F(PredictionsTest, WhatIsMissingIsNamed) {
  const Predictions predictions = predicting(4, {{"gain", 1.5}});
  const std::vector<Rung> whole = timed_ladder();
  const std::vector<Rung> single = {whole[0], whole[3]};  // as in build/04_register_tile
  EXPECT_TRUE(rungs_to_compare_with(predictions, single, {whole[3]}).empty());
  const std::string text = counting_nothing(predictions, climbed(single, {whole[3]}, {}));
  EXPECT_TRUE(says(text, "gain over rung 03 1024 1.50 needs rung 03")) << text;
  EXPECT_TRUE(says(text, "`make run` also times")) << text;

  std::vector<Rung> broken = timed_ladder();
  broken[2].run = [](const Gemm<float>&, Stream) {};  // writes nothing
  const Climb without = climbed(broken, {broken[3]}, {broken[2]});
  EXPECT_EQ(without.compared.at(0).outcome, Outcome::wrong);
  EXPECT_TRUE(says(counting_nothing(predictions, without), "03 was not timed"));
  const Climb wrong = climbed(broken, {broken[2]}, {});
  EXPECT_EQ(counting_nothing(predicting(3, {{"pipe_busy", 8}}), wrong), "")
      << "a wrong kernel has no figures";
}

TEST_F(PredictionsTest, WithoutTimeNothingElseIsVerified) {
  testing_machine::MadeUpGpu no_stopwatch(90);
  Problem problem;
  problem.shape = {.M = 16, .N = 16, .K = 16};
  const std::vector<Rung> ladder = timed_ladder();
  const Climb result = climb(no_stopwatch, {.ladder = ladder,
                                            .chosen = {ladder[3]},
                                            .problem = problem,
                                            .protocol = Protocol::burst,
                                            .compared = {ladder[2]}});
  EXPECT_TRUE(result.compared.empty());
}

}  // namespace
}  // namespace ladder
