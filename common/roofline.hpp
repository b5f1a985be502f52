// SPDX-License-Identifier: MIT
/// \file  common/roofline.hpp
/// \brief The two ceilings of a GEMM: arithmetic and memory.
#pragma once

#include <algorithm>

#include "common/gemm.hpp"

namespace ladder {

/// Peak rates of a GPU, from what its driver reports.
struct Roof {
  double fp32_tflops;  ///< SMs * FP32 lanes * 2 * highest clock
  double dram_gbps;    ///< memory clock * 2 * bus width
};

/// \return bytes that any FP32 GEMM must move: A and B read once, C written once (and read once
///         when beta != 0)
constexpr double compulsory_bytes(const Shape& shape, float beta) {
  const auto [M, N, K] = shape;
  return sizeof(float) * (1.0 * M * K + 1.0 * K * N + (beta == 0.0f ? 1.0 : 2.0) * M * N);
}

/// \return TFLOP/s that the roofline allows for this shape
constexpr double attainable_tflops(const Roof& roof, const Shape& shape, float beta) {
  const double flop_per_byte = flops(shape) / compulsory_bytes(shape, beta);
  return std::min(roof.fp32_tflops, flop_per_byte * roof.dram_gbps * 1e-3);
}

}  // namespace ladder
