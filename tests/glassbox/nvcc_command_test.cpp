// SPDX-License-Identifier: MIT
// nvcc's command line as Makefiles and CMake write it.
#include "glassbox/nvcc_command.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ladder::glassbox {
namespace {

using Words = std::vector<std::string>;

NvccCommand read(const Words& words) {
  return read_nvcc_command(words);
}

std::string refusal_of(const Words& words) {
  try {
    read(words);
  } catch (const NvccRefusal& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(NvccCommand, WithAllThatAMakefileGives) {
  const NvccCommand command = read({"-O3",
                                    "-G",
                                    "-std=c++17",
                                    "-m64",
                                    "--use_fast_math",
                                    "-lineinfo",
                                    "-w",
                                    "-t",
                                    "4",
                                    "-Xptxas",
                                    "-v,-O3",
                                    "-ccbin=g++",
                                    "-gencode",
                                    "arch=compute_70,code=sm_70",
                                    "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                                    "--expt-relaxed-constexpr",
                                    "-DN=4",
                                    "-D",
                                    "M",
                                    "-Iinclude",
                                    "-I",
                                    "more,third",
                                    "-isystem=own",
                                    "-Xcompiler",
                                    "-Wall,-fopenmp",
                                    "--compiler-options",
                                    "'-march=native' -fno-rtti",
                                    "-dc",
                                    "a.cu",
                                    "-o",
                                    "a.o"});
  EXPECT_EQ(command.phase, NvccPhase::kCompile);
  EXPECT_TRUE(command.is_separate);
  EXPECT_TRUE(command.is_relaxed);
  EXPECT_EQ(command.output, "a.o");
  EXPECT_EQ(command.compute_capability, 80);
  EXPECT_EQ(command.definitions, (Words{"N=4", "M"}));
  EXPECT_EQ(command.include_folders, (Words{"include", "more", "third", "own"}));
  EXPECT_EQ(command.host_options, (Words{"-fopenmp", "-march=native", "-fno-rtti"}));
  ASSERT_EQ(command.sources.size(), 1U);
  EXPECT_EQ(command.sources[0].file, "a.cu");
  EXPECT_EQ(command.sources[0].language, NvccLanguage::kCuda);
}

// As nvcc 13.0 reads them; CMake escapes the commas of a definition.
TEST(NvccCommand, CommasInDefinitions) {
  const NvccCommand command = read({"-DA=1,B", R"(-DC=1\,2)", R"(-DD="1,2")", R"(-DE="1\,2",F)",
                                    R"(-DG=\"1,H)", R"(-DI=a\\b)", "-c", "x.cu"});
  EXPECT_EQ(command.definitions,
            (Words{"A=1", "B", "C=1,2", "D=\"1,2\"", "E=\"1,2\"", "F", "G=\"1", "H", R"(I=a\b)"}));
}

TEST(NvccCommand, KeepsTheOrderOfWhatIsLinked) {
  const NvccCommand command = read({"main.cpp", "a.o", "-Llib", "-lm", "b.cu", "libc.a", "-Xlinker",
                                    "-rpath,lib", "-Xcompiler", "-Wl,-z,now", "-shared"});
  EXPECT_EQ(command.phase, NvccPhase::kLink);
  EXPECT_TRUE(command.is_library);
  EXPECT_EQ(command.link_words, (Words{"", "a.o", "-Llib", "-lm", "", "libc.a", "-Xlinker",
                                       "-rpath", "-Xlinker", "lib", "-Wl,-z,now"}));
  ASSERT_EQ(command.sources.size(), 2U);
  EXPECT_EQ(command.sources[0].language, NvccLanguage::kCpp);
}

TEST(NvccCommand, LongAndShortNamesAreOne) {
  for (const Words& words :
       {Words{"--compile", "--output-file=x.o", "--gpu-architecture=sm_90", "x.cu"},
        Words{"-c", "-o", "x.o", "-arch", "sm_90", "x.cu"},
        Words{"-c", "-o=x.o", "-arch=compute_90a", "x.cu"}}) {
    const NvccCommand command = read(words);
    EXPECT_EQ(command.phase, NvccPhase::kCompile);
    EXPECT_EQ(command.output, "x.o");
    EXPECT_EQ(command.compute_capability, 90);
  }
}

TEST(NvccCommand, AnArchitectureThatCuda13HasNoLongerIsTheOldestThatItHas) {
  EXPECT_EQ(read({"-arch=sm_35", "x.cu"}).compute_capability, 75);
  EXPECT_EQ(read({"x.cu"}).compute_capability, 75);
}

TEST(NvccCommand, DependenciesAsGccNamesThem) {
  const NvccCommand command = read({"-forward-unknown-to-host-compiler", "-MD", "-MT", "x.cu.o",
                                    "-MF", "x.d", "-x", "cu", "-c", "x.txt"});
  EXPECT_EQ(command.dependency_options, (Words{"-MD", "-MT", "x.cu.o"}));
  EXPECT_EQ(command.dependency_file, "x.d");
  EXPECT_EQ(command.sources.at(0).language, NvccLanguage::kCuda);
  EXPECT_EQ(read({"--generate-dependencies", "x.cu"}).dependency_options, (Words{"-M"}));
}

TEST(NvccCommand, OptionsOfAFile) {
  const auto folder = std::filesystem::temp_directory_path() / "nvcc_command_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "options") << "-I\"with space\"\n-DX='a b' -c\n";
  const std::string file = folder / "options";
  for (const Words& words : {Words{"--options-file", file, "x.cu"}, Words{"@" + file, "x.cu"}}) {
    const NvccCommand command = read(words);
    EXPECT_EQ(command.include_folders, (Words{"with space"}));
    EXPECT_EQ(command.definitions, (Words{"X=a b"}));
    EXPECT_EQ(command.phase, NvccPhase::kCompile);
  }
  std::filesystem::remove_all(folder);
  EXPECT_NE(refusal_of({"-optf", "none", "x.cu"}).find("none"), std::string::npos);
}

TEST(NvccCommand, WhatIsUnknownIsRefusedByName) {
  EXPECT_NE(refusal_of({"--no-such-option", "x.cu"}).find("--no-such-option"), std::string::npos);
  EXPECT_NE(refusal_of({"-Wall", "x.cu"}).find("-Wall"), std::string::npos);
  EXPECT_EQ(read({"-forward-unknown-to-host-compiler", "-pthread", "x.cu"}).host_options,
            (Words{"-pthread"}));
  EXPECT_EQ(read({"-pthread", "-forward-unknown-opts", "x.cu"}).host_options, (Words{"-pthread"}));
}

TEST(NvccCommand, WhatTheGlassBoxCannotDoIsRefusedByName) {
  for (const char* const option : {"-ptx", "--cubin", "-fatbin", "-optix-ir", "-cuda"})
    EXPECT_NE(refusal_of({option, "x.cu"}).find(option), std::string::npos) << option;
  EXPECT_NE(refusal_of({"kernel.ptx"}).find("kernel.ptx"), std::string::npos);
  EXPECT_NE(refusal_of({"-m32", "x.cu"}).find("64"), std::string::npos);
  EXPECT_NE(refusal_of({"-Xcompiler=-static", "x.cu"}).find("-static"), std::string::npos);
  EXPECT_NE(refusal_of({"-x", "fortran", "x.cu"}).find("fortran"), std::string::npos);
}

TEST(NvccCommand, WhatNvccItselfRefuses) {
  EXPECT_NE(refusal_of({"-c"}).find("input"), std::string::npos);
  EXPECT_NE(refusal_of({"-c", "a.cu", "b.cu", "-o", "x.o"}).find("single"), std::string::npos);
  EXPECT_NE(refusal_of({"no_such_file"}).find("no_such_file"), std::string::npos);
  EXPECT_NE(refusal_of({"x.cu", "-o"}).find("-o"), std::string::npos);
}

TEST(SplitWords, AtCommasAndSpacesOutsideOfQuotes) {
  EXPECT_EQ(split_words("-a,-b -c"), (Words{"-a", "-b", "-c"}));
  EXPECT_EQ(split_words("\"-a b\",c\\,d"), (Words{"-a b", "c,d"}));
  EXPECT_EQ(split_words("-Wl,-rpath,x"), (Words{"-Wl,-rpath,x"}));
}

}  // namespace
}  // namespace ladder::glassbox
