// SPDX-License-Identifier: MIT
#include "emulator/trace/replay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/trace/sector_cache.hpp"

namespace ladder::emulator {
namespace {

// -- Fitted to an H200 ----------------------------------------------------------------------
// To the times at which the blocks of rungs 03 to 07 passed each eighth of their work, and to
// the DRAM traffic that Nsight Compute counted.

/// \brief SM cycles until a block can compute with a sector that it loads from near L2, from far
///        L2, from DRAM.
///
/// With the way through registers and shared memory and the barrier after it. A block waits for the
/// last sector of a slice; used here is the mean over its sectors, which a sample tells without
/// bias. So these are no latencies: they are larger, and such that rungs 04 and 05 at 4096 read
/// what they read on the H200. There, blocks stay in step because one that runs ahead has to wait
/// for DRAM, and those behind find its lines in L2.
constexpr double kNearCycles = 600;
constexpr double kFarCycles = 800;
constexpr double kDramCycles = 1450;

constexpr int kL1Ways = 16;  ///< not known

// -- Measured on an H100 --------------------------------------------------------------------
// Two SMs of a GPC read the same lines, one of them some cycles later: up to when are they merged?

/// SM cycles until the coalescer has the answer of near L2; so much later, that of the line's home
/// on the other side; and so much later yet, that of DRAM.
constexpr double kAnswerCycles = 60;
constexpr double kFarAnswerCycles = 200;
constexpr double kDramAnswerCycles = 320;

/// So many requests at most share an answer.
constexpr unsigned kMostMerged = 4;

/// Over so many cycles the SMs of a GPC are spread that wait for the same data.
constexpr double kSpreadInStep = 100;

/// Looking up one touch costs as much as passing over so many.
constexpr std::uint64_t kLookUpCost = 64;

unsigned count(unsigned sectors) {
  return static_cast<unsigned>(std::popcount(sectors));
}

/// Something about each line, as long as no other line needs its place.
template <class Value>
class LineTable {
 public:
  /// Of the line; another line's is lost.
  Value& operator[](const HashedLine& line) {
    Entry& entry = entries_[line.hash >> 24 & (kEntries - 1)];
    if (entry.line != line.number) entry = {line.number, Value()};
    return entry.value;
  }

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 14;
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0};
    Value value;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(kEntries);
};

/// \brief Merges reads of the SMs of a GPC on their way to L2: those of the same sectors of a line,
///        while the first one waits for its answer.
class Coalescer {
 public:
  /// Does an earlier request's answer serve this one, too?
  bool merges(const HashedLine& line, unsigned sectors, double time) {
    Waiting& first = waiting_[line][sectors];
    // Blocks take their turns in an order of their own: the first one here may ask later.
    const double apart = std::abs(time - first.asked);
    if (apart >= first.wait || first.requests == kMostMerged) return false;
    ++first.requests;
    return true;
  }

  /// This one goes to L2.
  void wait(const HashedLine& line, unsigned sectors, double time, double wait) {
    waiting_[line][sectors] = {time, wait, 1};
  }

 private:
  struct Waiting {
    double asked = 0;
    double wait = 0;  ///< cycles
    unsigned requests = 0;
  };
  LineTable<std::array<Waiting, 16>> waiting_;  ///< by line and sectors
};

/// L1 of every SM, and L2.
class Caches {
 public:
  Caches(const MemorySystem& system, unsigned halvings) {
    const auto partitions = static_cast<unsigned>(system.l2_partitions);
    const auto sms = static_cast<unsigned>(system.sms);
    l1_.assign(sms, SectorCache(system.l1_bytes, kL1Ways, halvings));
    l2_.assign(partitions, SectorCache(system.l2_bytes / partitions, system.l2_ways, halvings));
    arrivals_.resize(partitions);

    // -- GPCs ------------------------------------------------------------------------------------
    // They get their blocks one after the other, and begin with another one at each launch. Of
    // cards that merge nothing, no pattern of blocks should meet a pattern of partitions.
    const auto gpcs = static_cast<unsigned>(system.merging_gpcs);
    coalescers_.resize(gpcs);
    always_.resize(gpcs);
    for (unsigned sm = 0; sm < sms; ++sm) {
      if (gpcs == 0) {
        near_.push_back(HashedLine(sm).home(partitions));
        continue;
      }
      gpc_.push_back(sm * gpcs / sms);
      near_.push_back(gpc_.back() % partitions);
    }
  }

  /// Whether reads are merged on their way to L2.
  bool merge() const { return !gpc_.empty(); }

  /// Returns the cycles that the loads of the sectors take, summed.
  double load(unsigned sm, const HashedLine& line, unsigned sectors, double time) {
    const unsigned asked = l1_[sm].read(line, sectors);
    traffic_.l1_load_sectors += count(sectors);
    traffic_.l1_load_hits += count(sectors & ~asked);
    return load_past_l1(sm, line, asked, time);
  }

  /// The same for what is not looked for in L1.
  double load_past_l1(unsigned sm, const HashedLine& line, unsigned asked, double time) {
    if (asked == 0) return 0;
    traffic_.l2_read_sectors_most += count(asked);
    if (!merge()) {
      traffic_.l2_read_sectors_least += count(asked);
      return load_from_l2(sm, line, asked, time).cycles;
    }

    // -- The coalescer ---------------------------------------------------------------------------
    constexpr double kForever = std::numeric_limits<double>::infinity();
    if (!always_[gpc_[sm]].merges(line, asked, time)) {
      always_[gpc_[sm]].wait(line, asked, time, kForever);
      traffic_.l2_read_sectors_least += count(asked);
    }
    Coalescer& coalescer = coalescers_[gpc_[sm]];
    if (coalescer.merges(line, asked, time)) return kNearCycles * count(asked);
    const Answer answer = load_from_l2(sm, line, asked, time);
    coalescer.wait(line, asked, time, answer.arrival - time);
    return answer.cycles;
  }

  /// Sectors that L2 has just been asked for, or that no memory has.
  double load_again(unsigned sectors) {
    for (std::uint64_t* const counter : {&traffic_.l2_read_sectors, &traffic_.l2_read_sectors_least,
                                         &traffic_.l2_read_sectors_most, &traffic_.l2_hits}) {
      *counter += count(sectors);
    }
    return kNearCycles * count(sectors);
  }

  /// To the line's home; L1 keeps nothing of what is written.
  void store(const HashedLine& line, unsigned sectors) {
    l2_[line.home(static_cast<unsigned>(l2_.size()))].write(line, sectors);
    traffic_.l2_write_sectors += count(sectors);
    traffic_.l2_hits += count(sectors);
  }

  /// Of the lines that were looked up.
  MemoryTraffic traffic() const {
    MemoryTraffic traffic = traffic_;
    for (const SectorCache& partition : l2_) {
      traffic.dram_write_bytes += partition.written_back() * kSectorBytes;
      traffic.dirty_left_bytes += partition.dirty() * kSectorBytes;
    }
    return traffic;
  }

 private:
  struct Answer {
    double cycles;   ///< that the sectors take, summed
    double arrival;  ///< when the coalescer has the last one
  };

  Answer load_from_l2(unsigned sm, const HashedLine& line, unsigned asked, double time) {
    // -- Near L2 ---------------------------------------------------------------------------------
    const unsigned near = near_[sm];
    const unsigned not_near = l2_[near].read(line, asked);
    traffic_.l2_read_sectors += count(asked);
    traffic_.l2_hits += count(asked & ~not_near);
    traffic_.l2_misses += count(not_near);
    double& arrival = arrivals_[near][line];
    if (not_near == 0) return {kNearCycles * count(asked), std::max(time + kAnswerCycles, arrival)};

    // -- The line's home, or DRAM ----------------------------------------------------------------
    const unsigned home = line.home(static_cast<unsigned>(l2_.size()));
    const unsigned nowhere = home == near ? not_near : l2_[home].read(line, not_near);
    traffic_.dram_read_bytes += count(nowhere) * kSectorBytes;
    double& at_home = arrivals_[home][line];
    if (nowhere != 0) at_home = time + kAnswerCycles + kDramAnswerCycles;
    arrival = std::max(time + kAnswerCycles, at_home) + (home == near ? 0 : kFarAnswerCycles);
    return {kNearCycles * count(asked & ~not_near) + kFarCycles * count(not_near & ~nowhere) +
                kDramCycles * count(nowhere),
            arrival};
  }

  std::vector<SectorCache> l1_;              ///< by SM
  std::vector<SectorCache> l2_;              ///< by partition
  std::vector<LineTable<double>> arrivals_;  ///< of what was not near, by partition
  std::vector<unsigned> near_;               ///< partition, by SM
  std::vector<unsigned> gpc_;                ///< by SM; empty: no GPC merges
  std::vector<Coalescer> coalescers_;        ///< by GPC
  std::vector<Coalescer> always_;            ///< the same if no answer ever came
  MemoryTraffic traffic_;
};

/// Sizes of a stream.
struct StreamSizes {
  std::uint64_t touches = 0;
  std::vector<std::uint64_t> load_sectors;  ///< by slice
};

StreamSizes measure(const BlockStream& stream, std::span<const LinePattern> patterns) {
  StreamSizes sizes;
  std::size_t access = 0;
  for (const std::uint32_t end : stream.slice_ends) {
    std::uint64_t sectors = 0;
    for (; access < end; ++access) {
      const LinePattern& pattern = patterns[stream.accesses[access].pattern];
      sizes.touches += pattern.size();
      if (stream.accesses[access].store == 1) continue;
      for (const LineTouch& touch : pattern)
        sectors += count(touch.sectors);
    }
    sizes.load_sectors.push_back(sectors);
  }
  return sizes;
}

/// A block on an SM. It asks for all data of a slice at once, waits, then computes.
struct Resident {
  const ReplayBlock* block;
  const StreamSizes* sizes;
  std::size_t slice;  ///< the one it waits for or computes
  double ready;       ///< time when the slice's data is there, cycles
  double work;        ///< cycles that the slice needs yet, of an SM to itself
};

/// An SM shares its time among the blocks that have work.
class Sm {
 public:
  double younger_speed = 1;  ///< see ReplaySettings
  double time = 0;
  std::vector<Resident> residents;  ///< the oldest first

  /// When the next slice is done, or the next block's data is there.
  double next_event() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Resident& resident : residents) {
      if (resident.ready > time) next = std::min(next, resident.ready);
    }
    for_each_at_work(*this, [&](const Resident& resident, double speed) {
      next = std::min(next, time + resident.work / speed);
    });
    return next;
  }

  /// \brief  Works until then, at most until the next event.
  /// \return a block that has done its slice, or null
  Resident* work_until(double then) {
    constexpr double kDone = 1e-6;  // cycles; what rounding may leave
    Resident* done = nullptr;
    for_each_at_work(*this, [&](Resident& resident, double speed) {
      resident.work -= (then - time) * speed;
      if (resident.work <= kDone && done == nullptr) done = &resident;
    });
    time = then;
    return done;
  }

 private:
  template <class Self, class Visit>
  static void for_each_at_work(Self& self, Visit visit) {
    double sum = 0;
    double share = 1;
    for (const Resident& resident : self.residents) {
      if (resident.ready > self.time) continue;
      sum += share;
      share *= self.younger_speed;
    }
    share = 1;
    for (auto& resident : self.residents) {
      if (resident.ready > self.time) continue;
      visit(resident, share / sum);
      share *= self.younger_speed;
    }
  }
};

class Replay {
 public:
  Replay(const MemorySystem& memory, const ReplaySettings& settings,
         std::span<const LinePattern> patterns, std::span<const std::uint64_t> array_first_lines,
         unsigned halvings)
      : settings_(settings),
        patterns_(patterns),
        array_first_lines_(array_first_lines),
        sample_mask_(HashedLine::sample_mask(halvings)),
        lines_per_sampled_(std::uint64_t{1} << halvings),
        caches_(memory, halvings),
        sms_(static_cast<std::size_t>(memory.sms)) {
    for (Sm& sm : sms_)
      sm.younger_speed = settings.younger_speed;
  }

  /// Each block starts when a place becomes free on any SM.
  MemoryTraffic run(std::span<const ReplayBlock> blocks,
                    const std::unordered_map<const BlockStream*, StreamSizes>& sizes) {
    std::size_t next = 0;
    const auto start = [&](std::size_t number, unsigned sm) {
      const ReplayBlock& block = blocks[number];
      if (block.stream->accesses.empty()) return;  // beyond the edge: leaves at once
      sms_[sm].residents.push_back({&block, &sizes.at(block.stream), 0, 0, 0});
      ask(sm, sms_[sm].residents.back());
    };
    const auto start_next = [&](unsigned sm) {
      while (next < blocks.size() && blocks[next].stream->accesses.empty())
        ++next;
      if (next == blocks.size()) return;
      start(next++, sm);
    };

    // -- Fill the GPU: one block on every SM, then a second one... -------------------------------
    using Event = std::pair<double, unsigned>;  // time, SM; of equal times the lower SM's first
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (int round = 0; round < settings_.blocks_per_sm; ++round) {
      if (!caches_.merge()) {
        for (unsigned sm = 0; sm < sms_.size(); ++sm)
          start_next(sm);
        continue;
      }
      // Whose requests meet depends on it: fewer blocks than SMs are spread over all GPCs.
      const std::size_t left = std::min(sms_.size(), blocks.size() - next);
      for (std::size_t i = 0; i < left; ++i)
        start(next++, static_cast<unsigned>(i * sms_.size() / left));
    }
    for (unsigned sm = 0; sm < sms_.size(); ++sm) {
      if (!sms_[sm].residents.empty()) events.push({sms_[sm].next_event(), sm});
    }

    // -- From event to event ---------------------------------------------------------------------
    while (!events.empty()) {
      const auto [time, sm] = events.top();
      events.pop();
      std::vector<Resident>& residents = sms_[sm].residents;
      Resident* const resident = sms_[sm].work_until(time);
      if (resident != nullptr) {
        if (++resident->slice < resident->sizes->load_sectors.size()) {
          ask(sm, *resident);
        } else {
          residents.erase(residents.begin() + (resident - residents.data()));
          start_next(sm);
        }
      }
      if (!residents.empty()) events.push({sms_[sm].next_event(), sm});
    }

    // -- Of the sample, to all lines -------------------------------------------------------------
    MemoryTraffic traffic = caches_.traffic();
    for (std::uint64_t* const counter :
         {&traffic.l1_load_sectors, &traffic.l1_load_hits, &traffic.l2_read_sectors,
          &traffic.l2_read_sectors_least, &traffic.l2_read_sectors_most, &traffic.l2_write_sectors,
          &traffic.l2_hits, &traffic.l2_misses, &traffic.dram_read_bytes, &traffic.dram_write_bytes,
          &traffic.dirty_left_bytes}) {
      *counter *= lines_per_sampled_;
    }
    traffic.halvings = static_cast<unsigned>(std::countr_zero(lines_per_sampled_));
    return traffic;
  }

 private:
  /// Sends the slice's accesses to the caches, and sets when the block can go on.
  void ask(unsigned sm, Resident& resident) {
    const BlockStream& stream = *resident.block->stream;
    const std::size_t slice = resident.slice;
    double cycles = 0;  // summed over the sectors of the sample
    resident.work = settings_.block_cycles / static_cast<double>(stream.slice_ends.size());
    const double time = sms_[sm].time + delay(sm, slice, resident.work);
    for (std::size_t i = slice == 0 ? 0 : stream.slice_ends[slice - 1];
         i < stream.slice_ends[slice]; ++i) {
      const StreamAccess& access = stream.accesses[i];
      const std::uint64_t first =
          array_first_lines_[access.array] +
          static_cast<std::uint64_t>(resident.block->line_shift[access.array] + access.line);
      for (const LineTouch& touch : patterns_[access.pattern]) {
        const HashedLine line(first + static_cast<std::uint64_t>(std::int64_t{touch.line}));
        if (!line.sampled(sample_mask_)) continue;
        if (touch.again) {
          cycles += caches_.load_again(touch.sectors);
        } else if (access.store == 1) {
          caches_.store(line, touch.sectors);
        } else if (access.store == 2) {
          cycles += caches_.load_past_l1(sm, line, touch.sectors, time);
        } else {
          cycles += caches_.load(sm, line, touch.sectors, time);
        }
      }
    }
    resident.ready = sms_[sm].time;
    const std::uint64_t sectors = resident.sizes->load_sectors[slice];
    if (sectors == 0) return;
    const double mean = cycles * static_cast<double>(lines_per_sampled_) / double(sectors);
    resident.ready += mean * (1 - settings_.loads_hidden);
  }

  /// \brief How much later than in this model an SM asks for a slice.
  ///
  /// SMs that wait for the same data go on together. Those that have asked so early that they never
  /// wait are anywhere in the time that they have.
  double delay(unsigned sm, std::size_t slice, double work) const {
    const double early =
        settings_.tiles_ahead * work * static_cast<double>(sms_[sm].residents.size());
    const bool in_step = settings_.has_barriers && early < kDramCycles;
    const double spread = in_step ? kSpreadInStep : std::max(early, work);
    return spread * static_cast<double>(HashedLine(slice << 16 | sm).hash >> 40) / (1 << 24);
  }

  ReplaySettings settings_;
  std::span<const LinePattern> patterns_;
  std::span<const std::uint64_t> array_first_lines_;
  std::uint64_t sample_mask_;
  std::uint64_t lines_per_sampled_;
  Caches caches_;
  std::vector<Sm> sms_;
};

}  // namespace

std::optional<MemoryTraffic> replay(const MemorySystem& memory, const ReplaySettings& settings,
                                    std::span<const LinePattern> patterns,
                                    std::span<const std::uint64_t> array_first_lines,
                                    std::span<const ReplayBlock> blocks) {
  std::unordered_map<const BlockStream*, StreamSizes> sizes;
  std::uint64_t touches = 0;
  for (const ReplayBlock& block : blocks) {
    const auto [place, is_new] = sizes.try_emplace(block.stream);
    if (is_new) place->second = measure(*block.stream, patterns);
    touches += place->second.touches;
  }
  if (touches > settings.touch_budget) return {};
  unsigned halvings = 0;
  while ((touches >> halvings) > settings.touch_budget / kLookUpCost)
    ++halvings;
  return Replay(memory, settings, patterns, array_first_lines, halvings).run(blocks, sizes);
}

}  // namespace ladder::emulator
