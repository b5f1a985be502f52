// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/ptx_probes_test.cpp
/// \brief What single instructions of common/ptx do, against the layouts of the PTX ISA.
#include "tests/common/ptx/ptx_probes.hpp"

#include <bit>
#include <cstring>
#include <random>

#include "tests/common/ptx/test_machine.hpp"
#include "tests/common/ptx/timing_modes.hpp"

namespace ladder {
namespace {

using ptx::Swizzle;

class PtxProbes : public MachineTest {
 protected:
  /// \param run  with a name of the mode
  template <class Run>
  void in_all_modes(Run run) {
    if (machine_->is_gpu()) {
      run("GPU");
    } else {
      in_all_timing_modes(run);
    }
  }

  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }

  template <class T>
  void expect_box_is_stored(Swizzle swizzle);

  std::mt19937 random_{5};
};

/// Where piece `piece` of row `row` is, of rows of up to 128 bytes: from the table of the PTX ISA.
std::size_t piece_place(std::size_t row, std::size_t piece, std::size_t row_bytes, bool swizzled) {
  const std::size_t pieces = row_bytes / 16;
  const std::size_t line = row * row_bytes / 128;
  return row * row_bytes + 16 * (swizzled ? piece ^ line % pieces : piece);
}

template <class T>
void PtxProbes::expect_box_is_stored(Swizzle swizzle) {
  constexpr int kPiece = 16 / sizeof(T);
  const bool swizzled = swizzle != Swizzle::none;
  const int rows = between(1, 40);
  const int columns = kPiece * between(1, 12);
  const int box_rows = between(1, 20);
  const int box_columns = swizzled ? static_cast<int>(swizzled_row_bytes(swizzle) / sizeof(T))
                                   : kPiece * between(1, 10);
  // An H100 refuses other columns, and boxes that begin above the matrix or to the left of it.
  const int row = between(0, rows + 1);
  const int column = kPiece * between(0, columns / kPiece + 1);
  const std::size_t row_bytes = sizeof(T) * static_cast<std::size_t>(box_columns);
  std::vector<unsigned char> raw(row_bytes * static_cast<std::size_t>(box_rows));
  const auto value_at = [&](int i, int j) {
    return T(static_cast<float>(1 + i * 7 % 32 + j % 97));
  };
  for (int i = 0; i < box_rows; ++i) {
    for (int j = 0; j < box_columns; ++j) {
      const std::size_t at = sizeof(T) * static_cast<std::size_t>(j);
      const T value = value_at(i, j);
      std::memcpy(
          &raw[piece_place(static_cast<std::size_t>(i), at / 16, row_bytes, swizzled) + at % 16],
          &value, sizeof value);
    }
  }
  const auto on_raw = on_machine<unsigned char>(raw);
  const std::vector<T> before(static_cast<std::size_t>(rows * columns), T(-5.0f));
  in_all_modes([&](const char* mode) {
    const auto matrix = on_machine<T>(before);
    ptx_probes::store_box(ptx_probes::BoxOf<T>{matrix.data(), rows, columns, box_rows, box_columns,
                                               swizzle, row, column},
                          on_raw.data(), between(0, 2));
    const std::vector<T> after = from_machine(matrix);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        const bool inside =
            r >= row && r < row + box_rows && c >= column && c < column + box_columns;
        ASSERT_EQ(static_cast<float>(after[static_cast<std::size_t>(r * columns + c)]),
                  inside ? static_cast<float>(value_at(r - row, c - column)) : -5.0f)
            << mode << ": element (" << r << ", " << c << ") of " << rows << " x " << columns
            << ", box of " << box_rows << " x " << box_columns << " at (" << row << ", " << column
            << "), swizzle " << static_cast<unsigned>(swizzle);
      }
    }
  });
}

TEST_F(PtxProbes, BoxesAreStoredFromEverySwizzleAndCutAtTheEdges) {
  for (const Swizzle swizzle :
       {Swizzle::none, Swizzle::rows_of_32, Swizzle::rows_of_64, Swizzle::rows_of_128}) {
    for (int i = 0; i < 25 && !HasFatalFailure(); ++i) {
      expect_box_is_stored<float>(swizzle);
      expect_box_is_stored<bfloat16>(swizzle);
    }
  }
}

TEST_F(PtxProbes, ARingOfLoadsAndStores) {
  for (const int tiles : {1, 3, 8}) {
    std::vector<bfloat16> from;
    for (int i = 0; i < tiles * 32 * 64; ++i)
      from.push_back(bfloat16(static_cast<float>(i % 251)));
    const auto source = on_machine<bfloat16>(from);
    in_all_modes([&](const char* mode) {
      const auto target = on_machine<bfloat16>(std::vector<bfloat16>(from.size()));
      ptx_probes::copy_in_ring(source.data(), tiles, target.data());
      const std::vector<bfloat16> to = from_machine(target);
      for (std::size_t i = 0; i < from.size(); ++i)
        ASSERT_EQ(static_cast<float>(to[i]), static_cast<float>(from[i])) << mode << ": " << i;
    });
  }
}

TEST_F(PtxProbes, MulticastReachesTheBlocksOfItsMask) {
  constexpr int kPart = 8 * 64;
  for (const unsigned cluster : {1u, 2u, 4u}) {
    for (const unsigned mask : {(1u << cluster) - 1, 1u, 1u << (cluster - 1)}) {
      for (const int rounds : {1, 2, 5}) {
        std::vector<float> from(static_cast<std::size_t>(kPart * rounds) * cluster);
        for (std::size_t i = 0; i < from.size(); ++i)
          from[i] = static_cast<float>(i);
        const auto source = on_machine<float>(from);
        in_all_modes([&](const char* mode) {
          const auto target = on_machine<float>(std::vector<float>(from.size() * cluster, -2.0f));
          ptx_probes::exchange_boxes(source.data(), cluster, mask, rounds, target.data());
          const std::vector<float> to = from_machine(target);
          for (std::size_t i = 0; i < to.size(); ++i) {
            const bool receives = (mask >> i / from.size() & 1) != 0;
            ASSERT_EQ(to[i], receives ? from[i % from.size()] : -1.0f)
                << mode << ": element " << i << ", cluster of " << cluster << ", mask " << mask
                << ", " << rounds << " rounds";
          }
        });
      }
    }
  }
}

TEST_F(PtxProbes, TilesAreStoredRowByRow) {
  std::vector<int> order(32);
  for (const bool transposed : {false, true}) {
    for (int run = 0; run < 5; ++run) {
      // Rows of 8 elements anywhere, each at another place.
      std::vector<int> places;
      for (int i = 0; i < 32; ++i)
        places.push_back(8 * (i * 7 + between(0, 6)));
      std::shuffle(places.begin(), places.end(), random_);
      std::vector<unsigned> words;
      for (int i = 0; i < 128; ++i)
        words.push_back(static_cast<unsigned>(random_()));
      std::vector<unsigned short> expected(2048);
      for (int tile = 0; tile < 4; ++tile) {
        for (int row = 0; row < 8; ++row) {
          for (int column = 0; column < 8; ++column) {
            const int r = transposed ? column : row;  // in registers
            const int c = transposed ? row : column;
            const unsigned word = words[static_cast<std::size_t>(4 * (4 * r + c / 2) + tile)];
            expected[static_cast<std::size_t>(places[static_cast<std::size_t>(8 * tile + row)] +
                                              column)] =
                static_cast<unsigned short>(word >> c % 2 * 16);
          }
        }
      }
      const auto on_words = on_machine<unsigned>(words);
      const auto on_places = on_machine<int>(places);
      in_all_modes([&](const char* mode) {
        const auto memory = on_machine<unsigned short>(std::vector<unsigned short>(2048));
        ptx_probes::store_tiles(transposed, on_words.data(), on_places.data(), memory.data());
        EXPECT_EQ(from_machine(memory), expected) << mode << (transposed ? ", transposed" : "");
      });
    }
  }
}

TEST_F(PtxProbes, BlocksWaitForEachOtherInTwoSteps) {
  for (const unsigned cluster : {1u, 2u, 4u, 8u}) {
    in_all_modes([&](const char* mode) {
      constexpr unsigned kBlocks = 16;
      constexpr int kRounds = 5;
      const auto out = on_machine<int>(std::vector<int>(kBlocks * 32, -1));
      ptx_probes::rotate_with_split_barrier(kBlocks, cluster, kRounds, out.data());
      const std::vector<int> got = from_machine(out);
      for (unsigned block = 0; block < kBlocks; ++block) {
        const unsigned source = block / cluster * cluster + (block + kRounds) % cluster;
        for (unsigned thread = 0; thread < 32; ++thread)
          ASSERT_EQ(got[32 * block + thread], static_cast<int>(32 * source + thread))
              << mode << ", clusters of " << cluster;
      }
    });
  }
}

TEST_F(PtxProbes, GroupsOfWarpsHaveBarriersOfTheirOwn) {
  in_all_modes([&](const char* mode) {
    constexpr int kGroups = 4;
    const auto out = on_machine<int>(std::vector<int>(64 * kGroups, -1));
    ptx_probes::rotate_in_groups(kGroups, 3, out.data());
    const std::vector<int> got = from_machine(out);
    for (int i = 0; i < 64 * kGroups; ++i)
      ASSERT_EQ(got[static_cast<std::size_t>(i)], i / 64 * 64 + (i + 3 * (i / 64 + 1)) % 64)
          << mode;
  });
}

TEST_F(PtxProbes, AKernelThatStartsEarlyWaitsForTheOneBefore) {
  constexpr unsigned kBlocks = 300;
  const auto numbers = on_machine<int>(std::vector<int>(kBlocks * 128, -1));
  const auto out = on_machine<int>(std::vector<int>(kBlocks * 128, -1));
  ptx_probes::write_and_triple(kBlocks, numbers.data(), out.data());
  const std::vector<int> got = from_machine(out);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], static_cast<int>(3 * i));
}

}  // namespace
}  // namespace ladder
