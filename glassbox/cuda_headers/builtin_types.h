// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/builtin_types.h
/// \brief CUDA's header of this name: all of the run time.
#pragma once

#include "cuda_runtime.h"
