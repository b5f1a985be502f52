// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/ablation.hpp
/// \brief Copies of rungs from which something was taken away, made by
///        bench/benchmark/ablations.py.
#pragma once

#include <span>

#include "common/gemm.hpp"

namespace ladder::bench {

/// What a kernel needs of an SM, as CUDA reports for the machine code in this program.
struct KernelResources {
  int registers = 0;    ///< per thread, at launch
  int local_bytes = 0;  ///< per thread: arrays and spilled registers
};

/// A rung without one of its parts. Its results are wrong by design unless `right` is true.
struct Ablation {
  const char* rung;        ///< "14_every_shape", the rung it was made from
  const char* name;        ///< "14_idle_producers"
  const char* taken_away;  ///< "loading and storing A, and boxes of B"
  bool right;              ///< without that part, the result is still right
  void (*run)(const Gemm<float>&, Stream);
  const KernelResources* resources;  ///< filled by the first launch on a GPU
};

/// All copies, compiled for the GPU in the `ablation` program, and for the emulator in its test.
std::span<const Ablation> ablations();

}  // namespace ladder::bench
