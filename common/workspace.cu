// SPDX-License-Identifier: MIT
#include "common/workspace.hpp"

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "common/check.hpp"

namespace ladder {

void* workspace(Stream stream, std::size_t bytes) {
  if (bytes > kMaxWorkspaceBytes) {
    throw std::invalid_argument("workspace: " + std::to_string(bytes) + " bytes asked for, " +
                                std::to_string(kMaxWorkspaceBytes) + " are the most");
  }
  static std::mutex mutex;
  static std::map<Stream, void*> of_stream;
  const std::lock_guard lock(mutex);
  void*& memory = of_stream[stream];
  if (memory == nullptr) {
    void* fresh = nullptr;
    check(cudaMalloc(&fresh, kMaxWorkspaceBytes));
    check(cudaMemset(fresh, 0, kMaxWorkspaceBytes));
    check(cudaStreamSynchronize(nullptr));  // `stream` need not wait for the default one
    memory = fresh;
  }
  return memory;
}

}  // namespace ladder
