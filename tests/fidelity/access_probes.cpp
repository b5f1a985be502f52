// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/access_probes.cpp
/// \brief Probes of loads, stores, atomics and shuffles: which lane reads or writes where.
#include <algorithm>
#include <array>
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

/// Random numbers below `limit`, the same on every machine.
/// \param distinct  no two are equal
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
  for (const int stride : {4093, 4095, 4096, 4097}) {
    table.add(Operation::kGlobalLoad, 4, "stride_" + text(stride),
              "a column of a matrix with rows of " + text(stride) + " numbers",
              [=](int lane) { return lane * stride; });
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
  add_shared_memory_accesses(table);
  add_atomics(table);
  add_shuffles(table);
}

}  // namespace ladder::fidelity
