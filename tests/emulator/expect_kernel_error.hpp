// SPDX-License-Identifier: MIT
/// \file  tests/emulator/expect_kernel_error.hpp
/// \brief Runs a launch that must fail and compares the whole report.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "emulator/run/kernel_error.hpp"

namespace ladder::emulator {

inline void PrintTo(KernelErrorKind kind, std::ostream* out) {
  *out << "kind " << static_cast<int>(kind);
}

/// The line of a probe file that ends in the comment `// <marker>`; 0 if there is none.
inline unsigned line_of(const std::string& file, const std::string& marker) {
  std::ifstream source(std::string(PROBES_DIR) + "/" + file);
  std::string line;
  for (unsigned number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("// " + marker)) return number;
  }
  return 0;
}

/// What a report must say.
struct Expected {
  KernelErrorKind kind;
  std::string file;
  std::string marker;
  KernelError::Index block = {};
  KernelError::Index thread = {};
};

/// The error that a launch ends in; none if it does not fail.
template <class Launch>
std::optional<KernelError> error_of(Launch launch) {
  try {
    launch();
  } catch (const KernelError& error) {
    return error;
  }
  return std::nullopt;
}

/// Fails the test unless the launch fails just so.
/// \return the message
template <class Launch>
std::string expect_kernel_error(Launch launch, const Expected& expected) {
  const std::optional<KernelError> error = error_of(launch);
  if (!error) {
    ADD_FAILURE() << "the launch did not fail";
    return "";
  }
  const unsigned line = line_of(expected.file, expected.marker);
  EXPECT_NE(line, 0u) << "no marker " << expected.marker;
  EXPECT_EQ(error->kind(), expected.kind) << error->what();
  EXPECT_EQ(error->file(), "tests/emulator/" + expected.file) << error->what();
  EXPECT_EQ(error->line(), line) << error->what();
  EXPECT_EQ(error->block(), expected.block) << error->what();
  EXPECT_EQ(error->thread(), expected.thread) << error->what();
  const std::string place = error->file() + ":" + std::to_string(line) + ", block " +
                            to_text(expected.block) + ", thread " + to_text(expected.thread);
  EXPECT_TRUE(std::string(error->what()).ends_with(place)) << error->what();
  return error->what();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ladder::emulator
