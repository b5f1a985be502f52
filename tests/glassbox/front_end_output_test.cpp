// SPDX-License-Identifier: MIT
/// \file  front_end_output_test.cpp
/// \brief What front ends say becomes findings; what may be their own becomes nothing.
#include "glassbox/front_end_output.hpp"

#include <gtest/gtest.h>

namespace ladder::glassbox {
namespace {

TEST(FrontEndOutputTest, NvccsErrors) {
  const Objections found = objections_of_nvcc(
      "my.cu(3): warning #20094-D: a host variable \"scale\" cannot be directly read\n"
      "my.cu(9): error: calling a __host__ function(\"maths::square<int>(int)\") from a __global__ "
      "function(\"kernel\") is not allowed\n\n"
      "my.cu(9): error: identifier \"maths::square<int> \" is undefined in device code\n\n"
      "my.cu(10): error: identifier \"scale\" is undefined in device code\n"
      "my.cu(11): error: calling a __device__ function(\"twice(int)\") from a __host__ "
      "function(\"main\") is not allowed\n"
      "my.cu(12): error: a __global__ function must have a void return type\n"
      "my.cu(13): error: expression must be a modifiable lvalue\n"
      "my.cu(14): error: calling a constexpr __host__ function(\"f\") from a __global__ "
      "function(\"k\") is not allowed. The experimental flag '--expt-relaxed-constexpr' can be "
      "used "
      "to allow this.\n"
      "/opt/cuda/include/crt/host_config.h(164): error: unsupported GNU version\n"
      "/usr/include/c++/12/vector(3): error: expected a type\n",
      "/opt/cuda/");
  ASSERT_EQ(found.errors.size(), 5u);
  EXPECT_EQ(found.errors[0].kind, SourceErrorKind::kHostCall);
  EXPECT_EQ(found.errors[0].place, (emulator::Place{"my.cu", 9}));
  EXPECT_EQ(found.errors[0].fields.word("name"), "maths::square");
  EXPECT_EQ(found.errors[1].kind, SourceErrorKind::kHostVariable);
  EXPECT_EQ(found.errors[1].fields.word("name"), "scale");
  EXPECT_EQ(found.errors[2].kind, SourceErrorKind::kDeviceCall);
  EXPECT_EQ(found.errors[3].kind, SourceErrorKind::kKernelReturns);
  EXPECT_EQ(found.errors[4].kind, SourceErrorKind::kNvccRefuses);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].kind, SourceErrorKind::kNvccOption);
  EXPECT_EQ(found.notes[0].fields.word("option"), "--expt-relaxed-constexpr");
}

TEST(FrontEndOutputTest, BehindAnErrorOfItsOwnClangCountsForNothing) {
  const std::string rule =
      "my.cu:5:3: error: reference to __host__ variable 'n' in __global__ function\n";
  const std::string own = "my.cu:4:3: error: unknown type name 'something'\n";
  EXPECT_EQ(objections_of_clang(rule).errors.size(), 1u);
  EXPECT_EQ(objections_of_clang(rule + own).errors.size(), 1u);
  EXPECT_TRUE(objections_of_clang(own + rule).empty());
  EXPECT_EQ(objections_of_clang("/usr/include/stdlib.h:4:3: error: unknown type name\n" + rule)
                .errors.size(),
            1u);
}

TEST(FrontEndOutputTest, WhereNvccWarnsNothingIsRefused) {
  EXPECT_TRUE(
      objections_of_clang("my.cu:5:3: error: reference to __host__ function 'f' in __host__ "
                          "__device__ function\nmy.cu:1:3: note: 'f' declared here\n")
          .empty());
  EXPECT_TRUE(objections_of_clang("").empty());
}

}  // namespace
}  // namespace ladder::glassbox
