// SPDX-License-Identifier: MIT
/// \file  common/side_aware/c_interface.cpp
#include "common/side_aware/c_interface.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include "common/side_aware/gpu.hpp"
#include "common/side_aware/runtime_compiler.hpp"

namespace {

using namespace ladder::side_aware;

thread_local std::string last_error;

/// The GPUs live as long as the process: other libraries free memory when it ends.
Gpu& gpu_of(int device) {
  static std::mutex mutex;
  static auto& gpus = *new std::map<int, Gpu*>;
  const std::scoped_lock lock(mutex);
  Gpu*& gpu = gpus[device];
  if (gpu == nullptr) gpu = new Gpu(device);
  return *gpu;
}

/// Exceptions end here.
/// \return 0, or 1 after an error
template <class Work>
int guarded(Work work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    last_error = error.what();
    return 1;
  }
}

Assignment assignment_of(int number) {
  if (number < 0 || number > 3)
    throw SideAwareError("There is no assignment " + std::to_string(number) +
                         ": 0 is off, 1 right, 2 wrong and 3 random");
  return static_cast<Assignment>(number);
}

Address address_of(const void* pointer) {
  return std::bit_cast<Address>(pointer);
}

void say(const char* what) {
  std::fprintf(stderr, "side_aware: %s failed: %s\n", what, last_error.c_str());
}

}  // namespace

void* side_aware_malloc(std::ptrdiff_t bytes, int device, void* stream) {
  if (bytes <= 0) return nullptr;
  void* block = nullptr;
  const int failed = guarded([&] {
    block = std::bit_cast<void*>(gpu_of(device).allocator().malloc_async(
        static_cast<std::uint64_t>(bytes), static_cast<Stream>(stream)));
  });
  if (failed != 0) say("an allocation");
  return block;
}

void side_aware_free(void* block, std::ptrdiff_t, int device, void* stream) {
  if (block == nullptr) return;
  const int failed = guarded([&] {
    try {
      gpu_of(device).allocator().free_async(address_of(block), static_cast<Stream>(stream));
    } catch (const DriverIsGone&) {
      // Libraries may free what they hold when the process ends; the driver has done so before.
    }
  });
  if (failed != 0) say("freeing");
}

int side_aware_copy(void* to, const void* from, std::size_t bytes, int assignment, int device,
                    void* stream) {
  return guarded([&] {
    constexpr std::size_t kWordBytes = 4;
    if (bytes % kWordBytes != 0)
      throw SideAwareError("A side-aware copy has a multiple of 4 bytes, not " +
                           std::to_string(bytes));
    Gpu& gpu = gpu_of(device);
    gpu.elementwise(
        gpu.kernel(shipped_operation("copy.cuh", "Copy")),
        {.outputs = {address_of(to)}, .inputs = {address_of(from)}, .elements = bytes / kWordBytes},
        {.assignment = assignment_of(assignment)}, static_cast<Stream>(stream));
  });
}

const void* side_aware_kernel(const char* header, const char* type, int device) {
  const void* kernel = nullptr;
  guarded([&] { kernel = &gpu_of(device).kernel({.header = header, .name = type}); });
  return kernel;
}

int side_aware_elementwise(const void* kernel, void* const* outputs, const void* const* inputs,
                           std::uint64_t elements, int assignment, int sideband, int device,
                           void* stream) {
  return guarded([&] {
    if (kernel == nullptr) throw SideAwareError("There is no kernel: compiling it has failed");
    Arrays arrays = {.elements = elements};
    std::transform(outputs, outputs + 4, arrays.outputs.begin(), address_of);
    std::transform(inputs, inputs + 4, arrays.inputs.begin(), address_of);
    gpu_of(device).elementwise(
        *static_cast<const ElementwiseKernel*>(kernel), arrays,
        {.assignment = assignment_of(assignment), .sideband = {sideband, nullptr}},
        static_cast<Stream>(stream));
  });
}

int side_aware_write_cubin(const char* header, const char* type, int compute_capability,
                           const char* file) {
  return guarded([&] {
    const std::vector<char> code =
        compile(elementwise_source({.header = header, .name = type}), type, compute_capability);
    std::ofstream out(file, std::ios::binary);
    out.write(code.data(), static_cast<std::streamsize>(code.size()));
    out.close();
    if (!out) throw SideAwareError(std::string(file) + " cannot be written");
  });
}

const char* side_aware_compiler() {
  thread_local std::string name;
  name.clear();
  guarded([&] { name = compiler_name(); });
  return name.c_str();
}

int side_aware_state(int device, std::uint64_t* in_use_bytes, std::uint64_t* cached_bytes,
                     std::uint64_t* pages_off_rule) {
  return guarded([&] {
    const AllocatorState state = gpu_of(device).allocator().state();
    *in_use_bytes = state.bytes_in_use;
    *cached_bytes = state.bytes_cached;
    *pages_off_rule = state.pages_off_rule;
  });
}

std::uint64_t side_aware_mask(int device) {
  std::uint64_t mask = 0;
  guarded([&] { mask = gpu_of(device).sides().mask; });
  return mask;
}

const char* side_aware_error() {
  return last_error.c_str();
}
