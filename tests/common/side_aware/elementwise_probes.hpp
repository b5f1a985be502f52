// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/elementwise_probes.hpp
/// \brief Elementwise kernels on the emulator.
#pragma once

#include "common/side_aware/kernels/arguments.hpp"

namespace ladder::near_probes {

/// Operations that tests run.
enum class Probe : unsigned char {
  increment,          ///< int: out0 = in0 + 1
  increment_reverse,  ///< the same from the end to the start
  turns,              ///< int: out0 = how many elements were worked on before this one
  turns_reverse,      ///< the same from the end to the start
  sum,                ///< the shipped ones
  absmax,
  rope,
  first_absmax,
  scale,
  scale_backwards,
  copy_of_kept,
  copy_bytes,
  mix,             ///< four inputs and four outputs of several widths
  listed_copy,     ///< listings/memcpy.txt
  listed_rope,     ///< listings/rope.txt
  listed_sideband  ///< listings/sideband.txt
};

side_aware::OperationShape shape_of(Probe probe);

/// Starts one of the two kernels of an operation.
void run(Probe probe, const side_aware::ElementwiseArguments& arguments, bool aligned,
         unsigned blocks);

}  // namespace ladder::near_probes
