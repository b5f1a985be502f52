// SPDX-License-Identifier: MIT
/// \file  bench/labs/side_boost_rope.cpp
/// \brief A program that turns the pairs of queries and keys in side-aware memory: rotary position
///        embedding in place, by a header that is named on the command line.
///
///     side_boost_rope tests/common/side_aware/listings/rope.txt
///
/// The header has the shape of that file: 1024 tokens, 32 heads of queries, keys and values each,
/// 64 pairs in a head. Prints whether all pairs are right, and the rate.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/side_aware/side_boost.hpp"

namespace {

constexpr std::size_t kTokens = 1024;
constexpr std::size_t kRotatedHeads = std::size_t{2} * 32;  // queries and keys
constexpr std::size_t kHeads = std::size_t{3} * 32;         // and values
constexpr std::size_t kPairs = 64;                          // of a head
constexpr std::size_t kBatch = 8;                           // texts of so many tokens

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(2);
}

void check(int failed) {
  if (failed == 0) return;
  std::fprintf(stderr, "%s\n", sideaware_error());
  std::exit(2);
}

// -- Side-aware memory and a kernel ----------------------------------------------------------
/// Turns the pairs in place, `times` times.
/// \return milliseconds of each
std::vector<float> turn(std::vector<float2>& pairs, const std::vector<float2>& turns,
                        const std::string& header, int times) {
  const std::size_t num_bytes = pairs.size() * sizeof(float2);
  float2* in_out = nullptr;
  float2* freqs_cis = nullptr;
  check(sideaware_malloc_async(&in_out, num_bytes));
  check(sideaware_malloc_async(&freqs_cis, turns.size() * sizeof(float2)));
  check(cudaMemcpy(in_out, pairs.data(), num_bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(freqs_cis, turns.data(), turns.size() * sizeof(float2), cudaMemcpyHostToDevice));

  const void* const rope_kernel = sideaware_create_kernel(header.c_str());
  check(rope_kernel == nullptr ? 1 : 0);
  std::vector<float> ms(static_cast<std::size_t>(times));
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  for (float& each : ms) {
    check(cudaEventRecord(start));
    check(sideaware_elementwise(rope_kernel, num_bytes,                 //
                                in_out, nullptr, nullptr, nullptr,      // 1 output
                                in_out, freqs_cis, nullptr, nullptr));  // 2 inputs
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&each, start, end));
  }
  check(cudaMemcpy(pairs.data(), in_out, num_bytes, cudaMemcpyDeviceToHost));
  check(sideaware_free_async(freqs_cis));
  check(sideaware_free_async(in_out));  // waits in a cache for the next allocation
  return ms;
}

// -- The host --------------------------------------------------------------------------------
/// \return pairs that are not where `times` turns lead
std::size_t wrong_pairs(const std::vector<float2>& before, const std::vector<float2>& after,
                        int times) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t token = i / (kPairs * kHeads) % kTokens;
    const bool turned = i / kPairs % kHeads < kRotatedHeads;
    const double angle =
        turned ? times * 0.001 * static_cast<double>(token * kPairs + i % kPairs) : 0;
    const double x = before[i].x * std::cos(angle) - before[i].y * std::sin(angle);
    const double y = before[i].x * std::sin(angle) + before[i].y * std::cos(angle);
    wrong += std::abs(after[i].x - x) > 1e-3 || std::abs(after[i].y - y) > 1e-3 ? 1 : 0;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "Name a header: side_boost_rope tests/common/side_aware/listings/rope.txt\n");
    return 2;
  }
  std::vector<float2> turns(kTokens * kPairs);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double angle = 0.001 * static_cast<double>(i);
    turns[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  std::vector<float2> pairs(kBatch * kTokens * kHeads * kPairs);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {static_cast<float>(i % 17) / 17, static_cast<float>(i % 5) / 5};
  const std::vector<float2> before = pairs;

  constexpr int kTimes = 21;
  std::vector<float> ms = turn(pairs, turns, std::string("#include \"") + argv[1] + "\"", kTimes);
  const std::size_t wrong = wrong_pairs(before, pairs, kTimes);
  std::ranges::sort(ms);
  const double moved = 2 * 2.0 / 3 * static_cast<double>(pairs.size() * sizeof(float2));
  std::printf("%zu of %zu pairs are wrong; %.3f ms, %.0f GB/s\n", wrong, pairs.size(),
              ms[kTimes / 2], moved / 1e6 / ms[kTimes / 2]);
  return wrong == 0 ? 0 : 1;
}
