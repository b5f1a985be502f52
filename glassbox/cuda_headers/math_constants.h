// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/math_constants.h
/// \brief CUDA's header of this name: all of the run time.
#pragma once

#include "cuda_runtime.h"

#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
