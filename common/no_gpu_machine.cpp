// SPDX-License-Identifier: MIT
/// \file  common/no_gpu_machine.cpp
/// \brief Stands in for gpu_machine.cpp in builds without CUDA.
#include "common/machine.hpp"

namespace ladder {

std::unique_ptr<Machine> make_gpu_machine(int) {
  throw MachineError(
      "this program was built without CUDA: to use an NVIDIA GPU, install the CUDA Toolkit 12.8 or "
      "newer, then run make again");
}

bool has_gpu_code() {
  return false;
}

}  // namespace ladder
