// SPDX-License-Identifier: MIT
/// \file  common/ptx/tma.cuh
/// \brief The tensor memory accelerator: one thread requests a whole box of a matrix. Compute
///        capability 9.0.
#pragma once

#include "common/ptx/mbarrier.cuh"
#include "common/ptx/tensor_map.hpp"

namespace ladder::ptx {

/// \brief  Starts the copy of the map's box whose first element is (row, column):
///         cp.async.bulk.tensor.2d from global to shared memory, which reports its bytes to an
///         mbarrier, PTX ISA 9.7.9.27.1.2. Elements outside the matrix arrive as zeros and count.
/// \param  shared   128-byte aligned; receives the box row by row, packed
/// \param  map      a __grid_constant__ parameter of the kernel
/// \param  barrier  counts the bytes as they arrive
__device__ __forceinline__ void tma_load(void* shared, const TensorMap& map, int row, int column,
                                         Mbarrier* barrier,
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))),
      "l"(&map), "r"(column), "r"(row),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
      : "memory");
#else
  emulator::start_box_copy(shared, map, row, column, barrier, here);
#endif
}

}  // namespace ladder::ptx
