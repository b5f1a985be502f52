// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/launch_syntax_test.cpp
/// \brief What kernel<<<grid, block>>>(arguments) becomes, and what is left alone.
#include "glassbox/launch_syntax.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {
namespace {

/// The kernel's name, the shape and the arguments of the first launch: "name|shape|arguments".
std::string launch_in(const std::string& source) {
  const std::string text = without_launch_syntax(source).value_or("");
  const std::string start = "::ladder::glassbox::launch(\"";
  const std::string middle = ")([=](auto&&...";
  const std::size_t name = text.find(start);
  if (name == std::string::npos) return "";
  const std::size_t name_end = text.find("\", ", name);
  const std::size_t shape_end = text.find(middle, name_end);
  const std::size_t body_end = text.find("...); }", shape_end);
  return text.substr(name + start.size(), name_end - name - start.size()) + "|" +
         text.substr(name_end + 3, shape_end - name_end - 3) + "|" + text.substr(body_end + 7);
}

TEST(LaunchSyntaxTest, NamesShapesAndArguments) {
  EXPECT_EQ(launch_in("k<<<1, 2>>>(a, b);"), "k|1, 2|, a, b);");
  EXPECT_EQ(launch_in("k<<<1, 2>>>();"), "k|1, 2|);");
  EXPECT_EQ(launch_in("k <<< g, b, 4 * n, s >>> (f(a, b), c[i]);"),
            "k| g, b, 4 * n, s |, f(a, b), c[i]);");
  EXPECT_EQ(launch_in("k<<<dim3(1, 2), dim3{3}>>>(a);"), "k|dim3(1, 2), dim3{3}|, a);");
}

TEST(LaunchSyntaxTest, TemplatesAndScopes) {
  EXPECT_EQ(launch_in("k<float, 16><<<1, 2>>>(a);"), "k<float, 16>|1, 2|, a);");
  EXPECT_EQ(launch_in("return ::n::k<T<int>, (a > b)><<<1, 2>>>(a);"),
            "::n::k<T<int>, (a > b)>|1, 2|, a);");
  EXPECT_EQ(launch_in("n::S<4>::k<<<f(x >> 2), 2>>>(a);"), "n::S<4>::k|f(x >> 2), 2|, a);");
  EXPECT_EQ(launch_in("table[i]<<<1, 2>>>(a);"), "table[i]|1, 2|, a);");
  EXPECT_EQ(launch_in("p->kernel<<<1, g<int>()>>>(a);"), "p->kernel|1, g<int>()|, a);");
}

TEST(LaunchSyntaxTest, CommentsTextsAndShiftsStay) {
  for (const char* source :
       {"// k<<<1, 2>>>(a)\n", "/* k<<<1, 2>>>(a) */", "f(\"k<<<1, 2>>>(a)\");",
        "f(R\"x(k<<<1, 2>>>(a) )\")x\");", "x = a << 2 >> b;", "c = '<';"}) {
    EXPECT_EQ(without_launch_syntax(source), std::nullopt) << source;
  }
}

TEST(LaunchSyntaxTest, ClustersAreNotedBehindTheirKernels) {
  EXPECT_EQ(
      without_launch_syntax("__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64)\n"
                            "k(int* p) { if (p) { f(); } } int i;\n"),
      "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64)\n"
      "k(int* p) { ::ladder::glassbox::require_launch_bounds(64); if (p) { f(); } } "
      "static const ::ladder::glassbox::ClusterOfKernel "
      "glassbox_cluster_k_16(\"k\", (const void*)&k, {2, 1, 1}); int i;\n");
  EXPECT_EQ(without_launch_syntax("template <int N> __cluster_dims__(4) __global__ void k();"),
            "template <int N> __cluster_dims__(4) __global__ void k(); static const "
            "::ladder::glassbox::ClusterOfKernel glassbox_cluster_k_17(\"k\", nullptr, {4});");
  for (const char* source : {"#define __cluster_dims__(...)", "__cluster_dims__(2", "f(x);"})
    EXPECT_EQ(without_launch_syntax(source), std::nullopt) << source;
}

TEST(LaunchSyntaxTest, MembersOfTheHostsNamedLikeTheKernelsWords) {
  EXPECT_EQ(without_launch_syntax("c.gridDim = 1; p->blockDim = 2; C c = {.gridDim = 3};"),
            "c.host_gridDim = 1; p->host_blockDim = 2; C c = {.host_gridDim = 3};");
  EXPECT_EQ(without_launch_syntax("struct S { dim3 gridDim, blockDim; };"),
            "struct S { dim3 host_gridDim, host_blockDim; };");
}

TEST(LaunchSyntaxTest, LinesKeepTheirNumbers) {
  const std::string source =
      "a\nlong_name<1,\n 2><<<grid,\n  block>>>(x,\n\n  y); // k<<<1\n#define RUN(k) \\\n  k<<<1, "
      "\\\n "
      " 2>>>(1)\nlast\n";
  const std::string text = without_launch_syntax(source).value();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
  EXPECT_TRUE(text.ends_with("\nlast\n"));
}

TEST(LaunchSyntaxTest, NullBecomesAPointer) {
  EXPECT_EQ(launch_in("k<<<1, 2>>>(NULL, f(NULL), NULL);"), "k|1, 2|, nullptr, f(NULL), nullptr);");
}

TEST(LaunchSyntaxTest, VariablesOfTheHostAreNotTheKernelsWords) {
  EXPECT_EQ(without_launch_syntax("void f() { dim3 gridDim(2); g(gridDim); }\n"
                                  "void k() { i = gridDim.x; }"),
            "void f() { dim3 host_gridDim(2); g(host_gridDim); }\nvoid k() { i = gridDim.x; }");
  EXPECT_EQ(without_launch_syntax("{ dim3 a(2), blockDim(f(1), 2); blockDim.x = 3; }"),
            "{ dim3 a(2), host_blockDim(f(1), 2); host_blockDim.x = 3; }");
  EXPECT_EQ(
      without_launch_syntax("void f(int blockDim, int n) { g(blockDim); } int i = blockDim.x;"),
      "void f(int host_blockDim, int n) { g(host_blockDim); } int i = blockDim.x;");
  EXPECT_EQ(without_launch_syntax("int i = f(n, blockDim.x) + blockDim.x * gridDim.x;"),
            std::nullopt);
}

TEST(LaunchSyntaxTest, KernelsOfTheRunTimeKeepTheirTypes) {
  EXPECT_EQ(without_launch_syntax("cudaLaunchKernel((void*)k<1>, 1, 2, arguments);"),
            "cudaLaunchKernel(k<1>, 1, 2, arguments);");
  EXPECT_EQ(without_launch_syntax("cudaLaunchCooperativeKernel((const void *)k, 1, 2, a);"),
            "cudaLaunchCooperativeKernel(k, 1, 2, a);");
  EXPECT_EQ(without_launch_syntax("cudaLaunchKernelExC(f(&c, 1), (const void*)k, a);"),
            "cudaLaunchKernelExC(f(&c, 1), k, a);");
  EXPECT_EQ(without_launch_syntax("p.func = (void*)k; p->func = (void *)k<float>;"),
            "p.func = k; p->func = k<float>;");
  EXPECT_EQ(without_launch_syntax("p.func = reinterpret_cast<void*>(k);"), "p.func = (k);");
  EXPECT_EQ(without_launch_syntax("cudaKernelNodeParams p = {(void*)k, 1}, q{(void*)0};"),
            "cudaKernelNodeParams p = {k, 1}, q{(void*)0};");
  EXPECT_EQ(without_launch_syntax("cudaKernelNodeParams p{reinterpret_cast<const void*>(k), 1};"),
            "cudaKernelNodeParams p{(k), 1};");
  EXPECT_EQ(without_launch_syntax("cudaHostNodeParams p{(void*)k, 1};"), std::nullopt);
}

TEST(LaunchSyntaxTest, MainMayReturnNothing) {
  EXPECT_EQ(without_launch_syntax("void f() { return; } int main(int n) { if (n) return; f(); }"),
            "void f() { return; } int main(int n) { if (n) return 0; f(); }");
  EXPECT_EQ(without_launch_syntax("int main() { [] { return; }(); return 0; }"), std::nullopt);
}

TEST(LaunchSyntaxTest, ALaunchWithoutAnEndIsRefused) {
  try {
    without_launch_syntax("\n\nk<<<1, 2>>(a);");
    FAIL();
  } catch (const SourceRefused& refusal) {
    EXPECT_EQ(refusal.line(), 3u);
  }
}

TEST(LaunchSyntaxTest, InclusionsAreFound) {
  const auto found =
      inclusions_of("#include <a/b.h>\n  # include \"c.cuh\" // <d>\n// #include <e>\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "a/b.h");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].name, "c.cuh");
  EXPECT_TRUE(found[1].quoted);
  EXPECT_EQ(found[1].line, 2u);
}

}  // namespace
}  // namespace ladder::glassbox
