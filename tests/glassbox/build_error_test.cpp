// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/build_error_test.cpp
/// \brief What is made of the compiler's and the linker's words.
#include "glassbox/build_error.hpp"

#include <gtest/gtest.h>

#include "emulator/run/own_files.hpp"

namespace ladder::glassbox {
namespace {

TEST(BuildErrorTest, EachErrorHasItsPlace) {
  const auto errors = errors_in(
      "my.cu: In function 'int main()':\n"
      "my.cu:3:12: error: 'x' was not declared in this scope\n"
      "my.cu:3:15: error: 'x' was not declared in this scope\n"
      "my.cu:4:1: note: here\n"
      "a b/my.h:5:2: fatal error: none.h: No such file or directory\n",
      SourceErrorKind::kCompiler);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].place, (emulator::Place{"my.cu", 3}));
  EXPECT_EQ(errors[0].column, 12u);
  EXPECT_EQ(errors[0].kind, SourceErrorKind::kCompiler);
  EXPECT_EQ(errors[1].place, (emulator::Place{"a b/my.h", 5}));
  EXPECT_EQ(text_of(errors[1]), "none.h: No such file or directory");
}

TEST(BuildErrorTest, WhatIsRefusedHasNoColumn) {
  const auto error = errors_in(
      "my.cu:3:331: error: call to 'no' declared with attribute error: no PTX [not-emulated]\n",
      SourceErrorKind::kCompiler)[0];
  EXPECT_EQ(error.place, (emulator::Place{"my.cu", 3}));
  EXPECT_EQ(error.column, 0u);
  EXPECT_EQ(text_of(error), "no PTX");
}

TEST(BuildErrorTest, OurCodesDecideTheKind) {
  const auto kind = [](const std::string& text) {
    return errors_in("my.cu:3:12: error: " + text + "\n", SourceErrorKind::kCompiler)[0].kind;
  };
  EXPECT_EQ(kind("'tex3D' is unavailable: ANY WORDS [missing-word]"),
            SourceErrorKind::kMissingWord);
  EXPECT_EQ(kind("any words [not-emulated]"), SourceErrorKind::kNotEmulated);
  EXPECT_EQ(kind("#error any words [missing-library]"), SourceErrorKind::kMissingLibrary);
  EXPECT_EQ(kind("x may be unset [-Werror=maybe-uninitialized]"), SourceErrorKind::kCompiler);
  EXPECT_EQ(kind("any words [another-code]"), SourceErrorKind::kCompiler);
}

TEST(BuildErrorTest, BehindAMissingLibraryNothingElseIsTold) {
  const auto errors = errors_in(
      "my.cu:1:2: error: #error no Thrust [missing-library]\nmy.cu:9:1: error: what is sort\n",
      SourceErrorKind::kCompiler);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(text_of(errors[0]), "no Thrust");
}

TEST(BuildErrorTest, AnErrorInOurHeadersIsAtTheUsersLine) {
  const std::string header = (emulator::source_tree() / "glassbox/runtime/x.hpp").string();
  const auto errors = errors_in(
      "my.cu:7:3:   required from here\n" + header + ":53:12: error: static assertion failed: no\n",
      SourceErrorKind::kCompiler);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].place, (emulator::Place{"my.cu", 7}));
  EXPECT_EQ(errors[0].fields.number("header_line"), 53);
}

TEST(BuildErrorTest, WhatTheLinkerMisses) {
  const auto errors = errors_in(
      "/usr/bin/ld: x.o: in function `main':\nmy.cu:3: undefined reference to `missing()'\n"
      "/usr/bin/ld: y.o:(.text+0x5): undefined reference to `other()'\ncollect2: error\n",
      SourceErrorKind::kLinker);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].place, (emulator::Place{"my.cu", 3}));
  EXPECT_EQ(errors[1].place.line, 0u);
}

TEST(BuildErrorTest, OutputWithoutAnErrorIsKeptWhole) {
  const auto errors = errors_in("Killed\n", SourceErrorKind::kLinker);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(text_of(errors[0]), "Killed\n");
}

}  // namespace
}  // namespace ladder::glassbox
