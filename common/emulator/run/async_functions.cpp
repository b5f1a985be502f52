// SPDX-License-Identifier: MIT
#include "common/emulator/words/async_functions.hpp"

#include "common/emulator/run/block_runner.hpp"

namespace ladder::emulator {
namespace {

BlockRunner& runner() {
  return *BlockRunner::of_this_cpu_thread();
}

}  // namespace

void start_copy(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
                std::source_location where) {
  runner().start_copy(shared, global, bytes, source_bytes, where);
}

void commit_copies(std::source_location) {
  runner().commit_copies();
}

void wait_for_copies(unsigned newest, std::source_location) {
  runner().wait_for_copies(newest);
}

void init_mbarrier(void* barrier, int arrivals, std::source_location where) {
  runner().init_mbarrier(barrier, arrivals, where);
}

void arrive_at_mbarrier(void* barrier, int announced_bytes, std::source_location where) {
  runner().arrive_at_mbarrier(barrier, announced_bytes, where);
}

void wait_for_mbarrier(void* barrier, int parity, std::source_location where) {
  runner().wait_for_mbarrier(barrier, parity, where);
}

void start_box_copy(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                    std::source_location where) {
  runner().start_box_copy(shared, map, row, column, barrier, where);
}

// Threads of a block take turns on one CPU thread: memory is always in order.
void fence_mbarrier_init(std::source_location) {}

void fence_proxy_async(std::source_location) {
  runner().fence_for_copies();
}

void wait_at_named_barrier(int id, int threads, std::source_location where) {
  runner().wait_at_named_barrier(id, threads, where);
}

void set_registers(int registers, std::source_location where) {
  runner().set_registers(registers, where);
}

unsigned cluster_rank() {
  return runner().cluster_rank();
}

void wait_at_cluster_barrier(std::source_location where) {
  runner().wait_at_cluster_barrier(where);
}

void* shared_of_block(void* shared, unsigned rank, std::source_location where) {
  return runner().shared_of_block(shared, rank, where);
}

unsigned load_acquire(const unsigned* flag, std::source_location where) {
  return runner().load_acquire(flag, where);
}

void store_release(unsigned* flag, unsigned value, std::source_location) {
  runner().store_release(flag, value);
}

}  // namespace ladder::emulator
