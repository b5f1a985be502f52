// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/rung_sources_test.cpp
/// \brief An edited kernel never stands beside a figure that was recorded of another one.
#include "ladder/program/rung_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ladder/program/climb.hpp"
#include "ladder/program/prediction_table.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"

namespace ladder {
namespace {

namespace fs = std::filesystem;

/// A copy of the rungs and of what is recorded of them.
class RungSourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "rung_sources_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    const fs::path sources = LADDER_SOURCE_DIR;
    fs::create_directories(root_ / "bench/results/nvidia-h200");
    fs::copy(sources / "ladder", root_ / "ladder", fs::copy_options::recursive);
    for (const char* file :
         {"bench/results/rungs.json", "bench/results/nvidia-h200/climb_burst_4096.json"})
      fs::copy_file(sources / file, root_ / file);
  }
  void TearDown() override { fs::remove_all(root_); }

  /// Replaces the first occurrence in a file of the copy.
  void replace(const std::string& file, const std::string& old, const std::string& by) const {
    const fs::path path = root_ / file;
    std::ifstream in(path);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos) << file << " has no " << old;
    std::ofstream(path) << text.replace(at, old.size(), by);
  }

  fs::path root_;
};

constexpr const char* kKernel = "ladder/03_shared_tile/kernel.cuh";
constexpr const char* kLaunch = "ladder/03_shared_tile/launch.cu";

TEST_F(RungSourcesTest, OfAnUntouchedCopyNoRungIsEdited) {
  EXPECT_EQ(edited_rungs(root_), std::set<int>());
  EXPECT_EQ(edited_rungs(LADDER_SOURCE_DIR), std::set<int>());
}

TEST_F(RungSourcesTest, CommentsAndWhiteSpaceAreNoEdit) {
  replace(kKernel, "// -- Main loop over K", "// -- The loop\n\n  // over K");
  replace(kKernel, "acc += sA", "acc\n  /* a product\n more */ += sA");
  EXPECT_EQ(edited_rungs(root_), std::set<int>());
}

TEST_F(RungSourcesTest, AnythingElseIs) {
  replace(kKernel, "    __syncthreads();\n", "");
  EXPECT_EQ(edited_rungs(root_), std::set<int>{3});
  replace("ladder/05_vector_access/launch.cu", "int BK = 8;", "int BK = 16;");
  EXPECT_EQ(edited_rungs(root_), (std::set<int>{3, 5}));
  std::ofstream(root_ / "ladder/04_register_tile/more.cuh") << "constexpr int kMore = 1;\n";
  EXPECT_EQ(edited_rungs(root_), (std::set<int>{3, 4, 5}));
}

TEST_F(RungSourcesTest, AStarterWithoutARecordedVersionStandsForTheLaddersOwn) {
  replace(kKernel, "    __syncthreads();\n", "");
  const std::string recorded =
      sources_fingerprint(fs::path(LADDER_SOURCE_DIR) / "ladder/03_shared_tile");
  replace("bench/results/rungs.json", "\"sources\":\"" + recorded + "\"", "\"sources\":\"\"");
  EXPECT_EQ(edited_rungs(root_), std::set<int>());
}

/// Rungs 02 and 03 on the emulator.
Climb climb_of(Outcome outcome_of_03) {
  Climb climb{.device = "CPU emulator",
              .on_gpu = false,
              .protocol = {},
              .problem = {},
              .entries = {},
              .best_cublaslt = {}};
  for (const char* name : {"02", "03"}) {
    climb.entries.push_back({.rung = find_rung(emulated_rungs(), name),
                             .problem = {},
                             .outcome = name[1] == '3' ? outcome_of_03 : Outcome::right,
                             .verdict = {},
                             .timing = {},
                             .counts = {}});
  }
  return climb;
}

/// The line of a text that starts so.
std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start) + 1;
  return at == 0 ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST_F(RungSourcesTest, AnEditedRungHasNoRecordedFigureAndSaysWhy) {
  const std::string before = climb_text(climb_of(Outcome::right), recorded_climb(root_));
  EXPECT_NE(line_of(before, "03 shared_tile").find('%'), std::string::npos) << before;
  EXPECT_EQ(before.find("No recorded figure"), std::string::npos) << before;
  replace(kLaunch, "BK = 64;", "BK = 32;");
  const std::string text = climb_text(climb_of(Outcome::right), recorded_climb(root_));
  EXPECT_NE(line_of(text, "02 coalesced").find('%'), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "03 shared_tile").find('%'), std::string::npos) << text;
  EXPECT_NE(text.find("No recorded figure for 03: the source is not the one that was recorded.\n"),
            std::string::npos)
      << text;
}

TEST_F(RungSourcesTest, NorHasAWrongOne) {
  const std::string text = climb_text(climb_of(Outcome::wrong), recorded_climb(root_));
  EXPECT_EQ(line_of(text, "03 shared_tile").find('%'), std::string::npos) << text;
  EXPECT_NE(text.find("No recorded figure for 03: the result is wrong.\n"), std::string::npos)
      << text;
}

TEST_F(RungSourcesTest, PredictionsAreNotComparedWithAnotherKernelsRecord) {
  Predictions predictions((root_ / "predictions.json").string());
  predictions.keep(3, {{"pipe_busy", 2}, {"wavefronts_per_multiply_add", 2}});
  predictions.keep(2, {{"l2_sectors", 2}, {"sectors_per_load", 2}});
  const auto text = [&] {
    return predictions_text(
        predictions, climb_of(Outcome::right),
        [](const Rung&, const CounterRatio&) { return std::optional(1.5); }, recorded_climb(root_));
  };
  EXPECT_EQ(text().find("edited"), std::string::npos) << text();
  replace("ladder/01_naive/launch.cu", "BM = 32;", "BM = 16;");  // which rung 02 is compared with
  EXPECT_TRUE(line_of(text(), "sectors from L2").ends_with("edited")) << text();
  EXPECT_FALSE(line_of(text(), "sectors per load").ends_with("edited")) << text();
  replace(kLaunch, "BK = 64;", "BK = 32;");
  EXPECT_TRUE(line_of(text(), "wavefronts per multiply-add").ends_with("edited")) << text();
  std::string unwrapped = text();
  std::ranges::replace(unwrapped, '\n', ' ');
  EXPECT_NE(unwrapped.find("edited: the source is not the one that was recorded."),
            std::string::npos);
}

TEST_F(RungSourcesTest, WhatWasSavedAfterTheBuildIsFound) {
  const fs::path library = root_ / "librungs.so";
  EXPECT_EQ(newer_source(root_, "03_shared_tile", library), "") << "nothing is built";
  std::ofstream(library) << "built";
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "ladder"))
    fs::last_write_time(entry, fs::last_write_time(library) - std::chrono::hours(1));
  EXPECT_EQ(newer_source(root_, "03_shared_tile", library), "");
  replace(kKernel, "__syncthreads();", "");
  fs::last_write_time(root_ / kKernel, fs::last_write_time(library) + std::chrono::seconds(1));
  EXPECT_EQ(newer_source(root_, "03_shared_tile", library), kKernel);
  EXPECT_EQ(newer_source(root_, "04_register_tile", library), "");
}

}  // namespace
}  // namespace ladder
