// SPDX-License-Identifier: MIT
/// \file  common/verify.hpp
/// \brief Is a rung right? One answer for the program, the tests, the benchmark and the grader.
#pragma once

#include <optional>
#include <string>

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
double verification_bytes(const Shape& shape);

/// \brief  Refuses a problem that does not fit, before anything is allocated.
/// \throws MachineError that says how much memory A, B and C need and how much there is
void require_memory(const Machine& machine, const Shape& shape, double bytes);

/// What verification found.
struct Verdict {
  bool right = false;
  double error_over_bound = 0.0;  ///< largest error in units of what is allowed; right results <= 1
  std::optional<double> difference_to_cublas;  ///< relative, Frobenius norm; 0: equal bit by bit
  std::string complaint;  ///< empty when right; else first wrong element, pattern, damage
};

/// \brief Verifies results for one shape and seed; the FP64 reference is made once.
class Verifier {
 public:
  /// \throws MachineError when the problem does not fit
  Verifier(Machine& machine, const Shape& shape, std::uint64_t seed);

  /// \brief  Runs the GEMM on fresh inputs and judges C, the guard bands, A and B.
  /// \param  vendor  the vendor's GEMM in the same precision, to print the difference; may be empty
  /// \throws whatever `run` throws: ShapeRefused, emulator::KernelError, CUDA's errors
  Verdict verify(const Run& run, float alpha, float beta, BlockTile tile = {},
                 const Run& vendor = {});

 private:
  void fill_c(const MachineArray<float>& c, float beta);
  std::string explain(const Comparison& comparison, const Expectation& expected, BlockTile tile);
  /// Restores inputs and guard bands. \return what was damaged, as sentences
  std::string repair();
  std::string damage(const MachineArray<float>& array, const char* name, RandomArray* random);

  Machine& machine_;
  Shape shape_;
  RandomArray random_a_, random_b_, random_c_;
  MachineArray<float> a_, b_, c_;
  MachineArray<double> product_, scale_;
  bool unfinished_ = false;  ///< a run began and was not judged
};

}  // namespace ladder
