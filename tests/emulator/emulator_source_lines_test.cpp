// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_source_lines_test.cpp
/// \brief Compilers put the two halves of a long assignment on different lines. Reports name one.
#include "emulator/run/debug_info/source_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ladder::emulator {
namespace {

unsigned begin_of(unsigned line) {
  // Tests of this file run at the same time, each in a process of its own.
  const std::string file = testing::TempDir() + "/source_lines_" + std::to_string(getpid()) + ".cu";
  std::ofstream(file) << "  *reinterpret_cast<float4*>(&rA[m]) =\n"           // 1
                         "      *reinterpret_cast<const float4*>(&sA[m]);\n"  // 2
                         "  mine[lane] =\n"                                   // 3
                         "      make_float4(a[0], a[1], a[2], a[3]);\n"       // 4
                         "  const float sum =\n"                              // 5
                         "      a[0] + a[1];\n"                               // 6
                         "  const float4 quad =\n"                            // 7
                         "      *reinterpret_cast<const float4*>(in);\n"      // 8
                         "  *result = sum;\n";                                // 9
  const SourceLine found = begin_of_assignment({.file = file, .line = line, .column = 7});
  EXPECT_EQ(found.file, file);
  std::filesystem::remove(file);
  return found.line;
}

TEST(EmulatorSourceLines, AValueIsOnTheLineOfItsVectorsAssignment) {
  EXPECT_EQ(begin_of(2), 1u);
  EXPECT_EQ(begin_of(4), 3u);
}

TEST(EmulatorSourceLines, AllOthersStayWhereTheyAre) {
  for (const unsigned line : {0u, 1u, 3u, 5u, 6u, 7u, 8u, 9u, 10u, 100u})
    EXPECT_EQ(begin_of(line), line);
}

TEST(EmulatorSourceLines, AFileThatIsNotThereHasNoBegin) {
  const SourceLine line = {.file = "/no/such/file.cu", .line = 2, .column = 3};
  EXPECT_EQ(begin_of_assignment(line).line, 2u);
}

}  // namespace
}  // namespace ladder::emulator
