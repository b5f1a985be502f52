// SPDX-License-Identifier: MIT
/// \file  common/side_aware/side_probe.cpp
#include "common/side_aware/side_probe.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "common/side_aware/kernels/work_split.hpp"
#include "common/side_aware/runtime_compiler.hpp"
#include "common/side_aware/two_sides.hpp"

namespace ladder::side_aware {
namespace {

constexpr std::uint64_t kLine = 128;
constexpr int kAdditions = 16;  // kAdditionsInChain of the kernel
constexpr std::uint64_t kSeed = 1;

const char* const kSource =
    "#include \"common/side_aware/kernels/home_latency.cuh\"\n"
    "extern \"C\" __global__ void __launch_bounds__(1024)\n"
    "probe(const unsigned long long* addresses, int count, int repeats, unsigned sm,\n"
    "      unsigned* arrived, long long* cycles, unsigned* seen) {\n"
    "  ladder::side_aware::home_latency(addresses, count, repeats, sm, arrived, cycles, seen);\n"
    "}\n";

/// Lines of a page, spread by an odd factor: each bit of their addresses is set in half of them.
std::vector<Address> lines_of(Address page, std::size_t count, std::uint64_t seed) {
  constexpr std::uint64_t kLines = kPageBytes / kLine;
  std::vector<Address> lines;
  for (std::size_t i = 0; i < count; ++i)
    lines.push_back(page + (i * 0x9E37u + seed * 0x2545u) % kLines * kLine);
  return lines;
}

/// Four SMs of either side, or as many as there are.
std::vector<int> from_both_sides(const std::vector<int>& of_sm) {
  constexpr int kOfEach = 4;
  std::vector<int> chosen;
  for (int side = 0; side < 2; ++side) {
    int found = 0;
    for (std::size_t sm = 0; sm < of_sm.size() && found < kOfEach; ++sm) {
      if (of_sm[sm] != side) continue;
      chosen.push_back(static_cast<int>(sm));
      ++found;
    }
  }
  return chosen;
}

double difference(const Matrix& cycles, std::size_t column, const Comparison& comparison) {
  const std::size_t half = comparison.sms.size() / 2;
  double sum = 0;
  for (std::size_t row = 0; row < cycles.rows; ++row)
    sum += (row < half ? -1 : 1) * cycles.at(row, column);
  return sum / static_cast<double>(half);
}

}  // namespace

const char* side_probe_source() {
  return kSource;
}

std::vector<int> sides_by_comparison(const Matrix& cycles, const Comparison& comparison) {
  std::vector<int> sides;
  for (std::size_t column = 0; column < cycles.columns; ++column)
    sides.push_back(difference(cycles, column, comparison) > comparison.middle ? 0 : 1);
  return sides;
}

SideProbe::SideProbe(const Context& context, Address page)
    : context_(context),
      module_(context.api(),
              compile(side_probe_source(), "side_probe.cu", context.compute_capability())),
      kernel_(module_.function("probe")) {
  find_sides_of_gpu(page);
}

void SideProbe::find_sides_of_gpu(Address page) {
  constexpr std::size_t kFew = 96;
  constexpr std::size_t kMany = 768;
  constexpr int kRepeats = 3;
  constexpr int kLowestBit = 7;
  constexpr int kHighestBit = kPageBits - 1;
  std::vector<int> sms(static_cast<std::size_t>(context_.sms()));
  std::iota(sms.begin(), sms.end(), 0);
  sides_ = {.mask = 0, .of_sm = std::vector<int>(sms.size())};
  if (sms.size() < 4) return;
  const Matrix all = latencies(sms, lines_of(page, kFew, kSeed), kRepeats);
  const std::optional<Sides> sides = find_sides(all);
  if (!sides) return;

  Comparison comparison = {.sms = from_both_sides(sides->of_row), .middle = 0};
  const std::vector<Address> many = lines_of(page, kMany, kSeed + 1);
  const Matrix cycles = latencies(comparison.sms, many, kRepeats);
  double least = difference(cycles, 0, comparison);
  double most = least;
  for (std::size_t column = 0; column < many.size(); ++column) {
    least = std::min(least, difference(cycles, column, comparison));
    most = std::max(most, difference(cycles, column, comparison));
  }
  comparison.middle = (least + most) / 2;
  const std::optional<ParityMask> mask =
      fit_parity(many, sides_by_comparison(cycles, comparison), kLowestBit, kHighestBit, kSeed);
  constexpr double kLeastAgreement = 0.99;
  const bool granules = mask && std::countr_zero(mask->mask) == std::countr_zero(kGranuleBytes);
  if (!granules || mask->agreement < kLeastAgreement) return;
  sides_ = {.mask = mask->mask, .of_sm = sides->of_row};
  comparison_ = comparison;
}

std::vector<int> SideProbe::sides_of(const std::vector<Address>& addresses, int repeats) const {
  if (sides_.mask == 0) return std::vector<int>(addresses.size());
  return sides_by_comparison(latencies(comparison_.sms, addresses, repeats), comparison_);
}

Matrix SideProbe::latencies(std::span<const int> sms, const std::vector<Address>& addresses,
                            int repeats) const {
  constexpr unsigned kProbeThreads = 1024;
  // Two blocks of 1024 threads have no room on one SM: for want of threads, or of shared memory.
  constexpr int kMuch = 120 * 1024;
  constexpr int kStaticBytes = 1024;  // the kernel has a few of its own
  const int shared_bytes =
      std::min(kMuch, context_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  const CudaApi& api = context_.api();
  const auto sm_count = static_cast<std::size_t>(context_.sms());
  const std::size_t values = addresses.size() * static_cast<std::size_t>(repeats);
  const DeviceBytes places(api, addresses.size() * sizeof(Address));
  places.write(addresses);
  const DeviceBytes arrived(api, sizeof(unsigned));
  const DeviceBytes seen(api, sm_count * sizeof(unsigned));
  const DeviceBytes cycles(api, values * sizeof(long long));
  api.check(api.set_function_attribute(kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       shared_bytes - kStaticBytes));
  Matrix result(sms.size(), addresses.size());
  for (std::size_t row = 0; row < sms.size(); ++row) {
    api.check(api.fill_bytes(arrived.address(), 0, arrived.bytes()));
    CUdeviceptr place_list = places.address();
    int count = static_cast<int>(addresses.size());
    auto sm = static_cast<unsigned>(sms[row]);
    CUdeviceptr arrived_at = arrived.address();
    CUdeviceptr cycles_at = cycles.address();
    CUdeviceptr seen_at = seen.address();
    void* parameters[] = {&place_list, &count, &repeats, &sm, &arrived_at, &cycles_at, &seen_at};
    api.check(api.launch_cooperative(kernel_, static_cast<unsigned>(sm_count), 1, 1, kProbeThreads,
                                     1, 1, static_cast<unsigned>(shared_bytes - kStaticBytes),
                                     nullptr, parameters));
    const std::vector<long long> totals = cycles.read<long long>(values);
    for (std::size_t column = 0; column < addresses.size(); ++column) {
      std::vector<double> samples;
      for (std::size_t i = 0; i < static_cast<std::size_t>(repeats); ++i)
        samples.push_back(
            static_cast<double>(totals[column * static_cast<std::size_t>(repeats) + i]) /
            kAdditions);
      result.at(row, column) = quantile_of(samples, 0.5);
    }
  }
  for (const unsigned blocks : seen.read<unsigned>(sm_count)) {
    if (blocks == sms.size()) continue;
    throw SideAwareError(
        "This GPU does not put one block on each of its SMs, or does not number them from 0 on. Is "
        "it shared with other programs? Sides cannot be measured here");
  }
  return result;
}

}  // namespace ladder::side_aware
