// SPDX-License-Identifier: MIT
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/common/ptx/tensor_sums.hpp"

namespace ladder::tensor_sums {
namespace {

/// Of lines of numbers in hexadecimal digits.
std::vector<unsigned> numbers_in(const nlohmann::json& tile, const char* matrix, int count) {
  std::vector<unsigned> numbers;
  for (const std::string line : tile.at(matrix)) {
    std::istringstream text(line);
    text >> std::hex;
    for (unsigned number = 0; text >> number;)
      numbers.push_back(number);
  }
  if (numbers.size() != static_cast<std::size_t>(count))
    throw std::runtime_error(std::string(matrix) + " has " + std::to_string(numbers.size()) +
                             " numbers, and should have " + std::to_string(count));
  return numbers;
}

}  // namespace

std::vector<Tile> read_tiles(const std::string& path) {
  const std::map<std::string, Instruction> instructions = {{"mma_bf16", Instruction::mma_bf16},
                                                           {"mma_tf32", Instruction::mma_tf32},
                                                           {"wgmma", Instruction::wgmma}};
  std::ifstream file(path);
  std::vector<Tile> tiles;
  const nlohmann::json whole = nlohmann::json::parse(file);  // outlives the loop
  for (const nlohmann::json& each : whole.at("tiles")) {
    Tile& tile = tiles.emplace_back();
    tile.instruction = instructions.at(each.at("instruction"));
    tile.numbers = each.at("numbers");
    const int depth = depth_of(tile.instruction);
    tile.a = numbers_in(each, "a", kRows * depth);
    tile.b = numbers_in(each, "b", kColumns * depth);
    tile.c = numbers_in(each, "c", kRows * kColumns);
    if (each.contains("sums")) tile.sums = numbers_in(each, "sums", kRows * kColumns);
  }
  return tiles;
}

}  // namespace ladder::tensor_sums
