// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/two_sides_test.cpp
/// \brief Which side of __CUDA_ARCH__ a function takes, and whose variables it names.
#include "glassbox/two_sides.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "glassbox/launch_syntax.hpp"

namespace ladder::glassbox {
namespace {

constexpr std::string_view kAsks = "glassbox_in_kernel()) {";

std::string rewritten(const std::string& source) {
  return without_launch_syntax(source).value_or(source);
}

bool has_device_side(const std::string& source) {
  return rewritten(source).find(kDeviceArchitecture) != std::string::npos;
}

bool has_host_side(const std::string& source) {
  return rewritten(source).find("__CUDA_ARCH__") != std::string::npos;
}

TEST(TwoSidesTest, CodeOfTheDeviceHasAnArchitecture) {
  for (const char* device :
       {"#if __CUDA_ARCH__ >= 700\n__device__ int f();\n#endif",
        "__global__ void k(int n) {\n#if __CUDA_ARCH__ >= 700\n  n = 1;\n#endif\n}",
        "template <class T>\n__device__ T f(T a) { if (a) {\n#ifdef __CUDA_ARCH__\n#endif\n} }",
        "struct S { int a = 1; __device__ void f() {\n#ifdef __CUDA_ARCH__\n#endif\n} };",
        "namespace n { __global__ void k(struct S s) {\n#ifdef __CUDA_ARCH__\n#endif\n} }",
        "#define D __device__\n  D int f() { return __CUDA_ARCH__; }",
        "int main() { g([=] __device__(int i) { return __CUDA_ARCH__; }, 1); }",
        "int main() { } \n__device__ int f() { return __CUDA_ARCH__; }"}) {
    EXPECT_TRUE(has_device_side(device)) << device;
    EXPECT_FALSE(has_host_side(device)) << device;
  }
}

TEST(TwoSidesTest, CodeOfTheHostHasNone) {
  for (const char* host :
       {"int main() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "struct S { S() {\n#ifdef __CUDA_ARCH__\n#endif\n} };",
        "__device__ int a;\nint f() { if (a) {\n#ifdef __CUDA_ARCH__\n#endif\n} }",
        "#define D __device__\nint f() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "int main() { g([=] __device__(int i) { return 1; });\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "// __CUDA_ARCH__\nconst char* text = \"__CUDA_ARCH__\";"})
    EXPECT_FALSE(has_device_side(host)) << host;
}

TEST(TwoSidesTest, FunctionsOfBothSidesHaveTwoBodies) {
  for (const char* both :
       {"__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "template <class T>\n__host__ __device__ T f(T a) {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "#define HD __host__ __device__\nHD int f() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"
        "inline HD int f() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "#include \"macros.h\"\nCUDA_CALLABLE int f() {\n#ifdef __CUDA_ARCH__\n#endif\n}",
        "struct S { __host__ __device__ S() : a{1}, b(2) {\n#ifdef __CUDA_ARCH__\n#endif\n} };",
        "int main() { g([=] __host__ __device__(int i) { return __CUDA_ARCH__; }); }"}) {
    const std::string text = rewritten(both);
    EXPECT_NE(text.find(kAsks), std::string::npos) << text;
    EXPECT_TRUE(has_device_side(both)) << text;
    EXPECT_TRUE(has_host_side(both)) << text;
  }
}

TEST(TwoSidesTest, LinesKeepTheirNumbersBehindBothBodies) {
  const std::string text =
      rewritten("int a;\n__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\n#endif\n}\nint b;");
  EXPECT_NE(text.find("\n#line 2\n\n#ifdef __CUDA_ARCH__\n#endif\n}}\nint b;"), std::string::npos)
      << text;
}

TEST(TwoSidesTest, WhereOneSideIsAllThereIsANote) {
  const auto reason = [](const std::string& source) {
    const auto found = one_sided_functions(source);
    return found.empty() ? "" : std::to_string(found[0].line) + std::string(found[0].reason);
  };
  const std::string head = "__host__ __device__ int f() {";
  const std::string asks = "\n#ifdef __CUDA_ARCH__\n#endif\n";
  EXPECT_EQ(reason(head + asks + "}"), "");
  EXPECT_EQ(reason(head + asks + "goto end; end: return 1; }"), "2goto");
  EXPECT_EQ(reason("constexpr " + head + asks + "}"), "2constant");
  EXPECT_EQ(
      reason("#if A\n" + head + "\n#else\n__host__ __device__ int g() {\n#endif" + asks + "}"),
      "6conditional");
  EXPECT_EQ(reason("int f() {" + asks + "goto end; end: return 1; }"), "");
  EXPECT_FALSE(has_device_side(head + asks + "goto end; end: return 1; }"));
}

TEST(TwoSidesTest, BranchesOfThePreprocessorBeginAtTheSameBraces) {
  EXPECT_FALSE(
      has_device_side("#if A\nint f(int a) {\n#else\nint f() {\n#endif\n}\n"
                      "int g() {\n#ifdef __CUDA_ARCH__\n#endif\n}"));
}

TEST(TwoSidesTest, LambdasOfTheDeviceNameItsVariables) {
  EXPECT_EQ(rewritten("__device__ int x; int main() { return x; }"),
            "__device__ int x; int main() { return ::ladder::glassbox::on_host_side(x); }");
  const std::string lambda = "__device__ int x; int main() { g([] __device__() { return x; }); }";
  EXPECT_EQ(rewritten(lambda), lambda);
}

}  // namespace
}  // namespace ladder::glassbox
