// SPDX-License-Identifier: MIT
/// \file  common/cublaslt_gemm.hpp
/// \brief The strictest rival: the quickest of all algorithms that cublasLt proposes for a shape.
#pragma once

#include <memory>
#include <string>

#include "common/gemm.hpp"
#include "common/timing.hpp"

namespace ladder {

/// \brief FP32 GEMM (no TF32) by cublasLt, with the algorithm chosen by timing every proposal.
class CublasLtGemm {
 public:
  /// \param  gemm  shape to tune for, with buffers to tune on; C is overwritten
  /// \throws std::runtime_error when cublasLt proposes nothing
  CublasLtGemm(const Gemm<float>& gemm, Stopwatch& stopwatch);
  ~CublasLtGemm();
  CublasLtGemm(const CublasLtGemm&) = delete;
  CublasLtGemm& operator=(const CublasLtGemm&) = delete;

  /// Starts one GEMM of the tuned shape.
  void run(const Gemm<float>& gemm, Stream stream) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ladder
