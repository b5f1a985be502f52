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

#define LADDER_SIMD(name, two, four)                               \
  OfGpu {                                                          \
#name, two, answers(__v##name##2), four, answers(__v##name##4) \
  }

TEST(EmulatorSimd, AnswersOfAGpu) {
  const std::array all = {
      LADDER_SIMD(add, 0x845f9ba4u, 0x84503aa4u),
      LADDER_SIMD(addss, 0x846f0185u, 0x19712fd9u),
      LADDER_SIMD(addus, 0x55e728c4u, 0x452b20a9u),
      LADDER_SIMD(sub, 0xebd3c14eu, 0x5f2bd44eu),
      LADDER_SIMD(subss, 0x899c6db3u, 0x79c214b1u),
      LADDER_SIMD(subus, 0xa4826f9eu, 0x4be6a22au),
      LADDER_SIMD(absdiffs, 0xe79aae0eu, 0x969e97dcu),
      LADDER_SIMD(absdiffu, 0x4dda7caeu, 0xb9a2417au),
      LADDER_SIMD(avgs, 0x3d068157u, 0xa698fe61u),
      LADDER_SIMD(avgu, 0x53e8b27au, 0x6367887au),
      LADDER_SIMD(haddu, 0xfa58a57fu, 0xf5f4fc7fu),
      LADDER_SIMD(maxs, 0x635c7f25u, 0x95b91468u),
      LADDER_SIMD(maxu, 0xfb0c73bfu, 0x2f70b275u),
      LADDER_SIMD(mins, 0xbdd090eeu, 0x0349f793u),
      LADDER_SIMD(minu, 0xe48c9ea4u, 0x9991d076u),
      LADDER_SIMD(cmpeq, 0xa585f346u, 0x4e45343eu),
      LADDER_SIMD(cmpne, 0x5defd682u, 0x9218de52u),
      LADDER_SIMD(cmpges, 0xbc121e02u, 0x103fdaeeu),
      LADDER_SIMD(cmpgeu, 0xdadfd80du, 0xb8a48186u),
      LADDER_SIMD(cmpgts, 0x2f105a1du, 0x129cf0f5u),
      LADDER_SIMD(cmpgtu, 0x70c31b02u, 0x1ae50a15u),
      LADDER_SIMD(cmples, 0x286a8629u, 0x35e1094du),
      LADDER_SIMD(cmpleu, 0xa8c28406u, 0x434584fdu),
      LADDER_SIMD(cmplts, 0xfb871ceau, 0x463dec72u),
      LADDER_SIMD(cmpltu, 0x3b7d0f75u, 0xa8e7dd02u),
      LADDER_SIMD(seteq, 0x52492ed0u, 0x34a55ec8u),
      LADDER_SIMD(setne, 0x57e9120cu, 0x6de13cdcu),
      LADDER_SIMD(setges, 0x68c7598cu, 0x79759d78u),
      LADDER_SIMD(setgeu, 0x1a6e637du, 0x6f423210u),
      LADDER_SIMD(setgts, 0xbed7e16du, 0x1813ce95u),
      LADDER_SIMD(setgtu, 0x4590568cu, 0x8ec81575u),
      LADDER_SIMD(setles, 0x0f07b561u, 0x7e57983du),
      LADDER_SIMD(setleu, 0xad4bbf90u, 0x692b228du),
      LADDER_SIMD(setlts, 0x51a85874u, 0x699530fcu),
      LADDER_SIMD(setltu, 0xe5b92c15u, 0xe9aa8d8cu),
      LADDER_SIMD(sads, 0xeae0637du, 0xaccc0cb8u),
      LADDER_SIMD(sadu, 0xefa141a9u, 0xeb54997au),
      LADDER_SIMD(abs, 0xdf59b9c5u, 0x56eea9c5u),
      LADDER_SIMD(absss, 0xb86e5ac5u, 0x9306d1c5u),
      LADDER_SIMD(neg, 0xfabc55c5u, 0x00c885c5u),
      LADDER_SIMD(negss, 0x87667dc5u, 0xcfbbddc5u),
  };
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
