// SPDX-License-Identifier: MIT
/// \file  common/gpu_stopwatch.cpp
/// \brief Times a CUDA stream with events; reads clocks and power from NVML.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "common/check.hpp"
#include "common/timing.hpp"

namespace ladder {
namespace {

/// \brief The few NVML calls needed, found at run time: the library comes with the driver, not
///        with the toolkit.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = find<int()>("nvmlInit_v2");
    const auto by_bus = find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    clock_ = find<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    power_ = find<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
    char bus[32] = {};
    if (init == nullptr || by_bus == nullptr || init() != 0 ||
        cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess || by_bus(bus, &device_) != 0) {
      device_ = nullptr;
    }
  }
  ~Nvml() {
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  void log(ClockLog& log) const {
    constexpr int kSmClock = 1;  // NVML_CLOCK_SM
    unsigned value = 0;
    if (device_ == nullptr) return;
    if (clock_ != nullptr && clock_(device_, kSmClock, &value) == 0) log.sm_mhz.push_back(value);
    if (power_ != nullptr && power_(device_, &value) == 0) log.power_w.push_back(value / 1000.0);
  }

 private:
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_;
  void* device_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};

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
