// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_sweeps.cpp
/// \brief Bandwidth of simulated caches, by what they hit and by what is in flight.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/analysis/saturation.hpp"
#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLineBytes = 128;
constexpr double kThreadsPerSm = 2048;
/// That an SM takes of L2 in a cycle, at most: assumption. Few SMs are not held to their share of
/// L2.
constexpr double kL2BytesPerCycle = 64;

class SimulatedSweeps : public SweepInstrument {
 public:
  SimulatedSweeps(const MemorySystem& system, Noise& noise, std::uint64_t seed)
      : system_(system), shape_(system.shape()), noise_(noise), seed_(seed) {}

  std::vector<double> gbps(const Sweep& sweep, int repeats) override {
    const std::uint64_t arrays = sweep.direction == Direction::copy ? 2 : 1;
    require_fits(sweep.bytes, shape_.facts);
    require_fits(arrays * sweep.bytes, shape_.facts);
    const double exact = known_bandwidth(sweep);
    std::vector<double> samples(static_cast<std::size_t>(std::max(repeats, 0)));
    std::ranges::generate(samples, [&] { return noise_.rate(exact); });
    return samples;
  }

 private:
  /// Labs ask for the same sweep again and again, and the machine is exact.
  double known_bandwidth(const Sweep& sweep) {
    const auto found = std::ranges::find(known_, sweep, &std::pair<Sweep, double>::first);
    if (found != known_.end()) return found->second;
    known_.emplace_back(sweep, bandwidth(sweep));
    return known_.back().second;
  }

  std::vector<int> sms_of(const Sweep& sweep) const {
    std::vector<int> sms = sweep.sms;
    if (sms.empty()) {
      sms.resize(static_cast<std::size_t>(shape_.facts.sms));
      std::iota(sms.begin(), sms.end(), 0);
    }
    for (const int sm : sms)
      require_sm(sm, shape_.facts);
    return sms;
  }

  /// Hits and misses overlap, and what is in flight bounds all of it.
  double bandwidth(const Sweep& sweep) const {
    const std::vector<int> sms = sms_of(sweep);
    const double h1 = l1_hit_rate(sweep, sms.size());
    const L2Rates l2 = l2_rates(sweep, sms);
    const double share = static_cast<double>(sms.size()) / shape_.facts.sms;
    const double dram = dram_gbps(sweep.direction);
    const double cache = shape_.l2 ? shape_.l2_gbps : dram;
    const double taken =
        static_cast<double>(sms.size()) * kL2BytesPerCycle * shape_.facts.sm_clock_mhz * 1e-3;
    double gbps = overlapped_bandwidth(l2.near + l2.far, std::min(cache, taken), dram) /
                  std::max(1 - h1, 1e-9);
    if (shape_.l1 && shape_.l1_gbps > 0) gbps = std::min(gbps, shape_.l1_gbps * share);

    const double past_l1 = l2.near * shape_.near_cycles + l2.far * shape_.far_cycles +
                           (1 - l2.near - l2.far) * shape_.dram_cycles;
    const double latency = h1 * shape_.l1_cycles + (1 - h1) * past_l1;
    const double threads = std::min(sweep.blocks_per_sm * 1024.0, kThreadsPerSm);
    const double in_flight = static_cast<double>(sms.size()) * threads * sweep.loads_in_flight * 16;
    return std::min(gbps, in_flight / bytes_in_flight(1, latency, shape_.facts.sm_clock_mhz));
  }

  double dram_gbps(Direction direction) const {
    switch (direction) {
      case Direction::read:
        return shape_.dram_read_gbps;
      case Direction::write:
        return shape_.dram_write_gbps;
      case Direction::copy:
        break;
    }
    return 2 / (1 / shape_.dram_read_gbps + 1 / shape_.dram_write_gbps);
  }

  /// L1 sees what its SM reads: its own share of the array, or with time all of it.
  double l1_hit_rate(const Sweep& sweep, std::size_t sms) const {
    if (!shape_.l1 || sweep.access != Access::cached || sweep.direction != Direction::read)
      return 0;
    const std::uint64_t lines = shape_.l1->lines();
    const bool same = sweep.order == SweepOrder::same_threads;
    const std::uint64_t read = (same ? sweep.bytes / sms : sweep.bytes) / kLineBytes;
    if (read > 4 * lines) return 0;
    SectoredCache l1(*shape_.l1, seed_);
    std::uint64_t hits = 0;
    constexpr int kWarm = 4;
    constexpr int kPasses = 6;
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::uint64_t i = 0; i < read; ++i) {
        const std::uint64_t place = same ? i : hash_of(seed_ ^ (i + pass * read)) % read;
        if (l1.access(place, 0) && pass >= kWarm) ++hits;
      }
    }
    const double timed = static_cast<double>(read) * (kPasses - kWarm);
    return read == 0 ? 1 : static_cast<double>(hits) / timed;
  }

  /// Shares of the lines that L2 serves.
  struct L2Rates {
    double near = 0;
    double far = 0;
  };

  L2Rates l2_rates(const Sweep& sweep, std::span<const int> sms) const {
    if (!shape_.l2) return {};
    const L2Sample sample(*shape_.l2);
    TwoSidedL2 l2(sample.shape, seed_);
    const std::uint64_t arrays = sweep.direction == Direction::copy ? 2 : 1;
    const std::uint64_t lines =
        std::max<std::uint64_t>(arrays * sweep.bytes / kLineBytes / sample.scale, 1);
    // Of a long array, what came last before the timed lines is all that L2 can hold.
    const std::uint64_t warm = std::min(4 * lines, 8 * sample.lines());
    constexpr std::uint64_t kTimed = 32768;
    const std::uint64_t timed_lines = std::min(2 * lines, kTimed);
    const std::uint64_t begin = (warm + lines - 1) / lines * lines - warm;
    std::uint64_t near = 0;
    std::uint64_t far = 0;
    for (std::uint64_t step = begin; step < begin + warm + timed_lines; ++step) {
      const std::uint64_t i = step % lines;
      // Blocks keep their elements, or get others; neither depends on where a line is at home.
      std::uint64_t reader = hash_of(seed_ ^ i);
      if (sweep.order != SweepOrder::same_threads) reader = hash_of(reader + step / lines);
      const std::uint64_t line =
          sweep.order == SweepOrder::random_lines ? hash_of(seed_ + step) % lines : i;
      const int side = system_.side_of(sms[reader % sms.size()]);
      const bool write =
          sweep.direction == Direction::write || (sweep.direction == Direction::copy && i % 2 == 1);
      const L2Place place = load_line(l2, side, line, write);
      near += step >= begin + warm && place == L2Place::near;
      far += step >= begin + warm && place == L2Place::far;
    }
    const auto timed = static_cast<double>(timed_lines);
    return {.near = static_cast<double>(near) / timed, .far = static_cast<double>(far) / timed};
  }

  static L2Place load_line(TwoSidedL2& l2, int side, std::uint64_t line, bool write) {
    return write ? l2.at_home(side, line * kLineBytes) : l2.load(side, line * kLineBytes);
  }

  const MemorySystem& system_;
  const MemorySystemShape& shape_;
  Noise& noise_;
  std::uint64_t seed_;
  std::vector<std::pair<Sweep, double>> known_ = {};
};

}  // namespace

std::unique_ptr<SweepInstrument> make_simulated_sweeps(const MemorySystem& system, Noise& noise,
                                                       std::uint64_t seed) {
  return std::make_unique<SimulatedSweeps>(system, noise, seed);
}

}  // namespace ladder::labs
