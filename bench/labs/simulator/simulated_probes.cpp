// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_probes.cpp
/// \brief Grouping with few threads: what TLBs still hold when a thread tries its next bucket.
#include <algorithm>

#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

/// Threads that take turns: each goes to one bucket, and then the next thread does.
class Turns {
 public:
  Turns(MemorySystem& system, const Grouping& grouping)
      : system_(system),
        grouping_(grouping),
        sms_(static_cast<std::uint64_t>(system.shape().facts.sms)),
        buckets_(static_cast<std::size_t>(grouping.threads)) {}

  /// So many buckets; with the misses of each level of TLBs in them.
  void run(std::uint64_t probes, std::vector<double>& misses) {
    for (std::uint64_t i = 0; i < probes; ++i) {
      const std::uint64_t thread = next_++ % buckets_.size();
      Place& place = buckets_[thread];
      place = place.again
                  ? Place{place.bucket + 1, tries_again()}
                  : Place{hash_of(grouping_.seed ^ ++drawn_) % grouping_.buckets(), tries_again()};
      const std::size_t levels =
          system_.translate(static_cast<int>(thread % sms_),
                            place.bucket % grouping_.buckets() * 2 * grouping_.word_bytes());
      for (std::size_t level = 0; level < levels; ++level)
        misses[level] += 1;
    }
  }

  std::uint64_t tuples() const { return drawn_; }

 private:
  struct Place {
    std::uint64_t bucket = 0;
    bool again = false;  ///< it holds another key: the next one is tried
  };

  /// One try in three is not the last one: one and a half for each tuple, as with half of the
  /// buckets empty.
  bool tries_again() { return hash_of(~grouping_.seed ^ next_) % 3 == 0; }

  MemorySystem& system_;
  const Grouping& grouping_;
  std::uint64_t sms_;
  std::vector<Place> buckets_;
  std::uint64_t next_ = 0;
  std::uint64_t drawn_ = 0;
};

}  // namespace

double seconds_per_probed_tuple(MemorySystem& system, const Grouping& grouping) {
  constexpr std::uint64_t kWarm = 200'000;
  constexpr std::uint64_t kTimed = 200'000;
  constexpr double kDramBytes = 64;  // that DRAM reads at least
  const MemorySystemShape& shape = system.shape();
  system.clear();
  Turns turns(system, grouping);
  std::vector<double> misses(shape.tlb.size(), 0);
  turns.run(kWarm, misses);
  std::ranges::fill(misses, 0);
  const std::uint64_t before = turns.tuples();
  turns.run(kTimed, misses);
  const double tuples = static_cast<double>(turns.tuples() - before);
  const double clock = shape.facts.sm_clock_mhz * 1e6;
  // A thread waits for each bucket; the first of a tuple comes from memory.
  const double probes = static_cast<double>(kTimed) / tuples;
  double latency = shape.dram_cycles + (probes - 1) * shape.near_cycles;
  double longest = kDramBytes / (shape.dram_read_gbps * 1e9);
  for (std::size_t i = 0; i < misses.size(); ++i) {
    const TlbLevelShape& level = shape.tlb[i];
    const double rate = misses[i] / tuples;
    latency += rate * level.miss_cycles;
    longest = std::max(longest, rate / (level.misses_per_cycle * level.groups() * clock));
  }
  return std::max(longest, latency / (grouping.threads * clock));
}

}  // namespace ladder::labs
