// SPDX-License-Identifier: MIT
/// \file  tests/common/made_up_gpu.hpp
/// \brief A GPU for tests that have none: the emulator computes for it.
#pragma once

#include <memory>

#include "common/machine.hpp"

namespace ladder::testing_machine {

/// The emulator under the name of a GPU of another compute capability.
class MadeUpGpu : public Machine {
 public:
  explicit MadeUpGpu(int compute_capability) : compute_capability_(compute_capability) {}

  bool is_gpu() const override { return false; }
  std::string name() const override { return "Made Up 2"; }
  std::size_t free_bytes() const override { return cpu_->free_bytes(); }
  int compute_capability() const override { return compute_capability_; }
  std::size_t l2_bytes() const override { return 0; }
  std::optional<Roof> roof() const override { return {}; }
  std::map<std::string, std::string> versions() const override { return {}; }
  void* allocate(std::size_t bytes) override { return cpu_->allocate(bytes); }
  void release(void* memory) noexcept override { cpu_->release(memory); }
  std::uint16_t unwritten_half() const override { return cpu_->unwritten_half(); }
  void fill_unwritten(void* memory, std::size_t bytes) override {
    cpu_->fill_unwritten(memory, bytes);
  }
  void copy_to_host(void* host, const void* memory, std::size_t bytes) override {
    cpu_->copy_to_host(host, memory, bytes);
  }
  void copy_from_host(void* memory, const void* host, std::size_t bytes) override {
    cpu_->copy_from_host(memory, host, bytes);
  }
  void synchronize() override {}
  void fill_random(Elements array, std::size_t count, RandomArray random) override {
    cpu_->fill_random(array, count, random);
  }
  std::int64_t changed_elements(ConstElements array, std::size_t count,
                                RandomArray random) override {
    return cpu_->changed_elements(array, count, random);
  }
  void compute_reference(const Shape& shape, ConstElements A, ConstElements B, double* product,
                         double* scale) override {
    cpu_->compute_reference(shape, A, B, product, scale);
  }
  Comparison compare(ConstElements C, const Expectation& expected) override {
    return cpu_->compare(C, expected);
  }
  std::unique_ptr<Stopwatch> make_stopwatch() override { return nullptr; }
  Run tuned_vendor_gemm(const Precision&, const GemmOf&, Stopwatch&) override { return {}; }
  double relative_difference(ConstElements C, ConstElements D, std::size_t count) override {
    return cpu_->relative_difference(C, D, count);
  }

 private:
  int compute_capability_;
  std::unique_ptr<Machine> cpu_ = make_cpu_machine();
};

}  // namespace ladder::testing_machine
