// SPDX-License-Identifier: MIT
#include "common/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ladder {
namespace {

std::size_t area(int rows, int cols) {
  return static_cast<std::size_t>(rows) * cols;
}

double matrix_bytes(const Shape& shape, Format stored) {
  const auto [M, N, K] = shape;
  return bytes_of(stored) * (1.0 * M * K + 1.0 * K * N + 1.0 * M * N);
}

/// Factors for which a result says nothing about the kernel that computed it.
void require_judgeable(float alpha, float beta, int K) {
  for (const auto& [name, factor] : {std::pair("alpha", alpha), std::pair("beta", beta)}) {
    if (std::isfinite(factor)) continue;
    throw BadRequest({RefusalKind::kFactorNotFinite, {{"factor", name}, {"value", factor}}});
  }
  // Sums of parts of K too must stay finite, in whatever order they are added.
  const double largest_sum = K * kLargestNormal * kLargestNormal;
  constexpr double kMost = std::numeric_limits<float>::max();
  if (std::fabs(alpha) * largest_sum + std::fabs(beta) * kLargestNormal < kMost) return;
  const bool because_of_alpha = std::fabs(alpha) * largest_sum >= kMost / 2;
  throw BadRequest({RefusalKind::kFactorTooLarge,
                    {{"factor", because_of_alpha ? "alpha" : "beta"},
                     {"value", because_of_alpha ? alpha : beta},
                     {"k", K},
                     {"limit", kMost / 2 / (because_of_alpha ? largest_sum : kLargestNormal)}}});
}

/// Numbers of A (0), B (1) and C (2).
Numbers numbers_of(Inputs inputs, const Precision& precision, std::uint64_t seed,
                   std::uint64_t array) {
  if (inputs == Inputs::normal) return Numbers::normal;
  return precision == kFp32 && array == seed % 2 ? Numbers::wide_integers : Numbers::small_integers;
}

}  // namespace

double verification_bytes(const Shape& shape, Format stored) {
  const auto [M, N, K] = shape;
  const double fp64_inputs = sizeof(double) * (1.0 * M * K + 1.0 * K * N);
  const double fp64_results = 2.0 * sizeof(double) * M * N;
  const double vendor_result = 1.0 * bytes_of(stored) * M * N;
  return matrix_bytes(shape, stored) + fp64_inputs + fp64_results + vendor_result;
}

void require_memory(const Machine& machine, const Shape& shape, Format stored, double bytes) {
  const double free = static_cast<double>(machine.free_bytes());
  if (bytes <= free) return;
  throw MachineError({RefusalKind::kOutOfMemory,
                      {{"m", shape.M},
                       {"n", shape.N},
                       {"k", shape.K},
                       {"matrix_bytes", matrix_bytes(shape, stored)},
                       {"bytes", bytes},
                       {"machine", machine.name()},
                       {"free_bytes", free}}});
}

/// A verifier's work, for matrices of any type.
class Verifier::Judge {
 public:
  virtual ~Judge() = default;
  virtual Verdict verify(const Run& run, float alpha, float beta, BlockTile tile,
                         const Run& vendor) = 0;
};

/// \tparam T  element type of A, B and C
template <class T>
class Verifier::JudgeOf final : public Judge {
 public:
  JudgeOf(Machine& machine, const Shape& shape, std::uint64_t seed, const Precision& precision,
          Inputs inputs)
      : machine_(machine),
        shape_(shape),
        precision_(precision),
        inputs_(inputs),
        random_a_{seed, 0, numbers_of(inputs, precision, seed, 0)},
        random_b_{seed, 1, numbers_of(inputs, precision, seed, 1)},
        random_c_{seed, 2, numbers_of(inputs, precision, seed, 2)},
        a_(machine, area(shape.M, shape.K)),
        b_(machine, area(shape.K, shape.N)),
        c_(machine, area(shape.M, shape.N)),
        product_(machine, area(shape.M, shape.N)),
        scale_(machine, area(shape.M, shape.N)) {
    machine.fill_random(a_.data(), a_.size(), random_a_);
    machine.fill_random(b_.data(), b_.size(), random_b_);
    machine.compute_reference(shape, a_.data(), b_.data(), product_.data(), scale_.data());
  }

  Verdict verify(const Run& run, float alpha, float beta, BlockTile tile,
                 const Run& vendor) override;

 private:
  void fill_c(const MachineArray<T>& c, float beta);
  std::vector<float> host_floats(const MachineArray<T>& array);
  Wrong explain(const Comparison& comparison, const Expectation& expected, BlockTile tile);
  /// Restores inputs and guard bands; adds what was damaged.
  void repair(std::vector<Wrong>& found);
  void repair(const MachineArray<T>& array, const char* name, RandomArray* random,
              std::vector<Wrong>& found);

  Machine& machine_;
  Shape shape_;
  Precision precision_;
  Inputs inputs_;
  RandomArray random_a_, random_b_, random_c_;
  MachineArray<T> a_, b_, c_;
  MachineArray<double> product_, scale_;
  bool unfinished_ = false;  ///< a run began and was not judged
};

Verifier::Verifier(Machine& machine, const Shape& shape, std::uint64_t seed,
                   const Precision& precision, Inputs inputs) {
  require_memory(machine, shape, precision.stored, verification_bytes(shape, precision.stored));
  judge_ = with_element_of(precision.stored, [&]<class T>(T) -> std::unique_ptr<Judge> {
    return std::make_unique<JudgeOf<T>>(machine, shape, seed, precision, inputs);
  });
}

Verifier::~Verifier() = default;

Verdict Verifier::verify(const Run& run, float alpha, float beta, BlockTile tile,
                         const Run& vendor) {
  return judge_->verify(run, alpha, beta, tile, vendor);
}

template <class T>
void Verifier::JudgeOf<T>::fill_c(const MachineArray<T>& c, float beta) {
  if (beta == 0.0f) {
    machine_.fill_unwritten(c.data(), c.bytes());  // NaN: whoever reads it spoils the result
  } else {
    machine_.fill_random(c.data(), c.size(), random_c_);
  }
}

template <class T>
Verdict Verifier::JudgeOf<T>::verify(const Run& run, float alpha, float beta, BlockTile tile,
                                     const Run& vendor) {
  const auto [M, N, K] = shape_;
  require_judgeable(alpha, beta, K);
  Gemm<T> gemm{.M = M,
               .N = N,
               .K = K,
               .alpha = alpha,
               .A = a_.data(),
               .B = b_.data(),
               .beta = beta,
               .C = c_.data()};
  if (unfinished_) {  // the run before threw an exception
    std::vector<Wrong> not_of_this_run;
    repair(not_of_this_run);
  }
  unfinished_ = true;
  fill_c(c_, beta);
  run(gemm, nullptr);
  machine_.synchronize();

  const Expectation expected{.shape = shape_,
                             .alpha = alpha,
                             .beta = beta,
                             .reference = {.product = product_.data(), .scale = scale_.data()},
                             .initial_c = random_c_,
                             .bound = inputs_ == Inputs::integers
                                          ? ErrorBound::exact(precision_)
                                          : ErrorBound::of(K, alpha, precision_)};
  const Comparison comparison = machine_.compare(c_.data(), expected);
  Verdict verdict;
  verdict.error_over_bound = comparison.error_over_bound;
  if (vendor) {
    const MachineArray<T> vendor_c(machine_, c_.size());
    fill_c(vendor_c, beta);
    gemm.C = vendor_c.data();
    vendor(gemm, nullptr);
    machine_.synchronize();
    verdict.difference_to_cublas =
        machine_.relative_difference(c_.data(), vendor_c.data(), c_.size());
  }
  if (comparison.wrong_elements > 0) verdict.wrong = {explain(comparison, expected, tile)};
  repair(verdict.wrong);
  verdict.right = verdict.wrong.empty();
  unfinished_ = false;
  return verdict;
}

template <class T>
std::vector<float> Verifier::JudgeOf<T>::host_floats(const MachineArray<T>& array) {
  std::vector<T> host(array.size());
  machine_.copy_to_host(host.data(), array.data(), array.bytes());
  return {host.begin(), host.end()};
}

template <class T>
Wrong Verifier::JudgeOf<T>::explain(const Comparison& comparison, const Expectation& expected,
                                    BlockTile tile) {
  const std::size_t count = c_.size();
  WrongResult result{.shape = shape_,
                     .tile = tile,
                     .initial_was_nan = expected.beta == 0.0f,
                     .tolerance = std::max(1e-4, 8 * coarsest_roundoff(precision_)),
                     .got = host_floats(c_),
                     .initial = {},
                     .expected = std::vector<double>(count),
                     .wrong = std::vector<std::uint8_t>(count)};
  std::vector<double> scale(count);
  machine_.copy_to_host(result.expected.data(), product_.data(), product_.bytes());
  machine_.copy_to_host(scale.data(), scale_.data(), scale_.bytes());
  fill_c(c_, expected.beta);
  result.initial = host_floats(c_);
  for (std::size_t i = 0; i < count; ++i) {
    const double alpha_ab = expected.alpha * result.expected[i];
    const double beta_c =
        expected.beta == 0.0f ? 0.0 : expected.beta * static_cast<double>(result.initial[i]);
    result.expected[i] = alpha_ab + beta_c;
    const double error = std::fabs(result.got[i] - result.expected[i]);
    result.wrong[i] = error <= expected.bound(scale[i], alpha_ab, beta_c) ? 0 : 1;
  }

  Wrong wrong = pattern_of(result);
  wrong.wrong_elements = comparison.wrong_elements;
  wrong.elements = static_cast<std::int64_t>(count);
  const std::int64_t first = comparison.first_wrong;
  WrongElement& element = wrong.first.emplace();
  element.row = static_cast<int>(first / shape_.N);
  element.column = static_cast<int>(first % shape_.N);
  element.got = result.got[first];
  element.expected = result.expected[first];
  if (tile.BM != 0) element.block_tile = {element.column / tile.BN, element.row / tile.BM};
  return wrong;
}

template <class T>
void Verifier::JudgeOf<T>::repair(std::vector<Wrong>& found) {
  repair(a_, "A", &random_a_, found);
  repair(b_, "B", &random_b_, found);
  repair(c_, "C", nullptr, found);
}

template <class T>
void Verifier::JudgeOf<T>::repair(const MachineArray<T>& array, const char* name,
                                  RandomArray* random, std::vector<Wrong>& found) {
  if (!array.guards_intact()) {
    found.push_back({.kind = WrongKind::kOutsideWritten, .fields = {{"array", name}}});
    constexpr std::size_t kGuardBytes = MachineArray<T>::kGuardBytes;
    machine_.fill_unwritten(array.data() - kGuardBytes / sizeof(T), kGuardBytes);
    machine_.fill_unwritten(array.data() + array.size(), kGuardBytes);
  }
  if (random == nullptr) return;
  const std::int64_t changed = machine_.changed_elements(array.data(), array.size(), *random);
  if (changed > 0) {
    found.push_back(
        {.kind = WrongKind::kInputChanged, .fields = {{"array", name}, {"changed", changed}}});
    machine_.fill_random(array.data(), array.size(), *random);
  }
}

}  // namespace ladder
