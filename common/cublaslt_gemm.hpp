// SPDX-License-Identifier: MIT
/// \file  common/cublaslt_gemm.hpp
/// \brief The strictest rival: the fastest of all algorithms that cublasLt proposes for a shape.
#pragma once

#include <memory>
#include <string>

#include "common/gemm.hpp"
#include "common/timing.hpp"

namespace ladder {

/// \brief GEMM of one precision by cublasLt, with the algorithm chosen by timing every proposal
///        that keeps to the precision.
class CublasLtGemm {
 public:
  /// \param  gemm_of  gives buffers of the shape to tune for. Proposals use them in turn, so that
  ///                  L2 is cold, as it is when they are timed later; C is overwritten
  /// \throws std::runtime_error when cublasLt proposes nothing
  CublasLtGemm(const Precision& precision, const GemmOf& gemm_of, Stopwatch& stopwatch);
  ~CublasLtGemm();
  CublasLtGemm(const CublasLtGemm&) = delete;
  CublasLtGemm& operator=(const CublasLtGemm&) = delete;

  /// Starts one GEMM of the tuned shape.
  void run(const AnyGemm& gemm, Stream stream) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ladder
