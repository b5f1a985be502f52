// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/roofline_lab_test.cpp
/// \brief L15: each rung is under the roof that its counts and the measured rates say.
#include <gtest/gtest.h>

#include <memory>

#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/roofline.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "common/device_card.hpp"
#include "common/machine.hpp"
#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

LabReport on(const MemorySystemShape& shape) {
  const auto gpu = make_simulated_instruments(shape, 1);
  return roofline(gpu.get(), {.quick = true});
}

TEST(RooflineLab, TheFirstRungsAreUnderThePipeAndTheOthersUnderTheLanes) {
  const LabReport report = on(memory_system_of("h200"));
  EXPECT_NEAR(value_of(report, "fp32_tflops"), 66.9, 0.1);  // 132 SMs * 256 * 1.98 GHz
  EXPECT_NEAR(value_of(report, "ridge_flop_per_byte"), 66.9e12 / 4.513e12, 0.3);
  // A load of A looks up 32 lines, one of B a line, for 32 multiply-adds: 33 wavefronts.
  EXPECT_NEAR(value_of(report, "rung_01_tflops"), 2 * 32 * 132 * 1.98e-3 / 33, 0.02);
  EXPECT_NE(finding(report, "rung_01_tflops").how.find("L1 and shared memory"), std::string::npos);
  EXPECT_EQ(value_of(report, "rung_10_tflops"), value_of(report, "fp32_tflops"));
  EXPECT_EQ(claim(report, "R100").verdict, "wrong");  // half of the rungs, or more
}

TEST(RooflineLab, SlowMemoryIsTheRoofOfAll) {
  MemorySystemShape shape = memory_system_of("h200");
  shape.dram_read_gbps = 10;
  const LabReport report = on(shape);
  const double bytes_once = 2 * 256.0 * 256 * 4;  // A and B; C stays in L2
  const double most = 2 * 256.0 * 256 * 256 / (bytes_once / 10e9) * 1e-12;
  for (const char* rung : {"rung_04_tflops", "rung_09_tflops", "rung_14_tflops"}) {
    EXPECT_LE(value_of(report, rung), 1.1 * most) << rung;
    EXPECT_NE(finding(report, rung).how.find("Its roof is memory"), std::string::npos) << rung;
  }
  EXPECT_EQ(claim(report, "R100").verdict, "holds");
}

TEST(RooflineLab, TrafficThatWasNotCountedIsNotZero) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const Problem problem = {.shape = {32, 32, 32}, .seed = 1};
  RungTrace trace = trace_rung(*machine, find_rung(traced_rungs(), "02"), problem,
                               load_card("classroom"), {.all_blocks = true, .warp = {}});
  const Roofs roofs = {
      .multiply_adds = 1e12, .wavefronts = 1e12, .l2_bytes = 1e12, .dram_bytes = 1e12};
  EXPECT_TRUE(bound_of(trace, roofs).finding.value);
  trace.metrics.at("dram__bytes_read.sum").reset();
  EXPECT_FALSE(bound_of(trace, roofs).finding.value);
  EXPECT_FALSE(bound_of(trace, roofs).under_lanes);
}

}  // namespace
}  // namespace ladder::labs
