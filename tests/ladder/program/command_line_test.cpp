// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/command_line_test.cpp
/// \brief The `ladder` program as a user meets it: what it prints where, and its exit codes.
#include <cstring>
#include <string>
#include <vector>

#include "tests/ladder/program/command_line.hpp"

namespace {

using namespace ladder::testing_program;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

TEST_F(CommandLineTest, ListsTheRungs) {
  const Outcome outcome = ladder("list");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* rung :
       {"00 cublas", "01 naive", "02 coalesced", "03 shared_tile", "04 register_tile",
        "05 vector_access", "06 double_buffer", "07 wave_swizzle", "08 warp_tile", "09 async_copy",
        "10 wide_tile", "11 producer_warps", "12 stream_k", "13 shared_k", "14 every_shape",
        "15 tf32_mma", "16 bf16_mma"}) {
    EXPECT_TRUE(says(outcome.out, rung)) << rung;
  }
  EXPECT_TRUE(says(outcome.out, "N, K % 4 == 0"));
  EXPECT_TRUE(says(outcome.out, "11 producer_warps 10   FP32 9.0a")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "9.0, 10.0, 10.3 or 12.0 and no other")) << outcome.out;
}

TEST_F(CommandLineTest, ListsFactsForPrograms) {
  const std::string path = (folder_ / "rungs.json").string();
  const Outcome outcome = ladder("list --size 320 --json " + path);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  std::ifstream file(path);
  const auto rungs = nlohmann::json::parse(file).at("rungs");
  EXPECT_EQ(rungs.at(3).at("folder"), "03_shared_tile");
  EXPECT_EQ(rungs.at(14).at("plans").at(0).at("shape"), nlohmann::json::parse("[320, 320, 320]"));
  expect_refused("list --size 320", {"list --size also needs --json FILE"});
  expect_refused("list --json " + (folder_ / "missing" / "a.json").string(), {"cannot write"});
}

TEST_F(CommandLineTest, ClimbsOnTheCpu) {
  const Outcome outcome = ladder("climb --device cpu --size 64");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "no progress where there is no terminal";
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos);
  EXPECT_TRUE(says(outcome.out, "CPU emulator"));
  EXPECT_FALSE(says(outcome.out, "WRONG"));
  EXPECT_EQ(count_of(outcome.out, " yes "), climbed_count()) << outcome.out;
}

TEST_F(CommandLineTest, RunsOneRungByAnyName) {
  for (const char* name : {"03", "3", "shared_tile", "03_shared_tile"}) {
    const Outcome outcome = ladder(std::string("run ") + name + " --device cpu --size 40");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(says(outcome.out, "03 shared_tile    yes")) << outcome.out;
    EXPECT_FALSE(says(outcome.out, "04 register_tile"));
  }
}

TEST_F(CommandLineTest, RunsRung00InAnyPrecision) {
  const Outcome outcome = ladder("run cublas_bf16 00_cublas_tf32 --device cpu --m 7 --n 9 --k 40");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "00 cublas_bf16    yes")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "00 cublas_tf32    yes")) << outcome.out;
}

TEST_F(CommandLineTest, RefusedShapesAreNamedAndTheOthersRun) {
  const Outcome outcome = ladder("climb --device cpu --m 77 --n 45 --k 131");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = unwrapped(outcome.out);
  for (const char* rung : {"05 vector_access", "06 double_buffer", "07 wave_swizzle",
                           "08 warp_tile", "09 async_copy", "10 wide_tile", "11 producer_warps",
                           "12 stream_k", "13 shared_k", "14 every_shape", "15 tf32_mma"}) {
    EXPECT_TRUE(
        says(outcome.out, std::string(rung) + std::string(18 - strlen(rung), ' ') + "refused"))
        << outcome.out;
    EXPECT_TRUE(says(text, std::string(rung) + " refuses N = 45: N must be a multiple of 4"))
        << text;
  }
  EXPECT_TRUE(says(outcome.out, "04 register_tile  yes")) << outcome.out;
}

TEST_F(CommandLineTest, ARefusedRungAloneIsAnError) {
  const Outcome outcome = ladder("run 05 --device cpu --m 77 --n 45 --k 131");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(says(unwrapped(outcome.out + outcome.err), "05 vector_access refuses N = 45"));
}

TEST_F(CommandLineTest, BadSizesAreRefused) {
  for (const char* size : {"0", "-1", "text", "1.5", "", "12x"}) {
    expect_refused(std::string("climb --device cpu --size '") + size + "'", {"--size"});
  }
  expect_refused("climb --device cpu --size 2000000000", {"--size", "2000000000", "1073741824"});
  expect_refused("climb --device cpu --size 99999999999", {"--size"});
  expect_refused("run 03 --device cpu --m 0", {"--m"});
  expect_refused("run 03 --device cpu --n -5", {"--n"});
  expect_refused("run 03 --device cpu --k none", {"--k"});
}

TEST_F(CommandLineTest, ASizeThatDoesNotFitSaysWhatItNeeds) {
  // Three matrices of 10^18 floats are 1.2e19 bytes.
  expect_refused("climb --device cpu --size 1000000000",
                 {"10.4 EiB for A, B and C", "CPU emulator", "free", "choose a smaller shape"});
}

TEST_F(CommandLineTest, BadUsageIsRefused) {
  expect_refused("run 99 --device cpu", {"unknown rung '99'", "03 shared_tile", "07 wave_swizzle"});
  expect_refused("run", {"rung"});
  expect_refused("climb --fast", {"--fast"});
  expect_refused("jump", {"jump"});
  expect_refused("", {"list, climb, predict, run, trace or check"});
  expect_refused("climb --device tpu", {"--device", "tpu"});
  expect_refused("climb --device cpu --protocol best", {"--protocol", "best"});
  expect_refused("climb --device cpu --alpha x", {"--alpha"});
}

TEST_F(CommandLineTest, HelpIsNoError) {
  for (const char* arguments : {"--help", "climb --help", "predict --help", "run --help"}) {
    const Outcome outcome = ladder(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments;
    EXPECT_TRUE(says(outcome.out, "Usage: ladder")) << outcome.out;
  }
}

TEST_F(CommandLineTest, AnUnwritableFileIsFoundBeforeAnythingIsComputed) {
  // The size would be refused too, and the rung after it: the file is looked at first.
  for (const std::string& path : {(folder_ / "missing" / "x.json").string(), folder_.string()}) {
    const Outcome outcome = ladder("run 99 --device cpu --size 1000000000 --json " + path);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(says(outcome.err, "cannot write " + path)) << outcome.err;
  }
}

TEST_F(CommandLineTest, AFailedRunLeavesTheOldFileAlone) {
  const fs::path path = folder_ / "results.json";
  std::ofstream(path) << "old";
  for (const char* failing : {"climb --device cpu --size 1000000000", "run 99 --device cpu"}) {
    EXPECT_EQ(ladder(failing + (" --json " + path.string())).exit_code, 2);
    EXPECT_EQ(text_of(path), "old");
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_FALSE(says(entry.path().string(), "unfinished")) << entry.path();
  }
}

TEST_F(CommandLineTest, TheJsonFileHasAllFields) {
  const json results = results_of("climb --device cpu --m 77 --n 48 --k 128 --alpha 0.5 --beta 2");
  for (const char* field :
       {"date", "device", "protocol", "version", "commit", "compiler", "oracle"}) {
    EXPECT_TRUE(results["context"].contains(field)) << field;
  }
  ASSERT_EQ(results["benchmarks"].size(), climbed_count());
  for (const json& entry : results["benchmarks"]) {
    SCOPED_TRACE(entry.dump());
    for (const char* field : {"name", "rung", "m", "n", "k", "alpha", "beta", "seed", "verified",
                              "error_over_bound", "difference_to_cublas", "time_ms", "tflops",
                              "ratio_to_cublas", "ratio_to_best", "spread"}) {
      EXPECT_TRUE(entry.contains(field)) << field;
    }
    EXPECT_EQ(entry["m"], 77);
    EXPECT_EQ(entry["n"], 48);
    EXPECT_EQ(entry["k"], 128);
    EXPECT_EQ(entry["alpha"], 0.5);
    EXPECT_EQ(entry["beta"], 2.0);
    EXPECT_EQ(entry["verified"], true);
    EXPECT_GT(entry["error_over_bound"], 0.0);
    EXPECT_LE(entry["error_over_bound"], 1.0);
    EXPECT_TRUE(entry["time_ms"].is_null()) << "the emulator knows no time";
  }
}

TEST_F(CommandLineTest, RefusedRungsAreFiledAsRefused) {
  const json results = results_of("climb --device cpu --m 77 --n 45 --k 131");
  json refused;
  for (const json& entry : results["benchmarks"]) {
    if (entry["rung"] == 5) refused = entry;
  }
  EXPECT_EQ(refused["outcome"], "refused");
  EXPECT_EQ(refused["verified"], false);
  EXPECT_TRUE(refused["error_over_bound"].is_null());
  EXPECT_TRUE(says(refused["note"], "05 vector_access refuses N = 45")) << refused["note"];
}

// -- Why a rung works on a shape as it does ------------------------------------------------------

TEST_F(CommandLineTest, ARungThatChoosesExplainsItself) {
  const Outcome outcome =
      ladder("run 14 --explain --no-timing --device cpu --m 100 --n 200 --k 300",
             "LADDER_MULTIPROCESSORS=3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::size_t chosen = outcome.out.find("\n-> ");
  const std::size_t results = outcome.out.find("verified");
  ASSERT_NE(chosen, std::string::npos) << outcome.out;
  EXPECT_EQ(count_of(outcome.out, "\n-> "), 1u) << outcome.out;
  EXPECT_LT(chosen, results) << "the explanation comes first: " << outcome.out;
  EXPECT_TRUE(says(outcome.out, "3 SMs")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "14 every_shape    yes")) << outcome.out;
  EXPECT_FALSE(says(ladder("run 14 --device cpu --size 64").out, "->"));
}

TEST_F(CommandLineTest, ARungWithoutAChoiceSaysSo) {
  const Outcome outcome = ladder("run 03 14 --explain --device cpu --size 64");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "03 shared_tile takes the same kernel for every shape"))
      << outcome.out;
  EXPECT_EQ(count_of(outcome.out, "\n-> "), 1u) << outcome.out;
}

TEST_F(CommandLineTest, TheProgramOfOneRungExplainsToo) {
  const Outcome outcome = run_program(EVERY_SHAPE_PROGRAM, "--explain --device cpu --size 64");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(count_of(outcome.out, "\n-> "), 1u) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "14 every_shape    yes")) << outcome.out;
}

// -- What was run, and what was verified besides --------------------------------------------------

TEST_F(CommandLineTest, AllCommandsTakeTheKernelOfTheSameCard) {
  struct Case {
    const char* options;
    const char* environment;
    const char* said;
  };
  for (const Case& c :
       {Case{"", "", "\"8 x 64\" on 132 SMs (NVIDIA H200 SXM): 128 tiles of 8 x 64"},
        Case{" --gpu classroom", "", "\"32 x 128, thin\" on 8 SMs (Classroom GPU (invented))"},
        Case{"", "LADDER_MULTIPROCESSORS=8",
             "\"32 x 128, thin\" on 8 SMs (LADDER_MULTIPROCESSORS)"}}) {
    for (const char* command : {"run 14 --device cpu --size 256", "check 14 --size 256"}) {
      const Outcome outcome = ladder(std::string(command) + c.options, c.environment);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
      EXPECT_TRUE(says(unwrapped(outcome.out),
                       std::string("14 every_shape took its configuration ") + c.said))
          << outcome.out;
    }
  }
  for (const char* command : {"run 12 --device cpu", "check 12", "trace 12"}) {
    EXPECT_TRUE(
        says(unwrapped(ladder(command).out), "2 tiles of 128 x 256, all shared by 8 blocks"));
  }
  expect_refused("run 14 --device cpu --gpu rtx9999", {"rtx9999", "h200", "classroom"});
  expect_refused("check 14 --gpu rtx9999", {"rtx9999", "h200", "classroom"});
}

TEST_F(CommandLineTest, WhatWasVerifiedBesidesIsSaid) {
  const std::string sentence =
      "Exact too on small ragged problems of integers (alpha = -2, beta = 0.5 and others, K = ";
  for (const char* command : {"run 04 14 --device cpu --size 64", "check 04 14 --size 64"}) {
    const std::string text = unwrapped(ladder(command).out);
    EXPECT_TRUE(says(text, sentence + "1 to 2564): 04, 14; 14 in each of its 31 configurations."))
        << text;
  }
  const std::string alone = unwrapped(ladder("check 02 --size 64").out);
  EXPECT_TRUE(says(alone, sentence + "1 to 1021).")) << alone;
  EXPECT_FALSE(says(unwrapped(ladder("run 00 --device cpu --size 64").out), "Exact too"))
      << "a library";
  EXPECT_FALSE(says(unwrapped(ladder("run 05 --device cpu --size 63").out), "Exact too"))
      << "it refuses the shape";
}

TEST_F(CommandLineTest, TheJsonFileSaysBoth) {
  const json results = results_of("run 04 12 --device cpu --size 64")["benchmarks"];
  EXPECT_EQ(results[0]["small_problems"], 8);
  EXPECT_FALSE(results[0].contains("configuration"));
  EXPECT_EQ(results[1]["small_problems"], 10);
  EXPECT_TRUE(says(results[1]["configuration"], "12 stream_k took its configuration"));
}

TEST_F(CommandLineTest, FactorsThatSayNothingAboutAKernelAreRefused) {
  for (const char* command : {"run 03 --device cpu", "check 03", "trace 03"}) {
    const std::string start = std::string(command) + " --size 32 ";
    expect_refused(start + "--alpha inf", {"alpha = inf is not a finite number"});
    expect_refused(start + "--beta nan", {"beta = nan is not a finite number"});
    expect_refused(start + "--alpha 1e38", {"alpha = 1e+38 is too large for K = 32",
                                            "the exact result too may exceed 3.4e+38"});
  }
  EXPECT_EQ(ladder("run 03 --device cpu --size 32 --alpha 0 --beta -0.0").exit_code, 0);
}

TEST_F(CommandLineTest, TheSeedMakesRunsRepeatable) {
  const auto error = [&](const std::string& seed) {
    return results_of("run 04 --device cpu --size 50 --seed " +
                      seed)["benchmarks"][0]["error_over_bound"]
        .get<double>();
  };
  const double first = error("5");
  EXPECT_EQ(error("5"), first);
  EXPECT_NE(error("6"), first);
}

// -- Without a usable GPU ------------------------------------------------------------------------

const char* const kNoGpu = "CUDA_VISIBLE_DEVICES=-1";  // hides the GPUs of a machine that has some

TEST_F(CommandLineTest, AskingForAGpuThatIsNotThereSaysWhatToDo) {
  const Outcome outcome = ladder("climb --device gpu --size 64", kNoGpu);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(says(outcome.err, "--device cpu")) << outcome.err;
}

TEST_F(CommandLineTest, AutoTakesTheCpuAndSaysWhy) {
  const Outcome outcome = ladder("climb --size 64", kNoGpu);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("On the CPU, because "), 0u) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "CPU emulator"));
}

#ifdef LADDER_HAS_CUDA

/// FAKE_DRIVER_DIR holds a libcuda.so.1 that knows no more than CUDA 11.0.
const char* const kOldDriver = "LD_LIBRARY_PATH='" FAKE_DRIVER_DIR "'";

TEST_F(CommandLineTest, ADriverOlderThanTheToolkitIsNamed) {
  const Outcome outcome = ladder("climb --device gpu --size 64", kOldDriver);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* part :
       {"the NVIDIA driver knows CUDA 11.0", "too old", "update the driver", "--device cpu"}) {
    EXPECT_TRUE(says(outcome.err, part)) << "not said: " << part << "\nbut: " << outcome.err;
  }
}

TEST_F(CommandLineTest, AutoTakesTheCpuWhereTheDriverIsOld) {
  const Outcome outcome = ladder("climb --size 64", kOldDriver);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(says(unwrapped(outcome.out), "the NVIDIA driver knows CUDA 11.0")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "CPU emulator"));
}

#endif

TEST_F(CommandLineTest, OutputThatCannotBeWrittenIsAnError) {
  for (const char* arguments :
       {"list", "--help", "run 01 --size 8 --device cpu", "climb --size 8 --device cpu",
        "trace 01 --size 32", "check 01 --size 32", "predict 03 --answers 1,1"}) {
    for (const char* redirected : {">/dev/full", ">&-"}) {
      SCOPED_TRACE(std::string(arguments) + " " + redirected);
      const Outcome outcome =
          run_program("/bin/sh", std::string("-c '\"") + LADDER_PROGRAM + "\" " + arguments + " " +
                                     redirected + "'");
      EXPECT_EQ(outcome.exit_code, 2);
      EXPECT_TRUE(says(outcome.err, "cannot write standard output: ")) << outcome.err;
      EXPECT_EQ(count_of(outcome.err, "ladder: "), 1u) << outcome.err;
    }
  }
}

TEST_F(CommandLineTest, AClosedOutputIsNoFileOfResults) {
  // The first file that is opened would get its number, and the table with it.
  const std::string path = (folder_ / "results.json").string();
  run_program("/bin/sh", std::string("-c '\"") + LADDER_PROGRAM +
                             "\" run 01 --size 8 --device cpu --json " + path + " >&-'");
  EXPECT_FALSE(fs::exists(path));
  const Outcome outcome =
      run_program("/bin/sh", std::string("-c '\"") + LADDER_PROGRAM +
                                 "\" run 01 --size 8 --device cpu --json " + path + " 2>&- <&-'");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json::parse(text_of(path)).at("benchmarks").size(), 1u);
}

TEST_F(CommandLineTest, NumbersAreDecimal) {
  EXPECT_EQ(results_of("run 01 --device cpu --m 010 --n 0008 --k 12").at("benchmarks")[0].at("m"),
            10);
  EXPECT_EQ(results_of("run 01 --device cpu --size 08").at("benchmarks")[0].at("m"), 8);
  for (const char* extent : {"0x10", "0b11", "1e2", "8.0", "+8", "ten", "' 8'", "''", "8k"})
    expect_refused(std::string("run 01 --device cpu --size ") + extent, {"no whole number"});
  expect_refused("run 01 --device cpu --m -8", {"--m"});
  expect_refused("run 01 --device cpu --size 99999999999999999999", {"--size"});
  expect_refused("run 01 --device cpu --size 8 --alpha 0x10", {"--alpha", "no decimal number"});
}

TEST_F(CommandLineTest, ASeedIsANumberOf64Bits) {
  for (const char* seed : {"0", "18446744073709551615", "007"}) {
    const json results = results_of(std::string("run 01 --device cpu --size 8 --seed ") + seed);
    EXPECT_EQ(results.at("benchmarks")[0].at("seed"), std::stoull(seed));
  }
  for (const char* seed : {"-1", "18446744073709551616", "0x1", "1.5", "luck", "''"}) {
    expect_refused(std::string("run 01 --device cpu --size 8 --seed ") + seed,
                   {"--seed", "a whole number from 0 to 18446744073709551615"});
  }
}

TEST_F(CommandLineTest, JsonAndHtmlAreTwoFiles) {
  const std::string path = (folder_ / "trace").string();
  const std::string same = (folder_ / "." / "trace").string();
  expect_refused("trace 01 --size 32 --json " + path + " --html " + path, {path, "of its own"});
  expect_refused("trace 01 --size 32 --json " + path + " --html " + same, {"of its own"});
  EXPECT_FALSE(fs::exists(path));
  fs::create_symlink(path, folder_ / "link");
  expect_refused("trace 01 --size 32 --json " + path + " --html " + (folder_ / "link").string(),
                 {"of its own"});
  EXPECT_EQ(ladder("trace 01 --size 32 --json /dev/null --html /dev/null").exit_code, 0);
}

TEST_F(CommandLineTest, HelpFitsATerminal) {
  for (const char* command : {"", "list ", "climb ", "run ", "trace ", "check ", "predict "}) {
    const Outcome outcome = ladder(std::string(command) + "--help");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LE(longest_line(outcome.out), 80u) << outcome.out;
  }
  expect_refused("run 03 --size 0", {"--size", "1073741824"});  // which the help leaves out
}

}  // namespace
