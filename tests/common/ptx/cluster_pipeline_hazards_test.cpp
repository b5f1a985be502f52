// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/cluster_pipeline_hazards_test.cpp
/// \brief Mistakes in a pipeline of pairs of blocks: each is found for its reason, in all timing
///        modes; and where nothing is wrong, nothing is found.
#include <random>

#include "tests/common/ptx/cluster_pipeline.hpp"
#include "tests/common/ptx/found_faults.hpp"
#include "tests/common/ptx/timing_modes.hpp"

namespace ladder {
namespace {

using pipeline_probes::PipelineFault;

constexpr char kFile[] = "cluster_pipeline.cu";

/// A mistake, and what the emulator or its trace may say of it: one of these.
struct Case {
  const char* name;
  PipelineFault fault;
  std::vector<Finding> findings;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

const std::vector<Case> kCases = {
    {"BarriersUnfenced",
     PipelineFault::kBarriersUnfenced,
     {{FaultKind::kMbarrierUnfenced, "box of A"}, {FaultKind::kMbarrierUnfenced, "box of B"}}},
    {"BarriersUnknown",
     PipelineFault::kBarriersUnknown,
     {{FaultKind::kClusterMbarrierUnknown, "box of B"}}},
    {"MulticastToItself",
     PipelineFault::kMulticastToItself,
     {{FaultKind::kDeadlock, "empty", "announce"}}},
    {"TooFewBytes",
     PipelineFault::kTooFewBytes,
     {{FaultKind::kCopyInFlight, "multiply", "box of B"},
      {FaultKind::kDeadlock, "empty", "announce"}}},
    {"TooManyBytes", PipelineFault::kTooManyBytes, {{FaultKind::kDeadlock, "empty", "announce"}}},
    {"FullNotAwaited",
     PipelineFault::kFullNotAwaited,
     {{FaultKind::kCopyInFlight, "multiply", "box of A"},
      {FaultKind::kUninitialisedShared, "multiply"}}},
    {"ReleasedForItself",
     PipelineFault::kReleasedForItself,
     {{FaultKind::kCopyInFlight, "box of B", "box of B"},
      {FaultKind::kRaceInShared, "box of B", "multiply"}}},
    {"ReleasedBeforeTheWait",
     PipelineFault::kReleasedBeforeTheWait,
     {{FaultKind::kRaceInShared, "box of B", "multiply"}}},
    {"StoresNotFenced",
     PipelineFault::kStoresNotFenced,
     {{FaultKind::kCopyUnfenced, "store", "results"}}},
    {"StoredByOneWarp",
     PipelineFault::kStoredByOneWarp,
     {{FaultKind::kRaceInShared, "store", "results"},
      {FaultKind::kCopyStillReads, "results", "store"}}},
    {"ResultsNotAwaited",
     PipelineFault::kResultsNotAwaited,
     {{FaultKind::kCopyStillReads, "results", "store"}}},
    {"LeavesWithStores",
     PipelineFault::kLeavesWithStores,
     {{FaultKind::kStoreUnfinished, "store"}}},
    {"LeavesBeforeTheOther",
     PipelineFault::kLeavesBeforeTheOther,
     {{FaultKind::kClusterLeftEarly, "release"}, {FaultKind::kClusterLeftEarly, "box of B"}}},
};

class ClusterPipelineHazards : public testing::Test {
 protected:
  static constexpr int M = 130, N = 136, K = 328;

  ClusterPipelineHazards() {
    std::mt19937 random(7);
    for (const Traced<bfloat16>* matrix : {&a_, &b_}) {
      const std::size_t count = matrix == &a_ ? std::size_t{M} * K : std::size_t{K} * N;
      for (std::size_t i = 0; i < count; ++i)
        (*matrix)[i] = bfloat16(static_cast<float>(random() % 9) - 4.0f);
    }
  }

  std::vector<Fault> traced(PipelineFault fault) const {
    return emulator::trace({a_.named("A"), b_.named("B"), c_.named("C", false)},
                           [&] { run(fault); })
        .hazards;
  }
  void run(PipelineFault fault) const {
    pipeline_probes::multiply({M, N, K, a_.data(), b_.data(), c_.data(), 1}, fault);
  }

  const Traced<bfloat16> a_{std::size_t{M} * K};
  const Traced<bfloat16> b_{std::size_t{K} * N};
  const Traced<bfloat16> c_{std::size_t{M} * N};
};

TEST_F(ClusterPipelineHazards, TheSoundPipelineIsNotAccused) {
  in_all_timing_modes(
      [&](const char* mode) { expect_nothing(traced(PipelineFault::kNone), mode); });
}

class ClusterPipelineMistake : public ClusterPipelineHazards,
                               public testing::WithParamInterface<Case> {};

TEST_P(ClusterPipelineMistake, IsFoundForItsReason) {
  in_all_timing_modes([&](const char* mode) {
    const std::vector<Fault> faults = traced(GetParam().fault);
    EXPECT_TRUE(std::ranges::any_of(faults,
                                    [&](const Fault& fault) {
                                      return std::ranges::any_of(
                                          GetParam().findings, [&](const Finding& finding) {
                                            return is_it(fault, kFile, finding);
                                          });
                                    }))
        << mode << ":\n"
        << text_of_all(faults);
  });
}

INSTANTIATE_TEST_SUITE_P(All, ClusterPipelineMistake, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace ladder
