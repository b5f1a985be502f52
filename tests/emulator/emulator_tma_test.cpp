// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_tma_test.cpp
/// \brief Boxes of a matrix that the tensor memory accelerator copies.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "tests/emulator/async_probes.hpp"
#include "tests/emulator/copy_arrival_name.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder::emulator {
namespace {

constexpr char kFile[] = "copy_probes.cu";

class EmulatorTma : public testing::TestWithParam<CopyArrival> {
 protected:
  EmulatorTma() { set_copy_arrival(GetParam()); }
  ~EmulatorTma() override { set_copy_arrival(CopyArrival::kLate); }

  alignas(16) float four_[4] = {1, 2, 3, 4};
};

INSTANTIATE_TEST_SUITE_P(Arrivals, EmulatorTma,
                         testing::Values(CopyArrival::kLate, CopyArrival::kEarly),
                         testing::PrintToStringParamName());

struct alignas(16) Vector {
  float at[4];
};

/// A matrix whose elements are all different, 16-byte aligned.
std::vector<Vector> matrix_of(int rows, int columns) {
  std::vector<Vector> matrix(static_cast<std::size_t>(rows) * columns / 4);
  float value = 1;
  for (Vector& vector : matrix) {
    for (float& element : vector.at)
      element = value++;
  }
  return matrix;
}

void expect_box(const probes::Box& box, unsigned threads) {
  std::vector<float> out(static_cast<std::size_t>(box.rows) * box.columns, -1);
  probes::copy_box(box, threads, out.data());
  for (int i = 0; i < box.rows; ++i) {
    for (int j = 0; j < box.columns; ++j) {
      const int row = box.row + i;
      const int column = box.column + j;
      const bool inside =
          row >= 0 && row < box.matrix_rows && column >= 0 && column < box.matrix_columns;
      const float expected =
          inside ? box.matrix[static_cast<std::size_t>(row) * box.matrix_columns + column] : 0;
      ASSERT_EQ(out[static_cast<std::size_t>(i) * box.columns + j], expected)
          << "element (" << row << ", " << column << ") of a matrix of " << box.matrix_rows << " x "
          << box.matrix_columns << ", box of " << box.rows << " x " << box.columns;
    }
  }
}

TEST_P(EmulatorTma, CopiesBoxesOfAnyShapeAndFillsWithZeros) {
  std::mt19937 random(7);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int run = 0; run < 200; ++run) {
    const int rows = between(1, 40);
    const int columns = 4 * between(1, 12);
    const auto matrix = matrix_of(rows, columns);
    const int box_rows = between(1, 20);
    const int box_columns = 4 * between(1, 10);
    expect_box(
        {matrix[0].at, rows, columns, box_rows, box_columns, between(-box_rows - 1, rows + 1),
         4 * between(-box_columns / 4 - 1, columns / 4 + 1)},
        static_cast<unsigned>(between(1, 70)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(EmulatorTma, LargestBox) {
  const auto matrix = matrix_of(300, 260);
  expect_box({matrix[0].at, 300, 260, 200, 256, 150, 40}, 32);
}

/// Where element (row, column) of a box is, from the table of the PTX ISA: rows of a swizzle's
/// length, of which the pieces of 16 bytes change places from one 128 bytes to the next.
std::size_t swizzled_place(int row, int column, int element_bytes, int row_bytes, bool swizzle) {
  const int at = column * element_bytes;
  const int line = row * row_bytes / 128;
  const int pieces = row_bytes / 16;
  const int piece = swizzle ? at / 16 ^ line % pieces : at / 16;
  return static_cast<std::size_t>(row * row_bytes + 16 * piece + at % 16);
}

template <class T>
void expect_raw_boxes(std::mt19937& random) {
  constexpr int kPiece = 16 / sizeof(T);
  for (const auto swizzle : {ptx::Swizzle::none, ptx::Swizzle::rows_of_32, ptx::Swizzle::rows_of_64,
                             ptx::Swizzle::rows_of_128}) {
    const bool is_swizzled = swizzle != ptx::Swizzle::none;
    const int box_columns =
        is_swizzled ? static_cast<int>(swizzled_row_bytes(swizzle) / sizeof(T)) : 3 * kPiece;
    const int rows = 20, columns = 20 * kPiece, box_rows = 12;
    alignas(16) T matrix[20 * 20 * kPiece];
    for (int i = 0; i < rows * columns; ++i)
      matrix[i] = T(static_cast<float>(i % 251 + 1));
    const int row = static_cast<int>(random() % 12);
    const int column = kPiece * static_cast<int>(random() % 20);
    std::vector<unsigned char> out(sizeof(T) * static_cast<std::size_t>(box_rows * box_columns));
    const probes::RawBox<T> box = {matrix,      rows,    columns, box_rows,
                                   box_columns, swizzle, row,     column};
    probes::copy_raw_box(box, out.data());
    for (int i = 0; i < box_rows * box_columns; ++i) {
      const int r = i / box_columns, c = i % box_columns;
      const bool inside = row + r < rows && column + c < columns;
      const float expected = inside ? float(matrix[(row + r) * columns + column + c]) : 0.0F;
      T found;
      std::memcpy(&found,
                  &out[swizzled_place(r, c, sizeof(T), box_columns * int{sizeof(T)}, is_swizzled)],
                  sizeof found);
      ASSERT_EQ(float(found), expected)
          << "swizzle " << static_cast<unsigned>(swizzle) << ", element (" << r << ", " << c << ")";
    }
  }
}

TEST_P(EmulatorTma, BoxesAreSwizzled) {
  std::mt19937 random(8);
  for (int run = 0; run < 10; ++run) {
    expect_raw_boxes<float>(random);
    expect_raw_boxes<bfloat16>(random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(EmulatorTma, ArrivesWhenSomebodyWaits) {
  float out[2];
  probes::read_box_too_early(four_, out);
  EXPECT_EQ(out[1], 1);
  if (GetParam() == CopyArrival::kLate) {
    EXPECT_TRUE(std::isnan(out[0])) << out[0];
  } else {
    EXPECT_EQ(out[0], 1);
  }
}

TEST_P(EmulatorTma, RingOfBuffers) {
  for (const int slices : {1, 2, 3, 4, 20}) {
    const auto matrix = matrix_of(4 * slices, 64);
    std::vector<float> out(64, -1);
    probes::sum_columns_by_producer(matrix[0].at, slices, out.data());
    for (int column = 0; column < 64; ++column) {
      float sum = 0;
      for (int row = 0; row < 4 * slices; ++row)
        sum += matrix[0].at[64 * row + column];
      ASSERT_EQ(out[column], sum) << slices << " slices, column " << column;
    }
  }
}

TEST_P(EmulatorTma, ColumnsThatAGpuRefuses) {
  const auto matrix = matrix_of(8, 32);
  for (const int column : {-2, 1, 5, 31}) {
    expect_kernel_error(
        [&] {
          expect_box({matrix[0].at, 8, 32, 4, 8, 0, column}, 32);
        },
        {FaultKind::kIllegalInstruction, kFile, "anywhere"});
  }
}

TEST_P(EmulatorTma, MisalignedDestination) {
  expect_kernel_error([&] { probes::copy_box_to_odd_address(four_); },
                      {FaultKind::kMisalignedArgument, kFile, "64 bytes off"});
}

TEST_P(EmulatorTma, DestinationBeyondSharedMemory) {
  expect_kernel_error([&] { probes::copy_box_beyond_shared(four_); },
                      {FaultKind::kOutsideShared, kFile, "a byte too few"});
}

TEST_P(EmulatorTma, BarrierThatIsNone) {
  expect_kernel_error([&] { probes::copy_box_without_barrier(four_); },
                      {FaultKind::kMbarrierInvalid, kFile, "to a barrier that is none"});
}

TEST_P(EmulatorTma, BarrierThatCopiesMayNotSee) {
  expect_kernel_error([&] { probes::copy_box_to_unfenced_barrier(four_); },
                      {FaultKind::kMbarrierUnfenced, kFile, "may not see it"});
}

TEST_P(EmulatorTma, BlockThatEndsBeforeItsCopy) {
  if (GetParam() == CopyArrival::kEarly) return;
  expect_kernel_error([&] { probes::leave_before_box_arrives(four_); },
                      {FaultKind::kCopyUnfinished, kFile, "nobody waits"});
}

TEST(EmulatorTensorMap, RefusesWhatAGpuRefuses) {
  alignas(16) float matrix[64] = {};
  const auto refusal = [&](const float* at, int rows, int columns, int box_rows, int box_columns) {
    try {
      probes::check_map(at, rows, columns, box_rows, box_columns);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(matrix, 1, 4, 256, 256), "");
  EXPECT_TRUE(contains(refusal(matrix + 1, 4, 4, 1, 4), "multiple of 16 bytes"));
  EXPECT_TRUE(contains(refusal(nullptr, 4, 4, 1, 4), "multiple of 16 bytes"));
  EXPECT_TRUE(contains(refusal(matrix, 0, 4, 1, 4), "rows is 0"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 6, 1, 4), "columns is 6"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 0, 1, 4), "columns is 0"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 4, 0, 4), "box_rows is 0"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 4, 257, 4), "box_rows is 257"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 4, 1, 2), "box_columns is 2"));
  EXPECT_TRUE(contains(refusal(matrix, 4, 4, 1, 260), "box_columns is 260"));
}

TEST(EmulatorTensorMap, RefusesBoxesThatAreNoRowsOfTheirSwizzle) {
  alignas(16) bfloat16 matrix[256] = {};
  const auto refusal = [&](int columns, int box_columns, ptx::Swizzle swizzle) {
    try {
      probes::check_bf16_map(matrix, 1, columns, 1, box_columns, swizzle);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(64, 64, ptx::Swizzle::rows_of_128), "");
  EXPECT_EQ(refusal(64, 32, ptx::Swizzle::rows_of_64), "");
  EXPECT_EQ(refusal(64, 8, ptx::Swizzle::none), "");
  EXPECT_TRUE(contains(refusal(12, 8, ptx::Swizzle::none), "columns is 12"));
  EXPECT_TRUE(contains(refusal(64, 4, ptx::Swizzle::none), "box_columns is 4"));
  EXPECT_TRUE(contains(refusal(64, 32, ptx::Swizzle::rows_of_128), "box_columns is 32"));
  EXPECT_TRUE(contains(refusal(64, 32, ptx::Swizzle::rows_of_128), "must be 64"));
}

}  // namespace
}  // namespace ladder::emulator
