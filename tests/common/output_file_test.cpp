// SPDX-License-Identifier: MIT
/// \file  tests/common/output_file_test.cpp
/// \brief What a user named is written whole or not at all, and stays what it was: link, device,
///        mode.
#include "common/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ladder {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

mode_t mode_of(const fs::path& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

/// As long as it lives, root has no more rights than anybody.
class AsNobody {
 public:
  AsNobody() {
    if (was_root_ && seteuid(kNobody) != 0) ADD_FAILURE() << "still root";
  }
  ~AsNobody() {
    if (was_root_ && seteuid(0) != 0) ADD_FAILURE() << "no longer root";
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool was_root_ = geteuid() == 0;
};

/// A folder that is gone after the test.
class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "output_file_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "out.json";
    fs::permissions(folder_, fs::perms(0755));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const std::string& text) {
    OutputFile(path.string()).write(text);
  }

  /// The sentence names the path and holds each of the parts.
  static void expect_refused(const fs::path& path, const std::vector<std::string>& parts) {
    try {
      const OutputFile file(path.string());
      ADD_FAILURE() << path << " was accepted";
    } catch (const std::runtime_error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(sentence.find("cannot write " + path.string() + ": "), 0u) << sentence;
      for (const std::string& part : parts)
        EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
    }
  }

  /// How many things stand in the folder.
  auto count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
  fs::path path_;
};

TEST_F(OutputFileTest, AppearsWhenItIsWholeAndAlone) {
  const OutputFile file(path_);
  EXPECT_EQ(count(), 0) << "what is computed may take an hour, or be interrupted";
  file.write("new\n");
  EXPECT_EQ(text_of(path_), "new\n");
  EXPECT_EQ(count(), 1);
}

TEST_F(OutputFileTest, TakesItsModeFromTheUmask) {
  const mode_t before = umask(027);
  write(path_, "new");
  umask(before);
  EXPECT_EQ(mode_of(path_), 0640u);
}

TEST_F(OutputFileTest, ReplacesTheOldTextWhole) {
  std::ofstream(path_) << std::string(100000, 'x');
  const OutputFile file(path_);
  EXPECT_EQ(text_of(path_).size(), 100000u);
  file.write("new");
  EXPECT_EQ(text_of(path_), "new");
}

TEST_F(OutputFileTest, KeepsModeAndOwner) {
  std::ofstream(path_) << "old";
  fs::permissions(path_, fs::perms(0600));
  const bool root = geteuid() == 0;
  ASSERT_TRUE(!root || chown(path_.c_str(), 1234, 4321) == 0);
  write(path_, "new");
  EXPECT_EQ(text_of(path_), "new");
  EXPECT_EQ(mode_of(path_), 0600u);
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, root ? 1234u : geteuid());
}

TEST_F(OutputFileTest, ALinkStaysALink) {
  fs::create_directory(folder_ / "real");
  const fs::path target = folder_ / "real" / "target.json";
  std::ofstream(target) << "old";
  fs::permissions(target, fs::perms(0600));
  fs::create_symlink("real/target.json", folder_ / "first");  // relative to the link's folder
  fs::create_symlink(folder_ / "first", path_);
  write(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_FALSE(fs::is_symlink(target));
  EXPECT_EQ(text_of(target), "new");
  EXPECT_EQ(mode_of(target), 0600u);
}

TEST_F(OutputFileTest, ALinkToNothingGetsItsTarget) {
  fs::create_symlink("target.json", path_);
  write(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(text_of(folder_ / "target.json"), "new");
}

TEST_F(OutputFileTest, LinksInACircleAreRefused) {
  fs::create_symlink("out.json", folder_ / "other");
  fs::create_symlink("other", path_);
  expect_refused(path_, {"circle"});
}

TEST_F(OutputFileTest, FilesOfTheUserStay) {
  for (const char* ending : {".unfinished", ".tmp", "~"})
    std::ofstream(path_.string() + ending) << "mine";
  write(path_, "new");
  { const OutputFile unwritten(path_); }
  for (const char* ending : {".unfinished", ".tmp", "~"})
    EXPECT_EQ(text_of(path_.string() + ending), "mine") << ending;
  EXPECT_EQ(count(), 4);
}

TEST_F(OutputFileTest, ATakenNameIsNotTakenAway) {
  const fs::path taken = folder_ / (".unfinished-" + std::to_string(getpid()) + "-0");
  std::ofstream(taken) << "mine";
  write(path_, "new");
  EXPECT_EQ(text_of(path_), "new");
  EXPECT_EQ(text_of(taken), "mine");
}

TEST_F(OutputFileTest, ADeviceIsWrittenToAndStaysADevice) {
  write("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  // In a folder in which a file could take its place.
  if (mknod(path_.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    write(path_, "gone");
    EXPECT_TRUE(fs::is_character_file(path_));
  }
  try {
    write("/dev/full", "too much");
    ADD_FAILURE() << "/dev/full took it";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFileTest, ALinkToADeviceStays) {
  fs::create_symlink("/dev/null", path_);
  write(path_, "gone");
  EXPECT_EQ(fs::read_symlink(path_), "/dev/null");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, APipeHandsOn) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_of(path_); });
  write(path_, "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(path_));
}

// As `climb --json /dev/stdout > file` does.
TEST_F(OutputFileTest, TheProgramsOwnOutputIsNotWrittenOver) {
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(dup2(file, STDOUT_FILENO), 0);
  std::printf("first, ");
  write("/dev/stdout", "second, ");
  std::printf("third");
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(file);
  EXPECT_EQ(text_of(path_), "first, second, third");
}

TEST_F(OutputFileTest, AFailedWriteLeavesTheOldFileWhole) {
  std::ofstream(path_) << "old";
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = 4096, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write(path_, std::string(100000, 'x')), std::runtime_error);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(text_of(path_), "old");
  EXPECT_EQ(count(), 1) << "half a file was left";
}

TEST_F(OutputFileTest, AFolderIsNoFile) {
  expect_refused(folder_, {"it is a folder", "name a file in it"});
  expect_refused(folder_ / "", {"it is a folder"});
  expect_refused(folder_ / "missing" / "", {"it is a folder"});
  EXPECT_EQ(count(), 0);
}

TEST_F(OutputFileTest, AMissingFolderIsNamed) {
  const fs::path missing = folder_ / "a" / "b";
  expect_refused(missing / "out.json", {"there is no folder", "mkdir -p " + missing.string()});
  std::ofstream(path_) << "old";
  expect_refused(path_ / "out.json", {path_.string() + " is not a folder"});
}

TEST_F(OutputFileTest, WhereNothingCanBeMadeIsSaid) {
  expect_refused("/proc/out.json", {"no file can be made in /proc", "elsewhere"});
  fs::permissions(folder_, fs::perms(0555));
  const AsNobody nobody;
  expect_refused(path_, {"no file can be made in " + folder_.string(), "Permission denied"});
}

TEST_F(OutputFileTest, AFileThatMayNotBeWrittenStays) {
  std::ofstream(path_) << "old";
  fs::permissions(path_, fs::perms(0444));
  fs::permissions(folder_, fs::perms(0777));
  const AsNobody nobody;
  expect_refused(path_, {"Permission denied", "make it writable"});
  EXPECT_EQ(text_of(path_), "old");
}

TEST_F(OutputFileTest, AnInterruptLeavesNothingHalfMade) {
  const std::string text(4 << 20, 'x');
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    for (int wait_us = 0; wait_us < 20000; wait_us += 1700) {
      const pid_t child = fork();
      if (child == 0) {
        for (;;)
          write(path_, text);
      }
      ASSERT_GT(child, 0);
      usleep(static_cast<useconds_t>(wait_us));
      kill(child, number);
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
      for (const auto& entry : fs::directory_iterator(folder_))
        EXPECT_EQ(entry.path(), path_) << "after " << wait_us << " us";
      if (fs::exists(path_)) {
        EXPECT_EQ(fs::file_size(path_), text.size());
      }
    }
  }
}

TEST_F(OutputFileTest, AnInterruptThatIsIgnoredStaysSo) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  write(path_, "new");
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
  EXPECT_EQ(text_of(path_), "new");
}

TEST_F(OutputFileTest, ANameInTheFolderAtHand) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write("out.json", "new");
  fs::current_path(before);
  EXPECT_EQ(text_of(path_), "new");
}

}  // namespace
}  // namespace ladder
