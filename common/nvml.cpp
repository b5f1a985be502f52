// SPDX-License-Identifier: MIT
/// \file  common/nvml.cpp
#include "common/nvml.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace ladder {

template <class Function>
Function* Nvml::find(const char* name) const {
  return reinterpret_cast<Function*>(dlsym(library_, name));
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  const auto init = find<int()>("nvmlInit_v2");
  const auto by_bus = find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  clock_ = find<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
  power_ = find<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
  energy_ = find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  clock_reasons_ =
      find<int(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  char bus[32] = {};
  int device = 0;
  if (init == nullptr || by_bus == nullptr || init() != 0 ||
      cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess || by_bus(bus, &device_) != 0) {
    device_ = nullptr;
  }
}

Nvml::~Nvml() {
  if (library_ != nullptr) dlclose(library_);
}

void Nvml::log(ClockLog& log) const {
  constexpr int kSmClock = 1;  // NVML_CLOCK_SM
  unsigned value = 0;
  if (device_ == nullptr) return;
  if (clock_ != nullptr && clock_(device_, kSmClock, &value) == 0) log.sm_mhz.push_back(value);
  if (power_ != nullptr && power_(device_, &value) == 0) log.power_w.push_back(value / 1000.0);
}

std::optional<double> Nvml::joules() const {
  unsigned long long millijoules = 0;
  if (device_ == nullptr || energy_ == nullptr || energy_(device_, &millijoules) != 0) return {};
  return static_cast<double>(millijoules) / 1000.0;
}

std::optional<bool> Nvml::power_capped() const {
  constexpr unsigned long long kPowerCap = 0x4;  // nvmlClocksThrottleReasonSwPowerCap
  unsigned long long reasons = 0;
  if (device_ == nullptr || clock_reasons_ == nullptr || clock_reasons_(device_, &reasons) != 0) {
    return {};
  }
  return (reasons & kPowerCap) != 0;
}

}  // namespace ladder
