// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probe_gpu.cu
/// \brief `probe_gpu [NAME]`: launches all probes on a GPU, or one; for a profiler. `--list` prints
///        the names in the order of the launches.
#include <cstdio>
#include <exception>
#include <string>

#include "common/check.hpp"
#include "tests/fidelity/probes.hpp"

namespace ladder::fidelity {
namespace {

/// Device memory, zeroed.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) {
    check(cudaMalloc(&data_, bytes));
    check(cudaMemset(data_, 0, bytes));
  }
  ~DeviceBytes() { cudaFree(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

void list() {
  std::printf("# compiled by nvcc %d.%d.%d\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__);
  for (const Probe& probe : probes())
    std::printf("%s\n", probe.name.c_str());
}

/// \return false  there is no such probe
bool run(const std::string& name) {
  const DeviceBytes data(kDataBytes);
  const DeviceBytes sink(sizeof(unsigned));
  int launched = 0;
  for (const Probe& probe : probes()) {
    if (!name.empty() && probe.name != name) continue;
    probe.run({.data = data.as<unsigned char>(), .sink = sink.as<unsigned>()});
    check(cudaDeviceSynchronize());
    ++launched;
  }
  return launched > 0;
}

}  // namespace
}  // namespace ladder::fidelity

int main(int count, char** arguments) {
  const std::string argument = count > 1 ? arguments[1] : "";
  try {
    if (argument == "--list") {
      ladder::fidelity::list();
    } else if (count > 2 || !ladder::fidelity::run(argument)) {
      std::fprintf(stderr, "usage: probe_gpu [NAME]; probe_gpu --list prints the names\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "probe_gpu: %s\n", error.what());
    return 1;
  }
}
