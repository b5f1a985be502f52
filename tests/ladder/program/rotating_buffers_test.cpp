// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/rotating_buffers_test.cpp
/// \brief Launches that are timed find nothing in L2: sets of buffers, how many and where they lie.
#include "ladder/program/rotating_buffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/common/made_up_gpu.hpp"

namespace ladder {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A GPU with an L2 that counts what is asked of its memory.
class CountingGpu final : public testing_machine::MadeUpGpu {
 public:
  explicit CountingGpu(std::size_t l2_bytes) : MadeUpGpu(90), l2_bytes_(l2_bytes) {}

  std::size_t l2_bytes() const override { return l2_bytes_; }
  std::size_t free_bytes() const override { return free; }
  void* allocate(std::size_t bytes) override {
    ++allocations;
    allocated += bytes;
    return MadeUpGpu::allocate(bytes);
  }

  std::size_t free = 1024 * kMiB;
  int allocations = 0;
  std::size_t allocated = 0;

 private:
  std::size_t l2_bytes_;
};

Problem problem_of(const Shape& shape) {
  return {.shape = shape, .alpha = 2.0f, .beta = 0.5f, .seed = 3};
}

/// First and last byte, and one more, of each matrix of each set.
template <class T>
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places_of(
    const RotatingBuffers<T>& buffers) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> places;
  const auto add = [&](const T* matrix, int rows, int cols) {
    const auto first = reinterpret_cast<std::uintptr_t>(matrix);
    places.emplace_back(first, first + sizeof(T) * rows * cols);
  };
  for (int set = 0; set < buffers.sets(); ++set) {
    const Gemm<T> gemm = buffers.gemm(set);
    add(gemm.A, gemm.M, gemm.K);
    add(gemm.B, gemm.K, gemm.N);
    add(gemm.C, gemm.M, gemm.N);
  }
  std::ranges::sort(places);
  return places;
}

TEST(RotatingBuffersTest, AllSetsTogetherHoldTwiceTheL2) {
  for (const std::size_t l2_bytes : {kMiB, 60 * kMiB, 126 * kMiB}) {
    for (const int size : {96, 128, 200, 256, 512, 1024, 2048, 4096}) {
      const Shape shape = {size, size, size};
      const int sets = buffer_sets(shape, Format::fp32, l2_bytes);
      EXPECT_GE(sets * compulsory_bytes(shape, 0.0f, Format::fp32), 2.0 * l2_bytes) << size;
      EXPECT_GE(sets, 2) << size;
      if (sets > 2) {
        EXPECT_LE((sets - 1) * compulsory_bytes(shape, 0.0f, Format::fp32), 2.0 * l2_bytes)
            << size << ": more sets than needed";
      }
    }
  }
  EXPECT_EQ(buffer_sets({512, 512, 512}, Format::fp32, 60 * kMiB), 41);
  EXPECT_EQ(buffer_sets({512, 512, 512}, Format::bf16, 60 * kMiB), 81) << "half as large";
  EXPECT_GE(buffer_sets({51, 51, 51}, Format::fp32, 60 * kMiB) *
                compulsory_bytes({51, 51, 51}, 0.0f, Format::fp32),
            120.0 * kMiB);
  EXPECT_EQ(buffer_sets({1, 1, 1}, Format::fp32, 60 * kMiB), kMostBufferSets);
  EXPECT_EQ(buffer_sets({128, 128, 128}, Format::fp32, 0), 2) << "the emulator";
}

template <class T>
class RotatingBuffersOf : public testing::Test {};
using ElementTypes = testing::Types<float, bfloat16>;
TYPED_TEST_SUITE(RotatingBuffersOf, ElementTypes);

TYPED_TEST(RotatingBuffersOf, SetsLieApartAndTogetherHoldTwiceTheL2) {
  for (const Shape& shape : {Shape{64, 32, 48}, Shape{61, 37, 53}, Shape{1, 300, 7}}) {
    SCOPED_TRACE(shape.M);
    CountingGpu machine(kMiB);
    const Problem problem = problem_of(shape);
    const RotatingBuffers<TypeParam> buffers(machine, problem);
    const auto places = places_of(buffers);
    ASSERT_EQ(places.size(), 3u * buffers.sets());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(places[i].first % 256, 0u);
      bytes += places[i].second - places[i].first;
      EXPECT_GE(places[i].first, i == 0 ? 0 : places[i - 1].second) << "two matrices overlap";
    }
    EXPECT_GE(bytes, 2 * machine.l2_bytes());
  }
}

TEST(RotatingBuffersTest, ThousandsOfSetsAreThreeAllocations) {
  CountingGpu machine(8 * kMiB);
  const Problem problem = problem_of({32, 32, 32});
  const RotatingBuffers buffers(machine, problem);
  EXPECT_EQ(buffers.sets(), 1366);
  EXPECT_EQ(machine.allocations, 3);
  EXPECT_LT(machine.allocated, 17 * kMiB);
}

TEST(RotatingBuffersTest, AfterTheLastSetComesTheFirst) {
  CountingGpu machine(kMiB);
  const Problem problem = problem_of({64, 32, 48});
  const RotatingBuffers buffers(machine, problem);
  const int sets = buffers.sets();
  for (const int counter : {0, 1, sets - 1}) {
    const Gemm<float> gemm = buffers.gemm(counter);
    const Gemm<float> later = buffers.gemm(counter + 5 * sets);
    EXPECT_EQ(gemm.A, later.A);
    EXPECT_EQ(gemm.B, later.B);
    EXPECT_EQ(gemm.C, later.C);
    EXPECT_EQ(gemm.M, 64);
    EXPECT_EQ(gemm.N, 32);
    EXPECT_EQ(gemm.K, 48);
    EXPECT_EQ(gemm.alpha, 2.0f);
    EXPECT_EQ(gemm.beta, 0.5f);
  }
}

TYPED_TEST(RotatingBuffersOf, EverySetIsFilled) {
  CountingGpu machine(kMiB / 4);
  const Problem problem = problem_of({61, 37, 53});
  const RotatingBuffers<TypeParam> buffers(machine, problem);
  for (const auto& [first, end] : places_of(buffers)) {
    const auto* matrix = reinterpret_cast<const TypeParam*>(first);
    const auto* behind = reinterpret_cast<const TypeParam*>(end);
    EXPECT_TRUE(std::all_of(matrix, behind, [](float x) { return std::isfinite(x); }));
    EXPECT_NE(std::count(matrix, behind, matrix[0]), behind - matrix);
  }
  EXPECT_NE(buffers.gemm(0).A[0], buffers.gemm(1).A[0]);
  EXPECT_NE(buffers.gemm(0).A[0], buffers.gemm(0).B[0]);
}

TEST(RotatingBuffersTest, SetsThatDoNotFitAreRefusedBeforeAnythingIsAllocated) {
  CountingGpu machine(8 * kMiB);
  machine.free = 15 * kMiB;
  const Problem problem = problem_of({128, 128, 128});
  EXPECT_THROW(RotatingBuffers<>(machine, problem), MachineError);
  EXPECT_EQ(machine.allocations, 0);
}

}  // namespace
}  // namespace ladder
