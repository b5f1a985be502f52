// SPDX-License-Identifier: MIT
/// \file  tests/glassbox/finding_reading_test.cpp
/// \brief What the run time writes of faults and calls is what glassbox reads.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/findings/finding.hpp"

namespace ladder {
namespace {

using emulator::Fault;
using emulator::FaultKind;
using nlohmann::json;

/// Written, read and written again.
void expect_same(const json& written) {
  EXPECT_EQ(to_json(finding_of(json::parse(written.dump()))), [&] {
    json with_family = written;
    const Finding read = finding_of(written);
    with_family["family"] = code_of(family_of(read));
    with_family["level"] = code_of(level_of(read));
    return with_family;
  }());
}

/// A call with a number in each field that its sentence may have.
CallFinding call_with(CallReason reason, bool optional_fields) {
  CallFinding call = {.reason = reason, .error = "cudaErrorInvalidValue", .function = "cudaFree"};
  call.place = {"my.cu", 7};
  call.times = 3;
  const std::string sentence(facts_of(reason).sentence);
  int depth = 0;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    depth += sentence[at] == '[' ? 1 : sentence[at] == ']' ? -1 : 0;
    if (sentence[at] != '{' || (depth > 0 && !optional_fields)) continue;
    call.fields.set(sentence.substr(at + 1, sentence.find('}', at) - at - 1), 4242);
  }
  return call;
}

TEST(FindingReadingTest, CallsOfAllReasons) {
  for (const CallReasonFacts& facts : kCallReasons) {
    for (const bool optional_fields : {false, true}) {
      SCOPED_TRACE(facts.code);
      expect_same(to_json(call_with(facts.reason, optional_fields)));
    }
    CallFinding without_error = call_with(facts.reason, true);
    without_error.error.clear();
    EXPECT_EQ(to_json(without_error).at("code"), facts.code);
    expect_same(to_json(without_error));
  }
}

TEST(FindingReadingTest, SentencesHaveTheirFields) {
  for (const CallReasonFacts& facts : kCallReasons) {
    const CallFinding call = call_with(facts.reason, true);
    const std::string text = text_of(call);
    EXPECT_EQ(text.find_first_of("{}[]"), std::string::npos) << text;
    EXPECT_EQ(text.find("4242") != std::string::npos, !call.fields.all().empty()) << text;
  }
}

TEST(FindingReadingTest, CodesOfReasonsAreDifferent) {
  std::set<std::string_view> codes;
  for (const CallReasonFacts& facts : kCallReasons)
    EXPECT_TRUE(codes.insert(facts.code).second) << facts.code;
}

TEST(FindingReadingTest, ASentenceWithoutItsFieldsIsAnError) {
  EXPECT_THROW(static_cast<void>(text_of(CallFinding{.reason = CallReason::kFreedBefore})),
               std::logic_error);
}

TEST(FindingReadingTest, ARace) {
  Fault race(FaultKind::kRaceInShared);
  race.place = {"my.cu", 5};
  race.block = {1, 2, 3};
  race.thread = {4, 5, 6};
  race.access = emulator::Access{emulator::AccessVerb::kUpdate, 4};
  race.other = emulator::OtherAccess({"other.cuh", 9}, {7, 0, 0});
  race.other->verb = emulator::AccessVerb::kCopyTo;
  race.other->block = {9, 9, 9};
  race.element = emulator::Element{.space = emulator::MemorySpace::kShared,
                                   .array = "tile",
                                   .indices = {1, 0},
                                   .extents = {32, 33}};
  race.times = 12;
  expect_same(to_json(race));
  race.element = emulator::Element{.space = emulator::MemorySpace::kShared, .offset_bytes = 20};
  expect_same(to_json(race));
}

TEST(FindingReadingTest, ThreadsThatWait) {
  Fault barrier(FaultKind::kDivergentBarrier, {{"threads", 64}});
  barrier.place = {"my.cu", 5};
  barrier.groups = {{.block = {},
                     .threads = {0, 1, 2, 40},
                     .first = {},
                     .wait = emulator::WaitKind::kSyncthreads,
                     .missing = {{"arrived", 4}, {"expected", 64}},
                     .place = {"my.cu", 5}},
                    {.block = {},
                     .threads = {3},
                     .first = {3, 0, 0},
                     .wait = emulator::WaitKind::kGone,
                     .place = {"my.cu", 6}}};
  expect_same(to_json(barrier));
}

TEST(FindingReadingTest, FieldsKeepTheirTypes) {
  Fault texture(FaultKind::kTextureFunction, {{"function", "tex2D"}, {"texture_is_linear", true}});
  expect_same(to_json(texture));
  Fault cluster(FaultKind::kLaunchClusterGrid,
                {{"grid", emulator::FieldValue::Numbers{3, 1, 1}},
                 {"cluster", emulator::FieldValue::Numbers{2, 1, 1}}});
  expect_same(to_json(cluster));
}

TEST(FindingReadingTest, AnUnknownCodeIsAnError) {
  json written = to_json(Fault(FaultKind::kHeapFree));
  written["code"] = "no-such-code";
  EXPECT_THROW(static_cast<void>(finding_of(written)), std::invalid_argument);
}

}  // namespace
}  // namespace ladder
