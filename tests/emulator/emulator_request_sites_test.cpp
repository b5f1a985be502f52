// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_request_sites_test.cpp
/// \brief What a place in the code remembers of the patterns of addresses that it asked for. No
///        kernel runs here.
#include "emulator/trace/request_sites.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ladder::emulator {
namespace {

constexpr AccessCode kCode = pack_access(1, AccessType::kLoad, 4);
constexpr std::uint32_t kAllLanes = ~0u;

/// Each lane `stride` bytes from the one before.
std::array<std::uint64_t, 32> addresses(std::uint64_t stride) {
  std::array<std::uint64_t, 32> address = {};
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    address[lane] = 4096 + stride * lane;
  return address;
}

std::uint32_t pattern_of(RequestSites& sites, std::uint64_t stride) {
  return sites.at(kCode, addresses(stride).data(), kAllLanes).pattern;
}

TEST(EmulatorRequestSites, KnowPatternsThatComeInTurns) {
  RequestSites sites;
  sites.start_grid();
  const std::uint32_t first = pattern_of(sites, 4);
  const std::uint32_t second = pattern_of(sites, 8);
  EXPECT_NE(first, second);
  EXPECT_EQ(pattern_of(sites, 4), first);
  EXPECT_EQ(pattern_of(sites, 8), second);
}

TEST(EmulatorRequestSites, ForgetPatternsButNeverMixThemUp) {
  RequestSites sites;
  sites.start_grid();
  for (unsigned round = 0; round < 3; ++round) {
    for (std::uint64_t stride = 4; stride <= 400; stride += 4) {
      const RequestSite& site = sites.at(kCode, addresses(stride).data(), kAllLanes);
      EXPECT_EQ(site.delta[31], 31 * stride);
      EXPECT_EQ(site.highest, static_cast<std::int64_t>(31 * stride + 4));
      EXPECT_TRUE(site.words.empty()) << "of another pattern";
      EXPECT_LE(site.earlier.size(), 8u);
    }
  }
}

TEST(EmulatorRequestSites, CountForOnePlaceWhateverItsPattern) {
  RequestSites sites;
  sites.start_grid();
  for (const std::uint64_t stride : {4, 8, 4})
    ++sites.at(kCode, addresses(stride).data(), kAllLanes).counts.shared.requests;
  EXPECT_EQ(sites.at(kCode).counts.shared.requests, 3u);
}

}  // namespace
}  // namespace ladder::emulator
