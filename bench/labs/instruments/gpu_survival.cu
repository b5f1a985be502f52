// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_survival.cu
/// \brief What survives in the L2 of a GPU.
#include "bench/labs/instruments/gpu_survival.cuh"

#include <algorithm>

#include "bench/labs/instruments/kernels/survival.cuh"
#include "bench/labs/instruments/random_places.hpp"
#include "common/launch.cuh"
#include "common/side_aware/two_sides.hpp"

namespace ladder::labs {
namespace {

using ptx::CacheHint;
using side_aware::find_sides;
using side_aware::Sides;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLine = 128;

/// \brief A set-aside and its window on a stream; both are gone afterwards, whatever happened.
class Window {
 public:
  Window(cudaStream_t stream, void* data, const SetAside& wanted) : stream_(stream) {
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    if (most == 0) throw LabError("This GPU cannot set L2 aside (is it partitioned by MIG?)");
    check(cudaDeviceGetLimit(&limit_before_, cudaLimitPersistingL2CacheSize));
    check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, wanted.limit_bytes));
    set(data, wanted.window_bytes, wanted.hit_ratio);
  }
  ~Window() {
    set(nullptr, 0, 0.0);
    cudaStreamSynchronize(stream_);
    cudaCtxResetPersistingL2Cache();
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, limit_before_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

 private:
  void set(void* data, std::uint64_t bytes, double hit_ratio) noexcept {
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = data;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = static_cast<float>(hit_ratio);
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    if (bytes == 0) value.accessPolicyWindow.hitProp = cudaAccessPropertyNormal;
    cudaStreamSetAttribute(stream_, cudaStreamAttributeAccessPolicyWindow, &value);
  }

  cudaStream_t stream_;
  std::size_t limit_before_ = 0;
};

/// A stream of its own, as windows belong to streams.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreate(&stream_)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

template <class Call>
auto with_hint(Hint hint, Call call) {
  switch (hint) {
    case Hint::ca:
      return call.template operator()<CacheHint::all_levels>();
    case Hint::cg:
      return call.template operator()<CacheHint::l2_only>();
    case Hint::cs:
      return call.template operator()<CacheHint::streaming>();
    case Hint::lu:
      return call.template operator()<CacheHint::last_use>();
    case Hint::cv:
      return call.template operator()<CacheHint::no_cache>();
    case Hint::no_l1:
      return call.template operator()<CacheHint::no_l1>();
    case Hint::evict_first:
      return call.template operator()<CacheHint::l2_evict_first>();
    default:
      return call.template operator()<CacheHint::l2_evict_last>();
  }
}

}  // namespace

GpuSurvival::Sample GpuSurvival::draw(std::uint64_t array_bytes, int count, std::uint64_t seed) {
  const auto lines_of = [&](std::uint64_t lines, int wanted) {
    std::vector<std::uint64_t> bytes;
    for (int i = 0; i < wanted; ++i)
      bytes.push_back(high_product(split_mix(seed + static_cast<unsigned>(i)), lines) * kLine);
    std::ranges::sort(bytes);
    bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
    return bytes;
  };
  constexpr int kRepeats = 3;
  if (side_sms_.empty()) {
    constexpr int kLines = 64;
    std::vector<int> sms;
    for (int sm = 0; sm < sms_; ++sm)
      sms.push_back(sm);
    const std::optional<Sides> sides =
        find_sides(walks_.home_cycles(sms, lines_of(2 * kMiB / kLine, kLines), kRepeats));
    side_sms_ = {0};
    if (sides)
      side_sms_.push_back(
          static_cast<int>(std::ranges::find(sides->of_row, 1) - sides->of_row.begin()));
  }
  Sample sample = {.bytes = lines_of(array_bytes / kLine, count), .sm_of = {}};
  const Matrix cycles = walks_.home_cycles(side_sms_, sample.bytes, kRepeats);
  for (std::size_t i = 0; i < sample.bytes.size(); ++i) {
    const bool other = side_sms_.size() > 1 && cycles.at(1, i) < cycles.at(0, i);
    sample.sm_of.push_back(side_sms_[other ? 1 : 0]);
  }
  return sample;
}

std::vector<unsigned> GpuSurvival::time_loads(const Sample& sample, cudaStream_t stream) {
  const GpuArray<std::uint64_t> bytes(sample.bytes);
  const GpuArray<int> sm_of(sample.sm_of);
  GpuArray<unsigned> cycles(sample.bytes.size());
  GpuArray<unsigned> sink(1);
  check(cudaDeviceSynchronize());
  for (const int sm : side_sms_) {
    GpuArray<unsigned> arrived(1);
    LaunchShape shape = one_per_sm(sms_);
    shape.stream = stream;
    launch(kernels::time_loads, shape, region_.of_bytes(0), bytes.data(), sm_of.data(),
           static_cast<int>(sample.bytes.size()), sm, arrived.data(), cycles.data(), sink.data());
    check(cudaStreamSynchronize(stream));
  }
  return cycles.values();
}

double GpuSurvival::threshold_cycles() {
  if (threshold_ > 0) return threshold_;
  // Lines that were just read, and lines of an array that L2 cannot hold.
  constexpr int kLines = 2048;
  constexpr std::uint64_t kLarge = 1024 * kMiB;
  constexpr double kMostHits = 0.98;
  constexpr double kFewMisses = 0.2;  // some of the large array is there as well
  GpuArray<unsigned> sink(1);
  const OwnStream own;
  const auto timed = [&](std::uint64_t bytes) {
    const char* const data = region_.of_bytes(kLarge);
    const Sample sample = draw(bytes, kLines, 7);
    launch(
        kernels::read_with_hint<CacheHint::all_levels>,
        {.grid = dim3(static_cast<unsigned>(sms_ * 2)), .block = dim3(1024), .stream = own.get()},
        reinterpret_cast<const unsigned*>(data), bytes / 4, sink.data(), 32u);
    const std::vector<unsigned> cycles = time_loads(sample, own.get());
    return std::vector<double>(cycles.begin(), cycles.end());
  };
  timed(8 * kMiB);  // the first launches also load code
  const double slow_hit = quantile_of(timed(8 * kMiB), kMostHits);
  const double fast_miss = quantile_of(timed(kLarge), kFewMisses);
  if (slow_hit >= fast_miss) {
    throw LabError(
        "Single loads that hit in L2 take as long as those that miss: the lab cannot tell them "
        "apart");
  }
  threshold_ = (slow_hit + fast_miss) / 2;
  return threshold_;
}

std::vector<double> GpuSurvival::survivors(const Survival& survival, int repeats) {
  const double threshold = threshold_cycles();
  // The hot array at the beginning, the stream behind it.
  char* const hot =
      region_.of_bytes(std::max(survival.hot_bytes + survival.stream_bytes, 1024 * kMiB));
  const char* const stream = hot + survival.hot_bytes;
  GpuArray<unsigned> sink(1);
  const OwnStream own;
  const LaunchShape shape = {
      .grid = dim3(static_cast<unsigned>(sms_ * 2)), .block = dim3(1024), .stream = own.get()};
  const auto read = [&](const char* data, std::uint64_t bytes, Hint hint, int sectors = 4) {
    const auto of_line = static_cast<unsigned>(8 * sectors);
    with_hint(hint, [&]<CacheHint cache>() {
      launch(kernels::read_with_hint<cache>, shape, reinterpret_cast<const unsigned*>(data),
             bytes / 128 * of_line, sink.data(), of_line);
    });
  };
  std::vector<double> shares;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Sample sample = draw(survival.hot_bytes, survival.sampled_lines,
                               survival.seed + static_cast<unsigned>(repeat) * 65536);
    read(stream, survival.stream_bytes, Hint::ca);  // what earlier repeats left is gone
    std::optional<Window> window;
    if (survival.set_aside) window.emplace(own.get(), hot, *survival.set_aside);
    for (int pass = 0; pass < survival.hot_passes; ++pass)
      read(hot, survival.hot_bytes, survival.hot_hint, survival.hot_sectors);
    read(stream, survival.stream_bytes, survival.stream_hint);
    const std::vector<unsigned> all = time_loads(sample, own.get());
    const auto hits = std::ranges::count_if(
        all, [&](unsigned value) { return static_cast<double>(value) < threshold; });
    shares.push_back(static_cast<double>(hits) / static_cast<double>(all.size()));
  }
  return shares;
}

double GpuSurvival::second_lap_cycles(Hint hint) {
  constexpr int kLines = 64;
  GpuArray<unsigned> data(kLines * 32);
  GpuArray<long long> cycles(1);
  GpuArray<unsigned> sink(1);
  for (int run = 0; run < 2; ++run) {  // the first launch also loads code
    with_hint(hint, [&]<CacheHint cache>() {
      launch(kernels::second_lap<cache>, {.grid = dim3(1), .block = dim3(32)}, data.data(), kLines,
             cycles.data(), sink.data());
    });
  }
  check(cudaDeviceSynchronize());
  return static_cast<double>(cycles.values()[0]) / kLines;
}

}  // namespace ladder::labs
