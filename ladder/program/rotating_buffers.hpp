// SPDX-License-Identifier: MIT
/// \file  ladder/program/rotating_buffers.hpp
/// \brief The inputs and outputs of launches that are timed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/machine.hpp"
#include "common/verify.hpp"

namespace ladder {

/// A graph holds a launch for each set, and is recorded and kept for each candidate. With 60 MiB of
/// L2 only problems below 51 x 51 x 51 would need more.
inline constexpr int kMostBufferSets = 4096;

/// \return sets of A, B and C that hold twice the L2 together: at least 2, at most kMostBufferSets
inline int buffer_sets(const Shape& shape, Format stored, std::size_t l2_bytes) {
  const double sets = 2.0 * l2_bytes / compulsory_bytes(shape, 0.0f, stored) + 1.0;
  return static_cast<int>(std::clamp(sets, 2.0, 1.0 * kMostBufferSets));
}

/// \brief  Sets of A, B and C that launches take in turn, so that none finds its inputs in L2.
/// \tparam T  element type of A, B and C
template <class T = float>
class RotatingBuffers {
 public:
  /// Each matrix begins at a multiple of this, as it does in memory that cudaMalloc returns.
  static constexpr std::size_t kAlignment = 256;

  /// \throws MachineError when the sets do not fit
  RotatingBuffers(Machine& machine, const Problem& problem)
      : problem_(problem),
        sets_(sets_that_fit(machine, problem.shape)),
        a_(machine, sets_, problem.shape.M, problem.shape.K, {problem.seed, 0}),
        b_(machine, sets_, problem.shape.K, problem.shape.N, {problem.seed, 1}),
        c_(machine, sets_, problem.shape.M, problem.shape.N, {problem.seed, 2}) {}

  int sets() const { return sets_; }

  Gemm<T> gemm(int counter) const {
    const int set = counter % sets_;
    const auto [M, N, K] = problem_.shape;
    return {.M = M,
            .N = N,
            .K = K,
            .alpha = problem_.alpha,
            .A = a_.of(set),
            .B = b_.of(set),
            .beta = problem_.beta,
            .C = c_.of(set)};
  }

 private:
  /// One matrix of every set, in one allocation: thousands of small ones would take long to make,
  /// and each would have guard bands that are larger than itself.
  class Matrices {
   public:
    Matrices(Machine& machine, int sets, int rows, int cols, RandomArray random)
        : stride_(padded(rows, cols)), memory_(machine, stride_ * sets) {
      machine.fill_random(memory_.data(), memory_.size(), random);
    }

    static std::size_t padded(int rows, int cols) {
      constexpr std::size_t kElements = kAlignment / sizeof(T);
      return (static_cast<std::size_t>(rows) * cols + kElements - 1) / kElements * kElements;
    }
    T* of(int set) const { return memory_.data() + stride_ * set; }

   private:
    std::size_t stride_;
    MachineArray<T> memory_;
  };

  /// \throws MachineError  before anything is allocated
  static int sets_that_fit(const Machine& machine, const Shape& shape) {
    const auto [M, N, K] = shape;
    const int sets = buffer_sets(shape, kFormatOf<T>, machine.l2_bytes());
    const std::size_t elements =
        Matrices::padded(M, K) + Matrices::padded(K, N) + Matrices::padded(M, N);
    require_memory(machine, shape, kFormatOf<T>, 1.0 * sizeof(T) * elements * sets);
    return sets;
  }

  const Problem& problem_;
  int sets_;
  Matrices a_, b_, c_;
};

}  // namespace ladder
