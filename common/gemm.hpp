// SPDX-License-Identifier: MIT
/// \file  common/gemm.hpp
/// \brief The problem that every rung solves: C = alpha*A*B + beta*C, row-major and packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/precision.hpp"

struct CUstream_st;

namespace ladder {

/// CUDA's cudaStream_t without its headers; the emulator ignores it.
using Stream = CUstream_st*;

/// Extents of a GEMM in elements.
struct Shape {
  int M = 0;
  int N = 0;
  int K = 0;

  bool operator==(const Shape&) const = default;
};

/// \brief  Floating-point operations of one GEMM: a multiply and an add for each (row, column, k).
/// \return operations, 2*M*N*K (the work of alpha and beta is not counted, as in BLAS timings)
constexpr double flops(const Shape& shape) {
  return 2.0 * shape.M * shape.N * shape.K;
}

/// \brief One call of a rung: C = alpha*A*B + beta*C.
/// \tparam T element type of A, B and C
template <class T>
struct Gemm {
  int M;  ///< rows of A and C, >= 1
  int N;  ///< columns of B and C, >= 1
  int K;  ///< columns of A, rows of B, >= 1
  float alpha;
  const T* A;  ///< (M, K) row-major, on the machine that runs the rung
  const T* B;  ///< (K, N) row-major
  float beta;
  T* C;  ///< (M, N) row-major; never read when beta == 0
};

/// Whether a function can be called with matrices of T.
template <class Function, class T>
inline constexpr bool kTakesGemmOf = std::is_invocable_v<Function&, const Gemm<T>&, Stream>;

/// \brief Starts one GEMM on a machine's memory; a GPU may return before it is done. It wraps a
///        function or lambda that takes a `const Gemm<float>&` or a `const Gemm<bfloat16>&`, and
///        the stream.
class Run {
 public:
  Run() = default;

  template <class Start>
  requires(kTakesGemmOf<Start, float> != kTakesGemmOf<Start, bfloat16>) Run(Start start)
      : start_(std::move(start)) {}

  /// \throws std::invalid_argument  the function takes matrices of the other type
  void operator()(const Gemm<float>& gemm, Stream stream) const { start(gemm, stream); }
  void operator()(const Gemm<bfloat16>& gemm, Stream stream) const { start(gemm, stream); }

  /// False if it was constructed from nothing, or from a null pointer.
  explicit operator bool() const {
    return std::visit([](const auto& start) { return start != nullptr; }, start_);
  }
  /// The format of the matrices that it takes.
  Format stored() const { return start_.index() == 0 ? Format::fp32 : Format::bf16; }

 private:
  template <class T>
  using Function = std::function<void(const Gemm<T>&, Stream)>;

  template <class T>
  void start(const Gemm<T>& gemm, Stream stream) const {
    const auto* function = std::get_if<Function<T>>(&start_);
    if (function == nullptr) {
      throw std::invalid_argument(std::string("matrices of ") + std::string(name_of(kFormatOf<T>)) +
                                  " were given to a GEMM of " + std::string(name_of(stored())) +
                                  " matrices");
    }
    (*function)(gemm, stream);
  }

  std::variant<Function<float>, Function<bfloat16>> start_;
};

/// A GEMM of either type.
using AnyGemm = std::variant<Gemm<float>, Gemm<bfloat16>>;

/// Gives the matrices of one launch; the argument counts the launches before it.
using GemmOf = std::function<AnyGemm(int counter)>;

/// \brief Thrown by a rung that cannot take a shape; the message names rung, dimension and rule.
class ShapeRefused : public std::invalid_argument {
 public:
  /// A rule in the rung's own words.
  explicit ShapeRefused(const std::string& reason)
      : std::invalid_argument(reason), reason_(reason) {}

  /// An extent that is no multiple; see require_multiple().
  ShapeRefused(const std::string& rung, char dimension, int extent, int multiple,
               const std::string& reason)
      : std::invalid_argument(rung + " refuses " + dimension + " = " + std::to_string(extent) +
                              ": " + dimension + " must be a multiple of " +
                              std::to_string(multiple) + " (" + reason + ")"),
        rung_(rung),
        dimension_(dimension),
        extent_(extent),
        multiple_(multiple),
        reason_(reason) {}

  const std::string& rung() const noexcept { return rung_; }
  char dimension() const noexcept { return dimension_; }
  int extent() const noexcept { return extent_; }
  int multiple() const noexcept { return multiple_; }  ///< 0: a rule in the rung's own words
  const std::string& reason() const noexcept { return reason_; }

 private:
  std::string rung_;
  char dimension_ = ' ';
  int extent_ = 0;
  int multiple_ = 0;
  std::string reason_;
};

/// Smallest number of tiles of `tile` elements that cover `extent` elements; both >= 1.
constexpr int ceil_div(int extent, int tile) {
  return (extent - 1) / tile + 1;
}

/// \brief  Refuses an extent that is not a multiple, e.g. because rows are read as float4.
/// \param  rung       "05 vector_access"
/// \param  dimension  'N' or 'K'
/// \param  reason     completes the sentence "... must be a multiple of 4: REASON"
/// \throws ShapeRefused
inline void require_multiple(const std::string& rung, char dimension, int extent, int multiple,
                             const std::string& reason) {
  if (extent % multiple == 0) return;
  throw ShapeRefused(rung, dimension, extent, multiple, reason);
}

/// \brief  Cuts a tall problem into bands of rows, each a GEMM of its own. Only giants need more
///         than one band: a grid holds at most 65,535 blocks along y.
/// \param  BM  rows of one block tile
template <class T>
std::vector<Gemm<T>> row_bands(const Gemm<T>& gemm, int BM) {
  constexpr std::int64_t kMaxGridY = 65535;
  const std::int64_t band_rows = kMaxGridY * BM;
  std::vector<Gemm<T>> bands;
  for (std::int64_t row0 = 0; row0 < gemm.M; row0 += band_rows) {
    Gemm<T> band = gemm;
    band.M = static_cast<int>(gemm.M - row0 < band_rows ? gemm.M - row0 : band_rows);
    band.A += row0 * gemm.K;
    band.C += row0 * gemm.N;
    bands.push_back(band);
  }
  return bands;
}

}  // namespace ladder
