// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/emulated_kernels.cpp
/// \brief What the library of rung 24 for the emulator exports.
#include "ladder/24_many_gpus/kernels.hpp"

namespace ladder::many_gpus {

[[gnu::visibility("default")]] Kernels emulated_kernels() {
  return kernels();
}

}  // namespace ladder::many_gpus
