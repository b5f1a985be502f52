// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/no_gpu_roofs.cpp
/// \brief Stands in for roofs.cu in builds without CUDA.
#include "bench/benchmark/roofs.hpp"

namespace ladder::bench {

std::vector<RoofFigure> measure_roofs(Machine&, Protocol, const std::function<void(double)>&) {
  throw MachineError(
      "this program was built without CUDA: it has no kernels to measure roofs with");
}

}  // namespace ladder::bench
