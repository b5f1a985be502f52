// SPDX-License-Identifier: MIT
#include "bench/benchmark/split_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "common/random.hpp"
#include "emulator/run/block/tensor_core.hpp"

namespace ladder::bench {
namespace {

using emulator::TensorFactor;
using emulator::TensorFormat;
using nlohmann::json;

constexpr std::size_t kLines = 16;  // of A, and of B
constexpr std::size_t kSums = kLines * kLines;
constexpr std::size_t kAtOnce = 16;    // products that a wgmma of FP16 adds
constexpr float kScale = 0x1p12f;      // of both factors: normal numbers stay below 2^16
constexpr float kLowFactor = 0x1p11f;  // second parts are stored times it, as in rung 23

/// CUDA's __half is another class of that name in this program's other files.
std::uint32_t bits_of_half(float x) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
}

float half(float x) {
  return static_cast<float>(static_cast<_Float16>(x));
}

using Sums = std::vector<float>;  // (kLines, kLines)

/// A (kLines, K), or B the other way round, and what it is split into.
struct Split {
  std::vector<float> numbers, high, low;  // (K, kLines)
  std::size_t K;
};

Split split(std::size_t K, bool positive, std::uint32_t array) {
  const RandomArray random = {.seed = 1, .array = array};
  Split matrix = {.numbers = {}, .high = {}, .low = {}, .K = K};
  for (std::size_t at = 0; at < K * kLines; ++at) {
    const float x = (positive ? std::fabs(random[at]) : random[at]) * kScale;
    const float high = half(x);
    matrix.numbers.push_back(x);
    matrix.high.push_back(high);
    matrix.low.push_back(half((x - high) * kLowFactor));
  }
  return matrix;
}

/// Lines of a part from k on, times a power of two.
TensorFactor factor(const std::vector<float>& part, std::size_t k, std::size_t depth,
                    float power = 1.0f) {
  TensorFactor lines(TensorFormat::kHalf, kLines, depth);
  for (std::size_t element = 0; element < depth; ++element) {
    for (std::size_t line = 0; line < kLines; ++line)
      lines.set(line, element, bits_of_half(part[(k + element) * kLines + line] * power));
  }
  return lines;
}

void add(const TensorFactor& a, const TensorFactor& b, Sums& sums) {
  std::vector<std::uint32_t> words(kSums);
  std::ranges::transform(sums, words.begin(),
                         [](float x) { return std::bit_cast<std::uint32_t>(x); });
  add_products(a, b, kAtOnce, false, words);
  std::ranges::transform(words, sums.begin(),
                         [](std::uint32_t x) { return std::bit_cast<float>(x); });
}

/// One FFMA after the other, as SGEMM does.
Sums in_fp32(const Split& a, const Split& b) {
  Sums sums(kSums);
  for (std::size_t k = 0; k < a.K; ++k) {
    for (std::size_t at = 0; at < kSums; ++at) {
      sums[at] = std::fma(a.numbers[k * kLines + at / kLines], b.numbers[k * kLines + at % kLines],
                          sums[at]);
    }
  }
  return sums;
}

/// All three products in one sum of the tensor cores, the large one first or last.
Sums in_one_sum(const Split& a, const Split& b, bool large_first) {
  Sums sums(kSums);
  const auto large = [&] { add(factor(a.high, 0, a.K), factor(b.high, 0, b.K), sums); };
  if (large_first) large();
  add(factor(a.low, 0, a.K, 1 / kLowFactor), factor(b.high, 0, b.K), sums);
  add(factor(a.high, 0, a.K), factor(b.low, 0, b.K, 1 / kLowFactor), sums);
  if (!large_first) large();
  return sums;
}

/// Rung 23's way: small products apart from large ones, and both added to totals after each chunk.
Sums in_chunks(const Split& a, const Split& b, std::size_t chunk) {
  Sums totals(kSums);
  for (std::size_t k = 0; k < a.K; k += chunk) {
    const std::size_t depth = std::min(chunk, a.K - k);
    const TensorFactor high_a = factor(a.high, k, depth);
    const TensorFactor high_b = factor(b.high, k, depth);
    Sums small(kSums), large(kSums);
    add(high_a, factor(b.low, k, depth), small);
    add(factor(a.low, k, depth), high_b, small);
    add(high_a, high_b, large);
    for (std::size_t at = 0; at < kSums; ++at) {
      totals[at] = std::fma(small[at], 1 / kLowFactor, totals[at]);
      totals[at] += large[at];
    }
  }
  return totals;
}

/// What the parts alone lose: the same three products, added up in FP64.
std::vector<double> of_parts(const Split& a, const Split& b) {
  std::vector<double> sums(kSums);
  for (std::size_t k = 0; k < a.K; ++k) {
    for (std::size_t at = 0; at < kSums; ++at) {
      const std::size_t i = k * kLines + at / kLines;
      const std::size_t j = k * kLines + at % kLines;
      const double small =
          double{a.low[i]} * double{b.high[j]} + double{a.high[i]} * double{b.low[j]};
      sums[at] += double{a.high[i]} * double{b.high[j]} + small / double{kLowFactor};
    }
  }
  return sums;
}

/// Exact sums, and what errors are measured in.
struct Exact {
  std::vector<double> sums = std::vector<double>(kSums);
  std::vector<double> squares = std::vector<double>(kSums);
  std::vector<double> magnitudes = std::vector<double>(kSums);
};

/// An FP64 sum of FP32 products: its own errors are 2^-29 of those that we look for.
Exact exact(const Split& a, const Split& b) {
  Exact found;
  for (std::size_t k = 0; k < a.K; ++k) {
    for (std::size_t at = 0; at < kSums; ++at) {
      const double product =
          double{a.numbers[k * kLines + at / kLines]} * double{b.numbers[k * kLines + at % kLines]};
      found.sums[at] += product;
      found.squares[at] += product * product;
      found.magnitudes[at] += std::fabs(product);
    }
  }
  return found;
}

double rounded(double x) {
  return std::round(x * 1e4) / 1e4;
}

template <class Numbers>
double error(const Numbers& sums, const Exact& exact) {
  double squares = 0.0;
  for (std::size_t at = 0; at < kSums; ++at) {
    const double off = (double{sums[at]} - exact.sums[at]) * 0x1p24;
    squares += off * off / exact.squares[at];
  }
  return rounded(std::sqrt(squares / kSums));
}

json experiment(std::size_t K, bool positive) {
  const Split a = split(K, positive, 0);
  const Split b = split(K, positive, 1);
  const Exact truth = exact(a, b);
  json errors = {{"fp32", error(in_fp32(a, b), truth)},
                 {"parts", error(of_parts(a, b), truth)},
                 {"large_first", error(in_one_sum(a, b, true), truth)},
                 {"small_first", error(in_one_sum(a, b, false), truth)},
                 {"apart", error(in_chunks(a, b, K), truth)}};
  for (const std::size_t chunk : {128, 256, 512, 1024, 2048, 4096})
    errors[fmt::format("chunk_{}", chunk)] = error(in_chunks(a, b, chunk), truth);
  double ratios = 0.0;
  for (std::size_t at = 0; at < kSums; ++at)
    ratios += truth.magnitudes[at] / std::sqrt(truth.squares[at]);
  return {{"k", K},
          {"positive", positive},
          {"sums", kSums},
          {"error", errors},
          {"sum_over_scale", rounded(ratios / kSums)}};
}

}  // namespace

json split_sums(std::span<const int> lengths) {
  json rows = json::array();
  for (const bool positive : {false, true}) {
    for (const int length : lengths) {
      if (length < 16 || length % 16 != 0) {
        throw std::invalid_argument(fmt::format(
            "K = {}: a sum is made of 16 products at once, so K is a multiple of 16", length));
      }
      rows.push_back(experiment(static_cast<std::size_t>(length), positive));
    }
  }
  return rows;
}

}  // namespace ladder::bench
