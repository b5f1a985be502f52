// SPDX-License-Identifier: MIT
#include "common/emulator/grid_plan.hpp"

#include <cstring>
#include <string>

namespace ladder::emulator {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647;
constexpr unsigned kMaxGridYZ = 65535;
constexpr std::size_t kMaxSharedBytes = std::size_t{227} * 1024;

[[noreturn]] void refuse(const std::string& sentence) {
  throw KernelError(KernelErrorKind::kBadLaunch, "launch refused: " + sentence);
}

std::string text_of(const dim3& extents) {
  return to_text({extents.x, extents.y, extents.z});
}

void require_extents(const char* what, const dim3& extents, const dim3& limits) {
  if (extents.x == 0 || extents.y == 0 || extents.z == 0) {
    refuse(std::string("the ") + what + " is " + text_of(extents) +
           "; every extent must be at least 1");
  }
  if (extents.x > limits.x || extents.y > limits.y || extents.z > limits.z) {
    refuse(std::string("the ") + what + " is " + text_of(extents) + "; CUDA allows at most " +
           text_of(limits));
  }
}

}  // namespace

GridPlan::GridPlan(const GridLaunch& launch, const ThreadProgram& thread_program)
    : grid(launch.grid),
      block(launch.block),
      dynamic_shared_bytes(launch.dynamic_shared_bytes),
      kernel(launch.kernel),
      program(thread_program) {
  require_extents("grid", grid, {kMaxGridX, kMaxGridYZ, kMaxGridYZ});
  require_extents("block", block, {kMaxThreads, kMaxThreads, kMaxBlockZ});
  const std::uint64_t product = std::uint64_t{block.x} * block.y * block.z;
  if (product > kMaxThreads) {
    refuse("a block of " + text_of(block) + " has " + std::to_string(product) +
           " threads; CUDA allows at most 1024");
  }
  if (dynamic_shared_bytes > kMaxSharedBytes) {
    refuse(std::to_string(dynamic_shared_bytes) +
           " bytes of dynamic shared memory; a block has at most " +
           std::to_string(kMaxSharedBytes) + " (227 KiB)");
  }
  threads = static_cast<unsigned>(product);
  blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  code = CodeRanges(launch.kernel);
}

uint3 GridPlan::block_index(std::uint64_t number) const {
  const std::uint64_t row = number / grid.x;
  return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(row % grid.y),
          static_cast<unsigned>(row / grid.y)};
}

uint3 GridPlan::thread_index(unsigned number) const {
  const unsigned row = number / block.x;
  return {number % block.x, row % block.y, row / block.y};
}

SharedMemory::SharedMemory(const GridPlan& plan) {
  auto* const start = reinterpret_cast<std::byte*>(plan.program.dynamic_shared());
  arrays = thread_local_segment(start);
  dynamic = {start, kMaxSharedBytes};
}

void SharedMemory::poison(std::size_t dynamic_bytes) const {
  const auto fill = [](std::byte* begin, std::byte* end) {
    std::memset(begin, 0xFF, static_cast<std::size_t>(end - begin));
  };
  std::byte* const dynamic_begin = dynamic.data();
  fill(arrays.data(), dynamic_begin + dynamic_bytes);
  fill(dynamic_begin + dynamic.size(), arrays.data() + arrays.size());
}

}  // namespace ladder::emulator
