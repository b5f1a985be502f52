// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_fault_kinds_test.cpp
/// \brief The list of kinds: codes are unique and of one form, and fields are what was put in.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {
namespace {

TEST(EmulatorFaultKinds, CodesAreUniqueWordsWithHyphens) {
  std::set<std::string_view> codes;
  for (const FaultKindFacts& facts : kFaultKinds) {
    EXPECT_TRUE(codes.insert(facts.code).second) << facts.code;
    EXPECT_TRUE(std::regex_match(std::string(facts.code), std::regex("[a-z]+(-[a-z]+)*")))
        << facts.code;
    EXPECT_EQ(facts_of(facts.kind).code, facts.code) << "the list is in another order";
    EXPECT_GT(facts.title.size(), 10u) << facts.code;
    EXPECT_NE(code_of(facts.group), "");
  }
}

TEST(EmulatorFaultKinds, FieldsAreTyped) {
  Fields fields = {{"threads", 64u}, {"seconds", 0.5}, {"traced", true}, {"what", "grid"}};
  EXPECT_EQ(fields.number("threads"), 64);
  EXPECT_EQ(fields.real("seconds"), 0.5);
  EXPECT_TRUE(fields.truth("traced"));
  EXPECT_EQ(fields.word("what"), "grid");
  fields.set("threads", 65);
  EXPECT_EQ(fields.number("threads"), 65);
  EXPECT_EQ(fields.all().size(), 4u);
  EXPECT_THROW(fields.number("blocks"), std::logic_error);
  EXPECT_THROW(fields.number("what"), std::logic_error);
}

TEST(EmulatorFaultKinds, TheSameFaultOfAnotherThreadIsTheSame) {
  Fault a(FaultKind::kRaceInShared);
  a.place = {"kernel.cu", 40};
  a.other = OtherAccess({"kernel.cu", 33}, {1, 0, 0});
  a.element = Element{.space = MemorySpace::kShared, .array = "sA", .indices = {1, 0}};
  Fault b = a;
  b.thread = {7, 0, 0};
  b.element->indices = {2, 0};
  EXPECT_TRUE(is_same(a, b));
  b.element->array = "sB";
  EXPECT_FALSE(is_same(a, b));
  b = a;
  b.other->place.line = 34;
  EXPECT_FALSE(is_same(a, b));
  b = a;
  b.kind = FaultKind::kRaceInGlobal;
  EXPECT_FALSE(is_same(a, b));
}

}  // namespace
}  // namespace ladder::emulator
