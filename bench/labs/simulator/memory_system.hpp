// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/memory_system.hpp
/// \brief A memory system that can be described in full, and how long its loads take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/simulator/cache.hpp"
#include "bench/labs/simulator/noise.hpp"
#include "bench/labs/simulator/tlb.hpp"
#include "bench/labs/simulator/two_sided_l2.hpp"

namespace ladder::labs {

/// How a GPU reaches the memory of another one. Its L2, not the reader's, keeps what is read.
struct LinkShape {
  double hit_cycles = 0;   ///< a load that the other GPU's L2 serves
  double miss_cycles = 0;  ///< one that its DRAM serves
  double gbps = 0;         ///< each way
};

/// What a stream from memory costs in energy.
struct EnergyShape {
  double idle_watts = 0;         ///< at the clocks of a stream, but without one; 0: not told
  double joules_per_gb = 0;      ///< of 10^9 bytes that are at home near the SM
  double far_joules_per_gb = 0;  ///< more, if they are at home on the other side
  double sigma_share = 0.004;    ///< normal noise of a power reading, as a share of it
};

/// How fast a stream from memory is, over one whose bytes are all at home near the SM.
struct FarSpeedShape {
  double half_far = 1;  ///< half of its bytes are at home on the other side
  double all_far = 1;
};

/// \brief  What an SM takes to draw a place of random reads, or to hash a tuple, at its best: a
///         pass has to do that even for what it skips.
struct DrawShape {
  double counter_cycles = 0.6;  ///< of a mixed counter, or a hash: an H200's, see presets.cpp
  double lcg_cycles = 0.35;     ///< of a linear congruential generator
};

/// Everything about a simulated GPU. Latencies are in cycles of the SM's clock.
struct MemorySystemShape {
  MemoryFacts facts;
  std::optional<CacheShape> l1;  ///< of each SM; asked before the TLB
  std::optional<L2Shape> l2 = {};
  std::vector<TlbLevelShape> tlb = {};
  std::vector<int> side_of_sm = {};  ///< 0 or 1; empty: all 0
  double l1_cycles = 0;
  double near_cycles = 0;         ///< L2, the SM's own side
  double far_cycles = 0;          ///< L2, the other side
  double dram_cycles = 0;         ///< in all, L2 included
  double atomic_cycles = 0;       ///< what an atomic takes longer than a load of the same place
  double sm_sigma_cycles = 0;     ///< how far SMs are from L2 differs by this much
  double slice_sigma_cycles = 0;  ///< and how far slices of 4 KiB are
  double l1_gbps = 0;             ///< of all SMs together; 0: no limit
  double l2_gbps = 0;
  double dram_read_gbps = 0;
  double dram_write_gbps = 0;
  DrawShape draw = {};
  EnergyShape energy = {};
  FarSpeedShape far_speed = {};
  std::optional<LinkShape> link = {};  ///< to a second GPU of the same kind
  NoiseShape noise = {};
};

/// What a stretch of loads took.
struct Stretch {
  double cycles = 0;   ///< of all loads, without what is particular to the SM
  double past_l1 = 0;  ///< loads that L1 did not serve
  double loads = 0;
};

/// The state of a simulated GPU's caches and TLBs.
class MemorySystem {
 public:
  /// \throws std::invalid_argument  a shape that the caches refuse
  MemorySystem(const MemorySystemShape& shape, std::uint64_t seed);

  const MemorySystemShape& shape() const { return shape_; }
  int side_of(int sm) const;
  /// Side at which an address is at home; 0 where there is no L2.
  int home_of(std::uint64_t address) const;
  /// What this SM's loads take longer than those of others, once they are past L1.
  double sm_offset(int sm) const;
  /// What the loads of this address take longer than those of others, once they are past L1.
  double slice_offset(std::uint64_t address) const;
  /// \brief  One load or atomic of an SM; fills the caches and TLBs that it goes through.
  void access(int sm, std::uint64_t address, Access access, Stretch& stretch);
  /// Translates only.
  /// \return the number of TLB levels that missed
  std::size_t translate(int sm, std::uint64_t address) { return tlb_.access(sm, address); }
  /// Empties caches and TLBs.
  void clear();
  /// Lines that the caches hold in all, one L1 included.
  std::uint64_t cached_lines() const;

 private:
  SectoredCache& l1_of(int sm);

  MemorySystemShape shape_;
  std::uint64_t seed_;
  std::vector<std::optional<SectoredCache>> l1_;  // (SMs,): made when first used
  std::optional<TwoSidedL2> l2_;
  TlbLevels tlb_;
};

/// The systems that make_simulated_instruments() knows by name.
/// \throws LabError  no such preset; lists them
MemorySystemShape memory_system_of(const std::string& preset);

/// \brief  Instruments of any simulated memory system.
/// \throws std::invalid_argument  a shape that the caches refuse
std::unique_ptr<Instruments> make_simulated_instruments(const MemorySystemShape& shape,
                                                        std::uint64_t seed);

}  // namespace ladder::labs
