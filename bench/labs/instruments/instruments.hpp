// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/instruments.hpp
/// \brief What labs measure with. A GPU has all instruments, and so has a simulated memory system;
///        a lab does not know which of the two it asks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/labs/analysis/samples.hpp"
#include "bench/labs/instruments/random_places.hpp"
#include "bench/labs/instruments/survival.hpp"

namespace ladder::labs {

/// Thrown when a lab cannot be run here; says why, and what to do.
class LabError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A figure of a device card, by its name there.
struct CardFigure {
  std::string key;     ///< "registers_per_sm"
  double value = 0.0;  ///< in the card's unit
  std::string source;  ///< what was asked
};

/// What a GPU says about itself.
struct MemoryFacts {
  std::string name;            ///< "NVIDIA H200", or "simulated h100"
  int sms = 0;                 ///< streaming multiprocessors
  double sm_clock_mhz = 0;     ///< the highest
  std::uint64_t l1_bytes = 0;  ///< L1 and shared memory of one SM
  std::uint64_t l2_bytes = 0;
  std::uint64_t dram_bytes = 0;
  std::uint64_t free_bytes = 0;             ///< that a region may take
  double dram_gbps = 0;                     ///< computed from clock and bus width; 0: not known
  std::uint64_t most_persisting_bytes = 0;  ///< L2 that can be set aside
  std::uint64_t largest_window_bytes = 0;   ///< of an access policy
  std::map<std::string, std::string> versions = {};
  std::vector<CardFigure> card = {};  ///< what the driver knows of a device card
};

/// How a load goes through the caches.
enum class Access : std::uint8_t {
  cached,   ///< ld.ca: L1, then L2
  l2_only,  ///< ld.cg: past L1
  atomic,   ///< an atomic addition of 0: done where the line is at home in L2
};

enum class Order : std::uint8_t { ascending, random };

/// One thread that loads from place to place; each load tells where the next one goes.
struct Walk {
  std::uint64_t places = 0;
  std::uint64_t stride_bytes = 128;  ///< from place to place; a multiple of 8
  std::uint64_t first_byte = 0;      ///< of the region
  Order order = Order::random;
  Access access = Access::l2_only;
  /// Each place lies at another line of its stride, so that places a power of two apart do not
  /// compete for the same sets of a cache. Another seed takes other lines.
  bool spread_lines = false;
  std::uint64_t most_steps = 65536;  ///< timed loads of one sample; fewer where one lap is shorter
  std::uint64_t seed = 1;
  /// Not 0: places come in pairs, and from one pair to the next it is a stride. The second place of
  /// a pair lies so many bytes behind the first; less than a stride.
  std::uint64_t partner_bytes = 0;
  std::uint64_t spread_bytes = 0;  ///< of each stride, over which lines are spread; 0: all of it

  /// Bytes from the first place to the end of the last one.
  std::uint64_t span_bytes() const {
    return (partner_bytes == 0 ? places : (places + 1) / 2) * stride_bytes;
  }
  bool operator==(const Walk&) const = default;
};

/// \brief  Byte of a walk's place within the region.
/// \param  place  0 .. places - 1, in the order of addresses
constexpr std::uint64_t address_of(const Walk& walk, std::uint64_t place) {
  constexpr std::uint64_t kLine = 128;
  const std::uint64_t lines =
      (walk.spread_bytes == 0 ? walk.stride_bytes : walk.spread_bytes) / kLine;
  const bool pairs = walk.partner_bytes != 0;
  const std::uint64_t index = pairs ? place / 2 : place;
  // An odd factor spreads lines over the stride; neighbours in one set are far apart in the walk.
  const std::uint64_t spread = (index + walk.seed * 0x10001u) * 0x9e3779b1u;
  const std::uint64_t line = walk.spread_lines && lines > 1 ? spread % lines : 0;
  return walk.first_byte + index * walk.stride_bytes + line * kLine +
         (pairs && place % 2 == 1 ? walk.partner_bytes : 0);
}

/// Latency, one load at a time.
class WalkInstrument {
 public:
  virtual ~WalkInstrument() = default;
  /// \brief  Walks one lap to warm up, then `repeats` timed stretches that follow each other.
  /// \param  sm  where the thread runs; nothing: anywhere, with the largest L1
  /// \return cycles of the SM's clock per load, for each repeat
  /// \throws LabError  the walk does not fit the region
  virtual std::vector<double> cycles(const Walk& walk, int repeats, std::optional<int> sm = {}) = 0;
  /// \brief  `first` on one SM, `second` on another, and `first` again, timed: what the second one
  ///         pushed out of a shared cache or TLB is slow.
  /// \param  sms  for each: all its partners in turn, itself included
  /// \return (sms, partners) cycles per load of the third walk
  virtual Matrix disturbed_cycles(const Walk& first, const Walk& second, std::span<const int> sms,
                                  std::span<const int> partners) = 0;
  /// \brief  Latency of an atomic addition on each of some bytes of the region, from each SM.
  /// \return (sms, bytes) cycles, median of `repeats`
  virtual Matrix home_cycles(std::span<const int> sms, std::span<const std::uint64_t> bytes,
                             int repeats) = 0;
};

/// In which order the threads of a GPU read an array again and again.
enum class SweepOrder : std::uint8_t {
  same_threads,    ///< each thread reads the same elements in each pass
  rotated_blocks,  ///< each pass gives a block's elements to another block
  random_lines,    ///< each warp reads lines at random places
};

enum class Direction : std::uint8_t { read, write, copy };

/// All SMs that read or write an array.
struct Sweep {
  std::uint64_t bytes = 0;  ///< of each array; a copy has two
  SweepOrder order = SweepOrder::rotated_blocks;
  Direction direction = Direction::read;
  Access access = Access::l2_only;  ///< of loads; cached or l2_only
  int blocks_per_sm = 2;            ///< of 1024 threads
  int loads_in_flight = 4;          ///< 16-byte loads that a thread starts together: 1, 2, 4 or 8
  std::uint64_t least_bytes = std::uint64_t{2} << 30;  ///< moved in one sample, by whole passes
  std::vector<int> sms = {};                           ///< those that take part; empty: all
  bool zeros = false;                                  ///< the array holds zeros, not random bits

  bool operator==(const Sweep&) const = default;
};

/// Bandwidth.
class SweepInstrument {
 public:
  virtual ~SweepInstrument() = default;
  /// \brief  One pass to warm up, then `repeats` samples.
  /// \return GB/s (10^9), bytes read plus bytes written
  /// \throws LabError  the arrays do not fit
  virtual std::vector<double> gbps(const Sweep& sweep, int repeats) = 0;
};

/// Independent loads at random places, from all SMs.
struct RandomReads {
  std::uint64_t region_bytes = 0;
  std::uint64_t reads = 0;  ///< in all; the sum of what was read is the same for every `scopes`
  /// Cuts the region into so many parts and visits them one after the other; each pass skips the
  /// reads that lie in other parts.
  int scopes = 1;
  std::uint64_t scope_bytes = 0;  ///< of all scopes but the last; 0: all are of one size
  /// Each group of SMs reads its own share of the region; empty: all read everything.
  std::vector<int> group_of_sm = {};
  std::uint64_t seed = 1;
  /// lcg_of_thread: reads is a multiple of kLcgReads, and there are no groups of SMs; counter:
  /// scopes are of one size
  DrawnBy draw = DrawnBy::counter;

  bool operator==(const RandomReads&) const = default;
};

struct RandomReadsResult {
  std::vector<double> reads_per_second;  ///< one for each repeat
  std::uint64_t sum = 0;                 ///< of what was read, modulo 2^64
};

class RandomReadInstrument {
 public:
  virtual ~RandomReadInstrument() = default;
  /// \throws LabError  the region does not fit
  virtual RandomReadsResult random_reads(const RandomReads& reads, int repeats) = 0;
};

class GroupingInstrument;
class NearMemoryInstrument;
class ProductInstrument;
class ReadInstrument;
class RegisterInstrument;
class SmInstrument;

/// Everything that labs measure with.
class Instruments {
 public:
  virtual ~Instruments() = default;
  virtual const MemoryFacts& facts() const = 0;
  virtual bool simulated() const = 0;
  virtual WalkInstrument& walks() = 0;
  virtual SweepInstrument& sweeps() = 0;
  virtual RandomReadInstrument& random_reads() = 0;
  /// Counting equal keys in a hash table (hash_grouping.hpp).
  virtual GroupingInstrument& grouping() = 0;
  /// nullptr where it is not there: on a GPU below compute capability 8.0
  virtual SurvivalInstrument* survival() { return nullptr; }
  /// Walks and sweeps of the first GPU through memory of a second one; nullptr where there is none
  /// that it can access.
  virtual WalkInstrument* remote_walks() { return nullptr; }
  virtual SweepInstrument* remote_sweeps() { return nullptr; }
  /// Streams through memory whose sides are known (near_memory.hpp).
  virtual NearMemoryInstrument& near_memory() = 0;
  /// What times kernels (kernel_instruments.hpp): on a simulated memory system, none.
  virtual ProductInstrument* products() { return nullptr; }
  virtual ReadInstrument* reads() { return nullptr; }
  virtual SmInstrument* sm() { return nullptr; }
  /// Programs of multiply-adds (ffma_program.hpp): on a GPU of compute capability 9.0 alone.
  virtual RegisterInstrument* registers() { return nullptr; }
};

/// \brief  The instruments of the first GPU.
/// \throws LabError  there is none, or it is partitioned (MIG)
std::unique_ptr<Instruments> make_gpu_instruments();

/// \brief  Instruments of a simulated memory system.
/// \param  preset  one of simulated_presets()
/// \throws LabError  no such preset; lists them
std::unique_ptr<Instruments> make_simulated_instruments(const std::string& preset,
                                                        std::uint64_t seed);

/// Names of the memory systems that can be simulated.
std::vector<std::string> simulated_presets();

}  // namespace ladder::labs
