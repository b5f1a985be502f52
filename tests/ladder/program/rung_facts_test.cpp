// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/rung_facts_test.cpp
/// \brief What `ladder list --json` says of the rungs is what they do, and what is recorded.
#include "ladder/program/rung_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "common/device_card.hpp"
#include "common/precision.hpp"
#include "emulator/run/debug_info/kernel_constants.hpp"
#include "emulator/run/settings.hpp"

namespace ladder {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kRecorded = "bench/results/rungs.json";

json facts_of(const char* rung, const std::vector<Shape>& shapes) {
  const Rung& found = find_rung(emulated_rungs(), rung);
  return rung_facts({&found, 1}, load_card("h200"), shapes).at("rungs").at(0);
}

// Python's pages, figures and tests read the recorded file.
TEST(RungFacts, AreTheRecordedOnes) {
  std::ifstream file(std::string(LADDER_SOURCE_DIR "/") + kRecorded);
  std::ostringstream recorded;
  recorded << file.rdbuf();
  const json now = rung_facts(emulated_rungs(), load_card("h200"), quoted_shapes(),
                              counted_rungs(traced_rungs()));
  EXPECT_TRUE(recorded.str() == facts_text(now))
      << kRecorded << " is stale: run build/ladder list --json " << kRecorded
      << ", then make report";
}

TEST(RungFacts, OfAKernelAreThoseOfItsSource) {
  const json facts = facts_of("shared_tile", {{4096, 4096, 4096}});
  EXPECT_EQ(facts.at("builds_on"), 2);
  EXPECT_EQ(facts.at("constants"), json::parse(R"({"BM": 32, "BN": 32, "BK": 64})"));
  const json& kernel = facts.at("kernels").at(0);
  EXPECT_EQ(kernel.at("function"), "kernel");
  EXPECT_EQ(kernel.at("template"), facts.at("constants"));
  EXPECT_EQ(kernel.at("threads"), 1024);
  EXPECT_EQ(kernel.at("static_shared_bytes"), (32 * 64 + 64 * 32) * 4);
  EXPECT_EQ(kernel.at("blocks_per_sm"), 2);
  EXPECT_EQ(kernel.at("limits"), "threads and registers");
  EXPECT_EQ(facts.at("launches").at(0).at("grid"), json::parse("[128, 128, 1]"));
  EXPECT_EQ(facts_of("vector_access", {{64, 64, 64}}).at("kernels").at(0).at("locals").at("kPad"),
            4);
}

TEST(RungFacts, TellOfDynamicSharedMemoryAndOfClusters) {
  EXPECT_GT(
      facts_of("producer_warps", {{64, 64, 64}}).at("kernels").at(0).at("dynamic_shared_bytes"),
      48 * 1024);
  bool has_cluster = false;
  const json facts = facts_of("every_shape", quoted_shapes());
  for (const json& launch : facts.at("launches")) {
    EXPECT_EQ(launch.at("grid").at(0).get<unsigned>() % launch.at("cluster").get<unsigned>(), 0u);
    has_cluster = has_cluster || launch.at("cluster") > 1;
  }
  EXPECT_TRUE(has_cluster);
}

TEST(RungFacts, ALibraryHasNoKernel) {
  const json facts = facts_of("cublas", {{64, 64, 64}});
  EXPECT_TRUE(facts.at("tile").is_null());
  EXPECT_TRUE(facts.at("kernels").empty());
}

template <class T>
void expect_planned(const Rung& rung, const Shape& shape) {
  alignas(256) static T untouched[1];
  const Gemm<T> gemm = {shape.M, shape.N, shape.K, 1, untouched, untouched, 0, untouched};
  const auto launches = emulator::noted_launches([&] { rung.run(gemm, nullptr); });
  ASSERT_EQ(launches.size(), 1u);
  int taken = 0;
  for (const WorkPlan& plan : rung.plans(shape)) {
    if (!plan.taken) continue;
    ++taken;
    const auto planned = emulator::noted_launches([&] { plan.launch(gemm, nullptr); });
    EXPECT_EQ(planned.at(0).kernel, launches[0].kernel);
    EXPECT_EQ(planned.at(0).grid, launches[0].grid);
    const long long shared = (plan.tiles - plan.whole_tiles) * plan.k_tiles;
    const long long places = plan.ranks * plan.share + plan.longer;
    EXPECT_GE(places, shared);
    EXPECT_LT(places - shared, std::max(plan.share, 1LL)) << "a rank has nothing to do";
    if (rung.explain == nullptr) continue;
    const std::string text = rung.explain(shape);
    EXPECT_NE(text.find(plan.name), std::string::npos) << text;
  }
  EXPECT_EQ(taken, 1);
}

TEST(RungFacts, PlansAreThoseThatAreLaunched) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.plans == nullptr) continue;
    for (const Shape& shape : quoted_shapes()) {
      if (shape.N % rung.multiple_of != 0 || shape.K % rung.multiple_of != 0) continue;
      SCOPED_TRACE(label(rung) + " at " + std::to_string(shape.M));
      with_element_of(rung.precision.stored, [&]<class T>(T) { expect_planned<T>(rung, shape); });
    }
  }
}

TEST(RungFacts, LeaveTheNumberOfSmsAsItIs) {
  const emulator::ScopedMultiprocessors seven(7);
  facts_of("stream_k", {{512, 512, 512}});
  EXPECT_EQ(emulator::multiprocessors(), 7);
}

TEST(KernelConstants, OfWhatIsNoKernelAreNone) {
  static const int variable = 0;
  const emulator::KernelConstants found = emulator::kernel_constants_of(&variable);
  EXPECT_TRUE(found.function.empty());
  EXPECT_TRUE(found.template_arguments.empty());
}

}  // namespace
}  // namespace ladder
