// SPDX-License-Identifier: MIT
#include "bench/benchmark/hard_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "common/random.hpp"

namespace ladder::bench {
namespace {

constexpr double kUnit = 0x1p-24;

/// A whole number from 0 to `most`, for a row, a column or an element.
int drawn(int i, int k, int most) {
  const auto bits = static_cast<unsigned>(i) * 2654435761U + static_cast<unsigned>(k) * 40503U;
  return static_cast<int>((bits >> 12) % static_cast<unsigned>(most + 1));
}

float same(int, int, float normal) {
  return normal;
}

constexpr auto kInputs = std::to_array<HardInput>({
    {"normal", "normal numbers", true, same, same},
    {"scaled_rows", "rows of A and columns of B times 2^-60 to 2^60", true,
     [](int i, int, float x) { return std::ldexp(x, drawn(i, 0, 120) - 60); },
     [](int, int j, float x) { return std::ldexp(x, drawn(j, 0, 120) - 60); }},
    {"cancelling", "every product comes once more with the other sign, but for 2^-12 of it", true,
     [](int i, int k, float x) {
       const auto odd = static_cast<float>(drawn(i, k, 1));
       return k % 2 == 0 ? 1.0f + odd : -1.0f - odd + x * 0x1p-12f;
     },
     [](int, int j, float) { return 1.0f + 0.25f * static_cast<float>(drawn(j, 0, 3)); }},
    {"subnormal", "A below the normal numbers of FP32", true,
     [](int, int, float x) { return x * 0x1p-130f; },
     [](int, int, float x) { return x * 0x1p100f; }},
    {"mixed_2_20", "elements of a row of A or column of B differ by up to 2^20", true,
     [](int i, int k, float x) {
       return std::ldexp(std::copysign(1 + std::fabs(x), x), -drawn(i, k, 20));
     },
     [](int k, int j, float x) {
       return std::ldexp(std::copysign(1 + std::fabs(x), x), -drawn(k, j, 20));
     }},
    {"mixed_2_40", "by up to 2^40", false,
     [](int i, int k, float x) { return std::ldexp(x, -drawn(i, k, 40)); },
     [](int k, int j, float x) { return std::ldexp(x, -drawn(k, j, 40)); }},
    {"along_k", "columns of A times 2^-40 to 2^40, rows of B divided by it", false,
     [](int, int k, float x) { return std::ldexp(x, drawn(k, 1, 80) - 40); },
     [](int k, int, float x) { return std::ldexp(x, 40 - drawn(k, 1, 80)); }},
    {"mixed_2_200", "by up to 2^200", false,
     [](int i, int k, float x) { return std::ldexp(x, 60 - drawn(i, k, 200)); },
     [](int k, int j, float x) { return std::ldexp(x, 60 - drawn(k, j, 200)); }},
    {"one_huge", "one element of A is 2^100", false,
     [](int i, int k, float x) { return i == 3 && k == 5 ? 0x1p100f : x; }, same},
    {"zeros", "rows of A and columns of B of zeros, and zeros elsewhere", true,
     [](int i, int k, float x) { return i % 3 == 0 || k % 5 == 0 ? 0.0f : x; },
     [](int, int j, float x) { return j % 4 == 0 ? 0.0f : x; }},
});

std::vector<float> filled(int rows, int columns, float (*element)(int, int, float),
                          RandomArray random) {
  std::vector<float> matrix(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (std::size_t at = 0; at < matrix.size(); ++at) {
    const auto row = static_cast<int>(at / static_cast<std::size_t>(columns));
    const auto column = static_cast<int>(at % static_cast<std::size_t>(columns));
    matrix[at] = element(row, column, random[at]);
  }
  return matrix;
}

/// What an element should be, and what its error is measured in.
struct Exact {
  double product = 0.0;
  double magnitudes = 0.0;  ///< sum of |a*b|
  double largest_a = 0.0;
  double largest_b = 0.0;
};

Exact exact(const Shape& shape, const std::vector<float>& a, const std::vector<float>& b, int row,
            int column) {
  Exact found;
  for (int k = 0; k < shape.K; ++k) {
    const double x = a[static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.K) +
                       static_cast<std::size_t>(k)];
    const double y = b[static_cast<std::size_t>(k) * static_cast<std::size_t>(shape.N) +
                       static_cast<std::size_t>(column)];
    found.product += x * y;
    found.magnitudes += std::fabs(x * y);
    found.largest_a = std::max(found.largest_a, std::fabs(x));
    found.largest_b = std::max(found.largest_b, std::fabs(y));
  }
  return found;
}

std::vector<float> product_of(Machine& machine, const Rung& rung, const Gemm<float>& gemm) {
  rung.run(gemm, nullptr);
  machine.synchronize();
  std::vector<float> c(static_cast<std::size_t>(gemm.M) * static_cast<std::size_t>(gemm.N));
  machine.copy_to_host(c.data(), gemm.C, c.size() * sizeof(float));
  return c;
}

}  // namespace

std::span<const HardInput> hard_inputs() {
  return kInputs;
}

double split_bound(int K, double magnitudes, double largest) {
  constexpr int kChunk = 512;
  constexpr double kOfAChunk = 360.0;
  // Results below the normal range of FP32 may be flushed to zero.
  return kUnit * (kOfAChunk + 2.0 * ceil_div(K, kChunk)) * magnitudes + K * 0x1p-178 * largest +
         0x1p-126;
}

HardOutcome run_hard_input(Machine& machine, const Rung& rung, const Rung& library,
                           const HardInput& input, const Shape& shape) {
  const std::vector<float> a = filled(shape.M, shape.K, input.a, {.seed = 1, .array = 0});
  const std::vector<float> b = filled(shape.K, shape.N, input.b, {.seed = 1, .array = 1});
  const MachineArray<float> at_a(machine, a.size());
  const MachineArray<float> at_b(machine, b.size());
  const MachineArray<float> at_c(
      machine, static_cast<std::size_t>(shape.M) * static_cast<std::size_t>(shape.N));
  machine.copy_from_host(at_a.data(), a.data(), a.size() * sizeof(float));
  machine.copy_from_host(at_b.data(), b.data(), b.size() * sizeof(float));
  const Gemm<float> gemm = {shape.M,     shape.N,     shape.K, 1.0f,
                            at_a.data(), at_b.data(), 0.0f,    at_c.data()};
  const std::vector<float> of_library = product_of(machine, library, gemm);
  const std::vector<float> of_rung = product_of(machine, rung, gemm);
  HardOutcome outcome = {rung.took(nullptr), 0.0, 0.0, 0.0};
  for (std::size_t at = 0; at < of_rung.size(); ++at) {
    const auto columns = static_cast<std::size_t>(shape.N);
    const Exact found =
        exact(shape, a, b, static_cast<int>(at / columns), static_cast<int>(at % columns));
    const auto error_of = [&](float c) {
      return std::isfinite(c) ? std::fabs(c - found.product)
                              : std::numeric_limits<double>::infinity();
    };
    const auto in_units = [&](double error) {
      return error == 0.0 ? 0.0 : error / (kUnit * found.magnitudes);
    };
    const double error = error_of(of_rung[at]);
    const double bound = split_bound(shape.K, found.magnitudes, found.largest_a * found.largest_b);
    outcome.error_over_bound = std::max(outcome.error_over_bound, error / bound);
    outcome.error = std::max(outcome.error, in_units(error));
    outcome.error_of_library =
        std::max(outcome.error_of_library, in_units(error_of(of_library[at])));
  }
  return outcome;
}

}  // namespace ladder::bench
