// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_instruments.cpp
/// \brief Everything that labs measure with, on a simulated memory system.
#include <fmt/format.h>

#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

/// The memory of another GPU, as this one sees it: its L2 and DRAM, behind a link.
MemorySystemShape seen_through(const LinkShape& link, const MemorySystemShape& shape) {
  MemorySystemShape peer = shape;
  peer.tlb = {};
  peer.near_cycles = link.hit_cycles;
  peer.far_cycles = link.hit_cycles;
  peer.dram_cycles = link.miss_cycles;
  peer.l2_gbps = link.gbps;
  peer.dram_read_gbps = link.gbps;
  peer.dram_write_gbps = link.gbps;
  if (peer.l2) peer.l2->keeps_copies = false;
  return peer;
}

/// A memory system with all that walks and sweeps need.
struct Simulated {
  Simulated(const MemorySystemShape& shape, Noise& noise, std::uint64_t seed)
      : system(shape, seed),
        walks(make_simulated_walks(system, noise)),
        sweeps(make_simulated_sweeps(system, noise, seed)) {}

  MemorySystem system;
  std::unique_ptr<WalkInstrument> walks;
  std::unique_ptr<SweepInstrument> sweeps;
};

class SimulatedInstruments : public Instruments {
 public:
  SimulatedInstruments(const MemorySystemShape& shape, std::uint64_t seed)
      : noise_(shape.noise, hash_of(seed)),
        own_(shape, noise_, seed),
        random_reads_(make_simulated_random_reads(own_.system, noise_, seed)),
        grouping_(make_simulated_grouping(own_.system, noise_, *random_reads_)),
        survival_(make_simulated_survival(own_.system, noise_, seed)),
        near_memory_(make_simulated_near_memory(own_.system, *own_.sweeps, seed)) {
    if (shape.link) peer_.emplace(seen_through(*shape.link, shape), noise_, seed + 1);
  }

  const MemoryFacts& facts() const override { return own_.system.shape().facts; }
  bool simulated() const override { return true; }
  WalkInstrument& walks() override { return *own_.walks; }
  SweepInstrument& sweeps() override { return *own_.sweeps; }
  RandomReadInstrument& random_reads() override { return *random_reads_; }
  GroupingInstrument& grouping() override { return *grouping_; }
  SurvivalInstrument* survival() override { return survival_.get(); }
  NearMemoryInstrument& near_memory() override { return *near_memory_; }
  WalkInstrument* remote_walks() override { return peer_ ? peer_->walks.get() : nullptr; }
  SweepInstrument* remote_sweeps() override { return peer_ ? peer_->sweeps.get() : nullptr; }

 private:
  Noise noise_;
  Simulated own_;
  std::optional<Simulated> peer_;
  std::unique_ptr<RandomReadInstrument> random_reads_;
  std::unique_ptr<GroupingInstrument> grouping_;
  std::unique_ptr<SurvivalInstrument> survival_;
  std::unique_ptr<NearMemoryInstrument> near_memory_;
};

}  // namespace

void require_fits(std::uint64_t bytes, const MemoryFacts& facts) {
  if (bytes == 0) throw LabError("A region of 0 bytes cannot be measured.");
  if (bytes > facts.free_bytes) {
    throw LabError(fmt::format("The region of {} bytes does not fit: {} has {} bytes free.", bytes,
                               facts.name, facts.free_bytes));
  }
}

void require_lines(std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 128;
  if (bytes % kLine != 0)
    throw LabError(
        fmt::format("An array of {} bytes does not have whole lines of {} bytes.", bytes, kLine));
}

int require_sm(int sm, const MemoryFacts& facts) {
  if (sm < 0 || sm >= facts.sms) {
    throw LabError(fmt::format("There is no SM {}: {} has {}.", sm, facts.name, facts.sms));
  }
  return sm;
}

std::unique_ptr<Instruments> make_simulated_instruments(const MemorySystemShape& shape,
                                                        std::uint64_t seed) {
  return std::make_unique<SimulatedInstruments>(shape, seed);
}

std::unique_ptr<Instruments> make_simulated_instruments(const std::string& preset,
                                                        std::uint64_t seed) {
  return make_simulated_instruments(memory_system_of(preset), seed);
}

}  // namespace ladder::labs
