// SPDX-License-Identifier: MIT
/// \file  nvcc_rules_test.cpp
/// \brief Small programs that nvcc was given: what it refuses is found as far as a front end can,
///        and nothing else. nvcc_programs/record.py filed nvcc's verdicts.
///
/// A few of the programs; with LADDER_TEST_ALL, all of them.
#include "glassbox/nvcc_rules.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "glassbox/program_build.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kPrograms = fs::path(LADDER_SOURCE_DIR) / "tests" / "glassbox" / "nvcc_programs";
constexpr std::size_t kEachIsTried = 6;  ///< one of so many, without LADDER_TEST_ALL

/// What no version of clang from 14 on says, or says of nvcc's options.
const std::set<std::string> kMissedByClang = {"address_of_host_const",
                                              "atomic_on_host",
                                              "barrier_on_host",
                                              "constant_written_in_kernel",
                                              "constexpr_array_at_known_index",
                                              "device_lambda",
                                              "dynamic_cast_in_kernel",
                                              "host_call_of_the_run_time",
                                              "host_const_array",
                                              "host_device_calls_device",
                                              "host_device_lambda",
                                              "host_function_in_lambda",
                                              "kernel_has_varargs",
                                              "plain_lambda_as_argument",
                                              "std_max",
                                              "undeclared_function"};

/// What a look at the words of a program does not tell.
const std::set<std::string> kMissedByWords = {"address_of_host_const",
                                              "atomic_on_host",
                                              "barrier_on_host",
                                              "constant_written_in_kernel",
                                              "constexpr_array_at_known_index",
                                              "constexpr_evaluated",
                                              "constexpr_function",
                                              "device_constructor_on_host",
                                              "device_lambda",
                                              "device_member_on_host",
                                              "device_variable_in_host_function",
                                              "device_variable_of_unknown_value",
                                              "dynamic_cast_in_kernel",
                                              "host_call_of_the_run_time",
                                              "host_const_array",
                                              "host_constructor",
                                              "host_destructor",
                                              "host_device_calls_device",
                                              "host_device_lambda",
                                              "host_function_in_kernel_template",
                                              "host_function_in_namespace",
                                              "host_function_of_an_argument_in_kernel_template",
                                              "host_function_template",
                                              "host_member_function",
                                              "host_operator",
                                              "host_static_member_function",
                                              "host_static_member_variable",
                                              "kernel_has_varargs",
                                              "kernel_of_a_class",
                                              "kernel_returns_auto",
                                              "numeric_limits",
                                              "plain_lambda_as_argument",
                                              "shared_in_host_function",
                                              "shared_with_initialiser",
                                              "std_array",
                                              "std_max",
                                              "std_vector_argument",
                                              "thread_local_in_kernel",
                                              "undeclared_function",
                                              "variable_length_array"};

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "nvcc_rules_XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Objections objections_to_program(const std::string& name) {
  const Folder folder;
  ProgramSources sources;
  sources.files = {kPrograms / (name + ".cu")};
  return objections_to(sources, folder.path());
}

json verdicts() {
  std::ifstream file(kPrograms / "verdicts.json");
  return json::parse(file).at("programs");
}

std::vector<std::string> tried_programs() {
  std::vector<std::string> names;
  std::size_t number = 0;
  const json all = verdicts();
  for (const auto& [name, verdict] : all.items()) {
    if (std::getenv("LADDER_TEST_ALL") != nullptr || number++ % kEachIsTried == 0)
      names.push_back(name);
  }
  return names;
}

/// Two at a time.
std::vector<Objections> objections_to_programs(const std::vector<std::string>& names) {
  std::vector<Objections> all(names.size());
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < names.size(); i += 2)
      all[i] = objections_to_program(names[i]);
  };
  std::future<void> other = std::async(std::launch::async, work, 1);
  work(0);
  other.get();
  return all;
}

void expect_as_nvcc(const std::set<std::string>& missed) {
  const json all = verdicts();
  const std::vector<std::string> names = tried_programs();
  const std::vector<Objections> found = objections_to_programs(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    SCOPED_TRACE(names[i]);
    const json& verdict = all.at(names[i]);
    const std::string word = verdict.at("verdict");
    const auto& [errors, notes] = found[i];
    EXPECT_EQ(!errors.empty(),
              word == "refused" && (!errors.empty() || !missed.contains(names[i])));
    if (word == "accepted") {
      EXPECT_TRUE(notes.empty());
    }
    if (word == "option" && !missed.contains(names[i])) {
      EXPECT_FALSE(notes.empty());
    }
    if (word != "refused" || errors.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(
        errors, [&](const SourceError& error) { return error.place.line == verdict.at("line"); }));
    EXPECT_TRUE(std::ranges::none_of(
        errors, [](const SourceError& error) { return text_of(error).empty(); }));
  }
}

/// For one front end; skipped where it is not installed.
class NvccRulesTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("LADDER_FRONT_END"); }

  static bool has(const char* front_end) {
    setenv("LADDER_FRONT_END", front_end, 1);
    try {
      installed_front_end({});
    } catch (const std::invalid_argument&) {
      return false;
    }
    return true;
  }
};

TEST_F(NvccRulesTest, ThereAreVerdictsOfEachSort) {
  const json all = verdicts();
  std::map<std::string, int> counted;
  for (const auto& [name, verdict] : all.items()) {
    EXPECT_TRUE(fs::exists(kPrograms / (name + ".cu"))) << name;
    ++counted[verdict.at("verdict")];
  }
  EXPECT_GE(counted["refused"], 40);
  EXPECT_GE(counted["accepted"], 35);
  EXPECT_GE(counted["option"], 5);
}

TEST_F(NvccRulesTest, ClangRefusesWhatNvccDoes) {
  if (!has("clang")) GTEST_SKIP() << "clang is not installed";
  expect_as_nvcc(kMissedByClang);
}

TEST_F(NvccRulesTest, NvccDoesWhatItDid) {
  if (!has("nvcc")) GTEST_SKIP() << "nvcc is not installed";
  expect_as_nvcc({"plain_lambda_as_argument"});  // nvcc tells later than its front end
}

TEST_F(NvccRulesTest, WithoutAFrontEndTheWordsTell) {
  ASSERT_TRUE(has("none"));
  expect_as_nvcc(kMissedByWords);
}

TEST_F(NvccRulesTest, ChoosesAmongWhatIsThere) {
  EXPECT_FALSE(has("icc"));
  setenv("LADDER_FRONT_END", "none", 1);
  EXPECT_EQ(installed_front_end({}).kind, FrontEndKind::kNone);
}

}  // namespace
}  // namespace ladder::glassbox
