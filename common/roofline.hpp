// SPDX-License-Identifier: MIT
/// \file  common/roofline.hpp
/// \brief The two ceilings of a GEMM: arithmetic and memory.
#pragma once

#include <algorithm>
#include <optional>

#include "common/gemm.hpp"
#include "common/precision.hpp"

namespace ladder {

/// Peak rates of a GPU.
struct Roof {
  double fp32_tflops;  ///< SMs * FP32 units * 2 * highest clock
  double dram_gbps;    ///< memory clock * 2 * bus width
  /// Dense peaks of the tensor cores with FP32 sums; empty: not supported, or not known.
  std::optional<double> tf32_tflops = {};
  std::optional<double> bf16_tflops = {};
};

/// \return the peak rate of the units that form products of this format
constexpr std::optional<double> peak_tflops(const Roof& roof, const Precision& precision) {
  switch (precision.multiplied) {
    case Format::fp32:
      return roof.fp32_tflops;
    case Format::tf32:
      return roof.tf32_tflops;
    case Format::bf16:
      return roof.bf16_tflops;
  }
  return std::nullopt;
}

/// \return bytes that any GEMM must move: A and B read once, C written once (and read once when
///         beta != 0)
constexpr double compulsory_bytes(const Shape& shape, float beta, Format stored) {
  const auto [M, N, K] = shape;
  return bytes_of(stored) * (1.0 * M * K + 1.0 * K * N + (beta == 0.0f ? 1.0 : 2.0) * M * N);
}

/// \return TFLOP/s that the roofline allows for this shape; empty if the roof lacks the peak
constexpr std::optional<double> attainable_tflops(const Roof& roof, const Shape& shape, float beta,
                                                  const Precision& precision) {
  const std::optional<double> peak = peak_tflops(roof, precision);
  if (!peak) return std::nullopt;
  const double flop_per_byte = flops(shape) / compulsory_bytes(shape, beta, precision.stored);
  return std::min(*peak, flop_per_byte * roof.dram_gbps * 1e-3);
}

}  // namespace ladder
