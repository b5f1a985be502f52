// SPDX-License-Identifier: MIT
/// \file  bench/memory/simulator/simulated_instruments.cpp
/// \brief Runs what the labs ask for through a simulated memory system.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "bench/memory/analysis/replacement.hpp"
#include "bench/memory/analysis/saturation.hpp"
#include "bench/memory/instruments/order.hpp"
#include "bench/memory/simulator/hash.hpp"
#include "bench/memory/simulator/memory_system.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorBytes = 32;
constexpr double kThreadsPerSm = 2048;

void require_fits(std::uint64_t bytes, const MemoryFacts& facts) {
  if (bytes == 0) throw LabError("A region of 0 bytes cannot be measured.");
  if (bytes > facts.free_bytes) {
    throw LabError(fmt::format("The region of {} bytes does not fit: {} has {} bytes free.", bytes,
                               facts.name, facts.free_bytes));
  }
}

int require_sm(int sm, const MemoryFacts& facts) {
  if (sm < 0 || sm >= facts.sms) {
    throw LabError(fmt::format("There is no SM {}: {} has {}.", sm, facts.name, facts.sms));
  }
  return sm;
}

/// Goes round and round through a walk's places.
class Lap {
 public:
  explicit Lap(const Walk& walk) : walk_(walk), order_(walk.places, walk.seed) {}

  std::uint64_t address(std::uint64_t step) const {
    const std::uint64_t index = step % walk_.places;
    return address_of(walk_, walk_.order == Order::random ? order_[index] : index);
  }

 private:
  const Walk& walk_;
  RandomOrder order_;
};

class SimulatedWalks : public WalkInstrument {
 public:
  SimulatedWalks(MemorySystem& system, Noise& noise) : system_(system), noise_(noise) {}

  std::vector<double> cycles(const Walk& walk, int repeats, std::optional<int> sm) override {
    require(walk);
    const int where = require_sm(sm.value_or(0), system_.shape().facts);
    system_.clear();
    warm_up(walk, where);
    const Lap lap(walk);
    const std::uint64_t steps = steps_of(walk);
    std::vector<double> samples;
    std::uint64_t step = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Stretch stretch;
      for (const std::uint64_t end = step + steps; step < end; ++step) {
        system_.access(where, lap.address(step), walk.access, stretch);
      }
      samples.push_back(noise_.cycles(per_load(stretch, where)));
    }
    return samples;
  }

  Matrix disturbed_cycles(const Walk& first, const Walk& second, std::span<const int> sms,
                          std::span<const int> partners) override {
    require(first);
    require(second);
    // All pairs that share the same things take the same time, so each kind of pair runs once.
    std::map<std::vector<int>, Stretch> kinds;
    Matrix result(sms.size(), partners.size());
    for (std::size_t row = 0; row < sms.size(); ++row) {
      const int sm = require_sm(sms[row], system_.shape().facts);
      for (std::size_t column = 0; column < partners.size(); ++column) {
        const int partner = require_sm(partners[column], system_.shape().facts);
        const auto [kind, unknown] = kinds.try_emplace(kind_of(sm, partner));
        if (unknown) kind->second = disturbed(first, second, sm, partner);
        result.at(row, column) = noise_.cycles(per_load(kind->second, sm));
      }
    }
    return result;
  }

  Matrix home_cycles(std::span<const int> sms, std::span<const std::uint64_t> bytes,
                     int repeats) override {
    const MemorySystemShape& shape = system_.shape();
    for (const std::uint64_t byte : bytes)
      require_fits(byte + 1, shape.facts);
    Matrix result(sms.size(), bytes.size());
    std::vector<double> samples(static_cast<std::size_t>(std::max(repeats, 1)));
    for (std::size_t row = 0; row < sms.size(); ++row) {
      const int sm = require_sm(sms[row], shape.facts);
      for (std::size_t column = 0; column < bytes.size(); ++column) {
        // The atomic itself brings the line to L2 before the timed ones.
        const bool near = system_.home_of(bytes[column]) == system_.side_of(sm);
        const double served = !shape.l2 ? shape.dram_cycles
                              : near    ? shape.near_cycles
                                        : shape.far_cycles;
        const double exact = served + shape.atomic_cycles + system_.sm_offset(sm) +
                             system_.slice_offset(bytes[column]);
        for (double& sample : samples)
          sample = noise_.cycles(exact);
        result.at(row, column) = median_of(samples);
      }
    }
    return result;
  }

 private:
  void require(const Walk& walk) const {
    if (walk.places == 0 || walk.stride_bytes == 0 || walk.stride_bytes % 8 != 0) {
      throw LabError("A walk has places, and a stride of a multiple of 8 bytes.");
    }
    require_fits(walk.first_byte + walk.span_bytes(), system_.shape().facts);
  }

  /// Timed loads of one sample. A GPU takes more of them; here their mean has no noise of its own.
  static std::uint64_t steps_of(const Walk& walk) {
    constexpr std::uint64_t kMost = 4096;
    return std::min({walk.places, walk.most_steps, walk.places <= 2 * kMost ? walk.places : kMost});
  }

  double per_load(const Stretch& stretch, int sm) const {
    return (stretch.cycles + stretch.past_l1 * system_.sm_offset(sm)) / stretch.loads;
  }

  /// \brief  One lap. Of a long one, TLBs see a load of each page, and caches see the end: what
  /// they
  ///         read before that, they have forgotten. Caches with random victims forget it late.
  void warm_up(const Walk& walk, int sm) {
    const Lap lap(walk);
    const MemorySystemShape& shape = system_.shape();
    const bool random = (shape.l1 && shape.l1->victim == Victim::random) ||
                        (shape.l2 && shape.l2->side.victim == Victim::random);
    const std::uint64_t held = system_.cached_lines();
    const std::uint64_t most = std::max<std::uint64_t>(random ? 4 * held : held * 3 / 2, 1 << 16);
    const std::uint64_t begin = walk.places > most ? walk.places - most : 0;
    if (begin > 0 && !shape.tlb.empty()) {
      const std::uint64_t page =
          std::ranges::min(shape.tlb, {}, &TlbLevelShape::page_bytes).page_bytes;
      const std::uint64_t places_of_page = std::max<std::uint64_t>(page / walk.stride_bytes, 1);
      for (std::uint64_t step = 0; step < begin; step += places_of_page) {
        system_.translate(sm, lap.address(step));
      }
    }
    Stretch unused;
    for (std::uint64_t step = begin; step < walk.places; ++step) {
      system_.access(sm, lap.address(step), walk.access, unused);
    }
  }

  Stretch disturbed(const Walk& first, const Walk& second, int sm, int partner) {
    system_.clear();
    warm_up(first, sm);
    warm_up(second, partner);
    const Lap lap(first);
    Stretch stretch;
    for (std::uint64_t step = 0; step < std::min(first.places, first.most_steps); ++step) {
      system_.access(sm, lap.address(step), first.access, stretch);
    }
    return stretch;
  }

  /// What two SMs share.
  std::vector<int> kind_of(int sm, int partner) const {
    std::vector<int> kind = {sm == partner, system_.side_of(sm), system_.side_of(partner)};
    for (const TlbLevelShape& level : system_.shape().tlb) {
      const std::vector<int>& groups = level.group_of_sm;
      kind.push_back(groups.empty() || groups[static_cast<std::size_t>(sm)] ==
                                           groups[static_cast<std::size_t>(partner)]);
    }
    return kind;
  }

  MemorySystem& system_;
  Noise& noise_;
};

/// \brief  A small model of the system's L2: some of its sets, and as small a share of what is
/// read.
///         A set sees only its own lines, so that it cannot tell the difference.
struct L2Sample {
  L2Shape shape;
  std::uint64_t scale = 1;

  explicit L2Sample(const L2Shape& whole) : shape(whole) {
    constexpr std::uint64_t kMostLines = 4096;  // of a side
    const std::uint64_t least_sets = std::min<std::uint64_t>(whole.side.sets(), 8);
    while (whole.side.lines() / scale > kMostLines && whole.side.sets() % (scale * 2) == 0 &&
           whole.side.sets() / (scale * 2) >= least_sets) {
      scale *= 2;
    }
    shape.side.bytes /= scale;
    // Homes alternate line by line: the bits of the mask lie above what a small model reads.
    if (shape.sides == 2) shape.home_mask = kLineBytes;
  }

  std::uint64_t lines() const {
    return shape.side.lines() * static_cast<std::uint64_t>(shape.sides);
  }
};

class SimulatedSweeps : public SweepInstrument {
 public:
  SimulatedSweeps(const MemorySystem& system, Noise& noise, std::uint64_t seed)
      : system_(system), shape_(system.shape()), noise_(noise), seed_(seed) {}

  std::vector<double> gbps(const Sweep& sweep, int repeats) override {
    const std::uint64_t arrays = sweep.direction == Direction::copy ? 2 : 1;
    require_fits(sweep.bytes, shape_.facts);
    require_fits(arrays * sweep.bytes, shape_.facts);
    const double exact = bandwidth(sweep);
    std::vector<double> samples(static_cast<std::size_t>(std::max(repeats, 0)));
    std::ranges::generate(samples, [&] { return noise_.rate(exact); });
    return samples;
  }

 private:
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
    double gbps =
        overlapped_bandwidth(l2.near + l2.far, cache * share, dram) / std::max(1 - h1, 1e-9);
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
};

class SimulatedRandomReads : public RandomReadInstrument {
 public:
  SimulatedRandomReads(MemorySystem& system, Noise& noise, std::uint64_t seed)
      : system_(system), shape_(system.shape()), noise_(noise), seed_(seed) {}

  RandomReadsResult random_reads(const RandomReads& reads, int repeats) override {
    require_fits(reads.region_bytes, shape_.facts);
    if (reads.reads == 0 || reads.scopes < 1) {
      throw LabError("Random reads need at least one read and one scope.");
    }
    const auto sms = static_cast<std::size_t>(shape_.facts.sms);
    if (!reads.group_of_sm.empty() && reads.group_of_sm.size() != sms) {
      throw LabError(fmt::format("Groups are needed for all {} SMs, or for none.", sms));
    }
    RandomReadsResult result;
    const double exact = static_cast<double>(reads.reads) / seconds(reads, result.sum);
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

  /// By what the timed loads were served.
  struct Served {
    std::vector<double> tlb_misses;  // (levels,)
    double dram = 0;
    double loads = 0;
  };

  /// Read number i: which SM does it, and where.
  Read read_of(const RandomReads& reads, std::uint64_t i) const {
    const std::uint64_t random = hash_of(reads.seed ^ hash_of(i));
    const int sm = static_cast<int>(i % static_cast<std::uint64_t>(shape_.facts.sms));
    std::uint64_t begin = 0;
    std::uint64_t bytes = reads.region_bytes;
    if (!reads.group_of_sm.empty()) {
      const auto groups = static_cast<std::uint64_t>(std::ranges::max(reads.group_of_sm)) + 1;
      bytes /= groups;
      begin = bytes * static_cast<std::uint64_t>(reads.group_of_sm[static_cast<std::size_t>(sm)]);
    }
    const std::uint64_t words = std::max<std::uint64_t>(bytes / 8, 1);
    return {.sm = sm, .address = begin + random % words * 8};
  }

  /// \brief  Time of all reads: each pass draws all places, and loads those within its scope. Some
  ///         loads run through TLBs and caches, and are summed up; the others take as long.
  double seconds(const RandomReads& reads, std::uint64_t& sum) {
    constexpr std::uint64_t kTimed = 100'000;
    constexpr std::uint64_t kMostDrawn = 400'000;  // to warm up
    const std::uint64_t timed = std::min(reads.reads, kTimed);
    const auto scopes = static_cast<std::uint64_t>(reads.scopes);
    const std::uint64_t scope_bytes = (reads.region_bytes + scopes - 1) / scopes;
    system_.clear();
    std::optional<TwoSidedL2> l2;
    std::uint64_t scale = 1;
    if (shape_.l2) {
      const L2Sample sample(*shape_.l2);
      scale = sample.scale;
      l2.emplace(sample.shape, seed_);
    }
    Served served{.tlb_misses = std::vector<double>(shape_.tlb.size(), 0)};
    for (std::uint64_t scope = 0; scope < scopes; ++scope) {
      const std::uint64_t warm = warm_reads();
      std::uint64_t warmed = 0;
      for (std::uint64_t i = 0; i < kMostDrawn && warmed < warm; ++i) {
        const Read read = read_of(reads, reads.reads + i);
        if (read.address / scope_bytes != scope) continue;
        load(l2, scale, read);
        ++warmed;
      }
      for (std::uint64_t i = 0; i < timed; ++i) {
        const Read read = read_of(reads, i);
        if (read.address / scope_bytes != scope) continue;
        sum += hash_of(read.address);
        const auto [levels, dram] = load(l2, scale, read);
        for (std::size_t level = 0; level < levels; ++level)
          served.tlb_misses[level] += 1;
        served.dram += dram;
        served.loads += 1;
      }
    }
    return static_cast<double>(reads.reads) * seconds_per_load(served) +
           static_cast<double>(scopes) * seconds_per_pass(reads);
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

  /// Seconds that a pass takes without its loads: a launch, and drawing all places.
  double seconds_per_pass(const RandomReads& reads) const {
    constexpr double kLaunchSeconds = 5e-6;
    constexpr double kCyclesPerDraw = 10.0 / 128;  // instructions, on 128 lanes
    return kLaunchSeconds + static_cast<double>(reads.reads) * kCyclesPerDraw /
                                (shape_.facts.sms * shape_.facts.sm_clock_mhz * 1e6);
  }

  MemorySystem& system_;
  const MemorySystemShape& shape_;
  Noise& noise_;
  std::uint64_t seed_;
};

class SimulatedInstruments : public Instruments {
 public:
  SimulatedInstruments(const MemorySystemShape& shape, std::uint64_t seed)
      : system_(shape, seed),
        noise_(shape.noise, hash_of(seed)),
        walks_(system_, noise_),
        sweeps_(system_, noise_, seed),
        random_reads_(system_, noise_, seed) {}

  const MemoryFacts& facts() const override { return system_.shape().facts; }
  bool simulated() const override { return true; }
  WalkInstrument& walks() override { return walks_; }
  SweepInstrument& sweeps() override { return sweeps_; }
  RandomReadInstrument& random_reads() override { return random_reads_; }

 private:
  MemorySystem system_;
  Noise noise_;
  SimulatedWalks walks_;
  SimulatedSweeps sweeps_;
  SimulatedRandomReads random_reads_;
};

}  // namespace

std::unique_ptr<Instruments> make_simulated_instruments(const MemorySystemShape& shape,
                                                        std::uint64_t seed) {
  return std::make_unique<SimulatedInstruments>(shape, seed);
}

std::unique_ptr<Instruments> make_simulated_instruments(const std::string& preset,
                                                        std::uint64_t seed) {
  return make_simulated_instruments(memory_system_of(preset), seed);
}

}  // namespace ladder::labs
