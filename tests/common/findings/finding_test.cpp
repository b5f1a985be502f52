// SPDX-License-Identifier: MIT
/// \file  tests/common/findings/finding_test.cpp
/// \brief Findings of all families as codes, as JSON and as SARIF. tests/ladder/program holds what
///        the programs write against the schemas.
#include "common/findings/finding.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "common/findings/report.hpp"
#include "common/findings/rules.hpp"
#include "common/machine.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using emulator::FaultKind;
using nlohmann::json;

Fault race() {
  Fault fault(FaultKind::kRaceInShared);
  fault.place = {"work/03 a/kernel.cuh", 53};
  fault.access = emulator::Access{emulator::AccessVerb::kLoad, 4};
  fault.other = emulator::OtherAccess({"work/03 a/kernel.cuh", 47}, {1, 0, 0});
  fault.other->verb = emulator::AccessVerb::kStore;
  fault.element = emulator::Element{.space = emulator::MemorySpace::kShared,
                                    .array = "sA",
                                    .indices = {1, 0},
                                    .extents = {8, 32}};
  fault.times = 32;
  return fault;
}

Wrong last_rows() {
  Wrong wrong = {.kind = WrongKind::kLastTileRow,
                 .where = WrongPlace{.kind = WrongKind::kLastTileRow,
                                     .rows = {64, 76, false, true},
                                     .columns = {0, 76, true, false}},
                 .first = WrongElement{64, 0, std::numeric_limits<double>::quiet_NaN(), 1.5}};
  wrong.wrong_elements = 13;
  wrong.elements = 77 * 77;
  return wrong;
}

TEST(FindingTest, FamiliesLevelsAndCodes) {
  const Finding fault(race());
  EXPECT_EQ(code_of(fault), "race-in-shared-memory");
  EXPECT_EQ(family_of(fault), FindingFamily::kFault);
  EXPECT_EQ(level_of(fault), FindingLevel::kError);
  EXPECT_EQ(place_of(fault).line, 53u);
  const Finding wrong(last_rows());
  EXPECT_EQ(code_of(wrong), "last-tile-row");
  EXPECT_EQ(family_of(wrong), FindingFamily::kWrongResult);
  EXPECT_EQ(place_of(wrong).line, 0u);
  const Finding stray(emulator::StrayShuffles{{"k.cu", 3}, "__shfl_sync", 2});
  EXPECT_EQ(code_of(stray), "stray-shuffle");
  EXPECT_EQ(level_of(stray), FindingLevel::kWarning);
  const Finding call(CallFinding{.error = "cudaErrorInvalidValue", .function = "cudaMalloc"});
  EXPECT_EQ(code_of(call), "cudaErrorInvalidValue");
  EXPECT_EQ(family_of(call), FindingFamily::kCall);
}

TEST(FindingTest, JsonHoldsTheFields) {
  const json fault = to_json(Finding(race()));
  EXPECT_EQ(fault.at("code"), "race-in-shared-memory");
  EXPECT_EQ(fault.at("group"), "race");
  EXPECT_EQ(fault.at("element").at("name"), "sA[1][0]");
  EXPECT_EQ(fault.at("element").at("extents"), (json{8, 32}));
  EXPECT_EQ(fault.at("access").at("verb"), "load");
  EXPECT_EQ(fault.at("other").at("line"), 47);
  EXPECT_EQ(fault.at("times"), 32);
  EXPECT_FALSE(fault.contains("case"));
  const json wrong = to_json(Finding(last_rows(), ProblemCase{.problem = {{77, 77, 5}, -2, 0.5},
                                                              .configuration = "",
                                                              .late = false,
                                                              .last_block_first = true}));
  EXPECT_EQ(wrong.at("where").at("rows").at("last_tile"), true);
  EXPECT_EQ(wrong.at("first").at("got"), "nan") << "JSON has none";
  EXPECT_EQ(wrong.at("case").at("copies"), "at-once");
  EXPECT_EQ(wrong.at("case").at("last_block_first"), true);
  EXPECT_EQ(wrong.at("case").at("m"), 77);
}

TEST(FindingTest, ALaunchHasNoThread) {
  const json launch = to_json(Finding(Fault(FaultKind::kLaunchTooManyThreads,
                                            {{"extents", emulator::FieldValue::Numbers{32, 33, 1}},
                                             {"threads", 1056},
                                             {"limit", 1024}})));
  EXPECT_FALSE(launch.contains("thread"));
  EXPECT_EQ(launch.at("fields").at("extents"), (json{32, 33, 1}));
}

TEST(FindingTest, ExceptionsCarryTheirRefusal) {
  EXPECT_EQ(refusal_of(BadRequest({RefusalKind::kNoKernel, {{"rung", "00 cublas"}}}))->kind,
            RefusalKind::kNoKernel);
  EXPECT_EQ(refusal_of(MachineError("no GPU"))->kind, RefusalKind::kMachine);
  EXPECT_EQ(refusal_of(GpuError("CUDA: ..."))->kind, RefusalKind::kGpuError);
  const Refusal shape = refusal_of(ShapeRefused("05 vector_access", 'N', 7, 4, "float4")).value();
  EXPECT_EQ(shape.fields.number("extent"), 7);
  EXPECT_EQ(refusal_of(ShapeRefused("K is odd"))->fields.word("reason"), "K is odd");
  EXPECT_FALSE(refusal_of(std::runtime_error("something else")));
}

TEST(FindingRulesTest, EveryCodeHasOne) {
  std::set<std::string_view> codes;
  for (const FindingRule& rule : finding_rules()) {
    EXPECT_TRUE(codes.insert(rule.code).second) << rule.code;
    EXPECT_GT(rule.title.size(), 10u) << rule.code;
    EXPECT_GT(rule.help.size(), 20u) << rule.code;
  }
  for (const emulator::FaultKindFacts& facts : emulator::kFaultKinds)
    EXPECT_TRUE(codes.contains(facts.code)) << facts.code;
  for (int kind = 0; kind < kWrongKinds; ++kind)
    EXPECT_TRUE(codes.contains(code_of(static_cast<WrongKind>(kind)))) << kind;
  for (int kind = 0; kind < kRefusalKinds; ++kind)
    EXPECT_TRUE(codes.contains(code_of(static_cast<RefusalKind>(kind)))) << kind;
}

// -- Reports -------------------------------------------------------------------------------------

template <class... What>
FindingsReport report_with(const What&... found) {
  FindingsReport report;
  report.program = "ladder";
  report.command = "check";
  report.version = "abc";
  report.root = "/home/me/gemm ladder";
  Subject& subject = report.subjects.emplace_back();
  subject.facts = {{"label", "03 shared_tile"}};
  subject.outcome = "wrong";
  subject.place = {"work/03 a/kernel.cuh", 20};
  subject.findings = {Finding(found)...};
  report.exit_code = 1;
  return report;
}

json uri_of(const json& location) {
  return location.at("physicalLocation").at("artifactLocation");
}

TEST(SarifTest, PathsAreRelativeToTheRootAndEncoded) {
  Fault inside = race();
  inside.place.file = "/home/me/gemm ladder/work/b.cu";
  Fault outside = race();
  outside.place.file = "/tmp/c.cu";
  const json log = to_sarif(report_with(race(), inside, outside));
  const json& run = log.at("runs").at(0);
  EXPECT_EQ(run.at("originalUriBaseIds").at("SRCROOT").at("uri"), "file:///home/me/gemm%20ladder/");
  const json& results = run.at("results");
  EXPECT_EQ(uri_of(results.at(0).at("locations").at(0)),
            (json{{"uri", "work/03%20a/kernel.cuh"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(uri_of(results.at(1).at("locations").at(0)),
            (json{{"uri", "work/b.cu"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(uri_of(results.at(2).at("locations").at(0)), (json{{"uri", "file:///tmp/c.cu"}}));
}

TEST(SarifTest, ARaceShowsBothPlaces) {
  const json result = to_sarif(report_with(race())).at("runs").at(0).at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "race-in-shared-memory");
  EXPECT_EQ(result.at("level"), "error");
  EXPECT_EQ(result.at("occurrenceCount"), 32);
  const json& related = result.at("relatedLocations").at(0);
  EXPECT_EQ(related.at("physicalLocation").at("region").at("startLine"), 47);
  EXPECT_EQ(result.at("properties").at("element").at("array"), "sA");
}

TEST(SarifTest, AWrongResultIsShownAtTheKernel) {
  const json result = to_sarif(report_with(last_rows())).at("runs").at(0).at("results").at(0);
  EXPECT_EQ(result.at("locations").at(0).at("physicalLocation").at("region").at("startLine"), 20);
}

TEST(SarifTest, ACodeOfCudaGetsARuleOfItsOwn) {
  const json run = to_sarif(report_with(CallFinding{.error = "cudaErrorInvalidValue",
                                                    .function = "cudaMalloc",
                                                    .place = {"a.cu", 4}}))
                       .at("runs")
                       .at(0);
  const json& result = run.at("results").at(0);
  const json& rules = run.at("tool").at("driver").at("rules");
  EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), "cudaErrorInvalidValue");
}

TEST(FindingsFilesTest, NamesOneFileForEach) {
  EXPECT_THROW(FindingsFiles("-", "-"), std::invalid_argument);
  EXPECT_THROW(FindingsFiles("/no/such/folder/a.json", ""), std::runtime_error);
  const std::string path =
      (std::filesystem::temp_directory_path() / "ladder_findings_test.json").string();
  EXPECT_THROW(FindingsFiles(path, path), std::invalid_argument);
  EXPECT_TRUE(FindingsFiles("", "-").take_standard_output());
  const FindingsFiles files(path, "");
  EXPECT_FALSE(files.take_standard_output());
  files.write(report_with(race()));
  std::ifstream stream(path);
  EXPECT_EQ(json::parse(stream).at("subjects").at(0).at("findings").at(0).at("line"), 53);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ladder
