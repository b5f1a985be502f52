// SPDX-License-Identifier: MIT
#include "common/version.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "common/results_context.hpp"

namespace ladder {
namespace {

TEST(VersionTest, IsTheOneOfTheProject) {
  std::ifstream file(LADDER_SOURCE_DIR "/CMakeLists.txt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("project(gemm_ladder VERSION " + std::string(version()) + " "), text.npos);
}

TEST(VersionTest, SaysHonestlyWhatItDoesNotKnow) {
  EXPECT_EQ(version_text("1.2.3", "0123456789ab"), "GEMM Ladder 1.2.3, commit 0123456789ab");
  EXPECT_EQ(version_text("1.2.3", kNoCommit),
            "GEMM Ladder 1.2.3, commit unknown: built without git");
  EXPECT_EQ(version_text("", "0123456789ab"), "GEMM Ladder, commit 0123456789ab");
  EXPECT_EQ(version_text(), version_text(version(), commit()));
}

TEST(VersionTest, GoesWithEveryResult) {
  const nlohmann::json context = results_context("a device", std::nullopt, {}, {});
  EXPECT_EQ(context.at("version"), version());
  EXPECT_EQ(context.at("commit"), commit());
}

}  // namespace
}  // namespace ladder
