// SPDX-License-Identifier: MIT
/// \file  common/gpu_machine.hpp
/// \brief Why a GPU cannot be used, and what one is.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "common/machine.hpp"

namespace ladder {

/// \brief  Explains what cudaGetDeviceCount answered.
/// \return the reason why there is no usable GPU, empty when there is one
std::string gpu_trouble(cudaError_t status, int devices);

}  // namespace ladder
