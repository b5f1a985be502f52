// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/shared_probes.cpp
/// \brief Probes of shared memory: which lanes share an element, and which are in each other's way.
#include <bit>
#include <string>

#include "tests/fidelity/probe_table.hpp"

namespace ladder::fidelity {
namespace {

const Operation kShared[] = {Operation::kSharedLoad, Operation::kSharedStore};

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

/// Lanes that share elements: two whose numbers differ in one bit (with holes between the elements,
/// or packed), runs of neighbours, and elements that repeat over the lanes.
void add_shared_by_lanes(Table& table) {
  for (const Operation operation : kShared) {
    for (const unsigned bytes : {4u, 8u, 16u}) {
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
    for (const int pad : {0, 4, 8, 16, 20}) {
      table.add(operation, 16, "rows_of_16_pad_" + text(pad) + "_for_4_lanes",
                "one float4 of 8 rows of float [8][16 + " + text(pad) + "], each for 4 neighbours",
                [=](int lane) { return lane / 4 * (16 + pad) / 4; });
    }
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

}  // namespace

void add_shared_memory_accesses(Table& table) {
  add_shared_by_lanes(table);
  add_conflicts_between_lanes(table);
  add_tiles(table);
}

}  // namespace ladder::fidelity
