// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/execution_spaces_test.cpp
/// \brief What the words of a program tell of its sides: each refusal's kind, line and name.
#include "glassbox/execution_spaces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::glassbox {
namespace {

using Kind = SourceErrorKind;

/// A program from its second line on, as the preprocessor leaves it.
std::string preprocessed(std::string source) {
  const auto replace = [&](const std::string& word, const std::string& by) {
    for (std::size_t at = source.find(word); at != std::string::npos;
         at = source.find(word, at + by.size()))
      source.replace(at, word.size(), by);
  };
  replace("__device__", "__attribute__((ladder_device))");
  replace("__host__", "__attribute__((ladder_host))");
  replace("__global__", "__attribute__((ladder_global))");
  return "# 1 \"my.cu\"\n\n" + source + "\n";
}

/// The only error's "LINE CODE NAME"; all of them where there are more.
std::string told(const std::string& source) {
  std::string text;
  for (const SourceError& error : objections_of_sides(preprocessed(source)).errors) {
    EXPECT_EQ(error.place.file, "my.cu");
    const std::string name = error.fields.has("name") ? error.fields.word("name") : "";
    text += (text.empty() ? "" : "; ") + std::to_string(error.place.line) + " " +
            std::string(code_of(error.kind)) + (name.empty() ? "" : " " + name);
  }
  return text;
}

TEST(ExecutionSpacesTest, DeviceCodeCallsTheHost) {
  EXPECT_EQ(told("void f(int);\n__global__ void k() {\n  f(1);\n}"),
            "4 host-function-in-device-code f");
  EXPECT_EQ(told("int f() { return 1; }\n__device__ int g() { return f(); }"),
            "3 host-function-in-device-code f");
  EXPECT_EQ(told("__global__ void k() {\n  int a = rand();\n}"),
            "3 host-function-in-device-code rand");
  EXPECT_EQ(told("__global__ void k(int* a) { std::sort(a, a + 4); }"),
            "2 host-function-in-device-code std::sort");
  EXPECT_EQ(told("__global__ void k() {\n\n  std::vector<int> a(4);\n}"),
            "4 host-function-in-device-code std::vector");
}

TEST(ExecutionSpacesTest, DeviceCodeUsesVariablesOfTheHost) {
  EXPECT_EQ(told("int n;\n__global__ void k(int* a) {\n  a[0] = n;\n}"),
            "4 host-variable-in-device-code n");
  EXPECT_EQ(told("float w[4];\n__device__ float f() { return w[1]; }"),
            "3 host-variable-in-device-code w");
  EXPECT_EQ(told("__global__ void k() { std::cout << 1; }"),
            "2 host-variable-in-device-code std::cout");
}

TEST(ExecutionSpacesTest, TheHostCallsTheDevice) {
  EXPECT_EQ(told("__device__ int f() { return 1; }\nint main() {\n  return f();\n}"),
            "4 device-function-in-host-code f");
}

TEST(ExecutionSpacesTest, Kernels) {
  EXPECT_EQ(told("__global__ int k() { return 1; }"), "2 kernel-returns-a-value");
  EXPECT_EQ(told("__global__ void k() {}\nint main() { k(); }"), "3 refused-by-nvcc");
  EXPECT_EQ(told("__global__ __device__ void k() {}"), "2 refused-by-nvcc");
  EXPECT_EQ(told("__global__ void k() { throw 1; }"), "2 refused-by-nvcc");
  EXPECT_EQ(told("__device__ void f() {\n  try {\n  } catch (int) {\n  }\n}"), "3 refused-by-nvcc");
}

TEST(ExecutionSpacesTest, EachIsToldOnce) {
  EXPECT_EQ(
      told("void f();\nint n;\n__global__ void k(int* a) {\n  f();\n  a[0] = n;\n  f(); f();\n}"),
      "5 host-function-in-device-code f; 6 host-variable-in-device-code n; "
      "7 host-function-in-device-code f");
}

TEST(ExecutionSpacesTest, WhatMayBeRightIsNotToldOf) {
  for (const char* source :
       {"__host__ __device__ int f() { return 1; }\n__global__ void k() { f(); }\n"
        "int main() { return f(); }",
        "int f() { return 1; }\n__device__ int f(int a) { return a; }\n"
        "__global__ void k() { f(2); }",
        "constexpr int f() { return 1; }\n__global__ void k() { f(); }",
        "const int n = 4;\n__global__ void k(int* a) { a[0] = n; }",
        "int n;\n__global__ void k(int* a) { int n = 1; a[0] = n; }",
        "int n;\n__global__ void k(int n) { n = 1; }",
        "int f();\n__global__ void k(int* a) { a[0] = sizeof(f()); }",
        "void f();\nstruct S { __device__ void f() {} };\n__global__ void k(S s) { s.f(); }",
        "void f();\n__host__ __device__ void g() { f(); }",
        "__device__ int n;\n__global__ void k(int* a) { a[0] = n; }",
        "template <class T> __global__ void k(T f) { f(); }\nvoid f();"})
    EXPECT_EQ(told(source), "") << source;
}

}  // namespace
}  // namespace ladder::glassbox
