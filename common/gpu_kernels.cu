// SPDX-License-Identifier: MIT
/// \file  common/gpu_kernels.cu
#include "common/gpu_kernels.hpp"

#include <cuda_runtime.h>

#include <cmath>
#include <cstring>

#include "common/check.hpp"
#include "common/launch.cuh"

namespace ladder::gpu {
namespace {

constexpr int kThreads = 256;

/// Enough blocks to fill any GPU; the kernels below stride over their arrays.
constexpr int kBlocks = 2048;

__device__ std::size_t first_element() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::size_t grid_stride() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

template <class T>
__global__ void fill_random_kernel(T* array, std::size_t count, RandomArray random) {
  for (std::size_t i = first_element(); i < count; i += grid_stride())
    array[i] = T(random[i]);
}

template <class T>
__global__ void changed_kernel(const T* array, std::size_t count, RandomArray random,
                               unsigned long long* changed) {
  unsigned long long mine = 0;
  for (std::size_t i = first_element(); i < count; i += grid_stride()) {
    mine += array[i] == T(random[i]) ? 0 : 1;
  }
  if (mine > 0) atomicAdd(changed, mine);
}

template <class T>
__global__ void to_double_kernel(double* out, const T* in, std::size_t count) {
  for (std::size_t i = first_element(); i < count; i += grid_stride())
    out[i] = in[i];
}

__global__ void square_kernel(double* array, std::size_t count) {
  for (std::size_t i = first_element(); i < count; i += grid_stride())
    array[i] *= array[i];
}

__global__ void square_root_kernel(double* array, std::size_t count) {
  for (std::size_t i = first_element(); i < count; i += grid_stride())
    array[i] = sqrt(array[i]);
}

/// The ratio is kept as the bits of a non-negative double: they order like unsigned integers.
struct DeviceComparison {
  unsigned long long ratio_bits;
  unsigned long long wrong_elements;
  unsigned long long first_wrong;
};

template <class T>
__global__ void compare_kernel(const T* C, std::size_t count, Expectation expected,
                               DeviceComparison* result) {
  DeviceComparison mine = {0, 0, ~0ull};
  for (std::size_t i = first_element(); i < count; i += grid_stride()) {
    const double alpha_ab = expected.alpha * expected.reference.product[i];
    const double beta_c =
        expected.beta == 0.0f ? 0.0 : expected.beta * static_cast<double>(T(expected.initial_c[i]));
    const double bound = expected.bound(expected.reference.scale[i], alpha_ab, beta_c);
    const double error = fabs(C[i] - (alpha_ab + beta_c));
    const double ratio = isfinite(error) ? error / bound : INFINITY;
    const unsigned long long bits = __double_as_longlong(ratio);
    if (bits > mine.ratio_bits) mine.ratio_bits = bits;
    if (error <= bound) continue;
    ++mine.wrong_elements;
    if (i < mine.first_wrong) mine.first_wrong = i;
  }
  atomicMax(&result->ratio_bits, mine.ratio_bits);
  if (mine.wrong_elements == 0) return;
  atomicAdd(&result->wrong_elements, mine.wrong_elements);
  atomicMin(&result->first_wrong, mine.first_wrong);
}

/// Squared Frobenius norms.
struct Sums {
  double difference;
  double size;
};

template <class T>
__global__ void difference_kernel(const T* C, const T* D, std::size_t count, Sums* sums) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = first_element(); i < count; i += grid_stride()) {
    const double d = D[i];
    const double distance = C[i] - d;
    difference += distance * distance;
    size += d * d;
  }
  atomicAdd(&sums->difference, difference);
  atomicAdd(&sums->size, size);
}

/// Device memory for one value.
template <class T>
class DeviceValue {
 public:
  explicit DeviceValue(const T& value) {
    check(cudaMalloc(&memory_, sizeof(T)));
    check(cudaMemcpy(memory_, &value, sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceValue() { cudaFree(memory_); }
  DeviceValue(const DeviceValue&) = delete;
  DeviceValue& operator=(const DeviceValue&) = delete;

  T* data() { return memory_; }
  T read() const {
    T value;
    check(cudaMemcpy(&value, memory_, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  T* memory_ = nullptr;
};

template <class... Params, class... Args>
void launch_over_array(void (*kernel)(Params...), Args... args) {
  launch(kernel, {.grid = dim3(kBlocks), .block = dim3(kThreads)}, args...);
}

}  // namespace

template <class T>
void fill_random(T* array, std::size_t count, RandomArray random) {
  launch_over_array(fill_random_kernel<T>, array, count, random);
}

template <class T>
std::int64_t changed_elements(const T* array, std::size_t count, RandomArray random) {
  DeviceValue<unsigned long long> changed(0);
  launch_over_array(changed_kernel<T>, array, count, random, changed.data());
  return static_cast<std::int64_t>(changed.read());
}

template <class T>
void to_double(double* out, const T* in, std::size_t count) {
  launch_over_array(to_double_kernel<T>, out, in, count);
}

void square(double* array, std::size_t count) {
  launch_over_array(square_kernel, array, count);
}

void square_root(double* array, std::size_t count) {
  launch_over_array(square_root_kernel, array, count);
}

template <class T>
Comparison compare(const T* C, const Expectation& expected) {
  const std::size_t count = static_cast<std::size_t>(expected.shape.M) * expected.shape.N;
  DeviceValue<DeviceComparison> device({0, 0, ~0ull});
  launch_over_array(compare_kernel<T>, C, count, expected, device.data());
  const DeviceComparison found = device.read();
  Comparison result;
  std::memcpy(&result.error_over_bound, &found.ratio_bits, sizeof found.ratio_bits);
  result.wrong_elements = static_cast<std::int64_t>(found.wrong_elements);
  if (found.wrong_elements > 0) result.first_wrong = static_cast<std::int64_t>(found.first_wrong);
  return result;
}

template <class T>
double relative_difference(const T* C, const T* D, std::size_t count) {
  DeviceValue<Sums> device({0.0, 0.0});
  launch_over_array(difference_kernel<T>, C, D, count, device.data());
  const Sums sums = device.read();
  return sums.difference == 0.0 ? 0.0 : std::sqrt(sums.difference / sums.size);
}

template void fill_random(float*, std::size_t, RandomArray);
template std::int64_t changed_elements(const float*, std::size_t, RandomArray);
template void to_double(double*, const float*, std::size_t);
template Comparison compare(const float*, const Expectation&);
template double relative_difference(const float*, const float*, std::size_t);

template void fill_random(bfloat16*, std::size_t, RandomArray);
template std::int64_t changed_elements(const bfloat16*, std::size_t, RandomArray);
template void to_double(double*, const bfloat16*, std::size_t);
template Comparison compare(const bfloat16*, const Expectation&);
template double relative_difference(const bfloat16*, const bfloat16*, std::size_t);

}  // namespace ladder::gpu
