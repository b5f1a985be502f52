// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_memory.cuh
/// \brief Memory of a GPU that the instruments work on.
#pragma once

#include <utility>
#include <vector>

#include "bench/labs/instruments/instruments.hpp"
#include "common/check.hpp"
#include "common/launch.cuh"

namespace ladder::labs {

/// \brief Lets the first GPU access the memory of another one, as long as it lives.
class PeerAccess {
 public:
  /// \throws GpuError  the GPUs cannot access each other
  explicit PeerAccess(int device) : device_(device) {
    check(cudaDeviceEnablePeerAccess(device, 0));
  }
  ~PeerAccess() { cudaDeviceDisablePeerAccess(device_); }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

 private:
  int device_;
};

/// \brief The region that is walked through and swept over. It grows when more is asked for, and
///        then loses what it held.
class GpuRegion {
 public:
  /// \param device  whose memory it lies in; the instruments run on device 0
  explicit GpuRegion(int device = 0) : device_(device) {}
  ~GpuRegion() { release(); }
  GpuRegion(const GpuRegion&) = delete;
  GpuRegion& operator=(const GpuRegion&) = delete;

  /// \return its first byte, a multiple of 2 MiB
  /// \throws LabError  so much is not free
  char* of_bytes(std::uint64_t bytes);
  void release() noexcept;

 private:
  int device_;
  void* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// A short array on the GPU.
template <class T>
class GpuArray {
 public:
  /// All bytes 0.
  explicit GpuArray(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    clear();
  }
  explicit GpuArray(const std::vector<T>& values) : GpuArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~GpuArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  GpuArray(const GpuArray&) = delete;
  GpuArray& operator=(const GpuArray&) = delete;

  T* data() const { return data_; }
  void clear() { check(cudaMemset(data_, 0, count_ * sizeof(T))); }
  std::vector<T> values() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// One block on each SM: a second one has no room beside its 1024 threads and shared memory.
inline LaunchShape one_per_sm(int sms) {
  constexpr unsigned kThreads = 1024;
  constexpr std::size_t kSharedBytes = 120 * 1024;
  return {.grid = dim3(static_cast<unsigned>(sms)),
          .block = dim3(kThreads),
          .dynamic_shared_bytes = kSharedBytes,
          .cooperative = true};
}

}  // namespace ladder::labs
