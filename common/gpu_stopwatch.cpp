// SPDX-License-Identifier: MIT
/// \file  common/gpu_stopwatch.cpp
/// \brief Times a CUDA stream with events; reads clocks and power from NVML.
#include <cuda_runtime_api.h>

#include <chrono>
#include <thread>

#include "common/check.hpp"
#include "common/nvml.hpp"
#include "common/timing.hpp"

namespace ladder {
namespace {

class GpuStopwatch final : public Stopwatch {
 public:
  GpuStopwatch() {
    check(cudaStreamCreate(&stream_));
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
  }
  ~GpuStopwatch() override {
    for (const cudaGraphExec_t graph : graphs_)
      cudaGraphExecDestroy(graph);
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    cudaStreamDestroy(stream_);
  }

  Stream stream() override { return stream_; }

  double time_ms(const std::function<void()>& work) override {
    check(cudaEventRecord(start_, stream_));
    work();
    check(cudaEventRecord(stop_, stream_));
    check(cudaEventSynchronize(stop_));
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, start_, stop_));
    return ms;
  }

  std::function<void()> record_graph(const std::function<void()>& work) override {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    work();
    check(cudaStreamEndCapture(stream_, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphDestroy(graph));
    graphs_.push_back(executable);
    return [this, executable] { check(cudaGraphLaunch(executable, stream_)); };
  }

  void rest_ms(double ms) override {
    check(cudaStreamSynchronize(stream_));
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  }

  void log_clocks(ClockLog& log) override { nvml_.log(log); }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
  std::vector<cudaGraphExec_t> graphs_;
  Nvml nvml_;
};

}  // namespace

std::unique_ptr<Stopwatch> make_gpu_stopwatch() {
  return std::make_unique<GpuStopwatch>();
}

}  // namespace ladder
