// SPDX-License-Identifier: MIT
/// \file  tests/gallery/run_on_gpu.cu
/// \brief `gallery_gpu NAME`: runs one kernel of the gallery on a GPU, to be watched by
///        compute-sanitizer. `--list` prints the names.
///
/// Ends with 0 if CUDA reported no error, with 1 if it did, with 2 if there is no such kernel.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "common/check.hpp"
#include "tests/gallery/gallery.hpp"

namespace ladder::gallery {
namespace {

/// Numbers in an allocation of their own, so that a sanitizer knows where they end.
class DeviceNumbers {
 public:
  explicit DeviceNumbers(std::size_t count) { check(cudaMalloc(&data_, count * sizeof(float))); }
  explicit DeviceNumbers(const std::vector<float>& values) : DeviceNumbers(values.size()) {
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~DeviceNumbers() { cudaFree(data_); }
  DeviceNumbers(const DeviceNumbers&) = delete;
  DeviceNumbers& operator=(const DeviceNumbers&) = delete;

  float* data() const { return data_; }

 private:
  float* data_ = nullptr;
};

/// One line per kernel: name, what the launch comes to, and the fault if it has one.
void list() {
  for (const Broken& broken : broken_kernels()) {
    const bool hangs = group_of(broken.kind) == emulator::FaultGroup::kHang;
    std::printf("%s\t%s\t%s\n", broken.name, hangs ? "hangs" : "ends", broken.fault);
  }
  for (const Sound& sound : sound_kernels())
    std::printf("%s\tends\t\n", sound.name);
}

/// \return null  there is no such kernel
Launcher launcher_of(const std::string& name) {
  for (const Broken& broken : broken_kernels())
    if (name == broken.name) return broken.run;
  for (const Sound& sound : sound_kernels())
    if (name == sound.name) return sound.run;
  return nullptr;
}

bool print(const char* call, cudaError_t status) {
  std::printf("%s: %s (%s)\n", call, cudaGetErrorName(status), cudaGetErrorString(status));
  return status == cudaSuccess;
}

/// \return whether CUDA reported no error
bool run(Launcher launcher) {
  const DeviceNumbers A(values_of_a());
  const DeviceNumbers B(values_of_b());
  const DeviceNumbers C(static_cast<std::size_t>(kM) * kN);
  launcher({.A = A.data(), .B = B.data(), .C = C.data()});
  const bool launched = print("cudaGetLastError", cudaGetLastError());
  const bool ended = print("cudaDeviceSynchronize", cudaDeviceSynchronize());
  return launched && ended;
}

}  // namespace
}  // namespace ladder::gallery

int main(int count, char** arguments) {
  const std::string argument = count == 2 ? arguments[1] : "";
  if (argument == "--list") {
    ladder::gallery::list();
    return 0;
  }
  const ladder::gallery::Launcher launcher = ladder::gallery::launcher_of(argument);
  if (launcher == nullptr) {
    std::fprintf(stderr, "usage: gallery_gpu NAME; gallery_gpu --list prints the names\n");
    return 2;
  }
  try {
    return ladder::gallery::run(launcher) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gallery_gpu: %s\n", error.what());
    return 1;
  }
}
