// SPDX-License-Identifier: MIT
/// \file  emulator/words/async_functions.hpp
/// \brief What the functions of common/ptx do on the emulator: copies that arrive later, barriers
///        that copies arrive at, clusters, and blocks that wait for each other.
///
/// A copy arrives as late as it may, when a thread waits for it, which reveals a missing wait,
/// or at once, which reveals a buffer that is filled too early (see set_copy_arrival()).
#pragma once

#include <source_location>

#include "emulator/words/address_functions.hpp"
#include "emulator/words/vector_types.hpp"

namespace ladder::ptx {
struct TensorMap;
}

namespace ladder::emulator {

// -- cp.async ----------------------------------------------------------------------------------
/// \param source_bytes  bytes that are read; the rest of `bytes` arrives as zeros
void start_copy(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
                std::source_location where);
void commit_copies(std::source_location where);
void wait_for_copies(unsigned newest, std::source_location where);

// -- mbarriers and the tensor memory accelerator -----------------------------------------------
void init_mbarrier(void* barrier, int arrivals, std::source_location where);
void arrive_at_mbarrier(void* barrier, int announced_bytes, std::source_location where);
void wait_for_mbarrier(void* barrier, int parity, std::source_location where);
/// 0 or 1: of the phase that is not complete.
int parity_of_mbarrier(void* barrier, std::source_location where);
/// Arrives, and is not expected in later phases.
void drop_from_mbarrier(void* barrier, std::source_location where);
void start_box_copy(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                    std::source_location where);
/// \param blocks  bit i: the block of rank i receives the box
void start_multicast(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                     unsigned blocks, std::source_location where);
/// At the barrier that block `rank` of the cluster has at this place.
void arrive_in_block(void* barrier, unsigned rank, std::source_location where);
void start_box_store(const ptx::TensorMap& map, int row, int column, const void* shared,
                     std::source_location where);
void commit_box_stores(std::source_location where);
/// \param only_read  until they have read shared memory, and not until they have written the matrix
void wait_for_box_stores(unsigned newest, bool only_read, std::source_location where);
void fence_mbarrier_init(std::source_location where);
void fence_proxy_async(std::source_location where);

// -- kernels that start while the one before still runs ----------------------------------------
void launch_dependents();
void wait_for_previous_kernel();

// -- barriers of some warps; registers ---------------------------------------------------------
void wait_at_named_barrier(int id, int threads, std::source_location where);
void set_registers(int registers, std::source_location where);

// -- clusters, and blocks that wait for each other ---------------------------------------------
unsigned cluster_rank();
dim3 cluster_extents();
void wait_at_cluster_barrier(std::source_location where);
void arrive_at_cluster_barrier(std::source_location where);
void wait_for_cluster(std::source_location where);
void* shared_of_block(void* shared, unsigned rank, std::source_location where);
unsigned load_acquire(const unsigned* flag, std::source_location where);
void store_release(unsigned* flag, unsigned value, std::source_location where);
/// Of a flag that another process may set: who polls it is never taken for stuck.
unsigned load_acquire_system(const unsigned* flag, std::source_location where);
/// Waits until one thread of every block of a cooperative grid has called this as often.
void wait_for_all_blocks(std::source_location where);
bool is_cooperative();

}  // namespace ladder::emulator
