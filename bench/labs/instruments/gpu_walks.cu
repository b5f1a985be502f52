// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_walks.cu
/// \brief Walks on a GPU.
#include "bench/labs/instruments/gpu_walks.cuh"

#include <algorithm>
#include <stdexcept>

#include "bench/labs/instruments/kernels/walk.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

std::uint64_t whole_steps(std::uint64_t steps) {
  constexpr std::uint64_t kUnrolled = kernels::kStepsUnrolled;
  return (steps + kUnrolled - 1) / kUnrolled * kUnrolled;
}

auto kernel_of(Access access) {
  switch (access) {
    case Access::cached:
      return kernels::walk<Access::cached>;
    case Access::atomic:
      return kernels::walk<Access::atomic>;
    default:
      return kernels::walk<Access::l2_only>;
  }
}

}  // namespace

const char* GpuWalks::link(const Walk& walk, std::uint64_t region_bytes) {
  constexpr unsigned kBlocks = 1024;
  constexpr unsigned kThreads = 256;
  char* const region = region_.of_bytes(region_bytes);
  const RandomOrder order(walk.places, walk.seed);
  launch(kernels::link_places, {.grid = dim3(kBlocks), .block = dim3(kThreads)}, region, walk,
         order);
  const auto place = [&](std::uint64_t i) {
    return region + address_of(walk, walk.order == Order::random ? order[i] : i);
  };
  // The GPU and this code have to agree on the order.
  const char* second = nullptr;
  check(cudaMemcpy(&second, place(0), sizeof second, cudaMemcpyDeviceToHost));
  if (second != place(walk.places > 1 ? 1 : 0))
    throw std::logic_error(
        "The GPU has linked the places of a walk in another order than the host");
  return place(0);
}

void GpuWalks::check_placement() {
  if (placement_checked_) return;
  GpuArray<unsigned> arrived(1);
  GpuArray<unsigned> blocks_on(static_cast<std::size_t>(sms_));
  launch(kernels::count_blocks, one_per_sm(sms_), arrived.data(), blocks_on.data());
  const std::vector<unsigned> counts = blocks_on.values();
  if (std::ranges::any_of(counts, [](unsigned count) { return count != 1; }))
    throw LabError(
        "This GPU does not put one block on each of its SMs, or does not number them from 0 on. Is "
        "it "
        "shared with other programs? Labs that pick SMs cannot run here");
  placement_checked_ = true;
}

std::vector<double> GpuWalks::cycles(const Walk& walk, int repeats, std::optional<int> sm) {
  const char* const first = link(walk, walk.first_byte + walk.span_bytes());
  // One lap at least, so that short walks are not all overhead.
  constexpr std::uint64_t kLeastSteps = 4096;
  const std::uint64_t steps =
      whole_steps(std::max(kLeastSteps, std::min(walk.places, walk.most_steps)));
  GpuArray<unsigned> arrived(1);
  GpuArray<long long> cycles(static_cast<std::size_t>(repeats));
  GpuArray<const char*> end(1);
  const auto kernel = kernel_of(walk.access);
  if (sm) check_placement();
  if (!sm) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxL1));
  }
  const LaunchShape shape = sm ? one_per_sm(sms_) : LaunchShape{.grid = dim3(1), .block = dim3(32)};
  launch(kernel, shape, first, whole_steps(walk.places), steps, repeats, sm.value_or(-1),
         arrived.data(), cycles.data(), end.data(), 0ull);
  check(cudaDeviceSynchronize());
  std::vector<double> per_load;
  for (const long long total : cycles.values())
    per_load.push_back(static_cast<double>(total) / static_cast<double>(steps));
  return per_load;
}

Matrix GpuWalks::disturbed_cycles(const Walk& first, const Walk& second, std::span<const int> sms,
                                  std::span<const int> partners) {
  check_placement();
  const std::uint64_t bytes =
      std::max(first.first_byte + first.span_bytes(), second.first_byte + second.span_bytes());
  const char* const start = link(first, bytes);
  const char* const other = link(second, bytes);
  std::vector<int> partner_of(static_cast<std::size_t>(sms_), -1);
  for (std::size_t i = 0; i < partners.size(); ++i)
    partner_of[static_cast<std::size_t>(partners[i])] = static_cast<int>(i);
  const GpuArray<int> numbers(partner_of);
  const std::uint64_t steps = whole_steps(first.places);
  Matrix result(sms.size(), partners.size());
  for (std::size_t row = 0; row < sms.size(); ++row) {
    GpuArray<unsigned> arrived(1);
    GpuArray<unsigned> turn(1);
    GpuArray<long long> cycles(partners.size());
    GpuArray<const char*> ends(1 + partners.size());
    launch(kernels::disturbed_walk, one_per_sm(sms_), start, steps, other,
           whole_steps(second.places), static_cast<unsigned>(sms[row]), numbers.data(),
           static_cast<int>(partners.size()), arrived.data(), turn.data(), cycles.data(),
           ends.data());
    check(cudaDeviceSynchronize());
    const std::vector<long long> totals = cycles.values();
    for (std::size_t column = 0; column < partners.size(); ++column)
      result.at(row, column) = static_cast<double>(totals[column]) / static_cast<double>(steps);
  }
  return result;
}

Matrix GpuWalks::home_cycles(std::span<const int> sms, std::span<const std::uint64_t> bytes,
                             int repeats) {
  check_placement();
  char* const region = region_.of_bytes(*std::ranges::max_element(bytes) + sizeof(std::uint64_t));
  for (const std::uint64_t byte : bytes)
    check(cudaMemsetAsync(region + byte, 0, sizeof(std::uint64_t)));
  const GpuArray<std::uint64_t> places(std::vector<std::uint64_t>(bytes.begin(), bytes.end()));
  Matrix result(sms.size(), bytes.size());
  for (std::size_t row = 0; row < sms.size(); ++row) {
    GpuArray<unsigned> arrived(1);
    GpuArray<long long> cycles(bytes.size() * static_cast<std::size_t>(repeats));
    launch(kernels::home_latency, one_per_sm(sms_), region, places.data(),
           static_cast<int>(bytes.size()), repeats, sms[row], arrived.data(), cycles.data());
    check(cudaDeviceSynchronize());
    const std::vector<long long> totals = cycles.values();
    for (std::size_t column = 0; column < bytes.size(); ++column) {
      std::vector<double> samples;
      for (int repeat = 0; repeat < repeats; ++repeat)
        samples.push_back(static_cast<double>(totals[column * static_cast<std::size_t>(repeats) +
                                                     static_cast<std::size_t>(repeat)]) /
                          kernels::kAtomicsInChain);
      result.at(row, column) = median_of(samples);
    }
  }
  return result;
}

}  // namespace ladder::labs
