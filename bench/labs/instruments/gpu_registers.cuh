// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_registers.cuh
/// \brief Runs programs of FFMAs on a GPU.
#pragma once

#include <memory>

#include "bench/labs/instruments/ffma_program.hpp"

namespace ladder::labs {

/// \brief The register instrument of the first GPU, of compute capability 9.0.
std::unique_ptr<RegisterInstrument> make_gpu_registers();

}  // namespace ladder::labs
