// SPDX-License-Identifier: MIT
/// \file  common/cpu_machine.cpp
/// \brief The emulator's machine: host memory between unmapped pages, OpenBLAS as the oracle.
#include <cblas.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <thread>
#include <vector>

#include "common/available_memory.hpp"
#include "common/machine.hpp"

namespace ladder {
namespace {

/// A write that jumps over a guard band lands on these and is reported, not lost in the heap.
constexpr std::size_t kUnmappedBytes = std::size_t{1} << 20;

template <class T>
void fill(T* array, std::size_t count, RandomArray random) {
  for (std::size_t i = 0; i < count; ++i)
    array[i] = T(random[i]);
}

template <class T>
std::int64_t count_changed(const T* array, std::size_t count, RandomArray random) {
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < count; ++i)
    changed += array[i] == T(random[i]) ? 0 : 1;
  return changed;
}

std::vector<double> in_fp64(ConstElements array, std::size_t count) {
  return std::visit([&](const auto* from) { return std::vector<double>(from, from + count); },
                    array);
}

template <class T>
Comparison compare_elements(const T* C, const Expectation& expected) {
  Comparison result;
  const std::int64_t count = static_cast<std::int64_t>(expected.shape.M) * expected.shape.N;
  for (std::int64_t i = 0; i < count; ++i) {
    const double alpha_ab = expected.alpha * expected.reference.product[i];
    const double beta_c =
        expected.beta == 0.0f ? 0.0 : expected.beta * static_cast<double>(T(expected.initial_c[i]));
    const double bound = expected.bound(expected.reference.scale[i], alpha_ab, beta_c);
    const double error = std::fabs(C[i] - (alpha_ab + beta_c));
    if (error <= bound) {
      result.error_over_bound = std::max(result.error_over_bound, error / bound);
      continue;
    }
    if (result.first_wrong < 0) result.first_wrong = i;
    ++result.wrong_elements;
    const double ratio =
        std::isfinite(error) ? error / bound : std::numeric_limits<double>::infinity();
    result.error_over_bound = std::max(result.error_over_bound, ratio);
  }
  return result;
}

class CpuMachine final : public Machine {
 public:
  bool is_gpu() const override { return false; }

  std::string name() const override {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    return fmt::format("CPU emulator ({} core{})", cores, cores == 1 ? "" : "s");
  }

  std::size_t free_bytes() const override { return available_memory_bytes(); }

  int compute_capability() const override { return kEveryComputeCapability; }
  std::size_t l2_bytes() const override { return 0; }
  std::optional<Roof> roof() const override { return std::nullopt; }
  std::map<std::string, std::string> versions() const override {
    return {{"compiler", "g++ " __VERSION__}, {"oracle", openblas_get_config()}};
  }
  std::unique_ptr<Stopwatch> make_stopwatch() override { return nullptr; }
  Run tuned_vendor_gemm(const Precision&, const GemmOf&, Stopwatch&) override {
    throw std::logic_error("the emulator's machine has no clock to tune with");
  }

  void* allocate(std::size_t bytes) override {
    const std::size_t page = sysconf(_SC_PAGESIZE);
    const std::size_t mapped = (bytes + page - 1) / page * page;
    const std::size_t all = mapped + 2 * kUnmappedBytes;
    void* region = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) {
      throw MachineError(fmt::format("out of memory: {} bytes asked for", bytes));
    }
    char* first = static_cast<char*>(region) + kUnmappedBytes;
    if (mprotect(first, mapped, PROT_READ | PROT_WRITE) != 0) {
      munmap(region, all);
      throw MachineError(fmt::format("out of memory: {} bytes asked for", bytes));
    }
    regions_[first] = {region, all};
    return first;
  }

  void release(void* memory) noexcept override {
    const auto found = regions_.find(memory);
    if (found == regions_.end()) return;
    munmap(found->second.start, found->second.bytes);
    regions_.erase(found);
  }

  std::uint16_t unwritten_half() const override {
    // x86 hands the bits of a NaN on from operand to result, but makes a signalling one quiet.
    return 0x7fa0;
  }
  void fill_unwritten(void* memory, std::size_t bytes) override {
    auto* const halves = static_cast<std::uint16_t*>(memory);
    std::fill(halves, halves + bytes / sizeof(std::uint16_t), unwritten_half());
  }
  void copy_to_host(void* host, const void* memory, std::size_t bytes) override {
    std::memcpy(host, memory, bytes);
  }
  void copy_from_host(void* memory, const void* host, std::size_t bytes) override {
    std::memcpy(memory, host, bytes);
  }
  void synchronize() override {}  // the emulator has finished a grid when its launch returns

  void fill_random(Elements array, std::size_t count, RandomArray random) override {
    std::visit([&](auto* elements) { fill(elements, count, random); }, array);
  }

  std::int64_t changed_elements(ConstElements array, std::size_t count,
                                RandomArray random) override {
    return std::visit([&](const auto* elements) { return count_changed(elements, count, random); },
                      array);
  }

  void compute_reference(const Shape& shape, ConstElements A, ConstElements B, double* product,
                         double* scale) override {
    const int M = shape.M;
    const int N = shape.N;
    const int K = shape.K;
    std::vector<double> a = in_fp64(A, static_cast<std::size_t>(M) * K);
    std::vector<double> b = in_fp64(B, static_cast<std::size_t>(K) * N);
    const auto multiply = [&](double* c) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1.0, a.data(), K, b.data(), N,
                  0.0, c, N);
    };
    multiply(product);
    for (double& x : a)
      x *= x;
    for (double& x : b)
      x *= x;
    multiply(scale);
    const std::size_t count = static_cast<std::size_t>(M) * N;
    for (std::size_t i = 0; i < count; ++i)
      scale[i] = std::sqrt(scale[i]);
  }

  Comparison compare(ConstElements C, const Expectation& expected) override {
    return std::visit([&](const auto* elements) { return compare_elements(elements, expected); },
                      C);
  }

  double relative_difference(ConstElements C, ConstElements D, std::size_t count) override {
    const std::vector<double> c = in_fp64(C, count);
    const std::vector<double> d = in_fp64(D, count);
    double difference = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double distance = c[i] - d[i];
      difference += distance * distance;
      size += d[i] * d[i];
    }
    return difference == 0.0 ? 0.0 : std::sqrt(difference / size);
  }

 private:
  struct Region {
    void* start;
    std::size_t bytes;
  };
  std::map<void*, Region> regions_;
};

}  // namespace

std::unique_ptr<Machine> make_cpu_machine() {
  return std::make_unique<CpuMachine>();
}

}  // namespace ladder
