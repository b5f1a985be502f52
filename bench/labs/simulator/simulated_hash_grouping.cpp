// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_hash_grouping.cpp
/// \brief What grouping asks of a simulated memory: random accesses to the table, and streams of
///        tuples. No table is kept; the kernels themselves run on the emulator.
#include <algorithm>
#include <numeric>

#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

/// Assumed: what a kernel reads of the host's memory over the bus (PCIe 5, 16 lanes).
constexpr double kHostGbps = 50;

class SimulatedGrouping final : public GroupingInstrument {
 public:
  SimulatedGrouping(MemorySystem& system, Noise& noise, RandomReadInstrument& reads)
      : system_(system), shape_(system.shape()), noise_(noise), reads_(reads) {}

  std::vector<double> tuples_per_second(const Grouping& grouping, int repeats) override {
    require_fits(
        grouping.table_bytes + (grouping.tuples + grouping.chunk()) * grouping.word_bytes(),
        shape_.facts);
    const auto tuples = static_cast<double>(grouping.tuples);
    const double stream = stream_seconds(grouping) + launch_seconds(grouping);
    if (grouping.threads != 0) return rates_of_threads(grouping, stream, repeats);
    std::vector<double> rates;
    for (const double rate : reads_.random_reads(table_reads(grouping), repeats).reads_per_second) {
      const double table = tuples / rate;
      // Windows are sorted before; all others read tuples while they wait for the table.
      rates.push_back(tuples / (grouping.way == GroupingWay::windows ? table + stream
                                                                     : std::max(table, stream)));
    }
    return rates;
  }

  std::optional<std::vector<Bucket>> grouped(const Grouping&, std::span<const TableWord>) override {
    return std::nullopt;
  }

 private:
  std::vector<double> rates_of_threads(const Grouping& grouping, double stream, int repeats) {
    const auto tuples = static_cast<double>(grouping.tuples);
    const double table = tuples * seconds_per_probed_tuple(system_, grouping);
    std::vector<double> rates;
    rates.reserve(static_cast<std::size_t>(repeats));
    for (int repeat = 0; repeat < repeats; ++repeat)
      rates.push_back(noise_.rate(tuples / std::max(table, stream)));
    return rates;
  }

  /// Seconds that launches take after the first chunk's, which table_reads() counts.
  static double launch_seconds(const Grouping& grouping) {
    constexpr double kLaunchSeconds = 5e-6;
    const std::uint64_t chunks = (grouping.tuples + grouping.chunk() - 1) / grouping.chunk();
    return static_cast<double>(chunks - 1) * grouping.parts * kLaunchSeconds;
  }

  /// The accesses to the table: each SM stays in its own windows, or each pass in its own part.
  RandomReads table_reads(const Grouping& grouping) const {
    RandomReads reads = {
        .region_bytes = grouping.table_bytes, .reads = grouping.tuples, .seed = grouping.seed};
    if (grouping.way == GroupingWay::windows) {
      // An SM works on as many windows at a time as it has blocks.
      const std::uint64_t at_once = 2 * static_cast<std::uint64_t>(shape_.facts.sms);
      const std::uint64_t parts = std::max(static_cast<std::uint64_t>(grouping.parts), at_once);
      reads.region_bytes = grouping.table_bytes / parts * at_once;
      reads.group_of_sm.resize(static_cast<std::size_t>(shape_.facts.sms));
      std::iota(reads.group_of_sm.begin(), reads.group_of_sm.end(), 0);
    } else {
      reads.scopes = grouping.parts;
    }
    return reads;
  }

  /// Seconds that the tuples themselves take, on their way in, through a buffer and back.
  double stream_seconds(const Grouping& grouping) const {
    const double gigabytes = static_cast<double>(grouping.tuples * grouping.word_bytes()) * 1e-9;
    const double read = gigabytes / shape_.dram_read_gbps;
    const double written = gigabytes / shape_.dram_write_gbps;
    const double input = grouping.zero_copy ? gigabytes / kHostGbps : read;
    const double parts = grouping.parts;
    switch (grouping.way) {
      case GroupingWay::one_pass:
        return input;
      case GroupingWay::rescan:
        return input * parts;
      case GroupingWay::spill: {
        const double others = (parts - 1) / parts;  // of the tuples go through the buffer
        return input + others * (written + (parts - 1) * read);
      }
      case GroupingWay::windows: {
        const double staged = grouping.zero_copy ? written : 0.0;
        return input + staged + read + written + read;
      }
    }
    return input;
  }

  MemorySystem& system_;
  const MemorySystemShape& shape_;
  Noise& noise_;
  RandomReadInstrument& reads_;
};

}  // namespace

std::unique_ptr<GroupingInstrument> make_simulated_grouping(MemorySystem& system, Noise& noise,
                                                            RandomReadInstrument& reads) {
  return std::make_unique<SimulatedGrouping>(system, noise, reads);
}

}  // namespace ladder::labs
