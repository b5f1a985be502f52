// SPDX-License-Identifier: MIT
/// \file  common/gpu_machine.hpp
/// \brief Why a GPU cannot be used, and what one is.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "common/machine.hpp"

namespace ladder {

/// \brief  Explains what cudaGetDeviceCount answered.
/// \return a sentence that says what to do, empty when there is a usable GPU
std::string gpu_trouble(cudaError_t status, int devices);

}  // namespace ladder
