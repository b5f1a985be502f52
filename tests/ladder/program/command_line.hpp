// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/command_line.hpp
/// \brief Runs the `ladder` program as a user does and looks at what it leaves behind.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ladder::testing_program {

namespace fs = std::filesystem;
using nlohmann::json;

/// What a run of the program left behind; no line is longer than 80 columns.
struct Outcome {
  int exit_code;
  std::string out;
  std::string err;  ///< without line breaks
};

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest, line.size());
  return longest;
}

/// Text without line breaks, as a reader takes it in.
inline std::string unwrapped(std::string text) {
  std::string out;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || out.empty() || out.back() != ' ') out += next;
  }
  return out;
}

class CommandLineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "command_line_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs `ladder arguments`, with NAME=value pairs in front of it.
  Outcome ladder(const std::string& arguments, const std::string& environment = "") {
    return run_program(LADDER_PROGRAM, arguments, environment);
  }

  Outcome run_program(const std::string& program, const std::string& arguments,
                      const std::string& environment = "") {
    const std::string out = folder_ / "out";
    const std::string err = folder_ / "err";
    // Predictions of whoever runs the tests are none of theirs.
    const std::string predictions =
        "LADDER_PREDICTIONS='" + (folder_ / "predictions.json").string() + "' ";
    const std::string command = predictions + environment + " '" + program + "' " + arguments +
                                " </dev/null >'" + out + "' 2>'" + err + "'";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << "ended by a signal: " << command;
    Outcome outcome{WEXITSTATUS(status), text_of(out), text_of(err)};
    EXPECT_LE(longest_line(outcome.out), 80u) << outcome.out;
    EXPECT_LE(longest_line(outcome.err), 80u) << outcome.err;
    outcome.err = unwrapped(outcome.err);
    return outcome;
  }

  /// How many rungs `ladder list` names.
  std::size_t rung_count() {
    std::istringstream lines(ladder("list").out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += line.size() > 2 && isdigit(line[0]) && isdigit(line[1]) && line[2] == ' ' ? 1 : 0;
    EXPECT_GE(count, 12u);
    return count;
  }

  /// How many lines a climb has: all rungs, and the library once for each of their precisions.
  std::size_t climbed_count() {
    const std::string listed = ladder("list").out;
    std::size_t others = 0;  // than FP32
    for (const char* precision : {" TF32 ", " BF16 "})
      others += says(listed, precision) ? 1 : 0;
    return rung_count() + others;
  }

  void expect_refused(const std::string& arguments, const std::vector<std::string>& said) {
    SCOPED_TRACE("ladder " + arguments);
    const Outcome outcome = ladder(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    for (const std::string& part : said) {
      EXPECT_TRUE(says(outcome.err, part)) << "not said: " << part << "\nbut: " << outcome.err;
    }
  }

  json results_of(const std::string& arguments) {
    const fs::path path = folder_ / "results.json";
    const Outcome outcome = ladder(arguments + " --json " + path.string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(text_of(path));
  }

  fs::path folder_;
};

}  // namespace ladder::testing_program
