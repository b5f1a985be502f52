// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/cublas_api.h
/// \brief CUDA's header of this name, over OpenBLAS.
#pragma once

#define CUBLAS_API_H_  // other headers ask for it

#include "glassbox/runtime/blas_calls.hpp"
