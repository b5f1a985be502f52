// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/trace_command_test.cpp
/// \brief `ladder trace` and `ladder check` as a user meets them.
#include <sstream>
#include <string>

#include "tests/ladder/program/command_line.hpp"

namespace {

using namespace ladder::testing_program;

class TraceCommandTest : public CommandLineTest {
 protected:
  /// Puts another library in the place of the traced rungs.
  static std::string with(const std::string& library) {
    return "LD_LIBRARY_PATH='" OTHER_RUNGS "/" + library + "'";
  }
};

TEST_F(TraceCommandTest, ShowsCountersByTheirNamesAndByLine) {
  const Outcome outcome = ladder("trace 03 --size 64");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part :
       {"NVIDIA H200", "Verified: all elements are right",
        "512  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "12,288  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "ladder/03_shared_tile/kernel.cuh", "2.00 barriers per tile", "dram__bytes_read.sum",
        "0  dram__bytes_write.sum (what was stored is still in L2)\n",
        "640  l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum", "1.000  shared load sB\n",
        "0.500  shared load sA\n",
        "     shared load sA             16         2,048                       2.0 (2.0)\n"
        "       2 wavefronts, as few as possible: the same 16 bytes for all 32 threads.\n"}) {
    EXPECT_TRUE(says(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST_F(TraceCommandTest, WhatIsWrittenToDramIsCounted) {
  const std::string out = ladder("trace 07 --gpu classroom --m 512 --n 4096 --k 64").out;
  EXPECT_TRUE(says(out, "dram__bytes_write.sum")) << out;
  EXPECT_FALSE(says(out, "still in L2")) << out;
}

TEST_F(TraceCommandTest, EveryLineFitsATerminal) {
  for (const char* rung : {"01", "03", "05", "09", "12"}) {
    const Outcome outcome = ladder(std::string("trace ") + rung + " --size 68 --warp 0,0");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST_F(TraceCommandTest, WritesJsonWithAllFields) {
  const json trace = results_of("trace 06 --m 130 --n 260 --k 24 --gpu classroom --warp 1,2");
  EXPECT_EQ(trace.at("rung"), "06 double_buffer");
  const json& context = trace.at("context");
  EXPECT_TRUE(
      says(ladder("--version").out, "GEMM Ladder " + context.at("version").get<std::string>()));
  EXPECT_TRUE(context.contains("commit"));
  EXPECT_EQ(trace.at("shape"), (json{{"m", 130}, {"n", 260}, {"k", 24}}));
  EXPECT_EQ(trace.at("card").at("id"), "classroom");
  EXPECT_EQ(trace.at("verified"), true);
  EXPECT_TRUE(trace.at("hazards").empty());
  EXPECT_GT(trace.at("metrics").at("dram__bytes_read.sum"), 0);
  EXPECT_EQ(trace.at("order").at("tiles").at(0).at("array"), "sA");
  EXPECT_EQ(trace.at("warp").at("block"), (json{1, 0, 0}));
  EXPECT_EQ(trace.at("warp").at("requests").at(0).at("addresses").size(), 32u);
  std::uint64_t loads = 0;
  for (const json& line : trace.at("lines")) {
    EXPECT_EQ(line.at("file"), "ladder/06_double_buffer/kernel.cuh");
    EXPECT_FALSE(line.at("array").get<std::string>().empty()) << line;
    EXPECT_FALSE(line.at("verdict").get<std::string>().empty()) << line;
    if (line.at("operation") == "global load") loads += line.at("requests").get<std::uint64_t>();
  }
  EXPECT_EQ(trace.at("metrics").at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), loads);
}

TEST_F(TraceCommandTest, ALargeProblemIsSampledAndSaysSo) {
  const json trace = results_of("trace 05 --size 1024");
  EXPECT_TRUE(trace.at("verified").is_null());
  EXPECT_EQ(trace.at("launch").at("blocks"), 64);
  EXPECT_EQ(trace.at("launch").at("blocks_traced"), 1);
}

TEST_F(TraceCommandTest, WritesAPageThatNeedsNoOtherFile) {
  const fs::path page = folder_ / "trace.html";
  const Outcome outcome = ladder("trace 02 --size 64 --html " + page.string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = text_of(page);
  EXPECT_TRUE(says(text, "\"rung\":\"02 coalesced\""));
  EXPECT_FALSE(says(text, ">/*TRACE*/null<")) << "the data is missing";
  EXPECT_FALSE(says(text, "src=\"http")) << "it loads something";
  EXPECT_FALSE(says(text, "href=\"http")) << "it loads something";
}

TEST_F(TraceCommandTest, ListsTheAddressesOfAWarp) {
  const Outcome outcome = ladder("trace 01 --size 64 --warp 0,0");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "global load of 4 bytes in A, 32 sectors, 32 wavefronts\n"))
      << outcome.out;
  EXPECT_TRUE(says(outcome.out, "global load of 4 bytes in B, 1 sector, 1 wavefront\n"))
      << outcome.out;
  EXPECT_TRUE(says(outcome.out, "      256      512      768     1024")) << outcome.out;
}

TEST_F(TraceCommandTest, BadUsageIsRefused) {
  expect_refused("trace", {"rung"});
  expect_refused("trace 03 04", {"rung", "At Most 1"});
  expect_refused("trace 99", {"unknown rung '99'"});
  expect_refused("trace 00", {"00 cublas has no kernel of its own to trace"});
  expect_refused("trace 05 --n 45", {"05 vector_access refuses N = 45"});
  expect_refused("trace 03 --gpu rtx9999", {"rtx9999", "h200", "classroom"});
  expect_refused("trace 03 --gpu /nowhere/card.json", {"/nowhere/card.json", "No such file"});
  expect_refused("trace 03 --warp 0", {"--warp 0: give the numbers of a block and of a warp"});
  expect_refused("trace 03 --warp a,b", {"--warp a,b"});
  expect_refused("trace 03 --size 64 --warp 4,0", {"blocks 0 to 3 and warps 0 to 31"});
  expect_refused("trace 03 --size 64 --warp 0,32", {"blocks 0 to 3 and warps 0 to 31"});
  expect_refused("trace 03 --size 64 --html /nowhere/page.html", {"/nowhere/page.html"});
  expect_refused("trace 03 --size 64 --json /nowhere/trace.json", {"/nowhere/trace.json"});
  expect_refused("trace 03 --mark kernel.cuh:1", {"--mark", "--html"});
  for (const char* mark : {"kernel.cuh", "kernel.cuh:", ":3", "kernel.cuh:3,x", "kernel.cuh:3;4"}) {
    expect_refused("trace 03 --size 64 --html /tmp/p.html --mark '" + std::string(mark) + "'",
                   {"--mark " + std::string(mark), "kernel.cuh:12,15"});
  }
  expect_refused("check 99", {"unknown rung '99'"});
  expect_refused("check 03 --size 0", {"--size"});
}

TEST_F(TraceCommandTest, ChecksAllRungs) {
  const Outcome outcome = ladder("check --size 64");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::size_t clean = 0;
  for (std::size_t at = 0; (at = outcome.out.find("right, no hazards", at)) != std::string::npos;
       ++at)
    ++clean;
  EXPECT_EQ(clean, rung_count() - 1) << outcome.out;
}

TEST_F(TraceCommandTest, ChecksRaggedShapesAndNamesRefusals) {
  const Outcome outcome = ladder("check --m 77 --n 45 --k 131 --beta 0.5");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(says(outcome.out, "04 register_tile  right, no hazards")) << outcome.out;
  EXPECT_TRUE(says(unwrapped(outcome.out), "05 vector_access refuses N = 45")) << outcome.out;
  EXPECT_EQ(ladder("check 05 --n 45").exit_code, 2);
}

TEST_F(TraceCommandTest, CheckCountsWhatARungIsAbout) {
  const fs::path path = folder_ / "found.json";
  const Outcome outcome = ladder("check 01 02 --size 64 --json " + path.string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const json subjects = json::parse(text_of(path)).at("subjects");
  EXPECT_FALSE(subjects.at(0).contains("about"));
  const json& about = subjects.at(1).at("about");
  EXPECT_EQ(about.at("counter"), "sectors_per_load");
  EXPECT_EQ(about.at("value"), 2.5);
  EXPECT_EQ(about.at("file"), "ladder/02_coalesced/kernel.cuh");
  EXPECT_GT(about.at("line"), 1);
}

TEST_F(TraceCommandTest, AMissingBarrierIsARaceWithBothLines) {
  for (const char* command : {"check 03 --size 64", "trace 03 --size 64"}) {
    const Outcome outcome = ladder(command, with("racy_rungs"));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
    const std::string text = unwrapped(outcome.out);
    EXPECT_TRUE(says(text, "race: thread")) << text;
    EXPECT_TRUE(says(text, "no barrier separates it from")) << text;
    EXPECT_TRUE(says(text, "uninitialised: thread")) << text;
  }
  const fs::path path = folder_ / "racy.json";
  ladder("trace 03 --size 64 --json " + path.string(), with("racy_rungs"));
  const json trace = json::parse(text_of(path));
  bool both_lines = false;
  for (const json& hazard : trace.at("hazards")) {
    both_lines = both_lines || (hazard.at("group") == "race" && hazard.at("line").is_number() &&
                                hazard.at("other").at("line").is_number() &&
                                hazard.at("line") != hazard.at("other").at("line"));
  }
  EXPECT_TRUE(both_lines) << trace.at("hazards");
}

TEST_F(TraceCommandTest, ALibraryWithoutHooksIsNotBelieved) {
  for (const char* command : {"trace 03 --size 64", "check"}) {
    const Outcome outcome = ladder(command, with("dead_rungs"));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(says(outcome.err, "tracing does not work")) << outcome.err;
  }
}

TEST_F(TraceCommandTest, AClimbWithoutAGpuShowsWhatEachRungGains) {
  const Outcome outcome = ladder("climb --device cpu");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "What the kernels ask of memory: M = 512, N = 4096, K = 512"));
  EXPECT_TRUE(says(outcome.out, "01 naive              16.5")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "02 coalesced           2.5")) << outcome.out;
}

}  // namespace
