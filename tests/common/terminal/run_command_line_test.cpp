// SPDX-License-Identifier: MIT
#include "common/terminal/run_command_line.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common/version.hpp"

namespace ladder {
namespace {

struct Ended {
  int code;
  std::string out;
  std::string err;
};

Ended run(std::vector<std::string> words, const std::function<int()>& command) {
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (std::string& word : words)
    argv.push_back(word.data());
  CLI::App app("What it does.", "program");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_command_line(app, static_cast<int>(argv.size()), argv.data(), command);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(RunCommandLineTest, NamesAFolderThatIsMissing) {
  const Ended ended = run({}, [] {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator("/no/such/folder"), {}));
  });
  EXPECT_EQ(ended.code, kBadUsage);
  EXPECT_EQ(ended.err, "program: cannot use /no/such/folder: No such file or directory\n");
}

TEST(RunCommandLineTest, TellsOtherErrorsOfTheSystemAsTheyAre) {
  const Ended ended = run({}, []() -> int {
    throw std::system_error(EAGAIN, std::generic_category(), "cannot start a thread");
  });
  EXPECT_EQ(ended.code, kBadUsage);
  EXPECT_NE(ended.err.find("cannot start a thread: "), ended.err.npos) << ended.err;
  EXPECT_EQ(ended.err.find("standard output"), ended.err.npos) << ended.err;
}

TEST(RunCommandLineTest, TellsTheVersionInsteadOfWorking) {
  const Ended ended = run({"--version"}, []() -> int { throw std::logic_error("it works"); });
  EXPECT_EQ(ended.code, kGood);
  EXPECT_EQ(ended.out, version_text() + "\n");
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace ladder
