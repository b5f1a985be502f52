// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probe_gpu.cu
/// \brief `probe_gpu [NAME...]`: launches all probes on a GPU, or some; for a profiler. `--list`
///        prints the names in the order of the launches.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

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

/// Runs the probes of these names, all if there are none, in the order of the table.
/// \return false  there is no such probe
bool run(const std::vector<std::string>& names) {
  const DeviceBytes data(kDataBytes);
  const DeviceBytes sink(sizeof(unsigned));
  std::size_t launched = 0;
  for (const Probe& probe : probes()) {
    if (!names.empty() && std::ranges::find(names, probe.name) == names.end()) continue;
    probe.run({.data = data.as<unsigned char>(), .sink = sink.as<unsigned>()});
    check(cudaDeviceSynchronize());
    ++launched;
  }
  return launched > 0 && (names.empty() || launched == names.size());
}

}  // namespace
}  // namespace ladder::fidelity

int main(int count, char** arguments) {
  const std::vector<std::string> names(arguments + 1, arguments + count);
  try {
    if (names == std::vector<std::string>{"--list"}) {
      ladder::fidelity::list();
    } else if (!ladder::fidelity::run(names)) {
      std::fprintf(stderr, "usage: probe_gpu [NAME...]; probe_gpu --list prints the names\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "probe_gpu: %s\n", error.what());
    return 1;
  }
}
