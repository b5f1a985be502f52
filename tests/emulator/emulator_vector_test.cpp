// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_vector_test.cpp
/// \brief Vector types have CUDA's sizes, alignments and members; the integer and bit functions.
#include <gtest/gtest.h>

#include <climits>
#include <vector>

#include "emulator/words/integer_functions.hpp"
#include "emulator/words/math_functions.hpp"
#include "emulator/words/vector_types.hpp"
#include "tests/emulator/probes.hpp"

namespace {

template <class T>
void expect_layout(std::size_t size, std::size_t alignment) {
  EXPECT_EQ(sizeof(T), size);
  EXPECT_EQ(alignof(T), alignment);
}

TEST(EmulatorVector, SizesAndAlignmentsAreCudas) {
  expect_layout<char1>(1, 1);
  expect_layout<char2>(2, 2);
  expect_layout<uchar3>(3, 1);
  expect_layout<uchar4>(4, 4);
  expect_layout<short2>(4, 4);
  expect_layout<ushort3>(6, 2);
  expect_layout<short4>(8, 8);
  expect_layout<int2>(8, 8);
  expect_layout<int3>(12, 4);
  expect_layout<uint4>(16, 16);
  expect_layout<float1>(4, 4);
  expect_layout<float2>(8, 8);
  expect_layout<float3>(12, 4);
  expect_layout<float4>(16, 16);
  expect_layout<double2>(16, 16);
  expect_layout<double4>(32, 16);
  expect_layout<longlong2>(16, 16);
  expect_layout<ulonglong4>(32, 16);
  expect_layout<dim3>(12, 4);
}

TEST(EmulatorVector, MembersLieInOrder) {
  const float4 v = make_float4(1, 2, 3, 4);
  const float* const first = &v.x;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(first[i], i + 1.0f);
  float4 copy = v;
  copy.z = 9;
  EXPECT_EQ(v.z, 3.0f);
  EXPECT_EQ(copy.w, 4.0f);
  const float4 zeros = {};
  EXPECT_EQ(zeros.x + zeros.y + zeros.z + zeros.w, 0.0f);
  const int2 pair = {5, 6};
  EXPECT_EQ(pair.x * 10 + pair.y, 56);
}

TEST(EmulatorVector, MissingExtentsAreOne) {
  const dim3 extents(5);
  EXPECT_EQ(extents.x * 100 + extents.y * 10 + extents.z, 511u);
}

TEST(EmulatorVector, KernelsMoveFloat4) {
  alignas(16) float in[128];
  alignas(16) float out[128] = {};
  for (int i = 0; i < 128; ++i)
    in[i] = 0.25f * i;
  ladder::probes::copy_float4(128, in, out);
  for (int i = 0; i < 128; i += 4) {
    EXPECT_EQ(out[i], in[i] + 1.0f);
    EXPECT_EQ(out[i + 1], in[i + 1]);
    EXPECT_EQ(out[i + 3], in[i + 1] * in[i + 2] + in[i + 3]);
  }
}

TEST(EmulatorVector, KernelsScaleHalves) {
  const std::vector<float> in = {1.0f, -2.5f, 0.125f, 96.0f};
  std::vector<float> out(4);
  ladder::probes::scale_halves(4, in.data(), out.data());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], 3.0f * in[i]);
}

TEST(EmulatorVector, SharedArraysHoldEveryType) {
  alignas(16) float in[32];
  float out[96] = {};
  for (int i = 0; i < 32; ++i)
    in[i] = static_cast<float>(i);
  ladder::probes::reverse_in_shared(in, out);
  for (int i = 0; i < 96; ++i)
    EXPECT_EQ(out[i], 31.0f - i % 32) << i;
}

TEST(EmulatorVector, BitFunctions) {
  EXPECT_EQ(__popc(0xF0F0F001u), 13);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brev(0x12345678u), 0x1E6A2C48u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7410u), 0x77441100u);
  EXPECT_EQ(__byte_perm(0x80000000u, 0, 0xBBBBu), 0xFFFFFFFFu);
  EXPECT_EQ(__umulhi(0x80000000u, 6u), 3u);
  EXPECT_EQ(min(3, 2u), 2u);
  EXPECT_EQ(max(1.0f, NAN), 1.0f);
}

TEST(EmulatorVector, IntegerFunctions) {
  EXPECT_EQ(umin(3u, 0xFFFFFFFFu), 3u);
  EXPECT_EQ(umax(3u, 0xFFFFFFFFu), 0xFFFFFFFFu);
  EXPECT_EQ(__umul24(0xFF000003u, 5u), 15u);
  EXPECT_EQ(__umul24(0xFFFFFFu, 0xFFFFFFu), 0xFE000001u);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__mul64hi(1ll << 62, 8), 2);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__sad(-3, 4, 10u), 17u);
  EXPECT_EQ(__sad(INT_MIN, INT_MAX, 1u), 0u);
  EXPECT_EQ(__usad(1u, 0xFFFFFFFFu, 0u), 0xFFFFFFFEu);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
  EXPECT_EQ(__funnelshift_l(7u, 9u, 32), 9u);
  EXPECT_EQ(__funnelshift_r(0x80000000u, 1u, 4), 0x18000000u);
}

}  // namespace
