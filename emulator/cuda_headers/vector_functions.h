// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/vector_functions.h
/// \brief CUDA's header of this name, for g++: all of CUDA's words.
#pragma once

#include <cuda_runtime.h>
