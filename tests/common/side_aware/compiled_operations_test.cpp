// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/compiled_operations_test.cpp
/// \brief The run-time compiler accepts what is shipped, and says what is wrong with what it does
///        not accept.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "common/side_aware/elementwise_source.hpp"
#include "common/side_aware/error.hpp"
#include "common/side_aware/runtime_compiler.hpp"
#include "common/side_aware/side_probe.hpp"

namespace ladder::side_aware {
namespace {

constexpr int kHopper = 90;

std::string message_of(const std::function<void()>& failing) {
  try {
    failing();
  } catch (const SideAwareError& error) {
    return error.what();
  }
  return "";
}

/// Skips a test where NVRTC is not installed.
class CompiledOperations : public testing::Test {
 protected:
  void SetUp() override {
    const std::string missing =
        message_of([] { compile("__global__ void nothing() {}", "nothing.cu", kHopper); });
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};

std::string source_of(const std::string& file, const std::string& type) {
  return elementwise_source(shipped_operation(file, type));
}

TEST_F(CompiledOperations, AllShippedOnesCompile) {
  for (const auto& [file, type] :
       {std::pair("copy.cuh", "Copy"), std::pair("scale.cuh", "Scale"),
        std::pair("sum.cuh", "Total"), std::pair("absmax.cuh", "AbsMax"),
        std::pair("copy.cuh", "CopyBytes"), std::pair("rope.cuh", "Rope"),
        std::pair("which_sm.cuh", "WhichSm"), std::pair("differences.cuh", "Differences"),
        std::pair("random_bits.cuh", "RandomBits")}) {
    EXPECT_GT(compile(source_of(file, type), file, kHopper).size(), 1000u) << file;
  }
}

TEST_F(CompiledOperations, TheProbeForSidesCompiles) {
  EXPECT_GT(compile(side_probe_source(), "probe.cu", kHopper).size(), 1000u);
}

TEST_F(CompiledOperations, AnOwnHeaderMayHaveFourInputsAndOutputs) {
  const Operation mix = {
      .header =
          "#include \"common/side_aware/kernels/element.cuh\"\n"
          "struct Mix : ladder::side_aware::OperationDefaults {\n"
          "  using i0 = float; using i1 = short; using i2 = char; using i3 = double;\n"
          "  using o0 = float; using o1 = double; using o2 = short; using o3 = char;\n"
          "  static constexpr bool reverse_order = true;\n"
          "  __device__ static void apply(ladder::side_aware::Element<Mix>& element) {\n"
          "    element.out0 = element.in0 + element.in1;\n"
          "    element.out1 = element.in3 * element.sideband.value;\n"
          "    element.out2 = element.in2;\n"
          "    element.out3 = static_cast<char>(element.index);\n"
          "  }\n"
          "};\n",
      .name = "Mix"};
  EXPECT_GT(compile(elementwise_source(mix), "mix.cu", kHopper).size(), 1000u);
}

TEST_F(CompiledOperations, AMistakeIsNamedWithItsLine) {
  const Operation wrong = {.header = "struct Wrong { using i0 = nofloat; };\n", .name = "Wrong"};
  const std::string message =
      message_of([&] { compile(elementwise_source(wrong), "wrong.cu", kHopper); });
  EXPECT_NE(message.find("wrong.cu does not compile"), std::string::npos) << message;
  EXPECT_NE(message.find("nofloat"), std::string::npos) << message;
}

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(LADDER_SOURCE_DIR) + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string listing(const std::string& name) {
  return text_of("tests/common/side_aware/listings/" + name + ".txt");
}

std::size_t code_size(const std::string& header) {
  return compile(elementwise_source(operation_of_header(header)), "header.cu", kHopper).size();
}

TEST_F(CompiledOperations, HeadersOfTypesAndFunctionsCompileAsTheyArePrinted) {
  for (const char* const name : {"memcpy", "rope", "sideband"})
    EXPECT_GT(code_size(listing(name)), 1000u) << name;
}

TEST_F(CompiledOperations, AHeaderMayIncludeAFileOfTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ladder_headers_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  std::ofstream("kernel_rope.cuh") << "#pragma once\n" << listing("rope");
  EXPECT_GT(code_size("#include \"kernel_rope.cuh\""), 1000u);
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST_F(CompiledOperations, WhatAHeaderLacksOrMayNotHaveIsNamed) {
  const auto refused = [](const std::string& header) {
    return message_of([&] { code_size(header); });
  };
  EXPECT_NE(refused("\ntypedef nonsense o0;\n").find("header(2): error"), std::string::npos);
  const std::string rope = listing("rope");
  const auto without = [&](const std::string& part, const std::string& instead) {
    std::string text = rope;
    return text.replace(text.find(part), part.size(), instead);
  };
  EXPECT_NE(refused(without("void elementwise_op", "void another_op")).find("elementwise_op"),
            std::string::npos);
  EXPECT_NE(refused(without("constexpr bool reverse_order = false;", "")).find("reverse_order"),
            std::string::npos);
  EXPECT_NE(
      refused(without("#define UNROLLED 2", "#define UNROLLED 3")).find("UNROLLED is 1, 2, 4 or 8"),
      std::string::npos);
}

TEST(ShippedSources, AreThoseOfTheTree) {
  ASSERT_GT(shipped_sources().size(), 8u);
  for (const SourceText& shipped : shipped_sources()) {
    EXPECT_TRUE(shipped.text == text_of(shipped.name)) << shipped.name << " differs: build again";
  }
}

}  // namespace
}  // namespace ladder::side_aware
