// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/tensor_sums.hpp
/// \brief Small products on tensor cores, whose last bits show how these add. Free of CUDA's types.
#pragma once

#include <string>
#include <vector>

namespace ladder::tensor_sums {

enum class Instruction { mma_bf16, mma_tf32, wgmma };

constexpr int kRows = 16, kColumns = 8;
constexpr int depth_of(Instruction instruction) {
  return instruction == Instruction::mma_tf32 ? 8 : 16;
}

/// \brief sums = A B + C. Words hold the bits of one number each, of C and sums those of floats.
/// \param a     (kRows, depth)
/// \param b     (kColumns, depth)
/// \param c     (kRows, kColumns)
/// \param sums  (kRows, kColumns)
void multiply(Instruction instruction, const unsigned* a, const unsigned* b, const unsigned* c,
              unsigned* sums);

/// A product, as files hold it.
struct Tile {
  Instruction instruction;
  std::string numbers;  ///< what is special about them
  std::vector<unsigned> a, b, c, sums;
};

/// \throws std::exception  it cannot be read, or a matrix has not as many numbers as it should
std::vector<Tile> read_tiles(const std::string& path);

}  // namespace ladder::tensor_sums
