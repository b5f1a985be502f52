// SPDX-License-Identifier: MIT
/// \file  tests/ladder/ladder_table_test.cpp
/// \brief The rung table, the folders, the build and the grids agree; rungs are found by any name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

namespace fs = std::filesystem;
const fs::path kLadder = fs::path(LADDER_SOURCE_DIR) / "ladder";

using Names = std::vector<std::string>;

/// The folders in ladder/ that a table of one machine's rungs has; the lesson on many GPUs has a
/// program of its own.
Names rung_folders() {
  Names names;
  for (const auto& entry : fs::directory_iterator(kLadder)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() && name != "program" && name != "24_many_gpus") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Names table_names() {
  Names names;
  for (const Rung& rung : emulated_rungs())
    names.push_back(folder(rung));
  return names;
}

TEST(LadderTableTest, FoldersAndTableAgree) {
  EXPECT_EQ(table_names(), rung_folders());
}

/// "09_async_copy: 80 90"
std::string with_architectures(const Rung& rung) {
  std::string text = folder(rung) + ":";
  for (const Architecture& architecture : rung.architectures)
    text += " " + name_of(architecture);
  return text;
}

TEST(LadderTableTest, BuildAndTableAgree) {
  std::istringstream built(LADDER_RUNGS_OF_BUILD);
  for (const Rung& rung : emulated_rungs()) {
    std::string line;
    std::getline(built, line);
    EXPECT_EQ(with_architectures(rung), line);
  }
  EXPECT_EQ(built.peek(), EOF);
}

TEST(LadderTableTest, ABuildHasCodeForSomeOfTheTablesArchitectures) {
  std::string known;
  for (const Architecture& architecture : kHopperAndBlackwell)
    known += (known.empty() ? "" : " ") + name_of(architecture);
  std::istringstream own(own_code());
  int count = 0;
  for (std::string name; own >> name; ++count)
    EXPECT_NE((" " + known + " ").find(" " + name + " "), std::string::npos) << name;
  EXPECT_GE(count, 1);
}

TEST(LadderTableTest, AGpuThatABuildHasNoCodeForIsToldSo) {
  const Rung& simt = find_rung(emulated_rungs(), "05");
  const Rung& hopper = find_rung(emulated_rungs(), "11");
  for (const int compute_capability : {75, 90, 100, 120, 130})
    EXPECT_FALSE(why_not_on(simt, compute_capability, "G", "90a")) << compute_capability;
  EXPECT_FALSE(why_not_on(hopper, 90, "G", "90a 120a"));
  EXPECT_FALSE(why_not_on(hopper, 120, "G", "90a 120a"));
  EXPECT_FALSE(why_not_on(hopper, kEveryComputeCapability, "the emulator", "90a"));
  const std::optional<Refusal> too_old = why_not_on(hopper, 75, "G", "90a");
  ASSERT_TRUE(too_old);
  EXPECT_EQ(too_old->kind, RefusalKind::kComputeCapability);
  EXPECT_EQ(too_old->fields.word("needs"), needs(hopper));
  const std::optional<Refusal> not_built = why_not_on(hopper, 103, "G", "90a 120a");
  ASSERT_TRUE(not_built);
  EXPECT_EQ(not_built->kind, RefusalKind::kNotCompiled);
  EXPECT_EQ(not_built->fields.word("compiled"), "90a 120a");
  EXPECT_EQ(not_built->fields.word("code"), "103a");
  EXPECT_TRUE(why_not_on(hopper, 120, "G", "90a"));
}

TEST(LadderTableTest, RungsAreNumberedFromZeroOn) {
  int number = 0;
  for (const Rung& rung : emulated_rungs())
    EXPECT_EQ(rung.number, number++) << rung.name;
  EXPECT_GE(number, 14);
}

TEST(LadderTableTest, EachRungBuildsOnALowerOne) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number <= 1) {
      EXPECT_EQ(rung.builds_on, -1) << label(rung);
      continue;
    }
    EXPECT_GE(rung.builds_on, 1) << label(rung);
    EXPECT_LT(rung.builds_on, rung.number) << label(rung);
  }
}

TEST(LadderTableTest, FieldsMakeSense) {
  std::set<std::string_view> names, ideas;
  for (const Rung& rung : emulated_rungs()) {
    SCOPED_TRACE(label(rung));
    EXPECT_TRUE(names.insert(rung.name).second) << "a second rung of that name";
    EXPECT_TRUE(ideas.insert(rung.idea).second) << "a second rung with that idea";
    EXPECT_FALSE(rung.idea.empty());
    EXPECT_GE(lowest_compute_capability(rung), 75);
    EXPECT_GE(rung.multiple_of, 1);
    EXPECT_TRUE(rung.run);
    EXPECT_EQ(rung.tile.BM > 0, rung.number > 0);
  }
}

TEST(LadderTableTest, RungsRunWhereTheirInstructionsExist) {
  for (const Rung& rung : emulated_rungs()) {
    SCOPED_TRACE(label(rung));
    EXPECT_FALSE(runs_on(rung, lowest_compute_capability(rung) - 1));
    for (const Architecture& architecture : rung.architectures)
      EXPECT_TRUE(runs_on(rung, architecture.compute_capability)) << name_of(architecture);
    EXPECT_NE(runs_on(rung, 101), is_architecture_specific(rung)) << "on other GPUs";
    EXPECT_NE(runs_on(rung, 130), is_architecture_specific(rung)) << "on newer GPUs";
    EXPECT_TRUE(runs_on(rung, make_cpu_machine()->compute_capability()));
  }
  EXPECT_EQ(needs(find_rung(emulated_rungs(), "09")), "compute capability 8.0 or higher");
  EXPECT_EQ(needs(find_rung(emulated_rungs(), "10")), "compute capability 8.0 or higher");
  EXPECT_EQ(needs(find_rung(emulated_rungs(), "11")), "compute capability 9.0, 10.0, 10.3 or 12.0");
}

/// What a file of the rung includes from its folder.
std::set<std::string> included(const Rung& rung, const std::string& name) {
  std::ifstream file(kLadder / folder(rung) / name);
  std::set<std::string> names;
  const std::regex include(R"re(^#include "ladder/\w+/(\w+\.(?:cuh|hpp))"$)re");
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (std::regex_match(line, found, include)) names.insert(found[1]);
  }
  return names;
}

/// What a file of the rung includes from its folder, itself or through what it includes.
std::set<std::string> included_by(const Rung& rung, const std::string& name) {
  std::set<std::string> names;
  for (const std::string& file : included(rung, name)) {
    names.insert(file);
    names.merge(included_by(rung, file));
  }
  return names;
}

/// What launch.cu includes: kernel.cuh, and in a rung that chooses, more kernels and what chooses.
std::set<std::string> kernel_files(const Rung& rung) {
  return included(rung, "launch.cu");
}

TEST(LadderTableTest, EachFolderHoldsItsFiles) {
  for (const Rung& rung : emulated_rungs()) {
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(kLadder / folder(rung))) {
      files.insert(entry.path().filename());
    }
    std::set<std::string> expected = included_by(rung, "launch.cu");
    if (rung.number == 0) expected = {"launch_cpu.cpp"};
    expected.insert({"launch.cu", "README.md"});
    EXPECT_EQ(files, expected) << folder(rung);
  }
}

TEST(LadderTableTest, ARungWithSeveralKernelsSaysWhichItTakes) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0) continue;
    const std::set<std::string> files = kernel_files(rung);
    EXPECT_TRUE(files.contains("kernel.cuh")) << label(rung);
    EXPECT_TRUE(files.size() == 1 || rung.explain != nullptr)
        << label(rung) << " has several kernels and no explain() that says which it takes";
  }
}

/// Blocks of the rung's grid for an (M, N) result.
std::uint64_t blocks(const Rung& rung, int M, int N) {
  const int K = rung.multiple_of;
  with_element_of(rung.precision.stored, [&]<class T>(T) {
    const std::vector<T> a(static_cast<std::size_t>(M) * K, T(1.0f));
    const std::vector<T> b(static_cast<std::size_t>(K) * N, T(1.0f));
    std::vector<T> c(static_cast<std::size_t>(M) * N);
    rung.run(Gemm<T>{M, N, K, 1.0f, a.data(), b.data(), 0.0f, c.data()}, nullptr);
  });
  return emulator::last_run().blocks;
}

/// Is `other` among the rungs that it builds on, directly or not?
bool builds_on(const Rung& rung, const std::string& other) {
  if (rung.name == other) return true;
  if (rung.builds_on < 0) return false;
  return builds_on(find_rung(emulated_rungs(), std::to_string(rung.builds_on)), other);
}

TEST(LadderTableTest, TheTileIsThatOfTheGrid) {
  const emulator::ScopedMultiprocessors enough(16);  // blocks that stay are no more than SMs
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0 || rung.explain != nullptr) continue;  // a rung that chooses has no grid
    SCOPED_TRACE(label(rung));
    const auto [BM, BN] = rung.tile;
    // Rungs that go in bands start whole ones, of 16 rows of tiles; blocks below C leave at once.
    // Others start pairs of blocks, one below the other.
    const std::uint64_t band = blocks(rung, BM, BN);
    const bool in_pairs = builds_on(rung, "persistent_cluster");
    EXPECT_TRUE(in_pairs ? band == 2 : band == 1 || band == 16) << band;
    EXPECT_TRUE(builds_on(rung, "wave_swizzle") || band == 1) << band;
    EXPECT_EQ(blocks(rung, static_cast<int>(band) * BM + 1, BN), 2 * band);
    EXPECT_EQ(blocks(rung, BM, BN + std::max(4, rung.multiple_of)), 2 * band);
    EXPECT_EQ(blocks(rung, 3 * static_cast<int>(band) * BM, 2 * BN), 6 * band);
  }
}

TEST(LadderTableTest, EachRungComputesTheTileThatItClaims) {
  // The message about a wrong element names its block, so blocks must lie where the table says:
  // a result of one tile is written by one block, which the grid of the test above shows, and rows
  // of the launch files say BM and BN.
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0) continue;
    if (rung.explain != nullptr) {  // the table has the largest tile that it may take
      const std::string largest =
          std::to_string(rung.tile.BM) + " x " + std::to_string(rung.tile.BN);
      EXPECT_NE(rung.explain({4096, 4096, 4096}).find(largest), std::string::npos) << label(rung);
      continue;
    }
    std::ifstream file(kLadder / folder(rung) / "launch.cu");
    std::stringstream text;
    text << file.rdbuf();
    for (const std::string& constant :
         {"constexpr int BM = " + std::to_string(rung.tile.BM) + ";",
          "constexpr int BN = " + std::to_string(rung.tile.BN) + ";"}) {
      EXPECT_NE(text.str().find(constant), std::string::npos) << label(rung) << ": " << constant;
    }
  }
}

TEST(LadderTableTest, LabelAndFolder) {
  const Rung& rung = find_rung(emulated_rungs(), "3");
  EXPECT_EQ(label(rung), "03 shared_tile");
  EXPECT_EQ(folder(rung), "03_shared_tile");
}

TEST(LadderTableTest, RungsAreFoundByNumberNameAndFolder) {
  for (const char* wanted : {"3", "03", "shared_tile", "03_shared_tile"}) {
    EXPECT_EQ(find_rung(emulated_rungs(), wanted).number, 3) << wanted;
  }
  EXPECT_EQ(find_rung(emulated_rungs(), "0").number, 0);
  for (const Rung& rung : emulated_rungs()) {
    EXPECT_EQ(find_rung(emulated_rungs(), folder(rung)).number, rung.number);
  }
}

TEST(LadderTableTest, AnUnknownRungIsAnsweredWithTheList) {
  for (const char* wanted : {"", "003", "99", "shared", "-1", "03 shared_tile", "NAIVE"}) {
    try {
      find_rung(emulated_rungs(), wanted);
      ADD_FAILURE() << "'" << wanted << "' was found";
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find("unknown rung '" + std::string(wanted) + "'"), 0u) << text;
      for (const Rung& rung : emulated_rungs()) {
        EXPECT_NE(text.find(label(rung)), std::string::npos) << text;
      }
    }
  }
}

}  // namespace
}  // namespace ladder
