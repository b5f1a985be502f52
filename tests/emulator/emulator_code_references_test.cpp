// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_code_references_test.cpp
/// \brief What machine code refers to: instructions count, and bytes that only look like some do
///        not. No kernel runs here.
#include "emulator/run/debug_info/code_references.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ladder::emulator {
namespace {

/// Distances from the first byte of the code to what it refers to.
std::set<std::ptrdiff_t> references_of(const std::vector<unsigned char>& code) {
  const auto begin = reinterpret_cast<std::uintptr_t>(code.data());
  std::set<std::ptrdiff_t> distances;
  for_each_reference(begin, code.size(), [&](std::uintptr_t place) {
    distances.insert(static_cast<std::ptrdiff_t>(place - begin));
  });
  return distances;
}

using Distances = std::set<std::ptrdiff_t>;

TEST(CodeReferences, CallsAndJumpsCountFromTheirEnd) {
  EXPECT_EQ(references_of({0xE8, 0x10, 0, 0, 0}), Distances{0x15});            // call
  EXPECT_EQ(references_of({0x67, 0xE8, 0x10, 0, 0, 0}), Distances{0x16});      // addr32 call
  EXPECT_EQ(references_of({0xE9, 0xF0, 0xFF, 0xFF, 0xFF}), Distances{-0x0B});  // jmp
  EXPECT_EQ(references_of({0x0F, 0x84, 0x10, 0, 0, 0}), Distances{0x16});      // je
  EXPECT_EQ(references_of({0xFF, 0x15, 0x10, 0, 0, 0}), Distances{0x16});      // call *(%rip)
}

TEST(CodeReferences, AccessesCountFromTheEndOfTheirInstruction) {
  EXPECT_EQ(references_of({0x48, 0x8B, 0x05, 0x10, 0, 0, 0}), Distances{0x17});  // mov (%rip), rax
  EXPECT_EQ(references_of({0x48, 0x8D, 0x3D, 0x10, 0, 0, 0}), Distances{0x17});  // lea (%rip), rdi
  // cmpb $1, (%rip): the number behind the distance belongs to the instruction
  EXPECT_EQ(references_of({0x80, 0x3D, 0x10, 0, 0, 0, 0x01}), Distances{0x17});
}

TEST(CodeReferences, NumbersThatLookLikeCallsDoNotCount) {
  // movabs $0x10E8, %rax
  EXPECT_EQ(references_of({0x48, 0xB8, 0xE8, 0x10, 0, 0, 0, 0, 0, 0}), Distances{});
  // vaddps %xmm0, %xmm0, %xmm5, whose last byte is E8, and add $0x10, %eax
  EXPECT_EQ(references_of({0xC5, 0xF8, 0x58, 0xE8, 0x05, 0x10, 0, 0, 0}), Distances{});
}

TEST(CodeReferences, ReadingGoesOnBehindBytesThatAreNoInstruction) {
  EXPECT_EQ(references_of({0x06, 0xE8, 0x10, 0, 0, 0}), Distances{0x16});
}

TEST(CodeReferences, NothingLiesBehindTheEnd) {
  EXPECT_EQ(references_of({0x90, 0xE8, 0x10, 0}), Distances{});
}

}  // namespace
}  // namespace ladder::emulator
