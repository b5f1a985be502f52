// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_hash_grouping.cpp
/// \brief What grouping asks of a simulated memory: random accesses to the table, and streams of
///        tuples. No table is kept; the kernels themselves run on the emulator.
#include <algorithm>
#include <numeric>

#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

constexpr double kTupleBytes = 8;
/// Assumed: what a kernel reads of the host's memory over the bus (PCIe 5, 16 lanes).
constexpr double kHostGbps = 50;

class SimulatedGrouping final : public GroupingInstrument {
 public:
  SimulatedGrouping(const MemorySystemShape& shape, RandomReadInstrument& reads)
      : shape_(shape), reads_(reads) {}

  std::vector<double> tuples_per_second(const Grouping& grouping, int repeats) override {
    require_fits(grouping.table_bytes + 2 * grouping.tuples * sizeof(TableWord), shape_.facts);
    const auto tuples = static_cast<double>(grouping.tuples);
    const double stream = stream_seconds(grouping);
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
  /// The accesses to the table: each SM stays in its own windows, or each pass in its own part.
  RandomReads table_reads(const Grouping& grouping) const {
    RandomReads reads = {
        .region_bytes = grouping.table_bytes, .reads = grouping.tuples, .seed = grouping.seed};
    if (grouping.way == GroupingWay::windows) {
      // An SM works on as many windows at a time as it has blocks.
      const auto at_once = static_cast<std::uint64_t>(2 * shape_.facts.sms);
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
    const double gigabytes = static_cast<double>(grouping.tuples) * kTupleBytes * 1e-9;
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

  const MemorySystemShape& shape_;
  RandomReadInstrument& reads_;
};

}  // namespace

std::unique_ptr<GroupingInstrument> make_simulated_grouping(const MemorySystemShape& shape,
                                                            RandomReadInstrument& reads) {
  return std::make_unique<SimulatedGrouping>(shape, reads);
}

}  // namespace ladder::labs
