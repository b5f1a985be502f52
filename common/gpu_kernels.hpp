// SPDX-License-Identifier: MIT
/// \file  common/gpu_kernels.hpp
/// \brief The element-wise work of verification, on the GPU. All pointers are device pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/machine.hpp"

namespace ladder::gpu {

// T: float or bfloat16
template <class T>
void fill_random(T* array, std::size_t count, RandomArray random);
template <class T>
std::int64_t changed_elements(const T* array, std::size_t count, RandomArray random);
template <class T>
void to_double(double* out, const T* in, std::size_t count);
void square(double* array, std::size_t count);
void square_root(double* array, std::size_t count);
template <class T>
Comparison compare(const T* C, const Expectation& expected);
template <class T>
double relative_difference(const T* C, const T* D, std::size_t count);

}  // namespace ladder::gpu
