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
  const char* words;
  KernelErrorKind kind = KernelErrorKind::kMbarrier;
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
  const std::string text =
      expect_kernel_error([&] { probes::misuse_mbarrier(given.misuse); },
                          {given.kind, kFile, given.marker, {}, {given.thread, 0, 0}});
  EXPECT_TRUE(contains(text, given.words)) << text;
}

constexpr char kBeforeInit[] = "mbarrier used before mbarrier_init";

INSTANTIATE_TEST_SUITE_P(
    All, EmulatorMbarrierMisuse,
    testing::Values(Misuse{MbarrierMisuse::kArriveBeforeInit, "never made", kBeforeInit},
                    Misuse{MbarrierMisuse::kWaitBeforeInit, "never made either", kBeforeInit},
                    Misuse{MbarrierMisuse::kOverwritten, "overwritten", kBeforeInit},
                    Misuse{MbarrierMisuse::kCopied, "a copy", kBeforeInit},
                    Misuse{MbarrierMisuse::kInitTwice, "again", "is an mbarrier already"},
                    Misuse{MbarrierMisuse::kInitForNobody, "for nobody", "with 0 arrivals"},
                    Misuse{MbarrierMisuse::kInLocalMemory, "on the stack",
                           "does not lie in the shared memory", KernelErrorKind::kInvalidAddress},
                    Misuse{MbarrierMisuse::kTooManyArrivals, "one too many", "more arrivals"},
                    Misuse{MbarrierMisuse::kOddParity, "parity 2", "parity 2"},
                    Misuse{MbarrierMisuse::kOvertaken, "sees neither phase", "a second phase",
                           KernelErrorKind::kMbarrier, 1},
                    Misuse{MbarrierMisuse::kUnseenPhase, "unseen",
                           "no thread has seen the end of its phase before"}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace ladder::emulator
