// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/mma.h
/// \brief CUDA's header of this name, for g++: wmma for half, bfloat16 and TF32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emulator/words/async_functions.hpp"
#include "emulator/words/cuda_words.hpp"
#include "emulator/words/tensor_functions.hpp"
#include "emulator/words/tile_functions.hpp"

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

}  // namespace nvcuda::wmma

namespace ladder::emulator {

namespace wmma = nvcuda::wmma;

/// What is in memory, and what a program finds in x.
template <class T>
using FragmentElement = std::conditional_t<std::is_same_v<T, wmma::precision::tf32>, float, T>;

/// The registers of a fragment.
template <class Use, int m, int n, int k, class T>
constexpr TileShape fragment_shape() {
  const int per_lane = std::is_same_v<T, wmma::precision::tf32> ? 1 : 2;
  if (std::is_same_v<Use, wmma::matrix_a>) return {m, k, per_lane, false};
  if (std::is_same_v<Use, wmma::matrix_b>) return {n, k, per_lane, n == 16};
  return m == 8 ? TileShape{n, m, 2, false} : TileShape{m, n, 2, false};
}

/// The elements of a lane; those of half factors are there several times, as on the first GPUs.
template <class Use, int m, int n, int k, class T>
constexpr int fragment_elements() {
  const TileShape shape = fragment_shape<Use, m, n, k, T>();
  const bool repeats = std::is_same_v<T, __half> && !std::is_same_v<Use, wmma::accumulator>;
  return repeats ? 16 : shape.tiles() * shape.per_lane;
}

template <class Use, int m, int n, int k, class T>
concept KnownFragment =
    (k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) &&
     (std::is_same_v<T, __half> ||
      std::is_same_v<
          T, std::conditional_t<std::is_same_v<Use, wmma::accumulator>, float, __nv_bfloat16>>)) ||
    (k == 8 && m == 16 && n == 16 &&
     std::is_same_v<T, std::conditional_t<std::is_same_v<Use, wmma::accumulator>, float,
                                          wmma::precision::tf32>>);

}  // namespace ladder::emulator

namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static_assert(ladder::emulator::KnownFragment<Use, m, n, k, T>,
                "the emulator has wmma for half and bfloat16 in 16x16x16, 32x8x16 and 8x32x16, and "
                "for tf32 in 16x16x8: give g++ C++ that does the same between #ifdef __CUDACC__, "
                "#else and #endif [not-emulated]");
  using element_type = T;
  using storage_element_type = ladder::emulator::FragmentElement<T>;
  static constexpr int num_elements = ladder::emulator::fragment_elements<Use, m, n, k, T>();
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

}  // namespace nvcuda::wmma

namespace ladder::emulator {

/// The bits of an element, and back.
template <class T>
[[gnu::always_inline]] inline std::uint32_t bits_of_element(const T& element) {
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, &element, sizeof element);
  return bits;
}
template <class T>
[[gnu::always_inline]] inline void set_element(T& element, std::uint32_t bits) {
  __builtin_memcpy(&element, &bits, sizeof element);
}

using TileWord = std::uint32_t __attribute__((may_alias));
using TileWordPair = std::uint64_t __attribute__((may_alias));

/// \brief A matrix in memory, as a lane sees it.
/// \param turned  memory has the shape's lines as columns
template <class T>
struct MatrixInMemory {
  T* first;
  std::size_t ldm;
  bool turned;

  /// The element at (line, element), and its neighbours in memory.
  [[gnu::always_inline]] T* at(int line, int element) const {
    const auto row = static_cast<std::size_t>(turned ? element : line);
    const auto column = static_cast<std::size_t>(turned ? line : element);
    return first + row * ldm + column;
  }
  /// At `row` rows below and `column` elements beside a tile's first.
  [[gnu::always_inline]] T* in_tile(const TileShape& shape, int tile, int row, int column) const {
    return at(shape.line(tile), shape.element(tile)) + static_cast<std::size_t>(row) * ldm + column;
  }
};

/// Elements of 16 bits: a word of each tile, or with ldmatrix a row of one.
template <class T>
[[gnu::always_inline]] inline void load_words(TileWords& words, const TileShape& shape,
                                              const MatrixInMemory<const T>& memory) {
  const auto lane = static_cast<int>(lane_index());
  if (words.in_rows) {
    for (int group = 0; group < words.tiles; group += 4) {
      const int tile = group + lane / 8;
      if (tile >= words.tiles) continue;
      const TileRow row =
          *reinterpret_cast<const TileRow*>(memory.in_tile(shape, tile, lane % 8, 0));
      for (int i = 0; i < 4; ++i)
        words.words[static_cast<std::size_t>(group + i)] = row[i];
    }
  } else {
    for (int tile = 0; tile < words.tiles; ++tile) {
      words.words[static_cast<std::size_t>(tile)] =
          *reinterpret_cast<const TileWord*>(memory.in_tile(shape, tile, lane / 4, lane % 4 * 2));
    }
  }
}

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
[[gnu::always_inline]] inline void load_fragment(wmma::fragment<Use, m, n, k, T, Layout>& f,
                                                 const Memory* first, unsigned ldm, bool turned,
                                                 std::source_location where) {
  constexpr TileShape kShape = fragment_shape<Use, m, n, k, T>();
  const char* const function = "load_matrix_sync";
  require_matrix(function, first, ldm, sizeof(Memory), where);
  const MatrixInMemory<const Memory> memory = {first, ldm, turned};
  const auto lane = static_cast<int>(lane_index());
  if constexpr (sizeof(Memory) == 2) {
    const bool in_rows = !std::is_same_v<Use, wmma::accumulator> && is_in_shared_memory(first);
    TileWords words = {.tiles = kShape.tiles(), .turned = turned, .in_rows = in_rows};
    load_words<Memory>(words, kShape, memory);
    turn_tiles(function, words, where);
    for (int i = 0; i < f.num_elements; ++i) {
      const int element = i % (2 * kShape.tiles());
      set_element(f.x[i], words.words[static_cast<std::size_t>(element / 2)] >> element % 2 * 16);
    }
  } else {
    for (int tile = 0; tile < kShape.tiles(); ++tile) {
      const int line = kShape.line(tile) + lane / 4;
      const int element = kShape.element(tile) + lane % 4 * kShape.per_lane;
      if (kShape.per_lane == 2 && !turned) {
        const auto pair = *reinterpret_cast<const TileWordPair*>(memory.at(line, element));
        set_element(f.x[2 * tile], static_cast<std::uint32_t>(pair));
        set_element(f.x[2 * tile + 1], static_cast<std::uint32_t>(pair >> 32));
      } else {
        for (int i = 0; i < kShape.per_lane; ++i)
          f.x[kShape.per_lane * tile + i] = *memory.at(line, element + i);
      }
    }
  }
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void store_fragment(
    T* first, const wmma::fragment<wmma::accumulator, m, n, k, T>& f, unsigned ldm, bool turned,
    std::source_location where) {
  constexpr TileShape kShape = fragment_shape<wmma::accumulator, m, n, k, T>();
  const char* const function = "store_matrix_sync";
  require_matrix(function, first, ldm, sizeof(T), where);
  const MatrixInMemory<T> memory = {first, ldm, turned};
  const auto lane = static_cast<int>(lane_index());
  if constexpr (sizeof(T) == 2) {
    TileWords words = {.tiles = kShape.tiles(), .turned = turned};
    for (int i = 0; i < kShape.tiles(); ++i) {
      words.words[static_cast<std::size_t>(i)] =
          bits_of_element(f.x[2 * i]) | bits_of_element(f.x[2 * i + 1]) << 16;
    }
    turn_tiles(function, words, where);
    for (int tile = 0; tile < kShape.tiles(); ++tile) {
      *reinterpret_cast<TileWord*>(memory.in_tile(kShape, tile, lane / 4, lane % 4 * 2)) =
          words.words[static_cast<std::size_t>(tile)];
    }
  } else {
    for (int tile = 0; tile < kShape.tiles(); ++tile) {
      const int line = kShape.line(tile) + lane / 4;
      const int element = kShape.element(tile) + lane % 4 * 2;
      if (turned) {
        for (int i = 0; i < 2; ++i)
          *memory.at(line, element + i) = f.x[2 * tile + i];
      } else {
        *reinterpret_cast<TileWordPair*>(memory.at(line, element)) =
            bits_of_element(f.x[2 * tile]) | std::uint64_t{bits_of_element(f.x[2 * tile + 1])}
                                                 << 32;
      }
    }
  }
}

template <class T>
constexpr TensorFormat tensor_format() {
  if (std::is_same_v<T, __half>) return TensorFormat::kHalf;
  return std::is_same_v<T, wmma::precision::tf32> ? TensorFormat::kTf32 : TensorFormat::kBfloat16;
}

}  // namespace ladder::emulator

namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& f,
                          const std::type_identity_t<ladder::emulator::FragmentElement<T>>& value) {
  for (auto& element : f.x)
    element = value;
}

/// \param ldm  elements from one line in memory to the next
template <class Use, int m, int n, int k, class T, class Layout>
[[gnu::always_inline]] inline void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& f, const ladder::emulator::FragmentElement<T>* first,
    unsigned ldm, std::source_location where = std::source_location::current()) {
  static_assert(!std::is_same_v<Use, accumulator>,
                "an accumulator is loaded with mem_row_major or mem_col_major as last argument");
  constexpr bool kRows = std::is_same_v<Layout, row_major>;
  ladder::emulator::load_fragment(f, first, ldm, std::is_same_v<Use, matrix_a> != kRows, where);
}
template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void load_matrix_sync(
    fragment<accumulator, m, n, k, T>& f, const T* first, unsigned ldm, layout_t layout,
    std::source_location where = std::source_location::current()) {
  ladder::emulator::load_fragment(f, first, ldm, (m == 8) == (layout == mem_row_major), where);
}
template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void store_matrix_sync(
    T* first, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout,
    std::source_location where = std::source_location::current()) {
  ladder::emulator::store_fragment(first, f, ldm, (m == 8) == (layout == mem_row_major), where);
}

/// D = A B + C.
template <int m, int n, int k, class T, class Sum, class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, m, n, k, Sum>& d,
              const fragment<matrix_a, m, n, k, T, LayoutA>& a,
              const fragment<matrix_b, m, n, k, T, LayoutB>& b,
              const fragment<accumulator, m, n, k, Sum>& c,
              std::source_location where = std::source_location::current()) {
  using namespace ladder::emulator;
  TensorCall call = {.format = tensor_format<T>(),
                     .at_once = std::is_same_v<T, precision::tf32> ? 4 : 16,
                     .half_sums = std::is_same_v<Sum, __half>,
                     .shape_a = fragment_shape<matrix_a, m, n, k, T>(),
                     .shape_b = fragment_shape<matrix_b, m, n, k, T>(),
                     .shape_c = fragment_shape<accumulator, m, n, k, Sum>()};
  for (std::size_t i = 0; i < a.num_elements; ++i)
    call.a[i] = bits_of_element(a.x[i]);
  for (std::size_t i = 0; i < b.num_elements; ++i)
    call.b[i] = bits_of_element(b.x[i]);
  for (std::size_t i = 0; i < c.num_elements; ++i)
    call.c[i] = bits_of_element(c.x[i]);
  multiply_in_warp("mma_sync", call, where);
  for (std::size_t i = 0; i < d.num_elements; ++i)
    set_element(d.x[i], call.c[i]);
}

inline float __float_to_tf32(float x) {
  return __builtin_bit_cast(float, ladder::emulator::round_to_tf32(x));
}

}  // namespace nvcuda::wmma
