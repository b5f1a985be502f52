// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/presets.cpp
/// \brief GPUs that the simulator can be. Each figure has its source; "assumption" means that
///        nobody has published it, and that a lab on such a GPU is there to find it out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "bench/labs/simulator/memory_system.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;

/// Groups of so many SMs with neighbouring numbers; the last one may be smaller.
std::vector<int> groups_of(int sms, int size) {
  std::vector<int> groups(static_cast<std::size_t>(sms));
  std::ranges::generate(groups, [sm = 0, size]() mutable { return sm++ / size; });
  return groups;
}

/// Pairs of SMs dealt out to so many groups in turn, as SM numbers run through the GPCs of a GPU.
std::vector<int> dealt_pairs(int sms, int groups) {
  std::vector<int> dealt(static_cast<std::size_t>(sms));
  std::ranges::generate(dealt, [sm = 0, groups]() mutable { return sm++ / 2 % groups; });
  return dealt;
}

/// \brief  SMs of a full chip, dealt out to so many groups in turn, without those that are switched
///         off.
/// \param  unit  neighbours that go to one group together
std::vector<int> dealt_sms(int full, int unit, int groups, const std::vector<int>& off) {
  std::vector<int> dealt;
  dealt.reserve(static_cast<std::size_t>(full));
  for (int sm = 0; sm < full; ++sm)
    if (std::ranges::find(off, sm) == off.end()) dealt.push_back(sm / unit % groups);
  return dealt;
}

/// Sides of an L2: half of the GPCs, by the numbers that dealt_pairs() gives.
std::vector<int> sides_of(const std::vector<int>& gpc_of_sm, int gpcs) {
  std::vector<int> sides(gpc_of_sm.size());
  std::ranges::transform(gpc_of_sm, sides.begin(), [&](int gpc) { return gpc < gpcs / 2 ? 0 : 1; });
  return sides;
}

/// \brief  What instructions take that fill so many lanes, as a share of the best case. Measured on
///         an H200: where a pass is bound by drawing (L13, 15 passes over 121 GiB), an SM takes
///         0.60 cycles for the 50.9 instructions of a place in random_reads.cuh, and has 128 lanes.
///         An H100 takes as long.
constexpr double kIssued = 50.9 / 128 / 0.60;

/// \source Karnagel, Ben-Nun, Werner, Habich, Lehner: Big data causing big (TLB) problems: taming
///         random memory accesses on the GPU, 2017, doi 10.1145/3076113.3076115: table 1 (the GPU)
///         and table 2 (its TLBs: entries, pages, delays, SMs that share)
MemorySystemShape k80() {
  constexpr int kSms = 13;
  constexpr int kK80FullSms = 15;
  constexpr int kK80Groups = 5;
  return {
      .facts = {.name = "simulated k80",
                .sms = kSms,
                .sm_clock_mhz = 875,  // table 1
                .l1_bytes = 16 * kKiB,
                .l2_bytes = 1536 * kKiB,  // the paper's text: 1.5 MB
                .dram_bytes = 12 * kGiB,  // table 1, one of its two GPUs
                .free_bytes = 11 * kGiB,  // assumption
                .dram_gbps = 240},        // table 1
      .l1 = {},  // loads from global memory pass it by default: Kepler Tuning Guide, 1.4.4.2
      .l2 = L2Shape{.side = {.bytes = 1536 * kKiB}},  // 16 ways, LRU: assumption
      .tlb =
          {{.entries = 16,
            .page_bytes = 128 * kKiB,
            .miss_cycles = 9,
            .group_of_sm = groups_of(kSms, 1)},
           {.entries = 65,
            .page_bytes = 2 * kMiB,
            .miss_cycles = 55,
            // Figure 7 and table 3: five groups of three, dealt out in turn, as SM 5 and 10 of one
            // group show; 10 and 11 are switched off.
            .group_of_sm = dealt_sms(kK80FullSms, 1, kK80Groups, {10, 11})},
           {.entries = 1032,
            .page_bytes = 2 * kMiB,
            .miss_cycles = 177,
            // Assumption: random reads of 10 GiB are then 13 times slower, as in figure 1a.
            .misses_per_cycle = 0.19}},
      .near_cycles = 222,     // L2 of a Kepler: Mei and Chu, IEEE TPDS 28(1), 2017; rounded
      .dram_cycles = 440,     // assumption
      .sm_sigma_cycles = 2,   // assumption
      .l2_gbps = 600,         // assumption
      .dram_read_gbps = 180,  // assumption: three quarters of the nominal
      .dram_write_gbps = 170,
      // NVRTC 11.8 makes 15 multiplications of 32 bits of a place in random_reads.cuh, and 11 of
      // one in lcg_reads.cuh; an SM has 32 lanes for them (CUDA C++ Programming Guide, arithmetic
      // instructions, compute capability 3.7).
      .draw = {.counter_cycles = 15.0 / 32 / kIssued, .lcg_cycles = 11.0 / 32 / kIssued},
  };
}

/// \source as k80()
MemorySystemShape p100() {
  constexpr int kSms = 56;
  constexpr int kFullSms = 60;
  constexpr int kGpcs = 6;  // the paper's text: 10 SMs share, or 8 where two are deactivated
  return {
      .facts = {.name = "simulated p100",
                .sms = kSms,
                .sm_clock_mhz = 1480,                   // table 1
                .l1_bytes = 24 * kKiB,                  // Pascal Tuning Guide, 1.4.2
                .l2_bytes = 4 * kMiB,                   // the paper's text
                .dram_bytes = 16 * kGiB,                // table 1
                .free_bytes = 15 * kGiB,                // assumption
                .dram_gbps = 732},                      // table 1
      .l1 = CacheShape{.bytes = 24 * kKiB, .ways = 4},  // ways: assumption
      .l2 = L2Shape{.side = {.bytes = 4 * kMiB}},       // 16 ways, LRU: assumption
      .tlb = {{.entries = 16,
               .page_bytes = 2 * kMiB,
               .miss_cycles = 9,
               .group_of_sm = groups_of(kSms, 2)},
              {.entries = 65,
               .page_bytes = 2 * kMiB,
               .coalesced_pages = 16,  // table 2: 32 MB for each entry, 16 pages of the L1 TLB
               .miss_cycles = 110,
               // Appendix B: four SMs are missing between 43 and 44. That two TPCs are swapped as
               // well is left out: the text's "53 and 54" are of two TPCs.
               .group_of_sm = dealt_sms(kFullSms, 2, kGpcs, {44, 45, 46, 47}),
               // Assumption: random reads of 15 GB are then 4 times slower, as in figure 1a.
               .misses_per_cycle = 0.2}},
      .l1_cycles = 82,        // assumption
      .near_cycles = 260,     // assumption
      .dram_cycles = 510,     // assumption
      .sm_sigma_cycles = 4,   // assumption
      .l1_gbps = 5300,        // 56 SMs * 64 bytes * 1.48 GHz
      .l2_gbps = 1600,        // assumption
      .dram_read_gbps = 550,  // assumption: three quarters of the nominal
      .dram_write_gbps = 530,
      // Of a place in random_reads.cuh NVRTC 11.8 makes 103.5 instructions, most of them parts of
      // multiplications, for which these SMs have 16 bits; of one in lcg_reads.cuh 67.8. A hashed
      // tuple that is skipped takes 111. An SM has 64 lanes.
      .draw = {.counter_cycles = 103.5 / 64 / kIssued, .lcg_cycles = 67.8 / 64 / kIssued},
  };
}

/// Groups that share the last TLB of an H200 (L12): 18 of 6 SMs and 6 of 4, dealt out in pairs.
constexpr int kHopperTlbGroups = 24;

/// \source common/devices/h100.json, and what the labs recorded on an H100
///         (bench/results/nvidia-h100, lab_*.json)
MemorySystemShape h100() {
  constexpr int kSms = 132;
  constexpr int kGpcs = 8;
  const std::vector<int> gpc_of_sm = dealt_pairs(kSms, kGpcs);
  return {
      .facts = {.name = "simulated h100",
                .sms = kSms,
                .sm_clock_mhz = 1980,                 // common/devices/h100.json
                .l1_bytes = 256 * kKiB,               // common/devices/h100.json
                .l2_bytes = 52'428'800,               // L00
                .dram_bytes = 85'176'483'840,         // common/devices/h100.json
                .free_bytes = 78 * kGiB,              // assumption
                .dram_gbps = 3352,                    // common/devices/h100.json
                .most_persisting_bytes = 32'768'000,  // L00
                .largest_window_bytes = 128 * kMiB},  // L00
      .l1 = CacheShape{.bytes = 244'224, .ways = 6},  // L01: 239 KiB; ways: assumption
      .l2 = L2Shape{.side = {.bytes = 26'214'400,
                             .sector_bytes = 64,            // L02: what a miss fetches
                             .victim = Victim::tree_plru},  // assumption
                    .sides = 2,                             // L09
                    .home_mask = 0xB3000},                  // L09
      .tlb = {{.entries = 16,                               // L11; of each SM: L12
               .page_bytes = 16 * kMiB,
               .miss_cycles = 10,  // as on the H200: L11 could not tell
               .group_of_sm = groups_of(kSms, 1)},
              {.entries = 2048,  // L11
               .page_bytes = 32 * kMiB,
               .miss_cycles = 95,                                   // L11
               .group_of_sm = dealt_pairs(kSms, kHopperTlbGroups),  // as on the H200
               .misses_per_cycle = 0.067}},                         // as on the H200
      .side_of_sm = sides_of(gpc_of_sm, kGpcs),
      .l1_cycles = 32,           // L01
      .near_cycles = 276,        // L01
      .far_cycles = 477,         // L09: 201 more than near
      .dram_cycles = 680,        // L01
      .atomic_cycles = 10,       // assumption
      .sm_sigma_cycles = 10,     // assumption
      .slice_sigma_cycles = 12,  // assumption
      .l1_gbps = 33454,          // 132 SMs * 128 bytes * 1.98 GHz
      .l2_gbps = 7631,           // L03
      .dram_read_gbps = 3108,    // L07
      .dram_write_gbps = 3184,   // L07
      .far_speed = {.half_far = 2855.0 / 2988, .all_far = 2093.0 / 2988},  // L10
  };
}

/// \source common/devices/h200.json, and what the labs recorded on an H200
///         (bench/results/nvidia-h200, lab_*.json); where they say nothing, a GH200 of 96 GB, which
///         has as many HBM stacks (gpu-benches)
MemorySystemShape h200() {
  constexpr int kSms = 132;  // h200.json
  constexpr int kGpcs = 8;
  const std::vector<int> gpc_of_sm = dealt_pairs(kSms, kGpcs);
  return {
      .facts = {.name = "simulated h200",
                .sms = kSms,
                .sm_clock_mhz = 1980,                 // h200.json
                .l1_bytes = 256 * kKiB,               // h200.json
                .l2_bytes = 62'914'560,               // h200.json
                .dram_bytes = 150'754'820'096,        // h200.json
                .free_bytes = 138 * kGiB,             // assumption
                .dram_gbps = 4814,                    // h200.json
                .most_persisting_bytes = 39'321'600,  // L00
                .largest_window_bytes = 128 * kMiB},  // L00
      .l1 = CacheShape{.bytes = 244'224, .ways = 6},  // L01: 239 KiB; ways: assumption
      .l2 = L2Shape{.side = {.bytes = 31'457'280,
                             .sector_bytes = 64,            // L02: what a miss fetches
                             .victim = Victim::tree_plru},  // assumption
                    .sides = 2,                             // L09
                    .home_mask = 0xAB000},                  // L09
      .tlb = {{.entries = 16,                               // L11; of each SM: L12
               .page_bytes = 16 * kMiB,
               .miss_cycles = 10,
               .group_of_sm = groups_of(kSms, 1)},
              {.entries = 2048,  // L11
               .page_bytes = 32 * kMiB,
               .miss_cycles = 95,  // L11: 94, 97 and 154 on three cards
               .group_of_sm = dealt_pairs(kSms, kHopperTlbGroups),
               .misses_per_cycle = 0.067}},  // L13: 6.8e9 reads a second over 121 GiB
      .side_of_sm = sides_of(gpc_of_sm, kGpcs),
      .l1_cycles = 32,           // L01
      .near_cycles = 281,        // L01
      .far_cycles = 478,         // L09: 197 more than near
      .dram_cycles = 659,        // L01
      .atomic_cycles = 10,       // assumption
      .sm_sigma_cycles = 10,     // assumption
      .slice_sigma_cycles = 12,  // assumption
      .l1_gbps = 33454,          // 132 SMs * 128 bytes * 1.98 GHz
      .l2_gbps = 9216,           // L03
      .dram_read_gbps = 4513,    // L07
      .dram_write_gbps = 4257,   // L07
      // L10: fits the energy of copies of random bits in the assignments off, right and wrong, and
      // their speed.
      .energy = {.idle_watts = 182, .joules_per_gb = 0.094, .far_joules_per_gb = 0.032},
      .far_speed = {.half_far = 3910.0 / 4196, .all_far = 2474.0 / 4196},
      .link = LinkShape{.hit_cycles = 1682, .miss_cycles = 1972, .gbps = 375},  // L18
  };
}

/// One instance of the profile 1g.18gb of an H200: a seventh of the SMs that MIG gives out, and an
/// eighth of memory and L2.
/// \source NVIDIA Multi-Instance GPU User Guide, "Supported MIG Profiles"; CUDA C++ Programming
///         Guide: no part of L2 can be set aside in MIG mode
MemorySystemShape h200_1g() {
  constexpr int kSms = 16;  // as nvidia-smi mig -lgip lists them for an H100
  constexpr std::uint64_t kShare = 8;
  MemorySystemShape shape = h200();
  shape.facts.name = "simulated h200_1g";
  shape.facts.sms = kSms;
  shape.facts.l2_bytes /= kShare;
  shape.facts.dram_bytes /= kShare;
  shape.facts.free_bytes /= kShare;
  shape.facts.dram_gbps /= kShare;
  shape.facts.most_persisting_bytes = 0;
  shape.l2->side.bytes = shape.facts.l2_bytes;
  shape.l2->sides = 1;  // assumption
  shape.l2->home_mask = 0;
  shape.side_of_sm = {};
  for (TlbLevelShape& level : shape.tlb)
    level.group_of_sm.resize(kSms);
  shape.l1_gbps *= static_cast<double>(kSms) / 132;
  shape.l2_gbps /= kShare;
  shape.dram_read_gbps /= kShare;
  shape.dram_write_gbps /= kShare;
  shape.link.reset();  // instances do not reach each other's memory
  return shape;
}

/// Invented: everything that a large GPU has, so small that a lab takes seconds.
MemorySystemShape classroom() {
  constexpr int kSms = 8;
  return {
      .facts = {.name = "simulated classroom",
                .sms = kSms,
                .sm_clock_mhz = 1980,
                .l1_bytes = 32 * kKiB,
                .l2_bytes = 512 * kKiB,
                .dram_bytes = 2 * kGiB,
                .free_bytes = 2 * kGiB - 128 * kMiB,
                .dram_gbps = 292,
                .most_persisting_bytes = 384 * kKiB,
                .largest_window_bytes = 4 * kMiB},
      .l1 = CacheShape{.bytes = 32 * kKiB, .ways = 4},
      .l2 = L2Shape{.side = {.bytes = 256 * kKiB}, .sides = 2, .home_mask = 0x13000},
      .tlb =
          {{.entries = 8,
            .page_bytes = 128 * kKiB,
            .miss_cycles = 15,
            .group_of_sm = groups_of(kSms, 2)},
           {.entries = 32,
            .page_bytes = 512 * kKiB,
            .miss_cycles = 60,
            .group_of_sm = groups_of(kSms, 4)},
           {.entries = 256, .page_bytes = 512 * kKiB, .miss_cycles = 200, .misses_per_cycle = 0.3}},
      .side_of_sm = groups_of(kSms, 4),
      .l1_cycles = 34,
      .near_cycles = 250,
      .far_cycles = 400,
      .dram_cycles = 620,
      .atomic_cycles = 10,
      .sm_sigma_cycles = 6,
      .slice_sigma_cycles = 8,
      .l1_gbps = 2028,  // 8 SMs * 128 bytes * 1.98 GHz
      .l2_gbps = 620,
      .dram_read_gbps = 268,
      .dram_write_gbps = 257,
      .energy = {.idle_watts = 10, .joules_per_gb = 0.12, .far_joules_per_gb = 0.03},
      .link = LinkShape{.hit_cycles = 1200, .miss_cycles = 1500, .gbps = 40},
  };
}

/// Invented: says that it has caches as the classroom, and has nothing but DRAM. A lab that finds
/// something here has made it up.
MemorySystemShape flat() {
  MemorySystemShape shape = classroom();
  shape.facts.name = "simulated flat";
  shape.l1 = {};
  shape.l2 = {};
  shape.tlb = {};
  shape.side_of_sm = {};
  shape.l1_gbps = 0;
  shape.slice_sigma_cycles = 0;
  shape.link->hit_cycles = shape.link->miss_cycles;
  return shape;
}

struct Preset {
  const char* name;
  MemorySystemShape (*shape)();
};

constexpr std::array kPresets = {Preset{"k80", k80},         Preset{"p100", p100},
                                 Preset{"h100", h100},       Preset{"h200", h200},
                                 Preset{"h200_1g", h200_1g}, Preset{"classroom", classroom},
                                 Preset{"flat", flat}};

}  // namespace

std::vector<std::string> simulated_presets() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const Preset& preset : kPresets)
    names.emplace_back(preset.name);
  return names;
}

MemorySystemShape memory_system_of(const std::string& preset) {
  const auto* found = std::ranges::find(kPresets, preset, &Preset::name);
  if (found == kPresets.end()) {
    throw LabError(fmt::format("There is no simulated memory system '{}'. There are {}.", preset,
                               fmt::join(simulated_presets(), ", ")));
  }
  return found->shape();
}

}  // namespace ladder::labs
