// SPDX-License-Identifier: MIT
/// \file  emulator/words/cuda_words.hpp
/// \brief CUDA's names for g++: what `common/device.cuh` includes when nvcc is not the compiler.
///
/// A `__shared__` array is a thread_local variable. The emulator runs one block at a time on a CPU
/// thread, so all threads of the block share the array and other blocks do not see it. At the start
/// of a block its bytes are 0xFF, which reads as NaN in every floating-point type. All of the
/// library's thread-local segment is filled: it must hold no other thread_local variable.
///
/// An array of a class (float4, __half) comes with a guard variable, which then reads as
/// "constructed"; the classes' constructors do nothing.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "emulator/words/vector_types.hpp"

#include "emulator/words/address_functions.hpp"
#include "emulator/words/atomic_functions.hpp"
#include "emulator/words/barrier_functions.hpp"
#include "emulator/words/bfloat16_type.hpp"
#include "emulator/words/conversion_functions.hpp"
#include "emulator/words/half_type.hpp"
#include "emulator/words/integer_functions.hpp"
#include "emulator/words/math_functions.hpp"
#include "emulator/words/rounded_functions.hpp"
#include "emulator/words/scoped_atomics.hpp"
#include "emulator/words/short_float_atomics.hpp"
#include "emulator/words/simd_functions.hpp"
#include "emulator/words/special_functions.hpp"
#include "emulator/words/thread_context.hpp"
#include "emulator/words/warp_functions.hpp"
#include "emulator/words/warp_reductions.hpp"

// Kernels are kept as functions of their own, so that each has one address and one place in the
// debug information.
#ifdef LADDER_KEEP_SPACES
// For a look at who calls whom: see glassbox/execution_spaces.hpp.
#define __global__ __attribute__((ladder_global))
#define __device__ __attribute__((ladder_device))
#define __host__ __attribute__((ladder_host))
#define __constant__ __attribute__((ladder_constant))
#else
#define __global__ __attribute__((noinline, noclone))
#define __device__
#define __host__
#define __constant__
#endif
#define __grid_constant__
// Aligned as shared arrays happen to be on a GPU, so that float arrays can be read as float4.
#define __shared__ thread_local __attribute__((aligned(16)))
#define __forceinline__ inline __attribute__((always_inline))
// Empty, because the standard library spells an attribute of its own like this.
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
// A hint to nvcc; what it says is not computed.
#define __builtin_assume(condition) static_cast<void>(0)
#define __align__(bytes) __attribute__((aligned(bytes)))

// A sentence in place of the assembler's errors; headers of the system spell theirs __asm__.
#ifndef LADDER_KEEP_SPACES
// clang-format off
#define asm _Pragma("GCC error \"inline PTX (mma, wgmma, cp.async, ...) is for nvcc alone: call a \
function of common/ptx, or give g++ C++ that does the same between #ifdef __CUDACC__, #else and \
#endif [not-emulated]\"") asm
// clang-format on
#endif
