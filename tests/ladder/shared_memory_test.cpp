// SPDX-License-Identifier: MIT
/// \file  tests/ladder/shared_memory_test.cpp
/// \brief What a rung launches fits the shared memory of each GPU that it is compiled for, and is
///        right there: 99 KiB for a block on compute capability 12.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/device_card.hpp"
#include "common/machine.hpp"
#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

const std::vector<Shape> kShapes = {{4096, 4096, 4096}, {1024, 1024, 1024}, {256, 256, 256},
                                    {4, 2048, 2048},    {2048, 4, 2048},    {128, 128, 16384},
                                    {512, 768, 4096},   {64, 64, 8192}};

/// The most shared memory that a block takes of what a rung, or one of its plans, launches.
std::size_t most_bytes(const Run& run, const Shape& shape) {
  std::size_t most = 0;
  with_element_of(run.stored(), [&](auto element) {
    alignas(256) static decltype(element) untouched[1];
    const Gemm<decltype(element)> gemm = {shape.M,   shape.N,   shape.K, 1,
                                          untouched, untouched, 0,       untouched};
    for (const auto& launch : emulator::noted_launches([&] { run(gemm, nullptr); }))
      most = std::max(most, launch.static_shared_bytes + launch.dynamic_shared_bytes);
  });
  return most;
}

/// A card that the emulator models, and all of its rungs.
class SharedMemoryTest : public testing::TestWithParam<const char*> {
 protected:
  const DeviceCard card_ = load_card(GetParam());
  const emulator::ScopedSharedBytes shared_{card_.max_shared_bytes_per_block};
};

TEST_P(SharedMemoryTest, WhatIsLaunchedFits) {
  const auto most = static_cast<std::size_t>(card_.max_shared_bytes_per_block);
  int compared = 0;
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0 || !runs_on(rung, card_.compute_capability)) continue;
    for (const Shape& shape : kShapes) {
      if (shape.N % rung.multiple_of != 0) continue;
      EXPECT_LE(most_bytes(rung.run, shape), most) << label(rung) << " at K = " << shape.K;
      if (rung.plans == nullptr) continue;
      for (const WorkPlan& plan : rung.plans(shape)) {
        EXPECT_LE(most_bytes(plan.launch, shape), most) << label(rung) << ", " << plan.name;
        ++compared;
      }
    }
  }
  EXPECT_TRUE(compared > 0 || card_.compute_capability < 90);
}

INSTANTIATE_TEST_SUITE_P(Cards, SharedMemoryTest,
                         testing::Values("t4", "a100", "rtx4090", "h200", "b200", "rtx5090"),
                         [](const auto& info) { return std::string(info.param); });

constexpr int kLittleHas = 120;  // compute capability of GPUs with 99 KiB for a block

TEST(LittleSharedMemoryTest, ARungThatChoosesHasFewerConfigurationsAndIsRight) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  int looked_at = 0;
  for (const Rung& rung : emulated_rungs()) {
    if (rung.explain == nullptr || !runs_on(rung, kLittleHas)) continue;
    const Shape shape = {96, 160, 1024};
    const std::size_t all = rung.plans(shape).size();
    const emulator::ScopedSharedBytes little(99 * 1024);
    EXPECT_LT(rung.plans(shape).size(), all) << label(rung);
    ++looked_at;
    Verifier verifier(*machine, shape, 7, rung.precision);
    const Verdict verdict = verifier.verify(rung.run, 1.0f, 0.5f, rung.tile);
    EXPECT_TRUE(verdict.right) << label(rung) << ": " << text_of(verdict.wrong);
  }
  EXPECT_GT(looked_at, 0);
}

}  // namespace
}  // namespace ladder
