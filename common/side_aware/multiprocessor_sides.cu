// SPDX-License-Identifier: MIT
#include "common/side_aware/multiprocessor_sides.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "common/check.hpp"
#include "common/side_aware/kernels/home_latency.cuh"
#include "common/side_aware/two_sides.hpp"

namespace ladder::side_aware {
namespace {

constexpr int kAddresses = 96;  // a half of them finds the sides, the other half checks them
constexpr int kRepeats = 3;
constexpr std::size_t kLineBytes = 128;
constexpr std::size_t kMemoryBytes = std::size_t{2} << 20;
constexpr int kThreads = 1024;  // and so much shared memory that no SM has room for two blocks
constexpr std::size_t kStaticSharedBytes = 1024;

__global__ void __launch_bounds__(kThreads)
    probe(const unsigned long long* addresses, unsigned sm, unsigned* arrived, long long* cycles,
          unsigned* seen) {
  home_latency(addresses, kAddresses, kRepeats, sm, arrived, cycles, seen);
}

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using DeviceArray = std::unique_ptr<T, FreeDevice>;

template <class T>
DeviceArray<T> device_array(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  DeviceArray<T> array(static_cast<T*>(memory));
  check(cudaMemset(memory, 0, count * sizeof(T)));
  return array;
}

/// Work on this thread's GPU while one of its streams may be recorded as a graph.
class OutsideOfCapture {
 public:
  OutsideOfCapture() { check(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~OutsideOfCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  OutsideOfCapture(const OutsideOfCapture&) = delete;
  OutsideOfCapture& operator=(const OutsideOfCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// \return (SMs, kAddresses) cycles; no rows if the SMs did not get a block each
Matrix latencies(int sms) {
  const DeviceArray<char> memory = device_array<char>(kMemoryBytes);
  std::vector<unsigned long long> lines;  // spread by an odd factor
  for (std::size_t i = 0; i < kAddresses; ++i) {
    constexpr std::size_t kLines = kMemoryBytes / kLineBytes;
    lines.push_back(reinterpret_cast<unsigned long long>(memory.get()) +
                    i * 0x9E37u % kLines * kLineBytes);
  }
  const DeviceArray<unsigned long long> addresses = device_array<unsigned long long>(kAddresses);
  check(cudaMemcpy(addresses.get(), lines.data(), kAddresses * sizeof lines[0],
                   cudaMemcpyHostToDevice));
  const DeviceArray<unsigned> arrived = device_array<unsigned>(1);
  const DeviceArray<unsigned> seen = device_array<unsigned>(sms);
  constexpr std::size_t kValues = std::size_t{kAddresses} * kRepeats;
  const DeviceArray<long long> cycles = device_array<long long>(kValues);
  int device = 0;
  int most_shared = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const std::size_t shared = most_shared - kStaticSharedBytes;
  check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared)));
  const OwnStream stream;
  Matrix result(sms, kAddresses);
  std::vector<long long> values(kValues);
  for (int sm = 0; sm < sms; ++sm) {
    check(cudaMemsetAsync(arrived.get(), 0, sizeof(unsigned), stream.get()));
    auto* const address_list = addresses.get();
    auto* const arrived_at = arrived.get();
    auto* const cycles_at = cycles.get();
    auto* const seen_at = seen.get();
    auto number = static_cast<unsigned>(sm);
    const void* arguments[] = {&address_list, &number, &arrived_at, &cycles_at, &seen_at};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(probe), dim3(sms),
                                      dim3(kThreads), const_cast<void**>(arguments), shared,
                                      stream.get()));
    check(cudaMemcpyAsync(values.data(), cycles.get(), kValues * sizeof values[0],
                          cudaMemcpyDeviceToHost, stream.get()));
    check(cudaStreamSynchronize(stream.get()));
    for (int i = 0; i < kAddresses; ++i) {
      const long long* const samples = &values[static_cast<std::size_t>(i) * kRepeats];
      result.at(sm, i) =
          static_cast<double>(*std::min_element(samples, samples + kRepeats)) / kAdditionsInChain;
    }
  }
  std::vector<unsigned> blocks(sms);
  check(cudaMemcpy(blocks.data(), seen.get(), sms * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (const unsigned count : blocks)
    if (count != static_cast<unsigned>(sms)) return Matrix(0, 0);
  return result;
}

/// Every other column, from the first or from the second on.
Matrix every_other_column(const Matrix& matrix, std::size_t first) {
  Matrix half(matrix.rows, matrix.columns / 2);
  for (std::size_t row = 0; row < half.rows; ++row)
    for (std::size_t column = 0; column < half.columns; ++column)
      half.at(row, column) = matrix.at(row, 2 * column + first);
  return half;
}

std::optional<MultiprocessorSides> measure() {
  int device = 0;
  int sms = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  if (sms < 4 || sms > kMostMultiprocessors) return std::nullopt;
  const OutsideOfCapture outside;
  const Matrix all = latencies(sms);
  if (all.rows == 0) return std::nullopt;
  const std::optional<Sides> found = find_sides(every_other_column(all, 0));
  const std::optional<Sides> again = find_sides(every_other_column(all, 1));
  if (!found || !again) return std::nullopt;
  MultiprocessorSides sides;
  sides.multiprocessors = sms;
  sides.penalty_cycles = found->penalty_cycles;
  sides.explained = found->explained;
  int agreeing = 0;
  for (int sm = 0; sm < sms; ++sm) {
    if (found->of_row[sm] == 1) sides.bits.set(sm), ++sides.on_side_1;
    agreeing += found->of_row[sm] == again->of_row[sm];
  }
  sides.held_out = static_cast<double>(agreeing) / sms;
  constexpr double kLeastAgreement = 0.99;
  if (sides.held_out < kLeastAgreement) return std::nullopt;
  return sides;
}

}  // namespace

std::optional<MultiprocessorSides> multiprocessor_sides() {
  static std::mutex mutex;
  static std::map<int, std::optional<MultiprocessorSides>> of_device;
  int device = 0;
  check(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  const auto known = of_device.find(device);
  if (known != of_device.end()) return known->second;
  return of_device.emplace(device, measure()).first->second;
}

}  // namespace ladder::side_aware
