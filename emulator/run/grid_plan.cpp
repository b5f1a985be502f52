// SPDX-License-Identifier: MIT
#include "emulator/run/grid_plan.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "emulator/run/block/cluster.hpp"
#include "emulator/run/debug_info/shared_arrays.hpp"
#include "emulator/run/settings.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647;
constexpr unsigned kMaxGridYZ = 65535;
constexpr std::size_t kMaxSharedBytes = std::size_t{227} * 1024;
constexpr std::size_t kMaxStaticSharedBytes = std::size_t{48} * 1024;

[[noreturn]] void refuse(FaultKind kind, Fields fields) {
  throw KernelError({kind, std::move(fields)});
}

FieldValue::Numbers numbers_of(const dim3& extents) {
  return {extents.x, extents.y, extents.z};
}

/// \param what  "grid" or "block"
void require_extents(const char* what, const dim3& extents, const dim3& limits) {
  if (extents.x == 0 || extents.y == 0 || extents.z == 0) {
    refuse(FaultKind::kLaunchExtentZero, {{"what", what}, {"extents", numbers_of(extents)}});
  }
  if (extents.x > limits.x || extents.y > limits.y || extents.z > limits.z) {
    refuse(FaultKind::kLaunchExtentTooLarge,
           {{"what", what}, {"extents", numbers_of(extents)}, {"limits", numbers_of(limits)}});
  }
}

void require_cluster(const dim3& cluster, const dim3& grid) {
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  if (blocks < 1 || blocks > Cluster::kMaxBlocks) {
    refuse(FaultKind::kLaunchClusterSize, {{"blocks", blocks}, {"limit", Cluster::kMaxBlocks}});
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    refuse(FaultKind::kLaunchClusterGrid,
           {{"grid", numbers_of(grid)}, {"cluster", numbers_of(cluster)}});
  }
}

/// What is numbered along x, then y, then z.
uint3 index_in(std::uint64_t number, const dim3& extents) {
  const std::uint64_t row = number / extents.x;
  return {static_cast<unsigned>(number % extents.x), static_cast<unsigned>(row % extents.y),
          static_cast<unsigned>(row / extents.y)};
}

/// Bytes of a kernel's `__shared__` arrays of fixed size. Reading symbols takes milliseconds: once
/// per kernel.
std::size_t bytes_of_arrays(const GridPlan& plan) {
  static std::mutex mutex;
  static std::map<const void*, std::size_t> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(plan.kernel, 0);
  if (!is_new) return found->second;
  const SharedMemory memory(plan);
  const auto dynamic_offset =
      static_cast<std::size_t>(memory.dynamic.data() - memory.arrays.data());
  for (const SharedArray& array : shared_arrays_of(plan.kernel, dynamic_offset, 0))
    found->second += array.bytes;
  return found->second;
}

/// As many blocks as SMs have shared memory for: 228 KiB, of which CUDA takes 1 KiB for each block.
std::uint64_t blocks_with_room(std::size_t shared_bytes) {
  constexpr std::size_t kSharedBytesOfSm = std::size_t{228} * 1024;
  constexpr std::size_t kReservedBytes = 1024;
  return kSharedBytesOfSm / (shared_bytes + kReservedBytes) *
         static_cast<std::uint64_t>(multiprocessors());
}

/// As many blocks as SMs have threads for; shared memory and registers may allow fewer.
std::uint64_t resident_blocks(unsigned threads) {
  constexpr unsigned kThreadsPerSm = 2048;
  constexpr unsigned kBlocksPerSm = 32;
  return std::uint64_t{std::min(kThreadsPerSm / threads, kBlocksPerSm)} *
         static_cast<std::uint64_t>(multiprocessors());
}

}  // namespace

GridPlan::GridPlan(const GridLaunch& launch, const ThreadProgram& thread_program)
    : grid(launch.grid),
      block(launch.block),
      dynamic_shared_bytes(launch.dynamic_shared_bytes),
      cluster_extents(launch.cluster),
      cluster(launch.cluster.x * launch.cluster.y * launch.cluster.z),
      cooperative(launch.cooperative),
      overlaps_previous(launch.overlaps_previous),
      kernel(launch.kernel),
      program(thread_program) {
  require_extents("grid", grid, {kMaxGridX, kMaxGridYZ, kMaxGridYZ});
  require_extents("block", block, {kMaxThreads, kMaxThreads, kMaxBlockZ});
  const std::uint64_t product = std::uint64_t{block.x} * block.y * block.z;
  if (product > kMaxThreads) {
    refuse(FaultKind::kLaunchTooManyThreads,
           {{"extents", numbers_of(block)}, {"threads", product}, {"limit", kMaxThreads}});
  }
  // What the emulated card gives may be less; whether a block fits it, its trace tells.
  if (dynamic_shared_bytes > kMaxSharedBytes) {
    refuse(FaultKind::kLaunchDynamicShared,
           {{"bytes", dynamic_shared_bytes}, {"limit", kMaxSharedBytes}});
  }
  threads = static_cast<unsigned>(product);
  blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  require_cluster(cluster_extents, grid);
  resident = resident_blocks(threads);
  static_shared_bytes = bytes_of_arrays(*this);
  if (static_shared_bytes > kMaxStaticSharedBytes) {
    refuse(FaultKind::kLaunchStaticShared,
           {{"bytes", static_shared_bytes}, {"limit", kMaxStaticSharedBytes}});
  }
  const std::uint64_t room =
      std::min(resident, blocks_with_room(static_shared_bytes + dynamic_shared_bytes));
  if (cooperative && blocks > room) {
    refuse(FaultKind::kLaunchCooperativeTooLarge,
           {{"blocks", blocks}, {"limit", room}, {"multiprocessors", multiprocessors()}});
  }
  if (cooperative) turns = std::make_unique<unsigned[]>(blocks + 1);
  code = CodeRanges(launch.kernel);
}

uint3 GridPlan::block_index(std::uint64_t number) const {
  const dim3& extents = cluster_extents;
  const uint3 first = index_in(number / cluster, {grid.x / extents.x, grid.y / extents.y, 1});
  const uint3 member = index_in(number % cluster, extents);
  return {first.x * extents.x + member.x, first.y * extents.y + member.y,
          first.z * extents.z + member.z};
}

uint3 GridPlan::thread_index(unsigned number) const {
  return index_in(number, block);
}

SharedMemory::SharedMemory(const GridPlan& plan) {
  auto* const start = reinterpret_cast<std::byte*>(plan.program.dynamic_shared());
  arrays = thread_local_segment(start);
  dynamic = {start, kMaxSharedBytes};
}

void SharedMemory::poison(std::size_t dynamic_bytes) const {
  for (const auto part : parts(dynamic_bytes))
    std::memset(part.data(), 0xFF, part.size());
}

void SharedMemory::save(std::size_t dynamic_bytes, std::vector<std::byte>& copy) const {
  copy.clear();
  for (const auto part : parts(dynamic_bytes))
    copy.insert(copy.end(), part.begin(), part.end());
}

void SharedMemory::restore(std::size_t dynamic_bytes, const std::vector<std::byte>& copy) const {
  const std::byte* from = copy.data();
  for (const auto part : parts(dynamic_bytes)) {
    std::memcpy(part.data(), from, part.size());
    from += part.size();
  }
}

/// What lies in front of and behind the dynamic shared memory that the launch did not ask for.
std::array<std::span<std::byte>, 2> SharedMemory::parts(std::size_t dynamic_bytes) const {
  std::byte* const end = arrays.data() + arrays.size();
  return {std::span(arrays.data(), dynamic.data() + dynamic_bytes),
          std::span(dynamic.data() + dynamic.size(), end)};
}

}  // namespace ladder::emulator
