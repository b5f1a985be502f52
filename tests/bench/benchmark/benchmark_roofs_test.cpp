// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/benchmark_roofs_test.cpp
/// \brief Measured roofs as a file: written, found again, and refused when they are something else.
#include "bench/benchmark/roofs.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

RoofFigure figure(std::string_view name, std::string_view unit, double value) {
  return {.name = name,
          .unit = unit,
          .value = value,
          .samples = {.name = std::string(name),
                      .ms = {1.0, 1.1, 1.0},
                      .launches_per_sample = 10,
                      .clocks = {.sm_mhz = {1980, 1980, 1965}, .power_w = {}}},
          .work_per_launch = 1e9};
}

const std::vector<RoofFigure> kFigures = {
    figure("ffma", "TFLOP/s", 65.3), figure("fed_ffma", "TFLOP/s", 60.0),
    figure("dram_copy", "GB/s", 3970.0), figure("dram_memcpy", "GB/s", 4290.0)};

class BenchmarkRoofsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "roofs_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file_with(const std::string& text) {
    const fs::path path = folder_ / "roofs.json";
    std::ofstream(path) << text;
    return path;
  }

  fs::path folder_;
};

TEST_F(BenchmarkRoofsTest, WhatIsWrittenIsRead) {
  const nlohmann::json results =
      to_json(kFigures, "NVIDIA H200", Protocol::burst, {{"sms", "132"}});
  EXPECT_EQ(results["context"]["device"], "NVIDIA H200");
  EXPECT_EQ(results["context"]["protocol"], "burst");
  EXPECT_EQ(results["context"]["sms"], "132");
  EXPECT_EQ(results["context"]["sm_clock_mhz"]["min"], 1965);
  EXPECT_EQ(results["benchmarks"][0]["samples_ms"].size(), 3u);
  const std::optional<Roof> roof = measured_roof(file_with(results.dump()));
  ASSERT_TRUE(roof.has_value());
  EXPECT_EQ(roof->fp32_tflops, 65.3);
  EXPECT_EQ(roof->dram_gbps, 4290.0) << "the better of both copies";
}

TEST_F(BenchmarkRoofsTest, NoFileIsNoRoof) {
  EXPECT_FALSE(measured_roof(folder_ / "roofs.json").has_value());
}

TEST_F(BenchmarkRoofsTest, AnotherFileIsRefused) {
  for (const char* text : {"", "no json", "[]", "{\"benchmarks\": []}",
                           "{\"benchmarks\": [{\"name\": \"ffma\", \"value\": \"x\"}]}"}) {
    const std::string path = file_with(text);
    try {
      measured_roof(path);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const std::runtime_error& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.find(path + " is no file of measured roofs"), 0u) << said;
      EXPECT_NE(said.find("make roofs"), std::string::npos) << said;
    }
  }
}

TEST_F(BenchmarkRoofsTest, TheFileIsNamedAfterTheGpu) {
  EXPECT_EQ(roofs_path("NVIDIA H200"), LADDER_SOURCE_DIR "/bench/results/nvidia-h200/roofs.json");
  EXPECT_EQ(roofs_path("../evil"), LADDER_SOURCE_DIR "/bench/results/---evil/roofs.json");
}

TEST_F(BenchmarkRoofsTest, TheTableIsOfEightyColumns) {
  const std::string text = roofs_text(kFigures);
  EXPECT_NE(text.find("ffma                65.3 TFLOP/s  spread 10.00 %\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ladder::bench
