// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cuda_bf16.h
/// \brief CUDA's header of this name, for g++: all of CUDA's words.
#pragma once

#include <cuda_runtime.h>
