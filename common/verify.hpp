// SPDX-License-Identifier: MIT
/// \file  common/verify.hpp
/// \brief Is a rung right? The program, the tests, the benchmark and the grader all ask here.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/machine.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder {

/// A shape with its factors and the seed of its inputs.
struct Problem {
  Shape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::uint64_t seed = 1;
};

/// Longest extent in any direction: offsets inside a tile then never overflow an int.
constexpr int kMaxExtent = 1 << 30;

/// \brief Bytes that verifying one problem takes: A, B, C, the vendor's C, and FP64 for the oracle.
double verification_bytes(const Shape& shape, Format stored);

/// \brief  Refuses a problem that does not fit, before anything is allocated.
/// \throws MachineError that says how much memory A, B and C need and how much there is
void require_memory(const Machine& machine, const Shape& shape, Format stored, double bytes);

/// What A, B and C hold.
enum class Inputs {
  normal,    ///< nearly normal numbers, for a bound on rounding errors
  integers,  ///< of few bits: results must be exact, so one product too few or too many shows
};

/// What verification found.
struct Verdict {
  bool right = false;
  double error_over_bound = 0.0;  ///< largest error in units of what is allowed; right results <= 1
  std::optional<double> difference_to_cublas;  ///< relative, Frobenius norm; 0: equal bit by bit
  std::vector<Wrong> wrong;  ///< empty when right; else the wrong elements, and what was damaged
};

/// \brief Verifies results for one shape, seed and precision; computes the FP64 reference once.
class Verifier {
 public:
  /// \throws MachineError when the problem does not fit
  /// \param  inputs  integers: alpha and beta must be small powers of two, and K below some
  ///                 thousands. In FP32, a quarter of A or of B (seeds that are even, odd) has 12
  ///                 bits, which TF32 cannot hold
  Verifier(Machine& machine, const Shape& shape, std::uint64_t seed,
           const Precision& precision = kFp32, Inputs inputs = Inputs::normal);
  ~Verifier();

  /// \brief  Runs the GEMM on fresh inputs and judges C, the guard bands, A and B.
  /// \param  vendor  the vendor's GEMM in the same precision, to print the difference; may be empty
  /// \throws std::invalid_argument  `run` takes matrices of another type than the precision stores;
  ///         alpha or beta is not finite, or so large that the exact result may overflow
  ///         (BadRequest)
  /// \throws whatever `run` throws: ShapeRefused, emulator::KernelError, CUDA's errors
  Verdict verify(const Run& run, float alpha, float beta, BlockTile tile = {},
                 const Run& vendor = {});

 private:
  class Judge;
  template <class T>
  class JudgeOf;

  std::unique_ptr<Judge> judge_;
};

}  // namespace ladder
