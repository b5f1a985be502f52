// SPDX-License-Identifier: MIT
#include "common/verify.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ladder {
namespace {

std::size_t area(int rows, int cols) {
  return static_cast<std::size_t>(rows) * cols;
}

/// "3.2 GiB"
std::string readable_bytes(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < std::size(units)) {
    bytes /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

double matrix_bytes(const Shape& shape) {
  const auto [M, N, K] = shape;
  return sizeof(float) * (1.0 * M * K + 1.0 * K * N + 1.0 * M * N);
}

}  // namespace

double verification_bytes(const Shape& shape) {
  const auto [M, N, K] = shape;
  const double fp64_inputs = sizeof(double) * (1.0 * M * K + 1.0 * K * N);
  const double fp64_results = 2.0 * sizeof(double) * M * N;
  const double vendor_result = 1.0 * sizeof(float) * M * N;
  return matrix_bytes(shape) + fp64_inputs + fp64_results + vendor_result;
}

void require_memory(const Machine& machine, const Shape& shape, double bytes) {
  const double free = static_cast<double>(machine.free_bytes());
  if (bytes <= free) return;
  throw MachineError(
      fmt::format("M = {}, N = {}, K = {} needs {} for A, B and C, {} in all with the FP64 "
                  "reference, and {} has "
                  "{} free: choose a smaller shape",
                  shape.M, shape.N, shape.K, readable_bytes(matrix_bytes(shape)),
                  readable_bytes(bytes), machine.name(), readable_bytes(free)));
}

Verifier::Verifier(Machine& machine, const Shape& shape, std::uint64_t seed)
    : machine_((require_memory(machine, shape, verification_bytes(shape)), machine)),
      shape_(shape),
      random_a_{.seed = seed, .array = 0},
      random_b_{.seed = seed, .array = 1},
      random_c_{.seed = seed, .array = 2},
      a_(machine, area(shape.M, shape.K)),
      b_(machine, area(shape.K, shape.N)),
      c_(machine, area(shape.M, shape.N)),
      product_(machine, area(shape.M, shape.N)),
      scale_(machine, area(shape.M, shape.N)) {
  machine.fill_random(a_.data(), a_.size(), random_a_);
  machine.fill_random(b_.data(), b_.size(), random_b_);
  machine.compute_reference(shape, a_.data(), b_.data(), product_.data(), scale_.data());
}

void Verifier::fill_c(const MachineArray<float>& c, float beta) {
  if (beta == 0.0f) {
    machine_.fill_unwritten(c.data(), c.bytes());  // NaN: whoever reads it spoils the result
  } else {
    machine_.fill_random(c.data(), c.size(), random_c_);
  }
}

Verdict Verifier::verify(const Run& run, float alpha, float beta, BlockTile tile,
                         const Run& vendor) {
  const auto [M, N, K] = shape_;
  Gemm<float> gemm{.M = M,
                   .N = N,
                   .K = K,
                   .alpha = alpha,
                   .A = a_.data(),
                   .B = b_.data(),
                   .beta = beta,
                   .C = c_.data()};
  if (unfinished_) repair();  // the run before threw an exception
  unfinished_ = true;
  fill_c(c_, beta);
  run(gemm, nullptr);
  machine_.synchronize();

  const Expectation expected{.shape = shape_,
                             .alpha = alpha,
                             .beta = beta,
                             .reference = {.product = product_.data(), .scale = scale_.data()},
                             .initial_c = random_c_,
                             .bound = ErrorBound::of(K, alpha)};
  const Comparison comparison = machine_.compare(c_.data(), expected);
  Verdict verdict;
  verdict.error_over_bound = comparison.error_over_bound;
  if (vendor) {
    const MachineArray<float> vendor_c(machine_, c_.size());
    fill_c(vendor_c, beta);
    gemm.C = vendor_c.data();
    vendor(gemm, nullptr);
    machine_.synchronize();
    verdict.difference_to_cublas =
        machine_.relative_difference(c_.data(), vendor_c.data(), c_.size());
  }
  if (comparison.wrong_elements > 0) verdict.complaint = explain(comparison, expected, tile);
  verdict.complaint += repair();
  verdict.right = verdict.complaint.empty();
  unfinished_ = false;
  return verdict;
}

std::string Verifier::explain(const Comparison& comparison, const Expectation& expected,
                              BlockTile tile) {
  const std::size_t count = c_.size();
  WrongResult result{.shape = shape_,
                     .tile = tile,
                     .initial_was_nan = expected.beta == 0.0f,
                     .got = std::vector<float>(count),
                     .initial = std::vector<float>(count),
                     .expected = std::vector<double>(count),
                     .wrong = std::vector<std::uint8_t>(count)};
  std::vector<double> scale(count);
  machine_.copy_to_host(result.got.data(), c_.data(), c_.bytes());
  machine_.copy_to_host(result.expected.data(), product_.data(), product_.bytes());
  machine_.copy_to_host(scale.data(), scale_.data(), scale_.bytes());
  fill_c(c_, expected.beta);
  machine_.copy_to_host(result.initial.data(), c_.data(), c_.bytes());
  for (std::size_t i = 0; i < count; ++i) {
    const double alpha_ab = expected.alpha * result.expected[i];
    const double beta_c =
        expected.beta == 0.0f ? 0.0 : expected.beta * static_cast<double>(result.initial[i]);
    result.expected[i] = alpha_ab + beta_c;
    const double error = std::fabs(result.got[i] - result.expected[i]);
    result.wrong[i] = error <= expected.bound(scale[i], alpha_ab, beta_c) ? 0 : 1;
  }

  const std::int64_t first = comparison.first_wrong;
  const int row = static_cast<int>(first / shape_.N);
  const int col = static_cast<int>(first % shape_.N);
  const std::string block =
      tile.BM == 0 ? "" : fmt::format(" of block tile ({}, {})", col / tile.BN, row / tile.BM);
  return fmt::format(
      "{} of {} elements are wrong. The first is C[{}][{}]{}: got {:.9g}, expected {:.9g}. "
      "Pattern: {}. ",
      comparison.wrong_elements, count, row, col, block, result.got[first], result.expected[first],
      describe_pattern(result));
}

std::string Verifier::repair() {
  return damage(a_, "A", &random_a_) + damage(b_, "B", &random_b_) + damage(c_, "C", nullptr);
}

std::string Verifier::damage(const MachineArray<float>& array, const char* name,
                             RandomArray* random) {
  std::string text;
  if (!array.guards_intact()) {
    text += fmt::format("Memory outside of {} was written. ", name);
    constexpr std::size_t kGuardBytes = MachineArray<float>::kGuardBytes;
    machine_.fill_unwritten(array.data() - kGuardBytes / sizeof(float), kGuardBytes);
    machine_.fill_unwritten(array.data() + array.size(), kGuardBytes);
  }
  if (random == nullptr) return text;
  const std::int64_t changed = machine_.changed_elements(array.data(), array.size(), *random);
  if (changed > 0) {
    text += fmt::format("The input {} was changed in {} elements. ", name, changed);
    machine_.fill_random(array.data(), array.size(), *random);
  }
  return text;
}

}  // namespace ladder
