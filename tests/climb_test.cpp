// SPDX-License-Identifier: MIT
/// \file  tests/climb_test.cpp
/// \brief A climb on a GPU leaves out the rungs that it cannot run, and says what they need.
#include "ladder/climb.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ladder/ladder.hpp"

namespace ladder {
namespace {

/// The emulator under the name of a GPU of another compute capability.
class OtherGpu final : public Machine {
 public:
  explicit OtherGpu(int compute_capability) : compute_capability_(compute_capability) {}

  bool is_gpu() const override { return false; }
  std::string name() const override { return "Made Up 2"; }
  std::size_t free_bytes() const override { return cpu_->free_bytes(); }
  int compute_capability() const override { return compute_capability_; }
  std::size_t l2_bytes() const override { return 0; }
  std::optional<Roof> roof() const override { return {}; }
  std::map<std::string, std::string> versions() const override { return {}; }
  void* allocate(std::size_t bytes) override { return cpu_->allocate(bytes); }
  void release(void* memory) noexcept override { cpu_->release(memory); }
  std::uint32_t unwritten_word() const override { return cpu_->unwritten_word(); }
  void fill_unwritten(void* memory, std::size_t bytes) override {
    cpu_->fill_unwritten(memory, bytes);
  }
  void copy_to_host(void* host, const void* memory, std::size_t bytes) override {
    cpu_->copy_to_host(host, memory, bytes);
  }
  void synchronize() override {}
  void fill_random(float* array, std::size_t count, RandomArray random) override {
    cpu_->fill_random(array, count, random);
  }
  std::int64_t changed_elements(const float* array, std::size_t count,
                                RandomArray random) override {
    return cpu_->changed_elements(array, count, random);
  }
  void compute_reference(const Shape& shape, const float* A, const float* B, double* product,
                         double* scale) override {
    cpu_->compute_reference(shape, A, B, product, scale);
  }
  Comparison compare(const float* C, const Expectation& expected) override {
    return cpu_->compare(C, expected);
  }
  std::unique_ptr<Stopwatch> make_stopwatch() override { return nullptr; }
  Run tuned_vendor_gemm(const Gemm<float>&, Stopwatch&) override { return {}; }
  double relative_difference(const float* C, const float* D, std::size_t count) override {
    return cpu_->relative_difference(C, D, count);
  }

 private:
  int compute_capability_;
  std::unique_ptr<Machine> cpu_ = make_cpu_machine();
};

/// What a climb notes of a rung on such a GPU; "right" if it ran.
std::string note_of(const char* rung, int compute_capability) {
  OtherGpu machine(compute_capability);
  Problem problem;
  problem.shape = {.M = 16, .N = 16, .K = 16};
  const Climb result = climb(machine, emulated_rungs(), {find_rung(emulated_rungs(), rung)},
                             problem, std::nullopt, [](const std::string&, double) {});
  const Entry& entry = result.entries.at(0);
  if (entry.outcome == Outcome::right) return "right";
  EXPECT_EQ(entry.outcome, Outcome::left_out);
  return entry.note;
}

TEST(ClimbTest, RungsWithoutTheirInstructionsAreLeftOut) {
  EXPECT_EQ(note_of("09", 75), "needs compute capability 8.0, Made Up 2 has 7.5");
  EXPECT_EQ(note_of("10", 89), "needs compute capability 9.0 exactly, Made Up 2 has 8.9");
  EXPECT_EQ(note_of("09", 80), "right");
}

TEST(ClimbTest, NewerGpusRunWhatIsNotForOneArchitectureAlone) {
  EXPECT_EQ(note_of("09", 100), "right");
  EXPECT_EQ(note_of("10", 90), "right");
  EXPECT_EQ(note_of("10", 100), "needs compute capability 9.0 exactly, Made Up 2 has 10.0");
  EXPECT_EQ(note_of("11", 120), "needs compute capability 9.0 exactly, Made Up 2 has 12.0");
}

}  // namespace
}  // namespace ladder
