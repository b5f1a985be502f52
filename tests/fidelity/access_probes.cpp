// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/access_probes.cpp
/// \brief Probes of loads, stores, atomics and shuffles: which lane reads or writes where.
#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

#include "tests/fidelity/probe_table.hpp"

namespace ladder::fidelity {
namespace {

using Indices = std::array<int, kWarpLanes>;

const Operation kGlobal[] = {Operation::kGlobalLoad, Operation::kGlobalStore};
const Operation kShared[] = {Operation::kSharedLoad, Operation::kSharedStore};
const Operation kLoadsAndStores[] = {Operation::kGlobalLoad, Operation::kGlobalStore,
                                     Operation::kSharedLoad, Operation::kSharedStore};
const unsigned kVectors[] = {4, 8, 16};  // bytes of float, float2, float4

bool is_shared(Operation operation) {
  return std::ranges::count(kShared, operation) != 0;
}

/// Random numbers below `limit`, the same on every machine. \param distinct  no two are equal
Indices random_indices(unsigned seed, unsigned limit, bool distinct) {
  std::mt19937 random(seed);
  Indices indices;
  for (auto index = indices.begin(); index != indices.end();) {
    *index = static_cast<int>(random() % limit);
    if (!distinct || std::find(indices.begin(), index, *index) == index) ++index;
  }
  return indices;
}

Place place_of(const Indices& indices) {
  return [=](int lane) { return indices[lane]; };
}

/// The bits of `lane` that `mask` has, moved together: 0, 1, 2, ... for the lanes that differ
/// there.
int packed_bits(int lane, int mask) {
  int packed = 0;
  int count = 0;
  for (int bit = 0; bit < 5; ++bit) {
    if ((mask >> bit & 1) != 0) packed |= (lane >> bit & 1) << count++;
  }
  return packed;
}

void add_strides(Table& table) {
  for (const Operation operation : kLoadsAndStores) {
    for (const unsigned bytes : kVectors) {
      for (const int stride : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32}) {
        table.add(operation, bytes, "stride_" + text(stride),
                  "neighbours are " + text(stride) + " elements apart",
                  [=](int lane) { return lane * stride; });
      }
    }
  }
}

void add_starts(Table& table) {
  for (const Operation operation : kGlobal) {
    for (const unsigned bytes : kVectors) {
      for (const int start : {4, 8, 16, 32, 64, 100}) {
        if (start % bytes != 0) continue;
        table.add(operation, access_of(bytes, std::identity(), start),
                  "start_plus_" + text(start) + "B",
                  "neighbours, the first one " + text(start) + " bytes into a line");
      }
    }
  }
}

void add_orders(Table& table) {
  const Indices permutation = random_indices(1, kWarpLanes, true);
  for (const Operation operation : kLoadsAndStores) {
    for (const unsigned bytes : kVectors) {
      table.add(operation, bytes, "one_address", "all lanes at one element", [](int) { return 0; });
      table.add(operation, bytes, "reversed", "neighbours in falling order",
                [](int lane) { return kWarpLanes - 1 - lane; });
      table.add(operation, bytes, "permuted", "32 neighbours in random order",
                place_of(permutation));
    }
  }
}

void add_idle_lanes(Table& table) {
  struct Mask {
    const char* name;
    const char* shows;
    std::uint32_t lanes;
    bool shared_only = false;
  };
  const Mask masks[] = {
      {"lanes_0_and_31", "two active lanes", 0x80000001u},
      {"lower_half", "lanes 0 to 15 active", 0x0000FFFFu},
      {"every_second_lane", "even lanes active", 0x55555555u},
      {"random_lanes", "an arbitrary set of active lanes", 0x93A1C46Eu},
      {"lane_0_alone", "one active lane", 0x00000001u, true},
      {"upper_half", "lanes 16 to 31 active", 0xFFFF0000u, true},
      {"first_quarter", "lanes 0 to 7 active", 0x000000FFu, true},
      {"middle_lanes", "lanes 4 to 19 active: across quarters and halves", 0x000FFFF0u, true},
      {"outer_quarters", "lanes 0 to 7 and 24 to 31 active", 0xFF0000FFu, true},
      {"lane_per_quarter", "lanes 0, 8, 16, 24 active", 0x01010101u, true},
  };
  for (const Operation operation : kLoadsAndStores) {
    for (const unsigned bytes : kVectors) {
      for (const Mask& mask : masks) {
        if (mask.shared_only && !is_shared(operation)) continue;
        table.add(operation, bytes, mask.name, std::string("neighbours, ") + mask.shows,
                  [=](int lane) { return (mask.lanes >> lane & 1u) != 0 ? lane : kIdle; });
      }
    }
  }
}

void add_small_elements(Table& table) {
  for (const Operation operation : kLoadsAndStores) {
    for (const unsigned bytes : {1u, 2u}) {
      table.add(operation, bytes, "stride_1", "neighbours", std::identity());
      table.add(operation, bytes, "stride_2", "neighbours are 2 elements apart",
                [](int lane) { return 2 * lane; });
    }
  }
}

void add_structures(Table& table) {
  WarpAccess five = access_of(4, [](int lane) { return 5 * lane; });
  table.rows.push_back({.name = "global_load_struct_20B",
                        .shows = "array of structures: five members of 4 bytes, one by one",
                        .operation = Operation::kGlobalLoad,
                        .requests = 5,
                        .bytes = 5 * 4 * kWarpLanes,
                        .run = [=](const Arrays& arrays) { load_five_numbers(five, arrays); }});
  WarpAccess two = access_of(16, [](int lane) { return 2 * lane; });
  table.rows.push_back({.name = "global_load_struct_32B",
                        .shows = "array of structures: two members of 16 bytes, one by one",
                        .operation = Operation::kGlobalLoad,
                        .requests = 2,
                        .bytes = 2 * 16 * kWarpLanes,
                        .run = [=](const Arrays& arrays) { load_two_vectors(two, arrays); }});
}

void add_several_warps(Table& table) {
  for (const Operation operation : kLoadsAndStores) {
    WarpAccess access = access_of(4, std::identity());
    access.warps = 2;
    access.pattern.warp_step_bytes = 4 * kWarpLanes;
    table.add(operation, access, "two_warps", "64 neighbours");
    access = access_of(4, [](int lane) { return 2 * lane; });
    access.warps = 4;
    table.add(operation, access, "four_equal_warps", "stride 2, the same in four warps");
  }
}

/// Elements at random places: how the hardware groups lanes shows where conflicts are irregular.
void add_random_places(Table& table) {
  struct Draw {
    unsigned elements;
    bool distinct;
    bool shared_only = false;
  };
  const Draw draws[] = {{64, false},       {1024, true},       {8, false, true},
                        {16, false, true}, {32, false, true},  {64, true, true},
                        {256, true, true}, {1024, false, true}};
  for (const Operation operation : kLoadsAndStores) {
    for (const unsigned bytes : kVectors) {
      unsigned seed = 100 * bytes;
      for (const Draw& draw : draws) {
        ++seed;
        if (draw.shared_only && !is_shared(operation)) continue;
        const std::string kind = draw.distinct ? "distinct" : "any";
        table.add(operation, bytes, "random_" + kind + "_of_" + text(draw.elements),
                  "random elements of " + text(draw.elements) +
                      (draw.distinct ? ", no two equal" : ", some equal"),
                  place_of(random_indices(seed, draw.elements, draw.distinct)));
      }
    }
  }
}

/// Lanes that share elements: two whose numbers differ in one bit (with holes between the elements,
/// or packed), runs of neighbours, and elements that repeat over the lanes.
void add_shared_by_lanes(Table& table) {
  for (const Operation operation : kShared) {
    for (const unsigned bytes : kVectors) {
      for (const int bit : {1, 2, 4, 8, 16}) {
        if (bytes == 4) continue;  // the whole warp at once: no two lanes are special
        const std::string name = "pair_xor" + text(bit);
        const std::string shows = "lanes T and T^" + text(bit) + " at one element";
        table.add(operation, bytes, name, shows + ", elements with holes",
                  [=](int lane) { return lane & ~bit; });
        table.add(operation, bytes, name + "_packed", shows + ", 16 neighbours",
                  [=](int lane) { return packed_bits(lane, 31 & ~bit); });
      }
      for (const int run : {4, 8, 16}) {
        table.add(operation, bytes, "runs_of_" + text(run),
                  "each element shared by " + text(run) + " neighbouring lanes" +
                      (run == 16 ? ": a register tile's row of A" : ""),
                  [=](int lane) { return lane / run; });
      }
      for (const int period : {2, 4, 8}) {
        table.add(operation, bytes, "repeats_" + text(period),
                  text(period) + " elements in turn over the lanes",
                  [=](int lane) { return lane % period; });
      }
    }
  }
}

/// Conflicts between certain lanes only. All elements are distinct; the lanes whose numbers agree
/// in the bits of a mask are in the same banks, the others never are.
void add_conflicts_between_lanes(Table& table) {
  for (const Operation operation : kShared) {
    for (const unsigned bytes : {8u, 16u}) {
      const int columns = 128 / static_cast<int>(bytes);  // elements side by side in all banks
      for (int mask = 0; mask < kWarpLanes; ++mask) {
        if (1 << std::popcount(static_cast<unsigned>(mask)) != columns) continue;
        std::string bits;
        for (int bit = 0; bit < 5; ++bit)
          bits += (mask >> bit & 1) != 0 ? text(bit) : "";
        table.add(operation, bytes, "banks_by_bits_" + bits,
                  "bits " + bits + " of the lane choose the banks, all rows differ",
                  [=](int lane) { return lane * columns + packed_bits(lane, mask); });
      }
    }
    table.add(operation, 16, "quarters_1_2_4_8_way",
              "conflicts of 1, 2, 4 and 8 ways in the four quarters of the warp", [](int lane) {
                const int ways = 1 << lane / 8;
                return lane * 8 + lane % 8 / ways;
              });
    table.add(operation, 8, "halves_1_4_way", "conflicts of 1 and 4 ways in the two halves",
              [](int lane) {
                const int ways = lane < 16 ? 1 : 4;
                return lane * 16 + lane % 16 / ways;
              });
    table.add(operation, 4, "two_rows_of_one_bank", "two words of one bank, in turn",
              [](int lane) { return lane % 2 * 32; });
  }
}

/// Tiles as GEMM kernels keep them in shared memory.
void add_tiles(Table& table) {
  for (const Operation operation : kShared) {
    for (const int pad : {0, 1, 4, 8}) {
      table.add(operation, 4, "column_of_32x32_pad_" + text(pad),
                "a column of float [32][32 + " + text(pad) + "]",
                [=](int lane) { return lane * (32 + pad); });
    }
    for (const int pad : {0, 4, 8, 12}) {
      const int row_vectors = (32 + pad) / 4;
      table.add(operation, 16, "column_of_32x32_pad_" + text(pad),
                "a column of float4 in float [32][32 + " + text(pad) + "]",
                [=](int lane) { return lane * row_vectors; });
      table.add(operation, 16, "rows_of_32_pad_" + text(pad),
                "four rows of 8 float4 in float [32][32 + " + text(pad) + "]",
                [=](int lane) { return lane / 8 * row_vectors + lane % 8; });
    }
    table.add(operation, 4, "column_swizzled", "column 5 of float [32][32], stored at col ^ row",
              [](int row) { return row * 32 + (5 ^ row); });
    table.add(operation, 16, "column_swizzled",
              "column 3 of float4 [32][8], stored at col ^ row % 8",
              [](int row) { return row * 8 + (3 ^ row % 8); });
    table.add(operation, 16, "two_rows_of_16", "a register tile's row of B: 16 float4, read twice",
              [](int lane) { return lane % 16; });
    table.add(operation, 16, "warp_tile_4x8", "lanes 4 x 8: 8 float4 of B at 32-byte steps",
              [](int lane) { return lane % 8 * 2; });
  }
  for (const int first : {0, 1}) {
    table.rows.push_back({.name = "shared_load_4x4B_" + std::string(first ? "un" : "") + "aligned",
                          .shows = "four numbers per lane, one by one, from word " + text(first),
                          .operation = Operation::kSharedLoad,
                          .requests = 4,
                          .bytes = 4 * 4 * kWarpLanes,
                          .merging = first == 0 ? Merging::kAlike : Merging::kBeyondEmulator,
                          .run = [=](const Arrays& a) { load_four_neighbours(first, a); }});
  }
}

void add_atomics(Table& table) {
  struct Target {
    const char* name;
    const char* shows;
    Place place;
  };
  const Target targets[] = {
      {"stride_1", "32 neighbours", std::identity()},
      {"one_address", "all lanes at one number", [](int) { return 0; }},
      {"two_addresses", "two numbers in turn", [](int lane) { return lane % 2; }},
      {"runs_of_4", "8 numbers, each for 4 neighbouring lanes", [](int lane) { return lane / 4; }},
      {"stride_2", "numbers 8 bytes apart", [](int lane) { return lane * 2; }},
      {"stride_8", "numbers 32 bytes apart", [](int lane) { return lane * 8; }},
      {"stride_32", "numbers 128 bytes apart: one bank", [](int lane) { return lane * 32; }},
      {"random_any_of_16", "random numbers of 16", place_of(random_indices(7, 16, false))},
      {"lower_half", "16 neighbours, lanes 0 to 15",
       [](int lane) { return lane < 16 ? lane : kIdle; }},
  };
  for (const Operation operation : {Operation::kGlobalAtomic, Operation::kSharedAtomic}) {
    for (const bool returns : {true, false}) {
      for (const Target& target : targets) {
        const WarpAccess access = access_of(4, target.place);
        table.add(operation, access, std::string(target.name) + (returns ? "_old_value" : ""),
                  std::string(target.shows) + (returns ? "; the old value is read" : ""));
        table.rows.back().run = [=](const Arrays& arrays) {
          operation == Operation::kGlobalAtomic ? add_global(access, returns, arrays)
                                                : add_shared(access, returns, arrays);
        };
      }
    }
  }
}

void add_shuffles(Table& table) {
  const std::pair<Shuffle, const char*> kinds[] = {{Shuffle::kXor, "xor"},
                                                   {Shuffle::kUp, "up"},
                                                   {Shuffle::kDown, "down"},
                                                   {Shuffle::kIndexed, "indexed"},
                                                   {Shuffle::kReduction, "reduction"}};
  for (const auto& [kind, name] : kinds) {
    table.rows.push_back({.name = std::string("shuffle_") + name,
                          .shows = "values move between lanes: no memory request",
                          .operation = std::nullopt,
                          .run = [kind = kind](const Arrays& arrays) { shuffle(kind, arrays); }});
  }
}

}  // namespace

void add_accesses(Table& table) {
  add_strides(table);
  add_starts(table);
  add_orders(table);
  add_idle_lanes(table);
  add_small_elements(table);
  add_structures(table);
  add_several_warps(table);
  add_random_places(table);
  add_shared_by_lanes(table);
  add_conflicts_between_lanes(table);
  add_tiles(table);
  add_atomics(table);
  add_shuffles(table);
}

}  // namespace ladder::fidelity
