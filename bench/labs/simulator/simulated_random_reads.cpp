// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_random_reads.cpp
/// \brief Independent loads at random places of a simulated memory.
#include <fmt/format.h>

#include <algorithm>

#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorBytes = 32;
constexpr double kLaunchSeconds = 5e-6;

class SimulatedRandomReads : public RandomReadInstrument {
 public:
  SimulatedRandomReads(MemorySystem& system, Noise& noise, std::uint64_t seed)
      : system_(system), shape_(system.shape()), noise_(noise), seed_(seed) {}

  RandomReadsResult random_reads(const RandomReads& reads, int repeats) override {
    require_fits(reads.region_bytes, shape_.facts);
    if (reads.reads == 0 || reads.scopes < 1) {
      throw LabError("Random reads need at least one read and one scope.");
    }
    if (reads.draw == DrawnBy::lcg_of_thread &&
        (reads.reads % kLcgReads != 0 || !reads.group_of_sm.empty())) {
      throw LabError("Reads of a generator come in 1024 for each thread, and without groups.");
    }
    if (reads.draw == DrawnBy::counter && reads.scope_bytes != 0)
      throw LabError("Scopes of a given size are read by generators of threads only.");
    const auto sms = static_cast<std::size_t>(shape_.facts.sms);
    if (!reads.group_of_sm.empty() && reads.group_of_sm.size() != sms) {
      throw LabError(fmt::format("Groups are needed for all {} SMs, or for none.", sms));
    }
    const Known& known = known_reads(reads);
    RandomReadsResult result = {.reads_per_second = {}, .sum = known.sum};
    const double exact = static_cast<double>(reads.reads) / known.seconds;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      result.reads_per_second.push_back(noise_.rate(exact));
    }
    return result;
  }

 private:
  struct Read {
    int sm;
    std::uint64_t address;
  };

  /// What reads took that were asked for before.
  struct Known {
    RandomReads reads;
    double seconds = 0;
    std::uint64_t sum = 0;
  };

  /// The machine is exact: the same reads take as long again.
  const Known& known_reads(const RandomReads& reads) {
    const auto found = std::ranges::find(known_, reads, &Known::reads);
    if (found != known_.end()) return *found;
    Known known = {.reads = reads};
    known.seconds = seconds(reads, known.sum);
    known_.push_back(known);
    return known_.back();
  }

  /// By what the timed loads of a pass were served.
  struct Served {
    std::vector<double> tlb_misses;  // (levels,)
    double dram = 0;
    double loads = 0;
  };

  /// Read number i: which SM does it, and where.
  Read read_of(const RandomReads& reads, std::uint64_t i) const {
    const int sm = static_cast<int>(i % static_cast<std::uint64_t>(shape_.facts.sms));
    std::uint64_t begin = 0;
    std::uint64_t bytes = reads.region_bytes;
    if (!reads.group_of_sm.empty()) {
      const auto groups = static_cast<std::uint64_t>(std::ranges::max(reads.group_of_sm)) + 1;
      bytes /= groups;
      begin = bytes * static_cast<std::uint64_t>(reads.group_of_sm[static_cast<std::size_t>(sm)]);
    }
    const std::uint64_t word = word_bytes(reads.draw);
    const std::uint64_t words = std::max<std::uint64_t>(bytes / word, 1);
    return {.sm = sm, .address = begin + place_of(reads, i, words) * word};
  }

  /// So many reads from number `first` on.
  std::vector<Read> drawn(const RandomReads& reads, std::uint64_t first,
                          std::uint64_t count) const {
    std::vector<Read> drawn;
    drawn.reserve(count);
    for (std::uint64_t i = first; i < first + count; ++i)
      drawn.push_back(read_of(reads, i));
    return drawn;
  }

  /// The word of read number i. With generators of threads, those that run take turns.
  std::uint64_t place_of(const RandomReads& reads, std::uint64_t i, std::uint64_t words) const {
    if (reads.draw == DrawnBy::counter) return hash_of(reads.seed ^ hash_of(i)) % words;
    const std::uint64_t turn = i / running();
    const std::uint64_t thread = turn / kLcgReads * running() + i % running();
    return lcg_word(lcg_after(lcg_start(reads.seed, thread), turn % kLcgReads + 1), words);
  }

  /// Threads that run at a time.
  std::uint64_t running() const { return static_cast<std::uint64_t>(shape_.facts.sms) * 2048; }

  /// \brief  Time of all reads: each pass draws all places, and loads those within its scope, at
  ///         the same time. Some loads run through TLBs and caches; the others take as long.
  double seconds(const RandomReads& reads, std::uint64_t& sum) {
    constexpr std::uint64_t kTimed = 100'000;
    constexpr std::uint64_t kMostDrawn = 400'000;  // to warm up
    const std::uint64_t warm = warm_reads();
    const std::vector<Read> timed = drawn(reads, 0, std::min(reads.reads, kTimed));
    const std::vector<Read> before =
        drawn(reads, reads.reads, reads.scopes == 1 ? std::min(warm, kMostDrawn) : kMostDrawn);
    const auto scopes = static_cast<std::uint64_t>(reads.scopes);
    const std::uint64_t scope_bytes =
        reads.scope_bytes != 0 ? reads.scope_bytes : (reads.region_bytes + scopes - 1) / scopes;
    system_.clear();
    std::optional<TwoSidedL2> l2;
    std::uint64_t scale = 1;
    if (shape_.l2) {
      const L2Sample sample(*shape_.l2);
      scale = sample.scale;
      l2.emplace(sample.shape, seed_);
    }
    double seconds = 0;
    for (std::uint64_t scope = 0; scope < scopes; ++scope) {
      Served served{.tlb_misses = std::vector<double>(shape_.tlb.size(), 0)};
      std::uint64_t warmed = 0;
      for (const Read& read : before) {
        if (read.address / scope_bytes != scope) continue;
        load(l2, scale, read);
        if (++warmed == warm) break;
      }
      for (const Read& read : timed) {
        if (read.address / scope_bytes != scope) continue;
        sum += hash_of(read.address);
        const auto [levels, dram] = load(l2, scale, read);
        for (std::size_t level = 0; level < levels; ++level)
          served.tlb_misses[level] += 1;
        served.dram += dram;
        served.loads += 1;
      }
      const double share = served.loads / static_cast<double>(timed.size());
      const double loads = served.loads == 0 ? 0 : share * seconds_per_load(served);
      seconds += kLaunchSeconds +
                 static_cast<double>(reads.reads) * std::max(loads, seconds_per_place(reads.draw));
    }
    return seconds;
  }

  /// Reads after which TLBs and the model of L2 are full.
  std::uint64_t warm_reads() const {
    std::uint64_t entries = 16384;
    for (const TlbLevelShape& level : shape_.tlb) {
      entries = std::max(entries, 3 * level.entries * static_cast<std::uint64_t>(level.groups()));
    }
    return entries;
  }

  struct Missed {
    std::size_t tlb_levels;
    bool l2;
  };

  Missed load(std::optional<TwoSidedL2>& l2, std::uint64_t scale, const Read& read) {
    const std::uint64_t small = read.address / kLineBytes / scale * kLineBytes +
                                read.address % kLineBytes / kSectorBytes * kSectorBytes;
    return {.tlb_levels = system_.translate(read.sm, read.address),
            .l2 = !l2 || l2->load(system_.side_of(read.sm), small) == L2Place::dram};
  }

  /// Seconds per load: the longest of what all loads go through.
  double seconds_per_load(const Served& served) const {
    const double l2_miss_rate = served.dram / served.loads;
    const double clock = shape_.facts.sm_clock_mhz * 1e6;
    const double sms = shape_.facts.sms;
    constexpr double kLoadsInFlight = 2048.0 * 4;  // of an SM
    constexpr double kDramBytes = 64;              // that DRAM reads at least
    double latency = (1 - l2_miss_rate) * (shape_.near_cycles + shape_.far_cycles) / 2 +
                     l2_miss_rate * shape_.dram_cycles;
    double longest = l2_miss_rate * kDramBytes / (shape_.dram_read_gbps * 1e9);
    longest = std::max(longest, 1 / (sms * clock));  // an SM starts one a cycle
    if (shape_.l2) longest = std::max(longest, kSectorBytes / (shape_.l2_gbps * 1e9));
    for (std::size_t i = 0; i < served.tlb_misses.size(); ++i) {
      const TlbLevelShape& level = shape_.tlb[i];
      const double rate = served.tlb_misses[i] / served.loads;
      latency += rate * level.miss_cycles;
      longest = std::max(longest, rate / (level.misses_per_cycle * level.groups() * clock));
    }
    return std::max(longest, latency / (sms * kLoadsInFlight * clock));
  }

  /// Seconds that all SMs together take to draw one place.
  double seconds_per_place(DrawnBy draw) const {
    const double cycles =
        draw == DrawnBy::counter ? shape_.draw.counter_cycles : shape_.draw.lcg_cycles;
    return cycles / (shape_.facts.sms * shape_.facts.sm_clock_mhz * 1e6);
  }

  MemorySystem& system_;
  const MemorySystemShape& shape_;
  Noise& noise_;
  std::uint64_t seed_;
  std::vector<Known> known_ = {};
};

}  // namespace

std::unique_ptr<RandomReadInstrument> make_simulated_random_reads(MemorySystem& system,
                                                                  Noise& noise,
                                                                  std::uint64_t seed) {
  return std::make_unique<SimulatedRandomReads>(system, noise, seed);
}

}  // namespace ladder::labs
