// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/verification.hpp"

#include <cmath>
#include <memory>

namespace ladder::many_gpus {
namespace {

std::size_t area(int rows, int columns) {
  return static_cast<std::size_t>(rows) * columns;
}

/// \brief The whole matrices, on each rank, and what this rank's part of C has to be.
template <class T>
class Whole {
 public:
  Whole(Setting& setting, const Product<T>& product, Numbers numbers)
      : setting_(setting),
        problem_(product.problem()),
        product_(product),
        numbers_(numbers),
        a_(setting.machine, area(problem_.shape.M, problem_.shape.K)),
        b_(setting.machine, area(problem_.shape.K, problem_.shape.N)),
        c_(setting.machine, area(problem_.shape.M, problem_.shape.N)),
        exact_(setting.machine, results()),
        scale_(setting.machine, results()) {
    Machine& machine = setting.machine;
    machine.fill_random(a_.data(), a_.size(), random(0));
    machine.fill_random(b_.data(), b_.size(), random(1));
    compute_reference();
    machine.fill_unwritten(c_.data(), c_.bytes());
    const auto [M, N, K] = problem_.shape;
    setting.rung.run(Gemm<T>{M, N, K, problem_.alpha, a_.data(), b_.data(), 0.0f, c_.data()},
                     nullptr);
    machine.synchronize();
  }

  const T* a() const { return a_.data(); }
  const T* b() const { return b_.data(); }

  Comparison compare() {
    if (results() == 0) return {};
    const Expectation expected = {.shape = product_.cut().result(),
                                  .alpha = problem_.alpha,
                                  .beta = problem_.beta,
                                  .reference = {.product = exact_.data(), .scale = scale_.data()},
                                  .initial_c = product_.initial_c(numbers_),
                                  .bound = bound()};
    return setting_.machine.compare(static_cast<const T*>(product_.c()), expected);
  }

  /// Whether this rank's part has the bits of the one GPU's product.
  bool is_same() {
    const Cut& cut = product_.cut();
    const Shape result = cut.result();
    if (results() == 0) return true;
    const int N = cut.whole.N;
    const T* const first = cut.form == Form::gather ? c_.data() + cut.slice_begin(cut.rank)
                                                    : c_.data() + area(cut.rank * cut.rows(), N);
    const MachineArray<T> mine(setting_.machine, results());
    setting_.links.copy_rows(mine.data(), sizeof(T) * result.N, first, sizeof(T) * N,
                             sizeof(T) * result.N, result.M);
    return setting_.machine.relative_difference(static_cast<const T*>(product_.c()),
                                                static_cast<const T*>(mine.data()),
                                                results()) == 0.0;
  }

 private:
  std::size_t results() const { return area(product_.cut().result().M, product_.cut().result().N); }

  RandomArray random(std::uint64_t array) const { return {problem_.seed, array, numbers_}; }

  /// \brief As of one GPU's product. Where C is scattered, the ranks' sums travel in the format
  ///        that matrices are stored in, and NCCL rounds each addition to it: in BF16, that may
  ///        cost each rank 3 * unit_roundoff * S, which adds up like a random walk.
  ErrorBound bound() const {
    const Precision& precision = setting_.rung.precision;
    ErrorBound allowed = numbers_ == Numbers::normal
                             ? ErrorBound::of(problem_.shape.K, problem_.alpha, precision)
                             : ErrorBound::exact(precision);
    if (product_.cut().form == Form::scatter && precision.stored != precision.accumulated) {
      allowed.per_scale += 3 * std::fabs(problem_.alpha) * unit_roundoff(precision.stored) *
                           std::sqrt(2.0 * product_.cut().ranks);
    }
    return allowed;
  }

  void compute_reference() {
    const Cut& cut = product_.cut();
    if (results() == 0) return;
    Machine& machine = setting_.machine;
    const auto [M, N, K] = cut.result();
    if (cut.form == Form::scatter) {
      const T* const rows = a_.data() + area(cut.rank * cut.rows(), K);
      machine.compute_reference({M, N, K}, rows, static_cast<const T*>(b_.data()), exact_.data(),
                                scale_.data());
      return;
    }
    const MachineArray<T> slice(machine, area(K, N));
    setting_.links.copy_rows(slice.data(), sizeof(T) * N, b_.data() + cut.slice_begin(cut.rank),
                             sizeof(T) * cut.whole.N, sizeof(T) * N, K);
    machine.compute_reference({M, N, K}, static_cast<const T*>(a_.data()),
                              static_cast<const T*>(slice.data()), exact_.data(), scale_.data());
  }

  Setting& setting_;
  Problem problem_;
  const Product<T>& product_;
  Numbers numbers_;
  MachineArray<T> a_, b_, c_;
  MachineArray<double> exact_, scale_;
};

template <class T>
void run_step(Step step, Product<T>& product, const Whole<T>& whole, Numbers numbers) {
  Setting& setting = product.setting();
  product.fill(whole.a(), whole.b(), numbers);
  const Watchdog::Wait wait(setting.ranks.watchdog(),
                            std::string("the product ") + std::string(name_of(step)));
  start(step, product, nullptr);
  setting.machine.synchronize();
  setting.ranks.barrier();
}

}  // namespace

template <class T>
std::vector<StepVerdict> verify(Setting& setting, const Problem& problem, Form form,
                                const std::vector<Step>& steps) {
  std::vector<StepVerdict> verdicts;
  std::unique_ptr<Product<T>> product;
  setting.ranks.together([&] { product = std::make_unique<Product<T>>(setting, problem, form); });
  for (const Step step : steps) {
    StepVerdict verdict;
    verdict.step = step;
    if (step == Step::in_kernel) verdict.why_not = product->why_not_in_kernel();
    verdict.ran = verdict.why_not.empty();
    verdicts.push_back(verdict);
  }
  const Ranks& ranks = setting.ranks;
  for (const Numbers numbers : {Numbers::normal, Numbers::small_integers}) {
    const bool integers = numbers != Numbers::normal;
    // Other factors would round what has to be exact.
    if (integers) product->set_factors(1.0f, problem.beta == 0.0f ? 0.0f : 1.0f);
    Whole<T> whole(setting, *product, numbers);
    for (StepVerdict& verdict : verdicts) {
      if (!verdict.ran) continue;
      run_step(verdict.step, *product, whole, numbers);
      const Comparison found = whole.compare();
      const auto wrong =
          static_cast<std::int64_t>(ranks.sum(static_cast<double>(found.wrong_elements)));
      verdict.outside_written =
          verdict.outside_written || ranks.largest(product->is_c_guarded() ? 0.0 : 1.0) > 0.0;
      if (integers) {
        verdict.wrong_integers = wrong;
      } else {
        verdict.wrong_elements = wrong;
        verdict.error_over_bound = ranks.largest(found.error_over_bound);
        if (problem.beta == 0.0f) {
          verdict.same_bits = ranks.largest(whole.is_same() ? 0.0 : 1.0) == 0.0;
        }
      }
    }
  }
  return verdicts;
}

template std::vector<StepVerdict> verify<float>(Setting&, const Problem&, Form,
                                                const std::vector<Step>&);
template std::vector<StepVerdict> verify<bfloat16>(Setting&, const Problem&, Form,
                                                   const std::vector<Step>&);

}  // namespace ladder::many_gpus
