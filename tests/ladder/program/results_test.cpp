// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/results_test.cpp
/// \brief Results as JSON: every field is there, and all recorded files keep the schema.
#include "ladder/program/results.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Timing timing_of_two_ms() {
  return {.time_ms = 2.0,
          .tflops = 30.5,
          .ratio_to_cublas = 0.5,
          .ratio_to_best = 0.4,
          .spread = 0.01,
          .launches_per_sample = 10,
          .share_of_roof = 0.6,
          .samples_ms = {1.99, 2.0, 2.01},
          .clocks = {.sm_mhz = {1700, 1900, 1800}, .power_w = {}}};
}

/// A right, timed rung and a wrong one.
Climb two_entries() {
  const Problem problem{.shape = {70, 80, 90}, .alpha = 1.5f, .beta = -0.5f, .seed = 17};
  const Rung right = {.number = 5, .name = "vector_access", .idea = "an idea", .run = {}};
  const Rung wrong = {.number = 6, .name = "double_buffer", .idea = "an idea", .run = {}};
  Climb climb{.device = "a GPU",
              .on_gpu = true,
              .protocol = Protocol::graph,
              .problem = problem,
              .entries = {},
              .best_cublaslt = {{kFp32, timing_of_two_ms()}}};
  Verdict good;
  good.right = true;
  good.error_over_bound = 0.25;
  good.difference_to_cublas = 1e-7;
  Verdict bad;
  bad.error_over_bound = std::numeric_limits<double>::infinity();
  bad.wrong = {Wrong{.kind = WrongKind::kInputChanged, .fields = {{"array", "A"}, {"changed", 3}}}};
  climb.entries.push_back({.rung = right,
                           .problem = problem,
                           .outcome = Outcome::right,
                           .verdict = good,
                           .timing = timing_of_two_ms(),
                           .counts = {}});
  climb.entries.push_back({.rung = wrong,
                           .problem = problem,
                           .outcome = Outcome::wrong,
                           .findings = findings_of(bad),
                           .verdict = bad,
                           .timing = {},
                           .counts = {}});
  return climb;
}

/// What every results file has, whichever program wrote it.
void expect_common_schema(const json& results, const std::vector<std::string>& fields) {
  ASSERT_TRUE(results.contains("context"));
  ASSERT_TRUE(results.contains("benchmarks"));
  const json& context = results["context"];
  for (const char* field :
       {"date", "device", "protocol", "commit", "sm_clock_mhz", "power_w", "json_schema_version"}) {
    EXPECT_TRUE(context.contains(field)) << "context." << field;
  }
  EXPECT_TRUE(context["device"].is_string());
  EXPECT_EQ(context["json_schema_version"], 1);
  ASSERT_FALSE(results["benchmarks"].empty());
  for (const json& entry : results["benchmarks"]) {
    for (const std::string& field : fields) {
      EXPECT_TRUE(entry.contains(field)) << field << " in " << entry.dump();
    }
  }
}

/// Complains about whatever a reader of a climb would miss.
void expect_schema(const json& results) {
  expect_common_schema(results, {"name", "m", "n", "k"});
  for (const json& entry : results["benchmarks"]) {
    SCOPED_TRACE(entry.dump());
    for (const char* field : {"name", "rung", "m", "n", "k", "alpha", "beta", "seed", "time_ms",
                              "tflops", "ratio_to_cublas", "ratio_to_best", "spread",
                              "launches_per_sample", "samples_ms", "sm_clock_mhz", "power_w"}) {
      EXPECT_TRUE(entry.contains(field)) << field;
    }
    if (entry["rung"].is_null()) continue;  // the best of cublasLt, which is not verified
    for (const char* field :
         {"outcome", "note", "verified", "error_over_bound", "difference_to_cublas"}) {
      EXPECT_TRUE(entry.contains(field)) << field;
    }
    if (entry["verified"].get<bool>()) {
      EXPECT_LE(entry["error_over_bound"].get<double>(), 1.0);
    } else {
      EXPECT_TRUE(entry["time_ms"].is_null()) << "a figure of a rung that was not right";
    }
  }
}

/// Complains about whatever a reader of a lab's report would miss.
void expect_lab_schema(const json& results) {
  for (const char* field : {"date", "device", "commit", "cuda_driver"})
    EXPECT_TRUE(results["context"].contains(field)) << "context." << field;
  for (const char* field :
       {"lab", "quick", "seed", "seconds", "findings", "claims", "notes", "series"})
    EXPECT_TRUE(results.contains(field)) << field;
  EXPECT_FALSE(results["findings"].empty());
  for (const json& finding : results["findings"]) {
    for (const char* field : {"key", "name", "value", "unit", "how"})
      EXPECT_TRUE(finding.contains(field)) << field << " in " << finding.dump();
  }
}

/// Complains about whatever bench/benchmark/compact.py needs to expand the results again.
void expect_benchmark_schema(const json& results) {
  for (const char* field : {"date", "device", "protocol", "commit", "cublas", "cuda_driver"}) {
    EXPECT_TRUE(results["context"].contains(field)) << "context." << field;
  }
  ASSERT_FALSE(results["rows"].empty());
  for (const json& row : results["rows"]) {
    for (const char* field : {"name", "ms", "launches_per_sample", "spread", "sm_mhz"}) {
      EXPECT_TRUE(row.contains(field)) << field << " in " << row.dump();
    }
  }
}

TEST(ResultsTest, EveryFieldIsThere) {
  const json results = to_json(two_entries(), {{"cuda_driver", "13.0"}});
  expect_schema(results);
  const json& context = results["context"];
  EXPECT_EQ(context["device"], "a GPU");
  EXPECT_EQ(context["protocol"], "graph");
  EXPECT_EQ(context["cuda_driver"], "13.0");
  EXPECT_EQ(context["sm_clock_mhz"], (json{{"min", 1700}, {"median", 1800}, {"max", 1900}}));
  EXPECT_TRUE(context["power_w"].is_null());

  ASSERT_EQ(results["benchmarks"].size(), 3u);
  const json& right = results["benchmarks"][0];
  EXPECT_EQ(right["name"], "05_vector_access");
  EXPECT_EQ(right["rung"], 5);
  EXPECT_EQ(right["outcome"], "right");
  EXPECT_EQ(right["verified"], true);
  EXPECT_EQ(right["m"], 70);
  EXPECT_EQ(right["n"], 80);
  EXPECT_EQ(right["k"], 90);
  EXPECT_EQ(right["alpha"], 1.5);
  EXPECT_EQ(right["beta"], -0.5);
  EXPECT_EQ(right["seed"], 17);
  EXPECT_EQ(right["error_over_bound"], 0.25);
  EXPECT_EQ(right["difference_to_cublas"], 1e-7);
  EXPECT_EQ(right["time_ms"], 2.0);
  EXPECT_EQ(right["tflops"], 30.5);
  EXPECT_EQ(right["samples_ms"], (json{1.99, 2.0, 2.01}));
  EXPECT_EQ(right["ratio_to_cublas"], 0.5);
  EXPECT_EQ(right["ratio_to_best"], 0.4);
  EXPECT_EQ(right["spread"], 0.01);
  EXPECT_EQ(right["launches_per_sample"], 10);
  EXPECT_EQ(right["share_of_roof"], 0.6);
  EXPECT_EQ(results["benchmarks"][2]["name"], "best_cublaslt");
}

TEST(ResultsTest, WhatWasNotMeasuredIsNull) {
  Climb climb = two_entries();
  const json wrong = to_json(climb, {})["benchmarks"][1];
  EXPECT_EQ(wrong["outcome"], "wrong");
  EXPECT_EQ(wrong["verified"], false);
  EXPECT_TRUE(wrong["note"].is_string());
  EXPECT_EQ(wrong["findings"].at(0).at("code"), "input-changed");
  EXPECT_EQ(wrong["findings"].at(0).at("fields").at("array"), "A");
  EXPECT_TRUE(wrong["error_over_bound"].is_null()) << "JSON has no infinity";
  EXPECT_TRUE(wrong["difference_to_cublas"].is_null());
  EXPECT_TRUE(wrong["tflops"].is_null());
  climb.protocol.reset();
  EXPECT_TRUE(to_json(climb, {})["context"]["protocol"].is_null());
}

TEST(RecordedResultsTest, AllFilesKeepTheSchema) {
  const fs::path results = fs::path(LADDER_SOURCE_DIR) / "bench" / "results";
  if (!fs::exists(results)) GTEST_SKIP() << "no recorded results in these sources";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(results)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path());
    const std::string folder = entry.path().parent_path().filename();
    const bool is_report = folder == "emulator" && entry.path().filename() != "traces.json";
    const std::set<std::string> programs = {"kv_pipeline.json",         "kv_pipeline_requests.json",
                                            "l2_probes.json",           "l2_strides.json",
                                            "l2_strides_requests.json", "side_boost_rope.json"};
    const bool is_untimed = entry.path().filename() == "stream_sanitizer.json" ||
                            programs.contains(entry.path().filename().string());
    const bool is_simulated = folder.starts_with("simulated_");
    if (folder == "results" || folder == "nvcc" || is_report || is_untimed || is_simulated) {
      continue;  // own tests
    }
    ++files;
    const json results = json::parse(text_of(entry.path()));
    if (entry.path().filename().string().starts_with("climb_")) {
      expect_schema(results);
    } else if (entry.path().filename().string().starts_with("lab_")) {
      expect_lab_schema(results);
    } else if (entry.path().filename() == "gallery.json") {
      expect_common_schema(results, {"name", "tool", "fault", "count", "at_the_fault"});
    } else if (entry.path().filename() == "raster_orders.json") {
      expect_common_schema(results,
                           {"size", "order", "parts", "read_bytes", "written_bytes", "ms"});
    } else if (entry.path().filename() == "own_programs.json") {
      expect_common_schema(results, {"name", "output", "launches"});
    } else if (entry.path().filename() == "speed_points.json") {
      expect_common_schema(results, {"rung", "version", "runs"});
    } else if (entry.path().filename() == "cuda_gdb.json") {
      expect_common_schema(results, {"name", "shows", "stopped_by", "focus", "steps"});
    } else if (entry.path().filename() == "split_precision.json" ||
               entry.path().filename() == "torch_side_aware.json") {
      expect_common_schema(results, {"name"});  // their forms have the rest
    } else if (entry.path().filename() == "roofs.json") {
      expect_common_schema(results, {"name", "unit", "value", "samples_ms"});
    } else if (entry.path().filename().string().starts_with("benchmark_") ||
               entry.path().filename() == "drawn_shapes.json") {
      expect_benchmark_schema(results);
    } else if (entry.path().filename() == "near_loops.json") {
      expect_common_schema(results, {"name", "instructions", "loads", "stores", "loop"});
    } else if (folder == "sass") {
      expect_common_schema(results, {"name", "rung", "registers"});
    } else {
      expect_common_schema(results, {"name", "m", "n", "k"});
    }
  }
  if (files == 0) GTEST_SKIP() << "no recorded results in these sources";
}

TEST(RecordedResultsTest, RegistersAreKnownOfEachSizeThatWasProfiled) {
  for (const Rung& known : emulated_rungs()) {
    const int rung = known.number;
    std::set<int> sizes;
    for (const auto& [size, registers] : recorded_registers(rung)) {
      sizes.insert(size);
      EXPECT_EQ(registers, recorded_counters(rung, size).at("launch__registers_per_thread"));
    }
    for (const int size : {256, 512, 1024, 2048, 4096}) {
      EXPECT_EQ(sizes.contains(size), !recorded_counters(rung, size).empty())
          << "rung " << rung << " at " << size;
    }
  }
}

/// What recorded_climb() says of a folder of sources with this text as its recorded climb.
std::string said_of(const std::string& climb, const std::string& facts = R"({"rungs": []})") {
  const fs::path root = fs::path(testing::TempDir()) / "ladder_corrupt_climb";
  fs::remove_all(root);
  fs::create_directories(root / "bench/results/nvidia-h200");
  std::ofstream(root / "bench/results/nvidia-h200/climb_burst_4096.json") << climb;
  std::ofstream(root / "bench/results/rungs.json") << facts;
  std::string said;
  try {
    recorded_climb(root);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  fs::remove_all(root);
  return said;
}

TEST(RecordedResultsTest, ACorruptFileIsNamedInASentence) {
  const std::string good = R"({"context": {"device": "H200", "protocol": "burst"}, "benchmarks": [
      {"name": "03", "rung": 3, "m": 4096, "tflops": 10.5, "ratio_to_best": 0.25}]})";
  EXPECT_EQ(said_of(good), "");
  const auto changed = [&](const std::string& old, const std::string& now) {
    std::string text = good;
    EXPECT_NE(text.find(old), std::string::npos) << old;
    return text.replace(text.find(old), old.size(), now);
  };
  const std::vector<std::string> corrupt = {"",
                                            "null",
                                            "[]",
                                            "{}",
                                            "[1, 2]",
                                            "\x89PNG\r\n",
                                            good.substr(0, good.size() / 2),
                                            std::string(20000, '['),
                                            changed("10.5", "\"fast\""),
                                            changed("10.5", "NaN"),
                                            changed("10.5", "-10.5"),
                                            changed("10.5", "0"),
                                            changed("10.5", "1e300"),
                                            changed("10.5", "1e999"),
                                            changed("0.25", "null"),
                                            changed("\"rung\": 3", "\"rung\": \"3\""),
                                            changed("\"m\": 4096, ", ""),
                                            changed("\"burst\"", "{}"),
                                            changed("\"benchmarks\"", "\"entries\"")};
  for (const std::string& text : corrupt) {
    const std::string said = said_of(text);
    EXPECT_NE(said.find("climb_burst_4096.json: "), std::string::npos) << text << ": " << said;
    EXPECT_NE(said.find("git restore"), std::string::npos) << said;
    EXPECT_EQ(said.find("json.exception"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  for (const char* facts : {"", "{}", "[]", R"({"rungs": [{}]})", R"({"rungs": [{"folder": 3}]})"})
    EXPECT_NE(said_of(good, facts).find("rungs.json: "), std::string::npos) << facts;
}

TEST(RecordedResultsTest, TheRecordedClimbIsComplete) {
  const fs::path path =
      fs::path(LADDER_SOURCE_DIR) / "bench" / "results" / "nvidia-h200" / "climb_burst_4096.json";
  const std::optional<Recording> recording = recorded_climb();
  ASSERT_EQ(recording.has_value(), fs::exists(path));
  if (!recording) GTEST_SKIP() << "not recorded yet: " << path;
  EXPECT_EQ(recording->size, 4096);
  EXPECT_EQ(recording->protocol, "burst");
  EXPECT_NE(recording->other_device.find("H100"), std::string::npos) << recording->other_device;
  EXPECT_TRUE(recording->on_other_device.contains(16));
  EXPECT_NE(recording->device.find("H200"), std::string::npos) << recording->device;
  ASSERT_GE(recording->figures.size(), 8u);
  for (std::size_t i = 0; i < recording->figures.size(); ++i) {
    // A rung that came later may lack its record.
    if (i > 0) {
      EXPECT_GT(recording->figures[i].rung, recording->figures[i - 1].rung);
    }
    EXPECT_GT(recording->figures[i].tflops, 0.1);
    EXPECT_LT(recording->figures[i].tflops, 70.0) << "beyond the FP32 peak of an H200";
    EXPECT_GT(recording->figures[i].ratio_to_best, 0.0);
  }
}

}  // namespace
}  // namespace ladder
