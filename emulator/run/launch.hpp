// SPDX-License-Identifier: MIT
/// \file  emulator/run/launch.hpp
/// \brief Starts a grid on the CPU. Part of an emulated library; host programs do not include it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "emulator/run/kernel_error.hpp"
#include "emulator/words/vector_types.hpp"

/// Start of the block's dynamic shared memory. add_emulated_library() places it, and every
/// `extern __shared__` array of the library, at the same address.
extern thread_local unsigned char ladder_dynamic_shared[];

namespace ladder::emulator {

/// What you write between <<< and >>>, and the kernel.
struct GridLaunch {
  dim3 grid;                             ///< blocks
  dim3 block;                            ///< threads per block
  std::size_t dynamic_shared_bytes = 0;  ///< size of `extern __shared__` arrays
  dim3 cluster = 1;                      ///< blocks that run together
  bool cooperative = false;              ///< all blocks of the grid run together
  bool overlaps_previous = false;        ///< a GPU may start it while the kernel before still runs
  const void* kernel = nullptr;          ///< address of the kernel: tells which library it is in
};

/// One thread's work, and where its block finds dynamic shared memory, as plain functions.
struct ThreadProgram {
  void (*run)(const void* arguments);
  const void* arguments;
  unsigned char* (*dynamic_shared)();
  std::size_t argument_bytes = 0;  ///< a copy of these does as well; 0: no copy does
};

/// \brief  Runs program.run(program.arguments) once for every thread of every block.
/// \throws KernelError  see run_grid
void run_program(const GridLaunch& launch, const ThreadProgram& program);

/// \brief  Runs body() once for every thread of every block; returns when the grid has run. Blocks
///         run side by side on all cores; a grid's results are the same in every run, except for
///         the order in which blocks add floats atomically (which one CPU thread fixes, too).
/// \throws KernelError  the launch is beyond CUDA's limits, or a thread did what CUDA forbids. Of
///         several failing blocks the lowest is reported. The next launch works.
template <class Body>
void run_grid(const GridLaunch& launch, const Body& body) {
  run_program(launch, {[](const void* arguments) { (*static_cast<const Body*>(arguments))(); },
                       &body, [] { return &ladder_dynamic_shared[0]; },
                       std::is_trivially_copyable_v<Body> ? sizeof(Body) : 0});
}

}  // namespace ladder::emulator
