// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/tensor_sums_test.cpp
/// \brief Products on tensor cores have the bits that an H100 gave them (tensor_sums_h100.json,
///        written by bench/record/tensor_sums.py).
#include "tests/common/ptx/tensor_sums.hpp"

#include <map>

#include "tests/common/ptx/test_machine.hpp"

namespace ladder {
namespace {

class TensorSums : public MachineTest {};

TEST_F(TensorSums, AreThoseOfAnH100BitByBit) {
  std::map<tensor_sums::Instruction, int> tiles;
  for (const tensor_sums::Tile& tile :
       tensor_sums::read_tiles(PROBES_DIR "/tensor_sums_h100.json")) {
    const int number = tiles[tile.instruction]++;
    const auto a = on_machine<unsigned>(tile.a), b = on_machine<unsigned>(tile.b),
               c = on_machine<unsigned>(tile.c);
    const auto sums = on_machine<unsigned>(std::vector<unsigned>(tile.sums.size(), 1));
    tensor_sums::multiply(tile.instruction, a.data(), b.data(), c.data(), sums.data());
    EXPECT_EQ(from_machine(sums), tile.sums)
        << "tile " << number << " of instruction " << static_cast<int>(tile.instruction) << ": "
        << tile.numbers;
  }
  constexpr std::size_t kInstructions = 3;
  EXPECT_EQ(tiles.size(), kInstructions);
}

}  // namespace
}  // namespace ladder
