// SPDX-License-Identifier: MIT
#include "common/workspace.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "common/check.hpp"

namespace ladder {

void* workspace(Stream stream, std::size_t bytes) {
  struct Memory {
    void* start = nullptr;
    std::size_t bytes = 0;
  };
  constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
  static std::mutex mutex;
  static std::map<Stream, Memory> of_stream;
  const std::lock_guard lock(mutex);
  Memory& memory = of_stream[stream];
  if (memory.bytes < bytes || memory.start == nullptr) {
    // What is too small now stays: recorded graphs may use it.
    const std::size_t fresh_bytes = std::max(bytes, kLeastBytes);
    void* fresh = nullptr;
    check(cudaMalloc(&fresh, fresh_bytes));
    check(cudaMemset(fresh, 0, fresh_bytes));
    check(cudaStreamSynchronize(nullptr));  // `stream` need not wait for the default one
    memory = {fresh, fresh_bytes};
  }
  return memory.start;
}

void read_workspace(Stream stream, std::size_t offset, void* to, std::size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(workspace(stream, offset + bytes));
  check(cudaMemcpyAsync(to, from + offset, bytes, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace ladder
