// SPDX-License-Identifier: MIT
/// \file  common/device.cuh
/// \brief The one switch between the two machines: nvcc gets CUDA's headers, g++ gets the
///        emulator's definitions of the same names. Kernels include nothing else of CUDA.
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#else
#include "emulator/words/cuda_words.hpp"
#endif
