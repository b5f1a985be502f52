// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/no_gpu_instruments.cpp
/// \brief A build without CUDA has no instruments of a GPU.
#include "bench/labs/instruments/instruments.hpp"

namespace ladder::labs {

std::unique_ptr<Instruments> make_gpu_instruments() {
  throw LabError(
      "This build has no code for GPUs (CUDA was not found). A lab asks a simulated memory system: "
      "--simulate h200");
}

}  // namespace ladder::labs
