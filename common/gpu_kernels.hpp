// SPDX-License-Identifier: MIT
/// \file  common/gpu_kernels.hpp
/// \brief The element-wise work of verification, on the GPU. All pointers are device pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/machine.hpp"

namespace ladder::gpu {

void fill_random(float* array, std::size_t count, RandomArray random);
std::int64_t changed_elements(const float* array, std::size_t count, RandomArray random);
void to_double(double* out, const float* in, std::size_t count);
void square(double* array, std::size_t count);
void square_root(double* array, std::size_t count);
Comparison compare(const float* C, const Expectation& expected);
double relative_difference(const float* C, const float* D, std::size_t count);

}  // namespace ladder::gpu
