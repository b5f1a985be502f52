// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/benchmark_rows_test.cpp
/// \brief Rows on their way through Google Benchmark, on a GPU whose time is made up.
#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/benchmark/gemm_rows.hpp"
#include "bench/benchmark/reporters.hpp"
#include "ladder/program/rotating_buffers.hpp"
#include "tests/common/made_up_gpu.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

double now_ms = 0.0;  ///< of the GPU that there is not

template <class T>
void multiply(const Gemm<T>& gemm, double ms) {
  rival_in(std::is_same_v<T, float> ? kFp32 : kBf16, emulated_rungs()).run(gemm, nullptr);
  now_ms += ms;
}

void cublas(const Gemm<float>& gemm, Stream) {
  multiply(gemm, 2.0);
}
void cublas_bf16(const Gemm<bfloat16>& gemm, Stream) {
  multiply(gemm, 0.4);
}
void quick_bf16(const Gemm<bfloat16>& gemm, Stream) {
  multiply(gemm, 0.5);
}
void quick(const Gemm<float>& gemm, Stream) {
  multiply(gemm, 1.0);
}
void wrong(const Gemm<float>& gemm, Stream) {
  multiply(gemm, 0.5);
  gemm.C[5] += 1.0f;
}
void refusing(const Gemm<float>&, Stream) {
  throw ShapeRefused("03 refusing refuses everything");
}
void failing(const Gemm<float>&, Stream) {
  throw GpuError("CUDA: an illegal memory access");
}

Rung made_up(int number, std::string_view name, const Precision& precision, Run run) {
  return {.number = number,
          .name = name,
          .idea = "",
          .precision = precision,
          .tile = {32, 32},
          .run = std::move(run)};
}

const std::vector<Rung> kTable = [] {
  Rung vendor = made_up(0, "cublas", kFp32, cublas);
  vendor.in_other_precisions = {made_up(0, "cublas_bf16", kBf16, cublas_bf16)};
  return std::vector<Rung>{vendor,
                           made_up(1, "quick", kFp32, quick),
                           made_up(2, "wrong", kFp32, wrong),
                           made_up(3, "refusing", kFp32, refusing),
                           made_up(4, "failing", kFp32, failing),
                           made_up(5, "quick_bf16", kBf16, quick_bf16)};
}();

class ScriptedStopwatch final : public Stopwatch {
 public:
  Stream stream() override { return nullptr; }
  double time_ms(const std::function<void()>& work) override {
    const double start = now_ms;
    work();
    return now_ms - start;
  }
  std::function<void()> record_graph(const std::function<void()>& work) override {
    const double start = now_ms;
    work();
    return [duration = now_ms - start] { now_ms += duration; };
  }
  void rest_ms(double) override {}
  void log_clocks(ClockLog& log) override {
    log.sm_mhz.push_back(1900.0 + static_cast<double>(log.sm_mhz.size()));
    log.power_w.push_back(600.0);
  }
};

/// A GPU whose time is the script's.
class ScriptedGpu final : public testing_machine::MadeUpGpu {
 public:
  ScriptedGpu() : MadeUpGpu(90) {}

  bool is_gpu() const override { return true; }
  std::string name() const override { return "Made Up 1"; }
  std::size_t free_bytes() const override { return free; }
  std::size_t l2_bytes() const override { return 1 << 20; }
  std::optional<Roof> roof() const override { return Roof{50.0, 3000.0}; }
  std::map<std::string, std::string> versions() const override {
    return {{"cuda_driver", "13.0"}, {"cublas", "130100"}};
  }
  std::unique_ptr<Stopwatch> make_stopwatch() override {
    ++measurements;
    return std::make_unique<ScriptedStopwatch>();
  }
  Run tuned_vendor_gemm(const Precision& precision, const GemmOf&, Stopwatch&) override {
    if (precision == kBf16) {
      return [](const Gemm<bfloat16>& gemm, Stream) { multiply(gemm, 0.3); };
    }
    return [](const Gemm<float>& gemm, Stream) { multiply(gemm, 1.6); };
  }

  std::size_t free = std::size_t{1} << 30;
  int measurements = 0;
};

/// What Google Benchmark says of a plan, as JSON and as a table.
struct Outcome {
  json results;
  std::string table;
  bool all_right;
};

class BenchmarkRowsTest : public testing::Test {
 protected:
  Plan plan(const std::vector<std::string>& rungs, std::vector<Shape> shapes, Protocol protocol) {
    PlanRequest request{.rungs = {},
                        .shapes = std::move(shapes),
                        .protocol = protocol,
                        .compute_capability = machine_.compute_capability()};
    for (const std::string& rung : rungs)
      request.rungs.push_back(find_rung(kTable, rung));
    return make_plan(kTable, request);
  }

  Outcome run(const Plan& plan, const std::optional<Roof>& measured = {}) {
    Outcome outcome{.results = {}, .table = {}, .all_right = false};
    for (const bool as_json : {true, false}) {
      GemmRows rows(machine_, kTable, plan, measured, [](const std::string&, double) {});
      rows.register_rows();
      std::ostringstream text;
      JsonReporter json_reporter;
      TableReporter table;
      benchmark::BenchmarkReporter* reporter = &table;
      if (as_json) reporter = &json_reporter;
      reporter->SetOutputStream(&text);
      benchmark::RunSpecifiedBenchmarks(reporter, nullptr, ".");
      benchmark::ClearRegisteredBenchmarks();
      if (as_json) {
        outcome.results = json::parse(text.str());
      } else {
        outcome.table = text.str();
      }
      outcome.all_right = rows.all_right();
    }
    return outcome;
  }

  static std::vector<json> samples(const json& results, const std::string& name) {
    std::vector<json> found;
    for (const json& entry : results["benchmarks"]) {
      if (entry["run_name"] == name && entry["run_type"] == "iteration") found.push_back(entry);
    }
    return found;
  }

  ScriptedGpu machine_;
};

constexpr Shape kShape = {64, 32, 48};

TEST_F(BenchmarkRowsTest, SamplesArriveAsRepetitionsUnderTheirPlainName) {
  const Outcome outcome = run(plan({"quick"}, {kShape}, Protocol::burst));
  EXPECT_TRUE(outcome.all_right);
  const std::vector<json> quick = samples(outcome.results, "01_quick/64x32x48/burst");
  ASSERT_EQ(quick.size(), 5u);
  for (std::size_t i = 0; i < quick.size(); ++i) {
    EXPECT_EQ(quick[i]["name"], "01_quick/64x32x48/burst");
    EXPECT_EQ(quick[i]["repetition_index"], i);
    EXPECT_EQ(quick[i]["time_unit"], "ms");
    EXPECT_NEAR(quick[i]["real_time"].get<double>(), 1.0, 1e-9);
    EXPECT_NEAR(quick[i]["tflops"].get<double>(), 2.0 * 64 * 32 * 48 * 1e-9, 1e-15);
    EXPECT_NEAR(quick[i]["ratio_to_cublas"].get<double>(), 2.0, 1e-9);
    EXPECT_NEAR(quick[i]["ratio_to_best"].get<double>(), 1.6, 1e-9);
    EXPECT_NEAR(quick[i]["spread"].get<double>(), 0.0, 1e-9);
    EXPECT_EQ(quick[i]["launches_per_sample"], 10);
    EXPECT_EQ(quick[i]["sm_mhz"], 1900 + i) << "the reading of this sample";
    EXPECT_EQ(quick[i]["power_w"], 600);
    EXPECT_FALSE(quick[i].contains("share_of_measured_roof")) << "no roof was measured";
  }
  EXPECT_EQ(samples(outcome.results, "00_cublas/64x32x48/burst").size(), 5u);
  const std::vector<json> best = samples(outcome.results, "best_cublaslt/64x32x48/burst");
  ASSERT_EQ(best.size(), 5u);
  EXPECT_NEAR(best[0]["ratio_to_cublas"].get<double>(), 1.25, 1e-9);
}

TEST_F(BenchmarkRowsTest, AllRowsOfAShapeComeFromOneRotation) {
  const Plan two_shapes = plan({"quick"}, {kShape, {32, 32, 32}}, Protocol::graph);
  run(two_shapes);
  EXPECT_EQ(machine_.measurements, 2 * 2) << "two shapes, shown as JSON and as a table";
}

TEST_F(BenchmarkRowsTest, EveryProtocolGivesItsSamples) {
  for (const Protocol protocol : {Protocol::burst, Protocol::sustained, Protocol::graph}) {
    const std::string name = "01_quick/64x32x48/" + std::string(name_of(protocol));
    const Outcome outcome = run(plan({"quick"}, {kShape}, protocol));
    const std::vector<json> quick = samples(outcome.results, name);
    EXPECT_EQ(static_cast<int>(quick.size()), samples_of(protocol)) << name;
    for (const json& sample : quick)
      EXPECT_TRUE(sample.contains("sm_mhz")) << sample;
  }
}

TEST_F(BenchmarkRowsTest, AGraphLaunchesOnceForEachSetOfBuffers) {
  const Outcome outcome = run(plan({"quick"}, {kShape}, Protocol::graph));
  const int sets = buffer_sets(kShape, Format::fp32, machine_.l2_bytes());
  ASSERT_GT(sets, 20);
  for (const char* row : {"00_cublas", "best_cublaslt", "01_quick"}) {
    const std::vector<json> entries =
        samples(outcome.results, row + std::string("/64x32x48/graph"));
    ASSERT_FALSE(entries.empty()) << row;
    EXPECT_EQ(entries[0]["launches_per_sample"], sets) << row;
  }
}

TEST_F(BenchmarkRowsTest, TheMeasuredRoofGivesAShare) {
  const Outcome outcome =
      run(plan({"quick"}, {kShape}, Protocol::graph), Roof{.fp32_tflops = 1e-3, .dram_gbps = 1e9});
  const json sample = samples(outcome.results, "01_quick/64x32x48/graph")[0];
  EXPECT_NEAR(sample["share_of_measured_roof"].get<double>(), 2.0 * 64 * 32 * 48 * 1e-6, 1e-9);
}

TEST_F(BenchmarkRowsTest, EachRowIsComparedInItsOwnPrecision) {
  const Roof roof{.fp32_tflops = 1e-3, .dram_gbps = 1e9, .bf16_tflops = 1e-2};
  const Outcome outcome = run(plan({"quick", "quick_bf16"}, {kShape}, Protocol::burst), roof);
  EXPECT_TRUE(outcome.all_right) << outcome.table;
  const auto first = [&](const std::string& row) {
    const std::vector<json> found = samples(outcome.results, row + "/64x32x48/burst");
    return found.empty() ? json() : found[0];
  };
  const auto ratio = [&](const std::string& row, const char* to) {
    return first(row)[to].get<double>();
  };
  EXPECT_NEAR(ratio("01_quick", "ratio_to_cublas"), 2.0 / 1.0, 1e-9);
  EXPECT_NEAR(ratio("05_quick_bf16", "ratio_to_cublas"), 0.4 / 0.5, 1e-9);
  EXPECT_NEAR(ratio("05_quick_bf16", "ratio_to_best"), 0.3 / 0.5, 1e-9);
  EXPECT_NEAR(ratio("00_cublas_bf16", "ratio_to_best"), 0.3 / 0.4, 1e-9);
  EXPECT_NEAR(ratio("best_cublaslt", "ratio_to_cublas"), 2.0 / 1.6, 1e-9);
  EXPECT_NEAR(ratio("best_cublaslt_bf16", "ratio_to_cublas"), 0.4 / 0.3, 1e-9);
  EXPECT_FALSE(first("01_quick").contains("label"));
  EXPECT_EQ(first("best_cublaslt_bf16")["label"], "BF16");
  const json bf16 = first("05_quick_bf16");
  EXPECT_EQ(bf16["label"], "BF16");
  EXPECT_NEAR(bf16["share_of_measured_roof"].get<double>(), bf16["tflops"].get<double>() / 1e-2,
              1e-9);
}

TEST_F(BenchmarkRowsTest, WithoutAMeasuredPeakThereIsNoShareOfTheRoof) {
  const Outcome outcome = run(plan({"quick", "quick_bf16"}, {kShape}, Protocol::burst),
                              Roof{.fp32_tflops = 1e-3, .dram_gbps = 1e9});
  EXPECT_TRUE(
      samples(outcome.results, "01_quick/64x32x48/burst")[0].contains("share_of_measured_roof"));
  EXPECT_FALSE(samples(outcome.results, "05_quick_bf16/64x32x48/burst")[0].contains(
      "share_of_measured_roof"));
}

TEST_F(BenchmarkRowsTest, AWrongRungIsAnErrorAndTheOthersAreMeasured) {
  const Outcome outcome = run(plan({"wrong", "quick"}, {kShape}, Protocol::graph));
  EXPECT_FALSE(outcome.all_right);
  const std::vector<json> entries = samples(outcome.results, "02_wrong/64x32x48/graph");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries[0]["error_occurred"], true);
  EXPECT_EQ(entries[0]["error_message"].get<std::string>().find("wrong: "), 0u) << entries[0];
  EXPECT_FALSE(entries[0].contains("tflops"));
  EXPECT_EQ(samples(outcome.results, "01_quick/64x32x48/graph").size(), 9u);
  EXPECT_NE(outcome.table.find("02_wrong/64x32x48/graph: wrong: "), std::string::npos)
      << outcome.table;
}

TEST_F(BenchmarkRowsTest, ARefusalThatTheTableDoesNotKnowIsAnError) {
  const Outcome outcome = run(plan({"refusing"}, {kShape}, Protocol::graph));
  EXPECT_FALSE(outcome.all_right);
  EXPECT_EQ(samples(outcome.results, "03_refusing/64x32x48/graph")[0]["error_message"],
            "03 refusing refuses everything");
}

TEST_F(BenchmarkRowsTest, AfterAGpuErrorNothingIsMeasured) {
  const Outcome outcome = run(plan({"failing", "quick"}, {kShape}, Protocol::graph));
  EXPECT_FALSE(outcome.all_right);
  for (const json& entry : outcome.results["benchmarks"])
    EXPECT_EQ(entry["error_occurred"], true) << entry;
  EXPECT_NE(outcome.table.find("illegal memory access"), std::string::npos) << outcome.table;
}

TEST_F(BenchmarkRowsTest, TheTableHoldsALineForEachRow) {
  const Outcome outcome = run(plan({"quick"}, {kShape}, Protocol::burst));
  std::vector<std::string> lines;
  std::istringstream text(outcome.table);
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 2u + 3u) << outcome.table;
  EXPECT_EQ(lines[4],
            "01_quick/64x32x48/burst                        1     0.00 200.0 % "
            "160.0 %  0.0 %")
      << outcome.table;
}

TEST_F(BenchmarkRowsTest, TheContextSaysWhatTheFiguresAreFiledWith) {
  Plan refused = plan({"quick"}, {kShape}, Protocol::burst);
  refused.refusals.push_back({"05_vector_access/1x1x1/graph", "05 vector_access refuses N = 1"});
  add_context(machine_, refused, "auto");
  const json context = run(refused).results["context"];
  EXPECT_EQ(context["device"], "Made Up 1");
  EXPECT_EQ(context["protocol"], "auto");
  EXPECT_EQ(context["cublas"], "130100");
  EXPECT_EQ(context["cuda_driver"], "13.0");
  EXPECT_EQ(context["refused 05_vector_access/1x1x1/graph"], "05 vector_access refuses N = 1");
  EXPECT_TRUE(context.contains("commit"));
  EXPECT_TRUE(context.contains("date"));
}

TEST_F(BenchmarkRowsTest, AShapeThatDoesNotFitIsRefusedBeforeAnythingRuns) {
  machine_.free = 1 << 20;
  const Plan large = plan({"quick"}, {kShape, {1024, 1024, 1024}}, Protocol::burst);
  try {
    require_memory(machine_, large);
    ADD_FAILURE() << "accepted";
  } catch (const MachineError& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.find("M = 1024, N = 1024, K = 1024 needs 12 MiB"), 0u) << said;
    EXPECT_NE(said.find("choose a smaller shape"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace ladder::bench
