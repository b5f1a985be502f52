// SPDX-License-Identifier: MIT
/// \file  tests/emulator/expect_kernel_error.hpp
/// \brief Runs a launch that must fail and compares the fault.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "emulator/run/kernel_error.hpp"

namespace ladder::emulator {

inline void PrintTo(FaultKind kind, std::ostream* out) {
  *out << code_of(kind);
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
  FaultKind kind;
  std::string file;
  std::string marker;
  Index block = {};
  Index thread = {};
  Fields fields = {};  ///< among those of the fault
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

/// Fails the test unless the fault has these fields.
inline void expect_fields(const Fault& fault, const Fields& expected) {
  for (const Fields::Entry& entry : expected.all()) {
    const bool found = std::ranges::find(fault.fields.all(), entry) != fault.fields.all().end();
    EXPECT_TRUE(found) << "the field " << entry.first << " of: " << text_of(fault);
  }
}

/// Fails the test unless the launch fails just so.
/// \return the fault
template <class Launch>
Fault expect_kernel_error(Launch launch, const Expected& expected) {
  const std::optional<KernelError> error = error_of(launch);
  if (!error) {
    ADD_FAILURE() << "the launch did not fail";
    return {};
  }
  const unsigned line = line_of(expected.file, expected.marker);
  EXPECT_NE(line, 0u) << "no marker " << expected.marker;
  EXPECT_EQ(error->kind(), expected.kind) << error->what();
  EXPECT_EQ(error->file(), "tests/emulator/" + expected.file) << error->what();
  EXPECT_EQ(error->line(), line) << error->what();
  EXPECT_EQ(error->block(), expected.block) << error->what();
  EXPECT_EQ(error->thread(), expected.thread) << error->what();
  expect_fields(error->fault(), expected.fields);
  return error->fault();
}

/// The threads of a group: "0-127, 130".
inline std::string threads_of(const ThreadGroup& group) {
  std::string text;
  for (const auto& [first, last] : ranges_of(group.threads)) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(first);
    if (last > first) text += '-';
    if (last > first) text += std::to_string(last);
  }
  return text;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ladder::emulator
