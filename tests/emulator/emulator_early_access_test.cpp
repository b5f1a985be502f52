// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_early_access_test.cpp
/// \brief Kernels that may start while the one before still runs: what they do before they wait for
///        it, and what the next one has to wait for.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

class EmulatorEarlyAccess : public testing::Test {
 protected:
  KernelTrace traced(WaitsFor waits, const TraceOptions& options = {}) const {
    return trace(
        arrays(), [&] { copy_early(waits, Launches::kNothing, in_.data(), out_.data()); }, options);
  }
  std::vector<TracedArray> arrays() const { return {in_.named("in"), out_.named("out")}; }

  Ints in_{128}, out_{128};
};

/// Where what comes too early is.
std::set<std::string> early_arrays(const KernelTrace& trace) {
  std::set<std::string> found;
  for (const Fault& hazard : trace.hazards) {
    EXPECT_EQ(hazard.kind, FaultKind::kBeforePreviousKernel) << text_of(hazard);
    EXPECT_EQ(hazard.times, 128u) << text_of(hazard);
    const char* const line = hazard.element->array == "in" ? "early load" : "early store";
    EXPECT_EQ(hazard.place, probe_place(line)) << text_of(hazard);
    found.insert(hazard.element->array);
  }
  return found;
}

using Arrays = std::set<std::string>;

TEST_F(EmulatorEarlyAccess, IsFoundUpToTheWait) {
  EXPECT_EQ(early_arrays(traced(WaitsFor::kNothing)), (Arrays{"in", "out"}));
  EXPECT_EQ(early_arrays(traced(WaitsFor::kAfterLoading)), Arrays{"in"});
  expect_clean(traced(WaitsFor::kFirst));
}

TEST_F(EmulatorEarlyAccess, OneThreadWaitsForItsBlock) {
  expect_clean(traced(WaitsFor::kFirstOneOfTheBlock));
}

TEST_F(EmulatorEarlyAccess, IsOneOnlyWhereTheKernelBeforeDoesSomething) {
  const auto begin = reinterpret_cast<std::uint64_t>(out_.data());
  TraceOptions options;
  options.previous = {{.name = "before",
                       .place = {"main.cu", 7},
                       .use_before = [&](std::uint64_t at, std::uint64_t,
                                         AccessVerb verb) -> std::optional<AccessVerb> {
                         if (at < begin || verb != AccessVerb::kStore) return std::nullopt;
                         return AccessVerb::kLoad;
                       },
                       .may_signal = [](std::uint64_t) { return false; }}};
  const KernelTrace found = traced(WaitsFor::kNothing, options);
  EXPECT_EQ(early_arrays(found), Arrays{"out"});
  const Fault& hazard = found.hazards.at(0);
  EXPECT_EQ(hazard.fields, (Fields{{"other_work", "before"}}));
  EXPECT_EQ(hazard.other->place, (Place{"main.cu", 7}));
  EXPECT_EQ(hazard.other->verb, AccessVerb::kLoad);
}

TEST_F(EmulatorEarlyAccess, AKernelThatLetsNobodyStartHasEnded) {
  const auto second_after = [&](Launches first) {
    return trace(arrays(), [&] {
      copy_early(WaitsFor::kFirst, first, in_.data(), out_.data());
      copy_early(WaitsFor::kNothing, Launches::kNothing, in_.data(), out_.data());
    });
  };
  expect_clean(second_after(Launches::kNothing));
  EXPECT_EQ(early_arrays(second_after(Launches::kAfterWaiting)), (Arrays{"in", "out"}));
}

TEST_F(EmulatorEarlyAccess, WhetherTheNextMayStartAndWhen) {
  const auto stats = [&](WaitsFor waits, Launches launches) {
    copy_early(waits, launches, in_.data(), out_.data());
    return std::pair(last_run().launches_dependents, last_run().launches_before_waiting);
  };
  EXPECT_EQ(stats(WaitsFor::kFirst, Launches::kNothing), std::pair(false, false));
  EXPECT_EQ(stats(WaitsFor::kFirst, Launches::kBeforeWaiting), std::pair(true, true));
  EXPECT_EQ(stats(WaitsFor::kFirst, Launches::kAfterWaiting), std::pair(true, false));
  EXPECT_EQ(stats(WaitsFor::kFirst, Launches::kAfterWaitingInBlock1), std::pair(true, false));
  EXPECT_EQ(stats(WaitsFor::kNothing, Launches::kAfterWaiting), std::pair(true, true));
}

}  // namespace
}  // namespace ladder::trace_probes
