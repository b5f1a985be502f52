// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/tensor_sums_gpu.cpp
/// \brief `tensor_sums_gpu FILE`: prints the sums of all tiles of a file, as a GPU computes them, a
///        line each, in hexadecimal digits.
#include <cstdio>
#include <exception>
#include <memory>

#include "common/machine.hpp"
#include "tests/common/ptx/tensor_sums.hpp"

namespace ladder::tensor_sums {
namespace {

using Array = MachineArray<unsigned>;

std::unique_ptr<Array> on_machine(Machine& machine, const std::vector<unsigned>& host) {
  auto array = std::make_unique<Array>(machine, host.size());
  machine.copy_from_host(array->data(), host.data(), array->bytes());
  return array;
}

void print_sums(Machine& machine, const Tile& tile) {
  const auto a = on_machine(machine, tile.a), b = on_machine(machine, tile.b),
             c = on_machine(machine, tile.c);
  const Array sums(machine, tile.c.size());
  multiply(tile.instruction, a->data(), b->data(), c->data(), sums.data());
  machine.synchronize();
  std::vector<unsigned> host(sums.size());
  machine.copy_to_host(host.data(), sums.data(), sums.bytes());
  for (const unsigned sum : host)
    std::printf("%08x ", sum);
  std::printf("\n");
}

}  // namespace
}  // namespace ladder::tensor_sums

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: tensor_sums_gpu FILE\n");
    return 2;
  }
  try {
    const std::unique_ptr<ladder::Machine> machine = ladder::make_gpu_machine();
    for (const auto& tile : ladder::tensor_sums::read_tiles(arguments[1]))
      ladder::tensor_sums::print_sums(*machine, tile);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tensor_sums_gpu: %s\n", error.what());
    return 1;
  }
}
