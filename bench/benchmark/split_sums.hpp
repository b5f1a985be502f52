// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/split_sums.hpp
/// \brief How errors of split products grow with K: the emulator's tensor cores add long sums in
///        several orders.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

namespace ladder::bench {

/// \brief  Errors of kLines * kLines sums of two FP16 parts and three products, with normal numbers
///         and with their magnitudes.
///
/// Sums are those of an H100's tensor cores, bit by bit: see emulator/run/block/tensor_core.hpp.
/// \param  lengths  of K, multiples of 16
/// \return [{"k": ..., "positive": ..., "sums": ..., "error": {"fp32": ...},
///         "sum_over_scale": ...}] with root mean squares of errors, in units of
///         2^-24 * sqrt(sum of (a*b)^2)
/// \throws std::invalid_argument  a length is no multiple of 16, or below it
nlohmann::json split_sums(std::span<const int> lengths);

}  // namespace ladder::bench
