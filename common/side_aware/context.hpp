// SPDX-License-Identifier: MIT
/// \file  common/side_aware/context.hpp
/// \brief A GPU as CUDA's driver sees it: its context, its facts, and arrays in its memory.
#pragma once

#include <cstddef>
#include <vector>

#include "common/side_aware/cuda_api.hpp"

namespace ladder::side_aware {

/// The primary context of a GPU, which the CUDA runtime and PyTorch use as well.
class Context {
 public:
  /// \throws SideAwareError  there is no such GPU, or it cannot map memory page by page
  Context(const CudaApi& api, int device);

  const CudaApi& api() const { return api_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  int attribute(CUdevice_attribute which) const;
  int sms() const { return attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT); }
  /// 90 for 9.0
  int compute_capability() const;

 private:
  const CudaApi& api_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

/// Makes a context the current one of this thread while it lives.
class ContextScope {
 public:
  explicit ContextScope(const Context& context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const CudaApi& api_;
  CUcontext before_ = nullptr;
  bool changed_ = false;
};

/// Bytes on the GPU, 0 at first.
class DeviceBytes {
 public:
  DeviceBytes(const CudaApi& api, std::size_t bytes);
  ~DeviceBytes();
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }
  template <class T>
  void write(const std::vector<T>& values) const {
    api_.check(api_.to_device(address_, values.data(), values.size() * sizeof(T)));
    api_.check(api_.synchronize_stream(nullptr));
  }
  template <class T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    api_.check(api_.to_host(values.data(), address_, count * sizeof(T)));
    return values;
  }

 private:
  const CudaApi& api_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_;
};

/// Machine code on the GPU.
class Module {
 public:
  Module(const CudaApi& api, const std::vector<char>& code);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUfunction function(const char* name) const;
  /// Copies a variable of the module.
  void read(const char* name, void* value, std::size_t bytes) const;

 private:
  const CudaApi& api_;
  CUmodule module_ = nullptr;
};

}  // namespace ladder::side_aware
