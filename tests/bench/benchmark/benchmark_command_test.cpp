// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/benchmark_command_test.cpp
/// \brief The `benchmark` program where there is no GPU: what it lists, what it refuses, and how.
#include <string>

#include "tests/ladder/program/command_line.hpp"

namespace {

using namespace ladder::testing_program;

/// CUDA_VISIBLE_DEVICES hides a GPU that is there.
class BenchmarkCommandTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
  }
};

TEST_F(BenchmarkCommandTest, WithoutAGpuItSaysWhyAndEndsWithTwo) {
  for (const char* arguments : {"", "--shapes all --protocol graph", "--roofs"}) {
    expect_refused(arguments, {"benchmark: ",
                               "The benchmark needs a GPU: on the emulator, time "
                               "says nothing. make trace and make check run"});
  }
}

TEST_F(BenchmarkCommandTest, BadUsageIsRefusedBeforeAGpuIsAskedFor) {
  expect_refused("--shapes cubes", {"'cubes' is no shape and no set"});
  expect_refused("--shapes 1x2", {"'1x2' is no shape and no set"});
  expect_refused("--rungs 99", {"unknown rung '99': choose one of 00 cublas"});
  expect_refused("--protocol quick", {"--protocol"});
  expect_refused("--list --benchmark_filter=nothing", {"matches no row"});
  expect_refused("--benchmark_nonsense=1", {"--benchmark_nonsense=1"});
  expect_refused("--benchmark_out_format=csv --list", {"results files are JSON"});
  expect_refused("4096", {"4096"});
  expect_refused("--rungs 05 --shapes 510x510x510 --list", {"no rung is left to measure"});
  expect_refused("--benchmark_out=" + (folder_ / "missing" / "a.json").string(),
                 {"cannot write " + (folder_ / "missing" / "a.json").string()});
}

TEST_F(BenchmarkCommandTest, TellsItsVersion) {
  const Outcome outcome = ladder("--version");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("GEMM Ladder ")) << outcome.out;
}

TEST_F(BenchmarkCommandTest, ListsTheRowsOfAChoice) {
  const Outcome outcome = ladder(
      "--list --rungs 03 05 --shapes 510x510x510,squares --benchmark_filter='^0[35].*/510x'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "03_shared_tile/510x510x510/graph\n"
            "05_vector_access/510x510x510/graph: 05 vector_access refuses N = 510: N must be\n"
            "  a multiple of 4\n");
}

TEST_F(BenchmarkCommandTest, ListsTheShapesWithTheirReasons) {
  const Outcome outcome = ladder("--list-shapes");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "squares 4096x4096x4096: "));
  EXPECT_TRUE(says(unwrapped(outcome.out), "llm 512x8192x28672: Llama 3 70B: down"));
}

TEST_F(BenchmarkCommandTest, TheRecordedShapesAreThoseOfTheTable) {
  const std::string path = (folder_ / "shapes.json").string();
  EXPECT_EQ(ladder("--list-shapes --json " + path).exit_code, 0);
  EXPECT_TRUE(text_of(path) == text_of(LADDER_SOURCE_DIR "/bench/results/shapes.json"))
      << "bench/results/shapes.json is stale: run build/benchmark --list-shapes --json "
         "bench/results/shapes.json";
}

TEST_F(BenchmarkCommandTest, HelpNamesBothKindsOfOptions) {
  const Outcome outcome = ladder("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(says(outcome.out, "--shapes"));
  EXPECT_TRUE(says(outcome.out, "--benchmark_filter"));
}

}  // namespace
