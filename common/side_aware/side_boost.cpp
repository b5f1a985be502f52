// SPDX-License-Identifier: MIT
/// \file  common/side_aware/side_boost.cpp
#include "common/side_aware/side_boost.hpp"

#include <bit>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/side_aware/gpu.hpp"
#include "common/side_aware/runtime_compiler.hpp"

namespace {

using namespace ladder::side_aware;

thread_local std::string last_error;

/// The number of the thread's current GPU; 0 where it has none.
int current_device() {
  static const auto& api = *new CudaApi;  // as long as the GPUs
  CUcontext context = nullptr;
  api.check(api.get_context(&context));
  CUdevice device = 0;
  if (context != nullptr) api.check(api.context_device(&device));
  return device;
}

/// The GPUs live as long as the process: other libraries free memory when it ends.
Gpu& gpu_of(int device) {
  static std::mutex mutex;
  static auto& gpus = *new std::map<int, Gpu*>;
  const int number = device < 0 ? current_device() : device;
  const std::scoped_lock lock(mutex);
  Gpu*& gpu = gpus[number];
  if (gpu == nullptr) gpu = new Gpu(number);
  return *gpu;
}

/// Exceptions end here.
/// \return 0, or 1 after an error
template <class Work>
int guarded(Work work) {
  last_error.clear();
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    last_error = error.what();
    return 1;
  }
}

Address address_of(const void* pointer) {
  return std::bit_cast<Address>(pointer);
}

void print_last_error(const char* what) {
  std::fprintf(stderr, "side_aware: %s failed: %s\n", what, last_error.c_str());
}

}  // namespace

int sideaware_malloc_async(void** block, std::size_t bytes, int device, void* stream) {
  *block = nullptr;
  return guarded([&] {
    *block = std::bit_cast<void*>(
        gpu_of(device).allocator().malloc_async(bytes, static_cast<Stream>(stream)));
  });
}

int sideaware_free_async(void* block, int device, void* stream) {
  if (block == nullptr) return 0;
  return guarded([&] {
    try {
      gpu_of(device).allocator().free_async(address_of(block), static_cast<Stream>(stream));
    } catch (const DriverIsGone&) {
      // Libraries may free what they hold when the process ends; the driver has done so before.
    }
  });
}

void sideaware_memcpy(void* dst, const void* src, std::size_t bytes, int device, void* stream) {
  const int failed = guarded([&] {
    constexpr std::size_t kWordBytes = 4;
    const bool words = bytes % kWordBytes == 0;
    Gpu& gpu = gpu_of(device);
    gpu.elementwise(gpu.kernel(shipped_operation("copy.cuh", words ? "Copy" : "CopyBytes")),
                    {.outputs = {address_of(dst)},
                     .inputs = {address_of(src)},
                     .elements = words ? bytes / kWordBytes : bytes},
                    {}, static_cast<Stream>(stream));
  });
  if (failed != 0) print_last_error("a copy");
}

const void* sideaware_create_kernel(const char* header, int device) {
  const void* kernel = nullptr;
  guarded([&] { kernel = &gpu_of(device).kernel(operation_of_header(header)); });
  return kernel;
}

int sideaware_elementwise(const void* kernel, std::size_t num_bytes, void* out0, void* out1,
                          void* out2, void* out3, const void* in0, const void* in1, const void* in2,
                          const void* in3, int device, void* stream, int sideband,
                          int* sideband_memory) {
  return guarded([&] {
    if (kernel == nullptr) throw SideAwareError("There is no kernel: compiling it has failed");
    const auto& compiled = *static_cast<const ElementwiseKernel*>(kernel);
    const unsigned element_bytes = compiled.shape().element_bytes;
    if (num_bytes % element_bytes != 0) {
      throw SideAwareError(
          "The leading array has elements of " + std::to_string(element_bytes) +
          " bytes, and num_bytes is no multiple of that: " + std::to_string(num_bytes));
    }
    gpu_of(device).elementwise(
        compiled,
        {.outputs = {address_of(out0), address_of(out1), address_of(out2), address_of(out3)},
         .inputs = {address_of(in0), address_of(in1), address_of(in2), address_of(in3)},
         .elements = num_bytes / element_bytes},
        {.sideband = {sideband, sideband_memory}}, static_cast<Stream>(stream));
  });
}

void* sideaware_malloc_auto(std::ptrdiff_t bytes, int device, void* stream) {
  if (bytes <= 0) return nullptr;
  void* block = nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  if (sideaware_malloc_async(&block, size, device, stream) != 0) print_last_error("an allocation");
  return block;
}

void sideaware_free_auto(void* block, std::ptrdiff_t, int device, void* stream) {
  if (sideaware_free_async(block, device, stream) != 0) print_last_error("freeing");
}

int sideaware_write_cubin(const char* header, const char* operation, int compute_capability,
                          const char* file) {
  return guarded([&] {
    const Operation wanted = operation == nullptr ? operation_of_header(header)
                                                  : Operation{.header = header, .name = operation};
    const std::vector<char> code =
        compile(elementwise_source(wanted), wanted.name, compute_capability);
    std::ofstream out(file, std::ios::binary);
    out.write(code.data(), static_cast<std::streamsize>(code.size()));
    out.close();
    if (!out) throw SideAwareError(std::string(file) + " cannot be written");
  });
}

const char* sideaware_compiler() {
  thread_local std::string name;
  name.clear();
  guarded([&] { name = compiler_name(); });
  return name.c_str();
}

int sideaware_state(int device, unsigned long long* in_use_bytes, unsigned long long* cached_bytes,
                    unsigned long long* pages_off_rule) {
  return guarded([&] {
    const AllocatorState state = gpu_of(device).allocator().state();
    *in_use_bytes = state.bytes_in_use;
    *cached_bytes = state.bytes_cached;
    *pages_off_rule = state.pages_off_rule;
  });
}

unsigned long long sideaware_mask(int device) {
  unsigned long long mask = 0;
  guarded([&] { mask = gpu_of(device).sides().mask; });
  return mask;
}

const char* sideaware_error() {
  return last_error.c_str();
}
