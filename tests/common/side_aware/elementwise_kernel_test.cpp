// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/elementwise_kernel_test.cpp
/// \brief The kernels themselves, on the emulator: each element once, each slot on its side, sums
///        and operations as on paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>

#include "common/side_aware/kernels/work_split.hpp"
#include "common/side_aware/launch_plan.hpp"
#include "tests/common/side_aware/elementwise_probes.hpp"

namespace ladder::side_aware {
namespace {

using near_probes::Probe;

constexpr std::uint64_t kMask = 0xAB000;
constexpr std::size_t kPages = 3;

/// Memory that begins as a block does.
class Memory {
 public:
  Memory()
      : bytes_(static_cast<char*>(std::aligned_alloc(2 * kPageBytes, kPages * kPageBytes)),
               std::free) {
    std::memset(bytes_.get(), 0, kPages * kPageBytes);
  }
  Address address() const { return std::bit_cast<Address>(bytes_.get()); }
  template <class T>
  std::span<T> all() const {
    return {reinterpret_cast<T*>(bytes_.get()), kPages * kPageBytes / sizeof(T)};
  }
  SideRule rule() const { return {.block = address(), .bytes = kPages * kPageBytes}; }

 private:
  std::unique_ptr<char, void (*)(void*)> bytes_;
};

/// What a GPU keeps for launches.
struct Tables {
  explicit Tables(const std::vector<int>& sides) : side_of_sm(sides.begin(), sides.end()) {}
  void give(LaunchPlan& plan) {
    partial.assign(plan.blocks, 0.0);
    plan.arguments.side_of_sm = side_of_sm.data();
    plan.arguments.claims = claims;
    plan.arguments.sum = &sum;
    plan.arguments.partial_sums = partial.data();
    if (!plan.page_flags.empty()) plan.arguments.page_flags = plan.page_flags.data();
  }
  std::vector<unsigned char> side_of_sm;
  unsigned claims[3] = {};
  double sum = 0;
  std::vector<double> partial;
};

TEST(ElementwiseKernel, WorksOnEachElementOnce) {
  const Memory memory;
  std::mt19937 random(1);
  for (int round = 0; round < 48; ++round) {
    GpuSides sides = {.mask = kMask, .of_sm = {}};
    for (std::size_t sm = 0, sms = 1 + random() % 5; sm < sms; ++sm)
      sides.of_sm.push_back(static_cast<int>(random() % 2));
    SideRule rule = memory.rule();
    if (round % 4 == 3) rule.off_rule = {random() % 2 == 0, true, random() % 2 == 0};
    const std::uint64_t offset = round % 2 == 0 ? 0 : random() % 9000 * 16;
    const std::uint64_t most = round < 8 ? 70 : (kPages * kPageBytes - offset) / 4;
    const std::uint64_t elements = random() % (most + 1);
    const Probe probe = round % 3 == 0 ? Probe::increment_reverse : Probe::increment;
    const auto assignment = static_cast<Assignment>(random() % 4);
    SCOPED_TRACE("round " + std::to_string(round) + ", " + name_of(assignment) + ", offset " +
                 std::to_string(offset) + ", elements " + std::to_string(elements));
    const Address first = memory.address() + offset;
    LaunchPlan plan = plan_launch(near_probes::shape_of(probe),
                                  {.outputs = {first}, .inputs = {first}, .elements = elements},
                                  rule, sides, assignment, 1 + random() % 2);
    Tables tables(sides.of_sm);
    tables.give(plan);
    const std::span<int> words = memory.all<int>();
    std::ranges::fill(words, 0);
    near_probes::run(probe, plan.arguments, plan.aligned, plan.blocks);
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(offset / 4);
    const auto end = begin + static_cast<std::ptrdiff_t>(elements);
    EXPECT_EQ(std::count(begin, end, 1), static_cast<std::ptrdiff_t>(elements));
    EXPECT_EQ(std::ranges::count(words, 0), std::ssize(words) - std::ssize(std::span(begin, end)));
    // Ready for the next launch.
    EXPECT_EQ(tables.claims[0] + tables.claims[1] + tables.claims[2], 0u);
  }
}

TEST(ElementwiseKernel, SlotsOfASideWorkOnThatSide) {
  const Memory memory;
  const GpuSides sides = {.mask = kMask, .of_sm = {0, 1, 1}};
  for (const bool aligned : {true, false}) {
    for (const Assignment assignment : {Assignment::right, Assignment::wrong}) {
      for (int side = 0; side < 2; ++side) {
        SideRule rule = memory.rule();
        if (!aligned) rule.off_rule = {true, false, true};
        const std::uint64_t offset = aligned ? 0 : 5 * 16;
        const std::uint64_t elements = (kPages * kPageBytes - offset) / 4;
        const Address first = memory.address() + offset;
        LaunchPlan plan = plan_launch(near_probes::shape_of(Probe::increment),
                                      {.outputs = {first}, .inputs = {first}, .elements = elements},
                                      rule, sides, assignment, 1);
        ASSERT_EQ(plan.aligned, aligned);
        Tables tables({side});  // the emulator has but SM 0
        tables.give(plan);
        // The other side's slots count as taken, so that only those of this side are worked on.
        tables.claims[1 - side] = plan.arguments.slots[1 - side];
        const std::span<int> words = memory.all<int>();
        std::ranges::fill(words, 0);
        near_probes::run(Probe::increment, plan.arguments, plan.aligned,
                         plan.arguments.slots[side]);
        const int near = assignment == Assignment::right ? side : 1 - side;
        std::size_t wrong = 0;
        for (std::uint64_t i = 0; i < elements; ++i) {
          const Address at = first + 4 * i;
          wrong += words[offset / 4 + i] != (side_of(at, rule, kMask) == near ? 1 : 0);
        }
        EXPECT_EQ(wrong, 0u) << name_of(assignment) << ", side " << side << ", aligned " << aligned;
      }
    }
  }
}

TEST(ElementwiseKernel, WorksForwardsOrBackwards) {
  const Memory memory;
  constexpr std::uint64_t kBatchWords = 4 * kPairBytes / 4;
  for (const Probe probe : {Probe::turns, Probe::turns_reverse}) {
    for (const std::uint64_t offset : {0, 16}) {
      const Address first = memory.address() + offset;
      const std::uint64_t elements = (kPages * kPageBytes - offset) / 4;
      LaunchPlan plan = plan_launch(
          near_probes::shape_of(probe), {.outputs = {first}, .inputs = {}, .elements = elements},
          memory.rule(), {.mask = kMask, .of_sm = {0, 1}}, Assignment::right, 1);
      Tables tables({0});
      tables.give(plan);
      tables.claims[1] = plan.arguments.slots[1];  // one block, so that turns have an order
      int turns = 0;
      plan.arguments.sideband.memory = &turns;
      const std::span<int> words = memory.all<int>();
      std::ranges::fill(words, -1);
      near_probes::run(probe, plan.arguments, plan.aligned, 1);
      int before = -1;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i + kBatchWords <= words.size(); i += kBatchWords) {
        const std::size_t batch = probe == Probe::turns ? i : words.size() - kBatchWords - i;
        const int latest = std::ranges::max(words.subspan(batch, kBatchWords));
        wrong += latest < before;
        before = latest;
      }
      EXPECT_EQ(wrong, 0u) << "offset " << offset << ", reverse " << (probe != Probe::turns);
      EXPECT_GT(turns, static_cast<int>(elements / 3));
    }
  }
}

/// Scales two pages into the two that begin a page later: who works from the start reads in the
/// second page what it has written there.
TEST(ElementwiseKernel, ScalesFromTheStartOrFromTheEnd) {
  constexpr std::uint64_t kPageFloats = kPageBytes / 4;
  const Memory memory;
  const std::span<float> values = memory.all<float>();
  for (const bool backwards : {false, true}) {
    for (std::uint64_t i = 0; i < values.size(); ++i)
      values[i] = 1.0f + 4.0f * static_cast<float>(i / kPageFloats);  // 1, 5 and 9
    const Probe probe = backwards ? Probe::scale_backwards : Probe::scale;
    LaunchPlan plan =
        plan_launch(near_probes::shape_of(probe),
                    {.outputs = {memory.address() + kPageBytes},
                     .inputs = {memory.address()},
                     .elements = 2 * kPageFloats},
                    memory.rule(), {.mask = kMask, .of_sm = {0, 1}}, Assignment::off, 1);
    ASSERT_TRUE(plan.aligned);
    plan.arguments.sideband.value = std::bit_cast<int>(2.0f);
    for (const int side : {0, 1}) {  // one block each, so that batches have an order
      Tables tables({side});
      tables.give(plan);
      tables.claims[1 - side] = plan.arguments.slots[1 - side];
      near_probes::run(probe, plan.arguments, plan.aligned, 1);
    }
    EXPECT_EQ(std::ranges::count(values.subspan(0, kPageFloats), 1.0f), kPageFloats);
    EXPECT_EQ(std::ranges::count(values.subspan(kPageFloats, kPageFloats), 2.0f), kPageFloats);
    const float last = backwards ? 2 * 5.0f : 2 * 2.0f;
    EXPECT_EQ(std::ranges::count(values.subspan(2 * kPageFloats), last), kPageFloats)
        << "backwards " << backwards;
  }
}

/// Runs a reduction of `elements` floats.
/// \return bytes of its result
double reduced(Probe probe, const Memory& memory, std::uint64_t offset, std::uint64_t elements) {
  const GpuSides sides = {.mask = kMask, .of_sm = {0, 1, 0}};
  LaunchPlan plan =
      plan_launch(near_probes::shape_of(probe),
                  {.outputs = {}, .inputs = {memory.address() + offset}, .elements = elements},
                  memory.rule(), sides, Assignment::right, 2);
  Tables tables(sides.of_sm);
  tables.give(plan);
  near_probes::run(probe, plan.arguments, plan.aligned, plan.blocks);
  if (probe == Probe::sum) return tables.sum;
  float value = 0;
  std::memcpy(&value, &tables.sum, sizeof value);
  return value;
}

TEST(ElementwiseKernel, ReducesToOneNumber) {
  const Memory memory;
  const std::span<float> values = memory.all<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i * 37 % 1001) - 500);
  values[70'001] = -3000.0f;
  for (const auto& [offset, elements] : {std::pair<std::uint64_t, std::uint64_t>{0, values.size()},
                                         {48, 100'003},
                                         {0, 7},
                                         {16, 0}}) {
    double sum = 0;
    float largest = 0;
    for (std::uint64_t i = 0; i < elements; ++i) {
      sum += values[offset / 4 + i];
      largest = std::max(largest, std::abs(values[offset / 4 + i]));
    }
    EXPECT_EQ(reduced(Probe::sum, memory, offset, elements), sum) << offset;
    EXPECT_EQ(reduced(Probe::absmax, memory, offset, elements), largest) << offset;
    EXPECT_EQ(reduced(Probe::first_absmax, memory, offset, elements), largest) << offset;
  }
}

/// Rotary embeddings: the shipped one, and the one that a header gives.
class RopeKernel : public testing::TestWithParam<Probe> {};
INSTANTIATE_TEST_SUITE_P(Both, RopeKernel, testing::Values(Probe::rope, Probe::listed_rope));

TEST_P(RopeKernel, TurnsQueriesAndKeysAndLeavesValues) {
  const Memory memory;
  constexpr std::uint64_t kHeadPairs = 64;
  constexpr std::uint64_t kHeads = 96;
  const std::uint64_t pairs = kPages * kPageBytes / 8;
  const std::span<float> values = memory.all<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 9973) - 5000.0f;
  const std::vector<float> before(values.begin(), values.end());
  std::vector<float> turns(1024 * kHeadPairs * 2);
  for (std::size_t i = 0; i < turns.size() / 2; ++i) {
    turns[2 * i] = std::cos(0.01f * static_cast<float>(i));
    turns[2 * i + 1] = std::sin(0.01f * static_cast<float>(i));
  }
  // Vectors of the table need 16 bytes.
  std::vector<float> storage(turns.size() + 4);
  float* table = storage.data();
  while (std::bit_cast<std::uintptr_t>(table) % 16 != 0)
    ++table;
  std::ranges::copy(turns, table);
  const GpuSides sides = {.mask = kMask, .of_sm = {0, 1}};
  LaunchPlan plan = plan_launch(near_probes::shape_of(GetParam()),
                                {.outputs = {memory.address()},
                                 .inputs = {memory.address(), std::bit_cast<Address>(table)},
                                 .elements = pairs},
                                memory.rule(), sides, Assignment::right, 2);
  Tables tables(sides.of_sm);
  tables.give(plan);
  near_probes::run(GetParam(), plan.arguments, plan.aligned, plan.blocks);
  std::size_t wrong = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    const std::uint64_t head = pair / kHeadPairs % kHeads;
    const std::uint64_t token = pair / (kHeadPairs * kHeads) % 1024;
    const std::uint64_t turn = token * kHeadPairs + pair % kHeadPairs;
    const float x = before[2 * pair];
    const float y = before[2 * pair + 1];
    const bool turned = head < 64;
    const float cosine = turned ? turns[2 * turn] : 1.0f;
    const float sine = turned ? turns[2 * turn + 1] : 0.0f;
    wrong += std::abs(values[2 * pair] - (x * cosine - y * sine)) > 2e-3f;
    wrong += std::abs(values[2 * pair + 1] - (x * sine + y * cosine)) > 2e-3f;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(ElementwiseKernel, AListedCopyCopiesAnyPart) {
  const Memory from;
  const Memory to;
  const std::span<int> source = from.all<int>();
  std::iota(source.begin(), source.end(), 1);
  for (const auto& [first, elements] :
       {std::pair<std::uint64_t, std::uint64_t>{0, source.size()}, {12, 100'003}, {4, 3}}) {
    const std::span<int> target = to.all<int>();
    std::ranges::fill(target, 0);
    const GpuSides sides = {.mask = kMask, .of_sm = {0, 1, 0}};
    LaunchPlan plan = plan_launch(near_probes::shape_of(Probe::listed_copy),
                                  {.outputs = {to.address() + 4 * first},
                                   .inputs = {from.address() + 4 * first},
                                   .elements = elements},
                                  to.rule(), sides, Assignment::right, 2);
    Tables tables(sides.of_sm);
    tables.give(plan);
    near_probes::run(Probe::listed_copy, plan.arguments, plan.aligned, plan.blocks);
    EXPECT_TRUE(
        std::ranges::equal(target.subspan(first, elements), source.subspan(first, elements)));
    EXPECT_EQ(std::ranges::count(target, 0), std::ssize(target) - static_cast<long>(elements));
  }
}

TEST(ElementwiseKernel, AListedOperationSeesItsSidebandAndItsOwnOrder) {
  const std::vector<Memory> arrays(3);
  const std::span<int> in0 = arrays[0].all<int>();
  const std::span<signed char> in1 = arrays[1].all<signed char>();
  constexpr std::uint64_t kElements = 4 * 9000;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    in0[i] = static_cast<int>(7 * i);
    in1[i] = static_cast<signed char>(i % 100);
  }
  const std::span<int> out = arrays[2].all<int>();
  std::ranges::fill(out, -1);
  const GpuSides sides = {.mask = kMask, .of_sm = {0, 1}};
  LaunchPlan plan = plan_launch(near_probes::shape_of(Probe::listed_sideband),
                                {.outputs = {arrays[2].address()},
                                 .inputs = {arrays[0].address(), arrays[1].address()},
                                 .elements = kElements},
                                arrays[2].rule(), sides, Assignment::right, 1);
  Tables tables(sides.of_sm);
  tables.give(plan);
  const std::array<int, 3> places = {2, -1, 0};
  plan.arguments.sideband = {.value = 3, .memory = places.data()};
  near_probes::run(Probe::listed_sideband, plan.arguments, plan.aligned, plan.blocks);
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const std::uint64_t vector = i / 4;
    const int place = places[vector % 3];
    const std::uint64_t from = 4 * (vector / 3 * 3 + static_cast<std::uint64_t>(place)) + i % 4;
    wrong += out[i] != (place < 0 ? -1 : in0[from] + 3 * in1[i] + static_cast<int>(i));
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(ElementwiseKernel, TakesFourInputsAndOutputsAndAnOwnOrder) {
  constexpr std::uint64_t kElements = 4 * 3001 + 3;
  const std::vector<Memory> arrays(8);
  const std::span<float> in0 = arrays[0].all<float>();
  const std::span<short> in1 = arrays[1].all<short>();
  const std::span<signed char> in2 = arrays[2].all<signed char>();
  const std::span<double> in3 = arrays[3].all<double>();
  for (std::uint64_t i = 0; i < kElements + 4; ++i) {
    in0[i] = static_cast<float>(i) * 0.5f;
    in1[i] = static_cast<short>(i % 30000);
    in2[i] = static_cast<signed char>(i % 100);
    in3[i] = static_cast<double>(i) + 0.25;
  }
  std::ranges::fill(arrays[4].all<float>(), -1.0f);
  const GpuSides sides = {.mask = kMask, .of_sm = {0, 1}};
  LaunchPlan plan = plan_launch(near_probes::shape_of(Probe::mix),
                                {.outputs = {arrays[4].address(), arrays[5].address(),
                                             arrays[6].address(), arrays[7].address()},
                                 .inputs = {arrays[0].address(), arrays[1].address(),
                                            arrays[2].address(), arrays[3].address()},
                                 .elements = kElements},
                                arrays[4].rule(), sides, Assignment::right, 1);
  Tables tables(sides.of_sm);
  tables.give(plan);
  const int last_vector = 3001;
  plan.arguments.sideband = {.value = 3, .memory = &last_vector};
  near_probes::run(Probe::mix, plan.arguments, plan.aligned, plan.blocks);
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const std::uint64_t vector = i / 4;
    const bool skipped = vector % 3 == 2;
    const float expected = in0[(last_vector - vector) * 4 + i % 4] + in1[i];
    wrong += arrays[4].all<float>()[i] != (skipped ? -1.0f : expected);
    wrong += arrays[5].all<double>()[i] != (skipped ? 0.0 : 3 * in3[i]);
    wrong += arrays[6].all<short>()[i] != (skipped ? 0 : in2[i]);
    wrong += arrays[7].all<int>()[i] != (skipped ? 0 : static_cast<int>(i));
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(arrays[4].all<float>()[kElements], -1.0f);
}

}  // namespace
}  // namespace ladder::side_aware
