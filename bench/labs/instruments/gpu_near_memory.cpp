// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_near_memory.cpp
#include "bench/labs/instruments/gpu_near_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "bench/labs/analysis/samples.hpp"
#include "bench/labs/instruments/energy_log.hpp"
#include "bench/labs/instruments/random_places.hpp"
#include "common/nvml.hpp"
#include "common/side_aware/gpu.hpp"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::labs {
namespace {

using side_aware::Address;
using side_aware::Arrays;
using side_aware::ElementwiseKernel;
using side_aware::shipped_operation;

constexpr std::uint64_t kWordBytes = 4;
/// Pairs of numbers that Rope turns for one text: common/side_aware/operations/rope.cuh.
constexpr std::uint64_t kRopeTextBytes = std::uint64_t{1024} * 96 * 64 * 8;
constexpr std::uint64_t kRopeTableBytes = std::uint64_t{1024} * 64 * 8;

/// Side-aware memory that is given back at the end.
class Block {
 public:
  Block(side_aware::Gpu& gpu, std::uint64_t bytes)
      : gpu_(gpu), address_(gpu.allocator().malloc_async(bytes, nullptr)) {}
  ~Block() { gpu_.allocator().free_async(address_, nullptr); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  Address address() const { return address_; }

 private:
  side_aware::Gpu& gpu_;
  Address address_;
};

class GpuNearMemory final : public NearMemoryInstrument {
 public:
  GpuNearMemory(Stopwatch& stopwatch, const MemoryFacts& facts)
      : stopwatch_(stopwatch), bytes_(array_bytes(facts)), l2_bytes_(facts.l2_bytes) {}

  NearMemoryFacts facts() override {
    const side_aware::GpuSides& sides = gpu_.sides();
    NearMemoryFacts facts = {.mask = sides.mask,
                             .sms_of_side_1 = static_cast<int>(std::ranges::count(sides.of_sm, 1)),
                             .array_bytes = bytes_};
    if (sides.mask == 0) return facts;
    allocate();
    facts.pages = 2 * bytes_ / side_aware::kPageBytes;
    facts.pages_off_rule = gpu_.allocator().state().pages_off_rule;
    facts.blocks_per_sm = static_cast<int>(blocks_per_sm_);
    return facts;
  }

  double near_share(Assignment assignment) override {
    allocate();
    constexpr std::size_t kGranules = 2048;
    constexpr int kRepeats = 3;
    const Address from = source_->address();
    const Address to = target_->address();
    start(gpu_.kernel(shipped_operation("which_sm.cuh", "WhichSm")),
          {.outputs = {to}, .inputs = {}, .elements = bytes_ / kWordBytes}, assignment);
    stopwatch_.rest_ms(0);
    std::vector<Address> targets;
    std::vector<Address> sources;
    std::vector<int> sms;
    const side_aware::ContextScope scope(gpu_.context());
    const side_aware::CudaApi& api = gpu_.context().api();
    for (std::size_t i = 0; i < kGranules; ++i) {
      const std::uint64_t offset =
          split_mix(i + 1) % (bytes_ / side_aware::kGranuleBytes) * side_aware::kGranuleBytes;
      targets.push_back(to + offset);
      sources.push_back(from + offset);
      int sm = 0;
      api.check(api.to_host(&sm, to + offset, sizeof sm));
      sms.push_back(sm);
    }
    std::size_t near = 0;
    for (const std::vector<Address>& addresses : {targets, sources}) {
      const std::vector<int> homes = gpu_.probe().sides_of(addresses, kRepeats);
      for (std::size_t i = 0; i < kGranules; ++i)
        near += gpu_.sides().of_sm.at(static_cast<std::size_t>(sms[i])) == homes[i] ? 1 : 0;
    }
    return static_cast<double>(near) / (2.0 * kGranules);
  }

  StreamResult run(const StreamRun& run) override {
    allocate();
    fill(run.zeros);
    if (run.operation == StreamOperation::rope) {  // turns its target in place
      const Stream copy = stream_of(StreamOperation::copy);
      start(copy.kernel, copy.arrays, Assignment::right);
    }
    const Stream work = stream_of(run.operation);
    const double once_ms =
        stopwatch_.time_ms([&] { start(work.kernel, work.arrays, run.assignment, work.sideband); });
    constexpr double kGroupMs = 50.0;
    const int launches = std::max(1, static_cast<int>(kGroupMs / std::max(once_ms, 0.01)));
    const double gigabytes = launches * static_cast<double>(work.bytes) / 1e9;
    constexpr double kWindows = 20.0;

    StreamResult result;
    ClockLog clocks;
    EnergyLog energy([this] { return nvml_.joules(); });
    while (energy.now() < run.warm_seconds + run.seconds) {
      const bool counts = energy.now() >= run.warm_seconds;
      const double ms = stopwatch_.time_ms([&] {
        for (int i = 0; i < launches; ++i)
          start(work.kernel, work.arrays, run.assignment, work.sideband);
      });
      if (counts) {
        result.gbps.push_back(gigabytes / (ms * 1e-3));
        stopwatch_.log_clocks(clocks);
      }
    }
    // A step of the counter tells of the time before it.
    result.watts = watts_of(energy.stop(), run.warm_seconds, run.seconds / kWindows);
    if (result.watts.empty()) result.watts = clocks.power_w;
    if (!clocks.sm_mhz.empty()) result.sm_mhz = median_of(clocks.sm_mhz);
    return result;
  }

  std::vector<double> two_passes_ms(TwoPasses passes, std::uint64_t bytes, int repeats) override {
    allocate();
    const std::array<Stream, 2> both = passes_of(passes, bytes);
    // The ends of the arrays, through which L2 forgets their beginnings.
    const std::uint64_t other = std::min(4 * l2_bytes_, bytes_ / 2);
    const Address end = bytes_ - other;
    const Stream forget = {gpu_.kernel(shipped_operation("copy.cuh", "CopyOfKept")),
                           {.outputs = {target_->address() + end},
                            .inputs = {source_->address() + end},
                            .elements = other / kWordBytes},
                           2 * other};
    std::vector<double> ms;
    for (int repeat = -1; repeat < repeats; ++repeat) {
      start(forget.kernel, forget.arrays, Assignment::right);
      const double once = stopwatch_.time_ms([&] {
        for (const Stream& pass : both)
          start(pass.kernel, pass.arrays, Assignment::right, pass.sideband);
      });
      if (repeat >= 0) ms.push_back(once);  // the first one warms up
    }
    return ms;
  }

 private:
  struct Stream {
    const ElementwiseKernel& kernel;
    Arrays arrays;
    std::uint64_t bytes;  ///< read and written by one launch
    int sideband = 0;
  };

  /// Far more than L2 holds, but not more than a part of what is free.
  static std::uint64_t array_bytes(const MemoryFacts& facts) {
    constexpr std::uint64_t kLeast = std::uint64_t{64} << 20;
    const std::uint64_t wanted = std::min(std::uint64_t{32} * facts.l2_bytes, facts.free_bytes / 8);
    return std::max(kLeast, std::bit_floor(wanted));
  }

  void start(const ElementwiseKernel& kernel, const Arrays& arrays, Assignment assignment,
             int sideband = 0) {
    gpu_.elementwise(kernel, arrays,
                     {.assignment = assignment,
                      .sideband = {sideband, nullptr},
                      .blocks_per_sm = blocks_per_sm_},
                     stopwatch_.stream());
  }

  void allocate() {
    if (target_) return;
    source_.emplace(gpu_, bytes_);
    target_.emplace(gpu_, bytes_);
    table_.emplace(gpu_, kRopeTableBytes);
    write_turns();
    fill(false);
    for (const auto assignment :
         {Assignment::off, Assignment::right, Assignment::wrong, Assignment::random}) {
      check_copy(assignment, 0, bytes_);
      check_copy(assignment, 3 * side_aware::kVectorBytes, bytes_ / 2 + kWordBytes);
    }
    choose_blocks();
  }

  /// Cosines and sines for Rope: turns that keep every length.
  void write_turns() {
    std::vector<float> turns;  // (pairs, 2)
    for (std::uint64_t i = 0; i < kRopeTableBytes / 8; ++i) {
      const double angle = 0.001 * static_cast<double>(i);
      turns.push_back(static_cast<float>(std::cos(angle)));
      turns.push_back(static_cast<float>(std::sin(angle)));
    }
    const side_aware::ContextScope scope(gpu_.context());
    const side_aware::CudaApi& api = gpu_.context().api();
    api.check(api.to_device(table_->address(), turns.data(), kRopeTableBytes));
  }

  void fill(bool zeros) {
    if (filled_with_zeros_ == zeros) return;
    const side_aware::ContextScope scope(gpu_.context());
    const side_aware::CudaApi& api = gpu_.context().api();
    if (zeros) {
      api.check(api.fill_bytes(source_->address(), 0, bytes_));
      api.check(api.synchronize());
    } else {
      start(gpu_.kernel(shipped_operation("random_bits.cuh", "RandomBits")),
            {.outputs = {source_->address()}, .inputs = {}, .elements = bytes_ / kWordBytes},
            Assignment::right, 1);
    }
    filled_with_zeros_ = zeros;
  }

  /// Copies a part of the source, and counts the words that are not right: those around it
  /// included.
  void check_copy(Assignment assignment, std::uint64_t offset, std::uint64_t bytes) {
    const side_aware::CudaApi& api = gpu_.context().api();
    const Address from = source_->address();
    const Address to = target_->address();
    stopwatch_.rest_ms(0);
    {
      const side_aware::ContextScope scope(gpu_.context());
      api.check(api.fill_bytes(to, 0, bytes_));
      api.check(api.synchronize());
    }
    start(gpu_.kernel(shipped_operation("copy.cuh", "Copy")),
          {.outputs = {to + offset}, .inputs = {from + offset}, .elements = bytes / kWordBytes},
          assignment);
    const auto different = [&](std::uint64_t first, std::uint64_t count) {
      start(gpu_.kernel(shipped_operation("differences.cuh", "Differences")),
            {.outputs = {}, .inputs = {from + first, to + first}, .elements = count / kWordBytes},
            Assignment::right);
      unsigned words = 0;
      gpu_.read_sum(&words, sizeof words, stopwatch_.stream());
      return words;
    };
    // All of the copied part is equal. Of the rest, hardly a word of random bits is 0.
    const unsigned wrong = different(offset, bytes);
    const unsigned all = different(0, bytes_);
    const double rest = static_cast<double>((bytes_ - bytes) / kWordBytes);
    if (wrong != 0 || std::abs(all - rest) > 1e-6 * rest + 1) {
      throw LabError(fmt::format(
          "A side-aware copy ({}) is wrong in {} words, and has changed {} words beside it: please "
          "report this with the name of the GPU",
          name_of(assignment), wrong, rest - all));
    }
  }

  /// As many blocks on an SM as make the ordinary copy fastest.
  void choose_blocks() {
    const Stream copy = stream_of(StreamOperation::copy);
    double best = 0;
    unsigned chosen = blocks_per_sm_;
    for (const unsigned blocks : {2u, 3u, 4u, 6u, 8u}) {
      if (blocks > copy.kernel.most_blocks_per_sm()) continue;
      blocks_per_sm_ = blocks;
      std::vector<double> ms;
      for (int repeat = 0; repeat < 7; ++repeat)
        ms.push_back(stopwatch_.time_ms([&] { start(copy.kernel, copy.arrays, Assignment::off); }));
      const double rate = 1.0 / median_of(ms);
      if (rate > best) {
        best = rate;
        chosen = blocks;
      }
    }
    blocks_per_sm_ = chosen;
  }

  Stream stream_of(StreamOperation operation) {
    const Address from = source_->address();
    const Address to = target_->address();
    const std::uint64_t words = bytes_ / kWordBytes;
    switch (operation) {
      case StreamOperation::scale:
        return {gpu_.kernel(shipped_operation("scale.cuh", "Scale")),
                {.outputs = {to}, .inputs = {from}, .elements = words},
                2 * bytes_,
                std::bit_cast<int>(1.5f)};
      case StreamOperation::sum:
        return {gpu_.kernel(shipped_operation("sum.cuh", "Total")),
                {.outputs = {}, .inputs = {from}, .elements = words},
                bytes_};
      case StreamOperation::rope: {
        const std::uint64_t bytes = bytes_ / kRopeTextBytes * kRopeTextBytes;
        return {gpu_.kernel(shipped_operation("rope.cuh", "Rope")),
                {.outputs = {to}, .inputs = {to, table_->address()}, .elements = bytes / 8},
                2 * bytes / 3 * 2};  // values are skipped
      }
      default:
        return {gpu_.kernel(shipped_operation("copy.cuh", "Copy")),
                {.outputs = {to}, .inputs = {from}, .elements = words},
                2 * bytes_};
    }
  }

  std::array<Stream, 2> passes_of(TwoPasses passes, std::uint64_t bytes) {
    const Address from = source_->address();
    const Address to = target_->address();
    const std::uint64_t words = bytes / kWordBytes;
    const bool scales = passes == TwoPasses::scale_forwards || passes == TwoPasses::scale_backwards;
    if (scales) {
      const bool back = passes == TwoPasses::scale_backwards;
      return {Stream{gpu_.kernel(shipped_operation("absmax.cuh", "FirstAbsMax")),
                     {.outputs = {}, .inputs = {from}, .elements = words},
                     bytes},
              Stream{gpu_.kernel(shipped_operation("scale.cuh", back ? "ScaleBackwards" : "Scale")),
                     {.outputs = {to}, .inputs = {from}, .elements = words},
                     2 * bytes,
                     std::bit_cast<int>(1.5f)}};
    }
    const bool evicted = passes == TwoPasses::copy_evicted;
    return {Stream{gpu_.kernel(shipped_operation("copy.cuh", evicted ? "Copy" : "CopyOfKept")),
                   {.outputs = {to}, .inputs = {from}, .elements = words},
                   2 * bytes},
            Stream{gpu_.kernel(shipped_operation("sum.cuh", "Total")),
                   {.outputs = {}, .inputs = {to}, .elements = words},
                   bytes}};
  }

  Stopwatch& stopwatch_;
  std::uint64_t bytes_;
  std::uint64_t l2_bytes_;
  unsigned blocks_per_sm_ = 4;
  Nvml nvml_;
  side_aware::Gpu gpu_;
  std::optional<Block> source_;
  std::optional<Block> target_;
  std::optional<Block> table_;
  std::optional<bool> filled_with_zeros_;
};

}  // namespace

std::unique_ptr<NearMemoryInstrument> make_gpu_near_memory(Stopwatch& stopwatch,
                                                           const MemoryFacts& facts) {
  try {
    return std::make_unique<GpuNearMemory>(stopwatch, facts);
  } catch (const side_aware::SideAwareError& error) {
    throw LabError(error.what());
  }
}

}  // namespace ladder::labs
