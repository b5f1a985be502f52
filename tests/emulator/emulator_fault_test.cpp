// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_fault_test.cpp
/// \brief Faults and exceptions in kernels name their line and thread; elsewhere nothing changes.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "emulator/run/waits/ended_thread.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "fault_probes.cu";

TEST(EmulatorFault, NullPointer) {
  expect_kernel_error([] { probes::write_null(4, 1, 3); }, {FaultKind::kNullPointer,
                                                            kFile,
                                                            "writes through null",
                                                            {1, 0, 0},
                                                            {3, 0, 0},
                                                            {{"address", 8}}});
}

TEST(EmulatorFault, WildPointer) {
  float out = 0;
  expect_kernel_error(
      [&] { probes::read_wild(reinterpret_cast<const float*>(0x123456789000), &out); },
      {FaultKind::kInvalidAddress,
       kFile,
       "reads what is not there",
       {},
       {},
       {{"address", 0x123456789000}}});
}

TEST(EmulatorFault, MisalignedFloat4) {
  alignas(16) float in[4] = {1, 2, 3, 4};
  alignas(16) float out[8] = {};
  expect_kernel_error([&] { probes::copy_misaligned(in, out); },
                      {FaultKind::kMisalignedVector, kFile, "not a multiple of 16", {}, {}});
}

TEST(EmulatorFault, DivisionByZero) {
  int out = 0;
  expect_kernel_error([&] { probes::divide(0, &out); },
                      {FaultKind::kDivisionByZero, kFile, "by zero", {}, {}});
  probes::divide(7, &out);
  EXPECT_EQ(out, 14);
}

TEST(EmulatorFault, Trap) {
  expect_kernel_error(probes::trap,
                      {FaultKind::kIllegalInstruction, kFile, "on purpose", {}, {4, 0, 0}});
}

TEST(EmulatorFault, StackOverflow) {
  float out = 0;
  const auto error = error_of([&] { probes::overflow_stack(&out); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kStackOverflow) << error->what();
  EXPECT_EQ(error->file(), "tests/emulator/fault_probes.cu") << error->what();
  EXPECT_LE(error->line(), line_of(kFile, "needs a stack frame")) << error->what();
  EXPECT_GE(error->line() + 5, line_of(kFile, "needs a stack frame")) << error->what();
}

TEST(EmulatorFault, LocalArrayOverrun) {
  float out = 0;
  probes::fill_array(16, &out);
  EXPECT_EQ(out, 15);
  const Fault fault =
      expect_kernel_error([&] { probes::fill_array(24, &out); },
                          {FaultKind::kLocalOverrun, kFile, "one array", {}, {3, 0, 0}});
  EXPECT_EQ(fault.fields.words("locals"), (FieldValue::Words{"local[4][4]"}));
}

TEST(EmulatorFault, OneOfSeveralLocalArraysOverrun) {
  float out = 0;
  probes::fill_two_arrays(16, &out);
  EXPECT_EQ(out, 15);
  const auto error = error_of([&] { probes::fill_two_arrays(64, &out); });
  ASSERT_TRUE(error.has_value());
  const std::string text = error->what();
  EXPECT_EQ(error->kind(), FaultKind::kLocalOverrun) << text;
  const Fields& fields = error->fault().fields;
  std::map<std::string, std::int64_t> lines;
  for (std::size_t i = 0; i < fields.words("locals").size(); ++i)
    lines[fields.words("locals")[i]] = fields.numbers("lines").at(i);
  EXPECT_EQ(lines, (std::map<std::string, std::int64_t>{
                       {"larger[16]", line_of(kFile, "one of two")},
                       {"smaller[8]", line_of(kFile, "the other of two")}}))
      << text;
  EXPECT_TRUE(error->line() == line_of(kFile, "one of two") ||
              error->line() == line_of(kFile, "the other of two"))
      << text;
}

TEST(EmulatorFault, LocalArrayOverrunBeyondTheStack) {
  float out = 0;
  expect_kernel_error([&] { probes::fill_array(1 << 20, &out); },
                      {FaultKind::kBehindLocals, kFile, "up to count", {}, {3, 0, 0}});
}

TEST(EmulatorFault, LocalArrayOverrunDownTheStack) {
  float out = 0;
  probes::fill_downwards(16, &out);
  EXPECT_EQ(out, 15);
  expect_kernel_error([&] { probes::fill_downwards(size_t{3} - 5, &out); },
                      {FaultKind::kBeforeLocals, kFile, "down to count", {}, {3, 0, 0}});
}

TEST(EmulatorFaultDeathTest, OutsideOfKernelsAnOverrunStillKills) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        float out = 0;
        probes::fill_array(16, &out);
        probes::fill_array_of_host(24, &out);
      },
      testing::KilledBySignal(SIGABRT), "stack smashing");
}

TEST(EmulatorFault, InsideTheCLibraryNamesTheKernelsLine) {
  expect_kernel_error(probes::copy_bytes_to_null,
                      {FaultKind::kNullPointer, kFile, "in the C library", {}, {}});
}

TEST(EmulatorFault, LowestBlockIsReported) {
  set_cpu_threads(4);
  for (int run = 0; run < 5; ++run) {
    expect_kernel_error(
        [] { probes::write_null(50, 20, 0); },
        {FaultKind::kNullPointer, kFile, "writes through null", {20, 0, 0}, {0, 0, 0}});
  }
}

TEST(EmulatorFault, Exception) {
  const auto error = error_of([] { probes::throw_exception(5); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kException);
  EXPECT_EQ(error->thread(), (Index{5, 0, 0}));
  EXPECT_EQ(error->fault().fields.word("exception"), "out of ideas");
  EXPECT_EQ(error_of(probes::throw_number)->kind(), FaultKind::kException);
}

TEST(EmulatorFault, KernelsDoNotLaunchKernels) {
  const auto error = error_of(probes::launch_from_kernel);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), FaultKind::kException) << error->what();
}

TEST(EmulatorFault, NextLaunchWorksAfterEachFault) {
  for (int run = 0; run < 10; ++run) {
    int out = 0;
    EXPECT_THROW(probes::divide(0, &out), KernelError);
    EXPECT_THROW(probes::write_null(3, 0, 63), KernelError);
    probes::divide(3, &out);
    EXPECT_EQ(out, 33);
    std::vector<int> rotated(512);
    probes::rotate_through_shared(512, 2, rotated.data());
    EXPECT_EQ(rotated[511], 1);
  }
}

TEST(EmulatorFaultDeathTest, OutsideOfKernelsAFaultStillKills) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        int out = 0;
        probes::divide(3, &out);
        volatile int* const null = nullptr;
        *null = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

// Whoever waits for the grid would wait forever.
TEST(EmulatorFaultDeathTest, AKernelThatEndsItsThreadEndsTheProcessAndSaysSo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(probes::end_thread_by_unwinding(), testing::ExitedWithCode(kThreadEndedStatus),
              "kernel ends by returning");
  EXPECT_EXIT(probes::end_thread_by_itself(), testing::ExitedWithCode(kThreadEndedStatus),
              "kernel ends by returning");
}

int handled_faults = 0;

TEST(EmulatorFaultDeathTest, OutsideOfKernelsTheEarlierHandlerIsCalled) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        struct sigaction action = {};
        action.sa_handler = [](int) { _exit(++handled_faults + 40); };
        sigaction(SIGFPE, &action, nullptr);
        int out = 0;
        probes::divide(3, &out);
        raise(SIGFPE);
      },
      testing::ExitedWithCode(41), "");
}

}  // namespace
}  // namespace ladder::emulator
