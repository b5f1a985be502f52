// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cuda_pipeline_primitives.h
/// \brief CUDA's header of this name, for g++: cp.async by the names that libcu++ does without.
#pragma once

#include "cuda_pipeline.h"
