// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/word_functions.cpp
/// \brief The functions that CUDA's words call: each goes to the block that runs on this CPU
///        thread.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/words/async_functions.hpp"
#include "emulator/words/barrier_functions.hpp"
#include "emulator/words/thread_context.hpp"
#include "emulator/words/warp_functions.hpp"
#include "emulator/words/wgmma_functions.hpp"

namespace ladder::emulator {
namespace {

[[gnu::cold, noreturn]] void refuse_host_call(const void* caller) {
  const SourceLine line = source_line_of(std::array{reinterpret_cast<std::uintptr_t>(caller) - 1});
  std::fprintf(stderr,
               "%s:%u: a function of the device is called outside of a kernel: launch the kernel "
               "with kernel<<<grid, block>>>(arguments)\n",
               line.file.c_str(), line.line);
  std::exit(1);
}

/// Of the calling CPU thread, which runs a kernel.
[[gnu::always_inline]] inline BlockRunner& runner() noexcept {
  BlockRunner* const running = BlockRunner::of_this_cpu_thread();
  if (running == nullptr) [[unlikely]]
    refuse_host_call(__builtin_return_address(0));
  return *running;
}

}  // namespace

// -- thread_context.hpp --------------------------------------------------------------------------

PackedIndex packed_thread_index() noexcept {
  return runner().threads().running().index;
}

PackedIndex packed_block_index() noexcept {
  return runner().threads().block_index();
}

PackedIndex packed_block_extent() noexcept {
  const dim3& block = runner().threads().plan().block;
  return pack(block.x, block.y, block.z);
}

PackedIndex packed_grid_extent() noexcept {
  const dim3& grid = runner().threads().plan().grid;
  return pack(grid.x, grid.y, grid.z);
}

// -- barrier_functions.hpp -----------------------------------------------------------------------

BarrierVotes wait_at_barrier(bool vote, std::source_location where) {
  return runner().barrier().wait(vote, where);
}

void step_aside() noexcept {
  runner().scheduler().step_aside(false);
}

void step_aside_now() noexcept {
  runner().scheduler().step_aside(true);
}

// -- warp_functions.hpp --------------------------------------------------------------------------

unsigned lane_index() noexcept {
  return runner().threads().running().number % 32;
}

void meet_in_warp(const WarpCall& call) {
  runner().warp_calls().meet(call);
}

unsigned lanes_at_this_line(std::source_location where) {
  return runner().warp_calls().lanes_at_this_line(where);
}

void give_undefined(void* result, std::size_t bytes, unsigned lane, unsigned source) noexcept {
  runner().warp_calls().give_undefined(result, bytes, lane, source);
}

void refuse_width(const char* function, int width, std::source_location where) {
  runner().warp_calls().refuse_width(function, width, where);
}

// -- async_functions.hpp -------------------------------------------------------------------------

void start_copy(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
                std::source_location where) {
  runner().copies().start(shared, global, bytes, source_bytes, where);
}

void commit_copies(std::source_location) {
  runner().copies().commit();
}

void wait_for_copies(unsigned newest, std::source_location) {
  runner().copies().wait(newest);
}

void init_mbarrier(void* barrier, int arrivals, std::source_location where) {
  runner().mbarriers().init(barrier, arrivals, where);
}

void arrive_at_mbarrier(void* barrier, int announced_bytes, std::source_location where) {
  runner().mbarriers().arrive(barrier, announced_bytes, where);
}

void wait_for_mbarrier(void* barrier, int parity, std::source_location where) {
  runner().mbarriers().wait(barrier, parity, where);
}

int parity_of_mbarrier(void* barrier, std::source_location where) {
  return static_cast<int>(runner().mbarriers().at(barrier, where).phase & 1);
}

void drop_from_mbarrier(void* barrier, std::source_location where) {
  runner().mbarriers().drop(barrier, where);
}

void start_box_copy(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                    std::source_location where) {
  runner().boxes().start(shared, map, row, column, barrier, where);
}

void start_multicast(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                     unsigned blocks, std::source_location where) {
  runner().boxes().start_multicast(shared, map, row, column, barrier, blocks, where);
}

void arrive_in_block(void* barrier, unsigned rank, std::source_location where) {
  runner().cluster().arrive_in_block(barrier, rank, where);
}

void start_box_store(const ptx::TensorMap& map, int row, int column, const void* shared,
                     std::source_location where) {
  runner().stores().start(map, row, column, shared, where);
}

void commit_box_stores(std::source_location) {
  runner().stores().commit();
}

void wait_for_box_stores(unsigned newest, bool only_read, std::source_location) {
  runner().stores().wait(newest, only_read);
}

void fence_mbarrier_init(std::source_location) {
  runner().mbarriers().fence();
}

void fence_proxy_async(std::source_location) {
  runner().mbarriers().fence();
  BlockObserver* const observer = runner().observer();
  if (observer != nullptr) observer->fenced_for_copies(runner().threads().running().number);
}

void launch_dependents() {
  runner().dependent_launch().launch();
}

void wait_for_previous_kernel() {
  runner().dependent_launch().wait();
  BlockObserver* const observer = runner().observer();
  if (observer != nullptr) observer->previous_kernel_awaited(runner().threads().running().number);
}

void wait_at_named_barrier(int id, int threads, std::source_location where) {
  runner().named_barriers().wait(id, threads, where);
}

void set_registers(int registers, std::source_location where) {
  runner().registers().set(registers, where);
}

// -- wgmma_functions.hpp -------------------------------------------------------------------------

std::uint64_t matrix_descriptor(const void* shared, unsigned leading_bytes, unsigned stride_bytes,
                                SwizzleNumber swizzle, std::source_location where) {
  return runner().products().descriptor(shared, leading_bytes, stride_bytes, swizzle, where);
}

void fence_wgmma(std::source_location) {
  runner().products().fence();
}

void start_wgmma(const WgmmaCall& call, std::source_location where) {
  runner().products().start(call, where);
}

void commit_wgmma(std::source_location) {
  runner().products().commit();
}

void wait_for_wgmma(unsigned newest, std::source_location where) {
  runner().products().wait(newest, where);
}

// -- async_functions.hpp, of several blocks ------------------------------------------------------

unsigned cluster_rank() {
  return runner().cluster().rank();
}

dim3 cluster_extents() {
  return runner().threads().plan().cluster_extents;
}

void wait_at_cluster_barrier(std::source_location where) {
  runner().cluster().arrive(where);
  runner().cluster().wait(where);
}

void arrive_at_cluster_barrier(std::source_location where) {
  runner().cluster().arrive(where);
}

void wait_for_cluster(std::source_location where) {
  runner().cluster().wait(where);
}

void* shared_of_block(void* shared, unsigned rank, std::source_location where) {
  return runner().cluster().shared_of_block(shared, rank, where);
}

unsigned load_acquire(const unsigned* flag, std::source_location where) {
  return runner().flags().load_acquire(flag, where);
}

void store_release(unsigned* flag, unsigned value, std::source_location) {
  runner().flags().store_release(flag, value);
}

unsigned load_acquire_system(const unsigned* flag, std::source_location where) {
  return runner().flags().load_acquire_system(flag, where);
}

void wait_for_all_blocks(std::source_location where) {
  runner().grid_barrier().wait(where);
}

bool is_cooperative() {
  return runner().threads().plan().cooperative;
}

bool is_in_shared_memory(const void* address) {
  return runner().shared().holds(address, 1);
}

namespace {

/// So that the lower bits of numbers are those of addresses, as swizzles have it.
constexpr std::uintptr_t kSharedStart = 1024;

std::uintptr_t start_of_shared() {
  const auto begin = reinterpret_cast<std::uintptr_t>(runner().shared().memory().arrays.data());
  return begin / kSharedStart * kSharedStart;
}

}  // namespace

std::uint64_t number_in_shared(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - start_of_shared();
}

void* pointer_to_shared(std::uint64_t number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void*>(start_of_shared() + number);
}

bool is_in_local_memory(const void* address) {
  return runner().threads().stacks().contains(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace ladder::emulator
