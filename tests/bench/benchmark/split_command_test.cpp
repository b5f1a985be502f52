// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/split_command_test.cpp
/// \brief The `split_precision` program where there is no GPU: what it writes, what it refuses.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/ladder/program/command_line.hpp"

namespace {

using namespace ladder::testing_program;

/// CUDA_VISIBLE_DEVICES hides a GPU that is there.
class SplitCommandTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
  }
};

TEST_F(SplitCommandTest, BadUsageIsRefused) {
  const std::string missing = (folder_ / "missing" / "a.json").string();
  expect_refused("--device tpu", {"--device"});
  expect_refused("--size many", {"--size"});
  expect_refused("--hard 3 4", {"--hard"});
  expect_refused("--nonsense", {"--nonsense"});
  expect_refused("--device cpu --protocol quick --json " + (folder_ / "a.json").string(),
                 {"quick"});
  expect_refused("--device cpu --json " + missing, {"cannot write " + missing});
  expect_refused("--sums --json " + missing, {"cannot write " + missing});
}

TEST_F(SplitCommandTest, WithoutAGpuItSaysSo) {
  expect_refused("--json " + (folder_ / "a.json").string(),
                 {"split_precision: no NVIDIA driver was found"});
}

TEST_F(SplitCommandTest, OnTheEmulatorItWritesErrorsAndNoTimes) {
  const std::string path = (folder_ / "split.json").string();
  const Outcome outcome = ladder("--device cpu --size 64 --hard 16 16 80 --json " + path);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto results = nlohmann::json::parse(text_of(path));
  EXPECT_EQ(results.at("benchmarks").size(), 3u);
  for (const auto& row : results.at("benchmarks")) {
    EXPECT_TRUE(row.at("time_ms").is_null()) << row;
    EXPECT_LT(row.at("relative_error").get<double>(), 1e-5) << row;
  }
  for (const auto& row : results.at("hard_inputs"))
    EXPECT_LE(row.at("error_over_bound").get<double>(), 1.0) << row;
  EXPECT_FALSE(results.at("emulated_sgemm_refused").get<std::string>().empty());
}

TEST_F(SplitCommandTest, RecordedSumsAreThoseOfTheProgram) {
  const std::string path = (folder_ / "sums.json").string();
  ASSERT_EQ(ladder("--sums --json " + path).exit_code, 0);
  const std::string recorded = LADDER_SOURCE_DIR "/bench/results/emulator/splitting.json";
  const auto found = nlohmann::json::parse(text_of(path)).at("benchmarks");
  EXPECT_EQ(found, nlohmann::json::parse(text_of(recorded)).at("benchmarks"))
      << "stale: run build/split_precision --sums --json bench/results/emulator/splitting.json";
}

}  // namespace
