// SPDX-License-Identifier: MIT
/// \file  common/emulator/cuda_headers/mma.h
/// \brief CUDA's header of this name, for g++: refuses wmma, which is for tensor cores, in a
/// sentence.
#pragma once

#include "common/emulator/words/cuda_words.hpp"

#include <type_traits>

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

/// Each declaration of one is the error; what is done with it is not.
template <class Use, int m, int n, int k, class T, class Layout = void>
struct [[gnu::unavailable(
    "the emulator has no tensor cores: wmma runs on a GPU alone, so give g++ "
    "C++ that does the same between #ifdef __CUDACC__, #else and #endif")]] fragment {
  static constexpr int num_elements = 8;
  std::conditional_t<std::is_same_v<T, precision::tf32>, float, T> x[num_elements];
};

template <class... Arguments>
void fill_fragment(Arguments&&...) {}
template <class... Arguments>
void load_matrix_sync(Arguments&&...) {}
template <class... Arguments>
void store_matrix_sync(Arguments&&...) {}
template <class... Arguments>
void mma_sync(Arguments&&...) {}
inline float __float_to_tf32(float x) {
  return x;
}

}  // namespace nvcuda::wmma
