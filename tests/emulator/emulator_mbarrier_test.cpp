// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_mbarrier_test.cpp
/// \brief Barriers in shared memory: phases, and what they are not to be used for.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

using probes::MbarrierMisuse;

constexpr char kFile[] = "mbarrier_probes.cu";

TEST(EmulatorMbarrier, HandsOverInPhases) {
  for (const unsigned threads : {2u, 64u, 96u, 1024u}) {
    const int half = static_cast<int>(threads) / 2;
    std::vector<int> out(9 * half, -1);
    probes::hand_over(threads, 9, out.data());
    for (int i = 0; i < 9; ++i) {
      for (int thread = 0; thread < half; ++thread)
        ASSERT_EQ(out[half * i + thread], 1000 * i + half - 1 - thread) << threads;
    }
  }
}

TEST(EmulatorMbarrier, OneLaneMayWaitWhileItsWarpMeets) {
  std::vector<int> out(64, 0);
  probes::one_lane_waits(out.data());
  EXPECT_EQ(out, std::vector<int>(64, 1));
}

struct Misuse {
  MbarrierMisuse misuse;
  const char* marker;
  FaultKind kind;
  Fields fields = {};
  unsigned thread = 0;
};

/// "never_made": the test's name ends with it.
void PrintTo(const Misuse& misuse, std::ostream* out) {
  std::string name = misuse.marker;
  std::ranges::replace(name, ' ', '_');
  *out << name;
}

class EmulatorMbarrierMisuse : public testing::TestWithParam<Misuse> {};

TEST_P(EmulatorMbarrierMisuse, IsReported) {
  const Misuse& given = GetParam();
  expect_kernel_error([&] { probes::misuse_mbarrier(given.misuse); },
                      {given.kind, kFile, given.marker, {}, {given.thread, 0, 0}, given.fields});
}

INSTANTIATE_TEST_SUITE_P(
    All, EmulatorMbarrierMisuse,
    testing::Values(
        Misuse{MbarrierMisuse::kArriveBeforeInit, "never made", FaultKind::kMbarrierInvalid},
        Misuse{MbarrierMisuse::kWaitBeforeInit, "never made either", FaultKind::kMbarrierInvalid},
        Misuse{MbarrierMisuse::kOverwritten, "overwritten", FaultKind::kMbarrierInvalid},
        Misuse{MbarrierMisuse::kCopied, "a copy", FaultKind::kMbarrierInvalid},
        Misuse{MbarrierMisuse::kInitTwice, "again", FaultKind::kMbarrierTwice},
        Misuse{MbarrierMisuse::kInitForNobody,
               "for nobody",
               FaultKind::kMbarrierCount,
               {{"arrivals", 0}}},
        Misuse{MbarrierMisuse::kInLocalMemory,
               "on the stack",
               FaultKind::kOutsideShared,
               {{"argument", "mbarrier"}}},
        Misuse{MbarrierMisuse::kTooManyArrivals, "one too many", FaultKind::kMbarrierOverfull},
        Misuse{MbarrierMisuse::kOddParity, "parity 2", FaultKind::kMbarrierParity, {{"parity", 2}}},
        Misuse{MbarrierMisuse::kOvertaken,
               "sees neither phase",
               FaultKind::kMbarrierPhaseMissed,
               {},
               1},
        Misuse{MbarrierMisuse::kUnseenPhase, "unseen", FaultKind::kMbarrierUnseen}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace ladder::emulator
