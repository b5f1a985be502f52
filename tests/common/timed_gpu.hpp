// SPDX-License-Identifier: MIT
/// \file  tests/common/timed_gpu.hpp
/// \brief A made-up GPU on which everything takes as long as the test says.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "ladder/ladder.hpp"
#include "tests/common/made_up_gpu.hpp"

namespace ladder::testing_machine {

inline double now_ms = 0;  ///< of the stopwatch below

/// What a rung computes, in a time of its own.
inline Run taking(double ms, const Rung& rung) {
  return with_element_of(rung.precision.stored, [&]<class T>(T) -> Run {
    return [run = rung.run, ms](const Gemm<T>& gemm, Stream stream) {
      run(gemm, stream);
      now_ms += ms;
    };
  });
}

class ScriptedStopwatch : public Stopwatch {
 public:
  Stream stream() override { return nullptr; }
  double time_ms(const std::function<void()>& work) override {
    const double start = now_ms;
    work();
    return now_ms - start;
  }
  std::function<void()> record_graph(const std::function<void()>& work) override { return work; }
  void rest_ms(double) override {}
  void log_clocks(ClockLog&) override {}
};

/// The best of cublasLt takes 1 ms on it.
class TimedGpu : public MadeUpGpu {
 public:
  TimedGpu() : MadeUpGpu(90) {}
  bool is_gpu() const override { return true; }
  std::unique_ptr<Stopwatch> make_stopwatch() override {
    return std::make_unique<ScriptedStopwatch>();
  }
  Run tuned_vendor_gemm(const Precision& precision, const GemmOf&, Stopwatch&) override {
    return taking(1, rival_in(precision, emulated_rungs()));
  }
};

}  // namespace ladder::testing_machine
