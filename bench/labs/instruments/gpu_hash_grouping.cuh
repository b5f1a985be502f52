// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_hash_grouping.cuh
/// \brief Hash grouping on a GPU.
#pragma once

#include "bench/labs/instruments/gpu_memory.cuh"
#include "bench/labs/instruments/hash_grouping.hpp"
#include "common/timing.hpp"

namespace ladder::labs {

/// \brief Memory of the host that kernels read over the bus. It grows when more is asked for.
class PinnedTuples {
 public:
  PinnedTuples() = default;
  ~PinnedTuples() { release(); }
  PinnedTuples(const PinnedTuples&) = delete;
  PinnedTuples& operator=(const PinnedTuples&) = delete;

  /// \throws LabError  the host cannot pin so much
  char* of_bytes(std::uint64_t bytes);
  void release() noexcept;

 private:
  char* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
};

template <class Word>
struct GroupingArrays;

class GpuHashGrouping final : public GroupingInstrument {
 public:
  GpuHashGrouping(GpuRegion& region, Stopwatch& stopwatch, int sms)
      : region_(region), stopwatch_(stopwatch), sms_(sms) {}

  std::vector<double> tuples_per_second(const Grouping& grouping, int repeats) override;
  std::optional<std::vector<Bucket>> grouped(const Grouping& grouping,
                                             std::span<const TableWord> keys) override;

 private:
  /// What the region holds. It is filled again when one of these changes.
  struct Held {
    std::uint64_t table_bytes = 0;
    std::uint64_t tuples = 0;
    std::uint64_t seed = 0;
    KeySize keys = KeySize::wide;
    bool operator==(const Held&) const = default;
  };

  LaunchShape all_sms() const;
  template <class Word>
  GroupingArrays<Word> arrays_of(const Grouping& grouping);
  /// Fills the table with all groups, and makes the tuples.
  template <class Word>
  void prepare(const Grouping& grouping);
  template <class Word>
  std::vector<double> rates_of(const Grouping& grouping, int repeats);
  template <class Word>
  std::vector<Bucket> buckets_of(const Grouping& grouping, std::span<const TableWord> keys);
  template <class Word>
  TableSums sums_of_table(const Grouping& grouping);
  /// \throws std::logic_error  the table does not hold all groups, or other counts
  template <class Word>
  void require_exact(const Grouping& grouping);

  GpuRegion& region_;
  Stopwatch& stopwatch_;
  int sms_;
  PinnedTuples pinned_;
  Held held_;
  bool pinned_filled_ = false;
  TableSums once_;      ///< what a grouping adds
  TableSums expected_;  ///< of the table
};

}  // namespace ladder::labs
