// SPDX-License-Identifier: MIT
/// \file  tests/common/available_memory_test.cpp
/// \brief What is available counts, not what is free; limits of control groups count as well.
#include "common/available_memory.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ladder {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMib = std::size_t{1} << 20;

class AvailableMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "available_memory_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    write("proc/meminfo",
          "MemTotal: 16777216 kB\nMemFree: 1024 kB\nMemAvailable:   8388608 kB\nCached: 7000000 "
          "kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(AvailableMemoryTest, CachesThatLinuxWouldDropAreAvailable) {
  EXPECT_EQ(available_memory_bytes(root_), 8192 * kMib);
}

TEST_F(AvailableMemoryTest, AGroupWithoutALimitLeavesAll) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/job/memory.current", "4096\n");
  EXPECT_EQ(available_memory_bytes(root_), 8192 * kMib);
}

TEST_F(AvailableMemoryTest, AGroupsLimitCountsWithoutItsCaches) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", std::to_string(1024 * kMib));
  write("sys/fs/cgroup/job/memory.current", std::to_string(1000 * kMib));
  write("sys/fs/cgroup/job/memory.stat",
        "anon 1\nfile 2\ninactive_file " + std::to_string(600 * kMib) + "\n");
  EXPECT_EQ(available_memory_bytes(root_), 624 * kMib);
}

TEST_F(AvailableMemoryTest, TheGroupsAroundItCountAsWell) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", std::to_string(1024 * kMib));
  write("sys/fs/cgroup/outer/inner/memory.current", "0\n");
  write("sys/fs/cgroup/outer/memory.max", std::to_string(512 * kMib));
  write("sys/fs/cgroup/outer/memory.current", std::to_string(500 * kMib));
  EXPECT_EQ(available_memory_bytes(root_), 12 * kMib);
  write("sys/fs/cgroup/outer/memory.current", std::to_string(600 * kMib));
  EXPECT_EQ(available_memory_bytes(root_), 0u) << "beyond its limit";
}

TEST_F(AvailableMemoryTest, AContainerSeesItsOwnGroupAsTheRoot) {
  write("proc/self/cgroup", "0::/docker/elsewhere\n");
  write("sys/fs/cgroup/memory.max", std::to_string(256 * kMib));
  write("sys/fs/cgroup/memory.current", std::to_string(56 * kMib));
  EXPECT_EQ(available_memory_bytes(root_), 200 * kMib);
}

TEST_F(AvailableMemoryTest, TheFirstVersionOfControlGroupsIsKnown) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(100 * kMib));
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", std::to_string(90 * kMib));
  write("sys/fs/cgroup/memory/job/memory.stat",
        "total_inactive_file " + std::to_string(40 * kMib) + "\n");
  EXPECT_EQ(available_memory_bytes(root_), 50 * kMib);
}

TEST(AvailableMemory, ThisMachineHasSome) {
  EXPECT_GT(available_memory_bytes(), kMib);
}

}  // namespace
}  // namespace ladder
