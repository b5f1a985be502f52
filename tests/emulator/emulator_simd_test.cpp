// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_simd_test.cpp
/// \brief Functions on parts of a word: the answers of an H100 (CUDA 13.0, nvcc -arch=sm_90), where
///        the same lines ran as a kernel.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "emulator/words/simd_functions.hpp"

namespace {

/// The bytes at which signs and sums change, in all orders.
unsigned word(unsigned i) {
  constexpr std::array kBytes = {0x00u, 0x01u, 0x7Fu, 0x80u, 0x81u, 0xFFu, 0x55u, 0xAAu};
  unsigned bytes = 0;
  for (unsigned k = 0; k < 4; ++k)
    bytes |= kBytes[i >> 3 * k & 7] << 8 * k;
  return bytes;
}

constexpr unsigned kWords = 4096;

unsigned hash(unsigned before, unsigned value) {
  return (before ^ value) * 16777619u;
}

unsigned answers(unsigned (*function)(unsigned, unsigned)) {
  unsigned all = 2166136261u, random = 1;
  for (unsigned i = 0; i < kWords; ++i) {
    random = random * 1664525u + 1013904223u;
    all = hash(all, function(word(i), word(random >> 20)));
    all = hash(all, function(word(i), word(i)));
  }
  return all;
}

unsigned answers(unsigned (*function)(unsigned)) {
  unsigned all = 2166136261u;
  for (unsigned i = 0; i < kWords; ++i)
    all = hash(all, function(word(i)));
  return all;
}

struct OfGpu {
  std::string name;
  unsigned of_two, of_two_here;    ///< 16-bit numbers
  unsigned of_four, of_four_here;  ///< 8-bit numbers
};

TEST(EmulatorSimd, AnswersOfAGpu) {
  const auto all = std::to_array<OfGpu>({
      {"add", 0x845f9ba4u, answers(__vadd2), 0x84503aa4u, answers(__vadd4)},
      {"addss", 0x846f0185u, answers(__vaddss2), 0x19712fd9u, answers(__vaddss4)},
      {"addus", 0x55e728c4u, answers(__vaddus2), 0x452b20a9u, answers(__vaddus4)},
      {"sub", 0xebd3c14eu, answers(__vsub2), 0x5f2bd44eu, answers(__vsub4)},
      {"subss", 0x899c6db3u, answers(__vsubss2), 0x79c214b1u, answers(__vsubss4)},
      {"subus", 0xa4826f9eu, answers(__vsubus2), 0x4be6a22au, answers(__vsubus4)},
      {"absdiffs", 0xe79aae0eu, answers(__vabsdiffs2), 0x969e97dcu, answers(__vabsdiffs4)},
      {"absdiffu", 0x4dda7caeu, answers(__vabsdiffu2), 0xb9a2417au, answers(__vabsdiffu4)},
      {"avgs", 0x3d068157u, answers(__vavgs2), 0xa698fe61u, answers(__vavgs4)},
      {"avgu", 0x53e8b27au, answers(__vavgu2), 0x6367887au, answers(__vavgu4)},
      {"haddu", 0xfa58a57fu, answers(__vhaddu2), 0xf5f4fc7fu, answers(__vhaddu4)},
      {"maxs", 0x635c7f25u, answers(__vmaxs2), 0x95b91468u, answers(__vmaxs4)},
      {"maxu", 0xfb0c73bfu, answers(__vmaxu2), 0x2f70b275u, answers(__vmaxu4)},
      {"mins", 0xbdd090eeu, answers(__vmins2), 0x0349f793u, answers(__vmins4)},
      {"minu", 0xe48c9ea4u, answers(__vminu2), 0x9991d076u, answers(__vminu4)},
      {"cmpeq", 0xa585f346u, answers(__vcmpeq2), 0x4e45343eu, answers(__vcmpeq4)},
      {"cmpne", 0x5defd682u, answers(__vcmpne2), 0x9218de52u, answers(__vcmpne4)},
      {"cmpges", 0xbc121e02u, answers(__vcmpges2), 0x103fdaeeu, answers(__vcmpges4)},
      {"cmpgeu", 0xdadfd80du, answers(__vcmpgeu2), 0xb8a48186u, answers(__vcmpgeu4)},
      {"cmpgts", 0x2f105a1du, answers(__vcmpgts2), 0x129cf0f5u, answers(__vcmpgts4)},
      {"cmpgtu", 0x70c31b02u, answers(__vcmpgtu2), 0x1ae50a15u, answers(__vcmpgtu4)},
      {"cmples", 0x286a8629u, answers(__vcmples2), 0x35e1094du, answers(__vcmples4)},
      {"cmpleu", 0xa8c28406u, answers(__vcmpleu2), 0x434584fdu, answers(__vcmpleu4)},
      {"cmplts", 0xfb871ceau, answers(__vcmplts2), 0x463dec72u, answers(__vcmplts4)},
      {"cmpltu", 0x3b7d0f75u, answers(__vcmpltu2), 0xa8e7dd02u, answers(__vcmpltu4)},
      {"seteq", 0x52492ed0u, answers(__vseteq2), 0x34a55ec8u, answers(__vseteq4)},
      {"setne", 0x57e9120cu, answers(__vsetne2), 0x6de13cdcu, answers(__vsetne4)},
      {"setges", 0x68c7598cu, answers(__vsetges2), 0x79759d78u, answers(__vsetges4)},
      {"setgeu", 0x1a6e637du, answers(__vsetgeu2), 0x6f423210u, answers(__vsetgeu4)},
      {"setgts", 0xbed7e16du, answers(__vsetgts2), 0x1813ce95u, answers(__vsetgts4)},
      {"setgtu", 0x4590568cu, answers(__vsetgtu2), 0x8ec81575u, answers(__vsetgtu4)},
      {"setles", 0x0f07b561u, answers(__vsetles2), 0x7e57983du, answers(__vsetles4)},
      {"setleu", 0xad4bbf90u, answers(__vsetleu2), 0x692b228du, answers(__vsetleu4)},
      {"setlts", 0x51a85874u, answers(__vsetlts2), 0x699530fcu, answers(__vsetlts4)},
      {"setltu", 0xe5b92c15u, answers(__vsetltu2), 0xe9aa8d8cu, answers(__vsetltu4)},
      {"sads", 0xeae0637du, answers(__vsads2), 0xaccc0cb8u, answers(__vsads4)},
      {"sadu", 0xefa141a9u, answers(__vsadu2), 0xeb54997au, answers(__vsadu4)},
      {"abs", 0xdf59b9c5u, answers(__vabs2), 0x56eea9c5u, answers(__vabs4)},
      {"absss", 0xb86e5ac5u, answers(__vabsss2), 0x9306d1c5u, answers(__vabsss4)},
      {"neg", 0xfabc55c5u, answers(__vneg2), 0x00c885c5u, answers(__vneg4)},
      {"negss", 0x87667dc5u, answers(__vnegss2), 0xcfbbddc5u, answers(__vnegss4)},
  });
  for (const OfGpu& one : all) {
    EXPECT_EQ(one.of_two_here, one.of_two) << "__v" << one.name << "2";
    EXPECT_EQ(one.of_four_here, one.of_four) << "__v" << one.name << "4";
  }
}

TEST(EmulatorSimd, NothingPassesFromOnePartToTheNext) {
  EXPECT_EQ(__vadd4(0x00FF00FFu, 0x00010001u), 0u);
  EXPECT_EQ(__vsub2(0x00010000u, 0x00000001u), 0x0001FFFFu);
  EXPECT_EQ(__vaddss4(0x7F807F80u, 0x01FF01FFu), 0x7F807F80u);
  EXPECT_EQ(__vaddus2(0xFFFF0001u, 0x00020002u), 0xFFFF0003u);
  EXPECT_EQ(__vsads4(0x80000000u, 0x7F000001u), 256u);
}

}  // namespace
