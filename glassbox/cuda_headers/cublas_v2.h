// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/cublas_v2.h
/// \brief CUDA's header of this name, over OpenBLAS.
#pragma once

#include "cublas_api.h"
