// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/copy_probes.cpp
/// \brief Probes of copies that arrive later: what each reads, and where it writes.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/fidelity/probe_table.hpp"

namespace ladder::fidelity {
namespace {

/// One cp.async of a warp.
/// \param inside  a bit per lane; the others bring zeros
void add_thread_copy(Table& table, const WarpAccess& access, const Place& to,
                     const std::string& name, const std::string& shows,
                     unsigned inside = 0xFFFFFFFFu) {
  const Pattern target = access_of(access.bytes, to).pattern;
  table.add(Operation::kAsyncCopy, access, name, shows);
  table.rows.back().run = [=](const Arrays& arrays) {
    copy_to_shared(access, target, inside, arrays);
  };
}

/// cp.async: which lane reads where, and where it writes.
void add_thread_copies(Table& table) {
  const auto add = [&](unsigned bytes, const std::string& name, const std::string& shows,
                       const Place& from, const Place& to, unsigned inside = 0xFFFFFFFFu) {
    add_thread_copy(table, access_of(bytes, from), to, name, shows, inside);
  };
  const auto lane_itself = [](int lane) { return lane; };
  for (const unsigned bytes : {4u, 16u}) {
    const int row = 128 / static_cast<int>(bytes);  // elements side by side in all banks
    for (const int stride : {1, 2, 3, 4, 8, 16, 32}) {
      const auto apart = [=](int lane) { return lane * stride; };
      add(bytes, "from_stride_" + text(stride), "reads elements " + text(stride) + " apart", apart,
          lane_itself);
      if (stride == 1) continue;
      add(bytes, "to_stride_" + text(stride), "writes elements " + text(stride) + " apart",
          lane_itself, apart);
    }
    add(
        bytes, "one_source", "all lanes read one element", [](int) { return 0; }, lane_itself);
    add(
        bytes, "start_in_line", "neighbours, the first one 16 bytes into a line",
        [=](int lane) { return lane + 16 / static_cast<int>(bytes); }, lane_itself);
    add(bytes, "reversed", "written in falling order", lane_itself,
        [](int lane) { return kWarpLanes - 1 - lane; });
    for (const int pad : {0, 4}) {
      add(bytes, "transposed_8_pad_" + text(pad),
          "8 columns become rows of " + text(row) + " elements and " + text(pad) + " words",
          lane_itself, [=](int lane) {
            return lane % 8 * (row + pad * 4 / static_cast<int>(bytes)) + lane / 8;
          });
    }
    const std::pair<const char*, unsigned> masks[] = {{"none", 0u},
                                                      {"lower_half", 0x0000FFFFu},
                                                      {"even_lanes", 0x55555555u},
                                                      {"lane_5", 1u << 5}};
    for (const auto& [name, inside] : masks) {
      add(bytes, std::string("inside_") + name, std::string("zeros but for: ") + name, lane_itself,
          lane_itself, inside);
      if (inside == 0) continue;
      const auto active = [inside = inside](int lane) {
        return (inside >> lane & 1u) != 0 ? lane : kIdle;
      };
      add(bytes, std::string("active_") + name, std::string("active lanes: ") + name, active,
          active);
    }
  }
}

/// Where the lanes of a warp read: parts of `rows` rows, neighbouring lanes neighbouring elements.
struct Source {
  int rows;
  int distance;  ///< from a row to the next one, in elements
  int first_byte = 0;
  bool across = false;  ///< neighbouring lanes in neighbouring rows instead
};

WarpAccess access_from(const Source& source, unsigned bytes) {
  const int columns = kWarpLanes / source.rows;
  const auto place = [&](int lane) {
    const int row = source.across ? lane % source.rows : lane / columns;
    const int column = source.across ? lane / source.rows : lane % columns;
    return row * source.distance + column;
  };
  return access_of(bytes, place, source.first_byte);
}

std::string name_of(const Source& source) {
  return "from_" + text(source.rows) + "_rows_" + text(source.distance) + "_apart" +
         (source.first_byte != 0 ? "_plus_" + text(source.first_byte) + "B" : "") +
         (source.across ? "_across" : "");
}

/// Where they write in shared memory.
struct Target {
  std::string name;
  std::string shows;
  Place place;
};

/// All sources with all targets: a copy reads like a load and writes like a store, and either side
/// may be what takes several passes.
void add_rows(Table& table, unsigned bytes, const std::vector<Source>& sources,
              const std::vector<Target>& targets) {
  for (const Source& source : sources) {
    for (const Target& target : targets) {
      add_thread_copy(table, access_from(source, bytes), target.place,
                      name_of(source) + "_to_" + target.name,
                      text(kWarpLanes / source.rows) + " elements of each of " + text(source.rows) +
                          " rows, " + text(source.distance) + " elements apart; " + target.shows);
    }
  }
}

Target neighbours() {
  return {"neighbours", "written to neighbours", [](int lane) { return lane; }};
}

/// Lane i writes the element i * stride.
Target stride(int stride) {
  return {"stride_" + text(stride), "written " + text(stride) + " elements apart",
          [=](int lane) { return lane * stride; }};
}

/// A matrix with `columns` columns, from its first element on, as it is.
Target matrix(int columns, int row) {
  return {"rows_of_" + text(columns) + "_in_" + text(row),
          text(columns) + " lanes side by side in rows of " + text(row) + " elements",
          [=](int lane) { return lane / columns * row + lane % columns; }};
}

/// The same, transposed.
Target transposed(int columns, int row) {
  return {"transposed_" + text(columns) + "_in_" + text(row),
          text(columns) + " columns become rows of " + text(row) + " elements",
          [=](int lane) { return lane % columns * row + lane / columns; }};
}

/// Tiles of GEMM kernels. The rows of a matrix mostly are a multiple of 128 bytes apart; others
/// tell what counts: how many lines are read, or how many words of one bank.
void add_copied_tiles(Table& table) {
  // A word each: transposed, 8 columns of 4 rows per warp is what rungs 09 and 10 copy of A.
  add_rows(table, 4,
           {{1, 32},
            {2, 1024},
            {2, 1040},
            {4, 1024},
            {4, 1032},
            {4, 1056},
            {4, 4096},
            {4, 1024, 12},
            {4, 1024, 0, true},
            {8, 1024},
            {8, 1028},
            {16, 1024},
            {16, 1026},
            {32, 1024},
            {32, 1025}},
           {neighbours(), transposed(8, 132)});
  add_rows(table, 4, {{1, 32}, {4, 1024}, {4, 1032}, {32, 1024}},
           {stride(32), stride(33), stride(36), stride(132), transposed(8, 128)});
  // Four words each: rows of 64 bytes of A in padded rows, and whole rows of B, as in rung 13.
  add_rows(
      table, 16, {{1, 32}, {4, 256}, {4, 264}, {8, 256}, {8, 260}, {16, 256}, {32, 256}, {32, 257}},
      {neighbours(), matrix(4, 5), matrix(4, 8), matrix(8, 9), stride(4), stride(5), stride(8)});
}

/// Tiles of matrices whose rows are no whole lines apart, at edges too: lanes that are outside
/// bring zeros, and their addresses go on in the same pattern.
void add_ragged_tiles(Table& table) {
  // Lanes inside, as the columns and the rows of a tile end.
  const auto inside = [](int lanes_per_row, int columns, int rows) {
    unsigned mask = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if (lane % lanes_per_row < columns && lane / lanes_per_row < rows) mask |= 1u << lane;
    }
    return mask;
  };
  const auto add = [&](unsigned bytes, const Source& source, const Target& target, int columns,
                       int rows) {
    const int row = kWarpLanes / source.rows;
    const bool whole = columns == row && rows == source.rows;
    add_thread_copy(
        table, access_from(source, bytes), target.place,
        "ragged_" + name_of(source) + "_to_" + target.name +
            (whole ? "" : "_inside_" + text(rows) + "x" + text(columns)),
        text(row) + " elements of each of " + text(source.rows) + " rows, " +
            text(source.distance) + " elements apart; " + target.shows +
            (whole ? "" : "; inside are " + text(columns) + " columns of " + text(rows) + " rows"),
        inside(row, columns, rows));
  };
  // A of rungs 09 and 10, a word each.
  for (const int pitch : {12, 36, 52, 68, 100, 140, 204, 260, 332, 420, 516, 1036}) {
    for (const int first_byte : {0, 48})
      add(4, {4, pitch, first_byte}, transposed(8, 132), 8, 4);
    for (const auto& [columns, rows] : {std::pair(4, 4), {8, 1}, {8, 3}, {4, 2}})
      add(4, {4, pitch}, transposed(8, 132), columns, rows);
  }
  // A row of B, four words each.
  for (const int first_byte : {16, 32, 48, 64, 80, 96, 112}) {
    for (const int columns : {32, 26, 13, 9, 1})
      add(16, {1, 32, first_byte}, neighbours(), columns, 1);
  }
  // A and B of rung 13's other kernels: some rows.
  for (const int pitch : {3, 9, 13, 17, 25, 35, 51, 65, 83, 105, 129, 259}) {
    add(16, {8, pitch}, matrix(4, 5), 4, 8);
    add(16, {8, pitch}, matrix(4, 5), 1, 8);
    add(16, {8, pitch}, matrix(4, 5), 4, 3);
    add(16, {4, pitch}, matrix(8, 9), 8, 4);
    add(16, {4, pitch}, matrix(8, 9), 5, 4);
    add(16, {4, pitch}, neighbours(), 8, 4);
    add(16, {4, pitch, 48}, neighbours(), 8, 4);
    add(16, {4, pitch}, neighbours(), 3, 4);
    add(16, {2, pitch}, neighbours(), 16, 2);
    add(16, {2, pitch}, neighbours(), 9, 2);
    add(16, {8, pitch}, neighbours(), 4, 8);
  }
}

/// The tensor memory accelerator: boxes of a matrix, with and without a part outside.
void add_boxes(Table& table) {
  const std::pair<const char*, Box> boxes[] = {{"8x32", {64, 128, 8, 32, 0, 0}},
                                               {"8x128", {64, 128, 8, 128, 8, 0}},
                                               {"8x256", {32, 512, 8, 256, 8, 256}},
                                               {"1x4", {64, 128, 1, 4, 3, 4}},
                                               {"16x12", {64, 128, 16, 12, 0, 8}},
                                               {"8x32_in_line", {64, 128, 8, 32, 0, 4}},
                                               {"narrow_rows", {64, 36, 8, 32, 0, 0}},
                                               {"beyond_the_last_row", {64, 128, 8, 32, 60, 0}},
                                               {"beyond_the_last_column", {64, 128, 8, 32, 0, 112}},
                                               {"before_the_first", {64, 128, 8, 32, -4, -16}},
                                               {"outside", {64, 128, 8, 32, 64, 0}}};
  for (const auto& [name, box] : boxes) {
    const auto inside = [](int begin, int count, int end) {
      return std::max(0, std::min(begin + count, end) - std::max(begin, 0));
    };
    const int elements = inside(box.row, box.rows, box.matrix_rows) *
                         inside(box.column, box.columns, box.matrix_columns);
    table.rows.push_back({.name = std::string("box_copy_") + name,
                          .shows = "a box of " + text(box.rows) + " x " + text(box.columns) +
                                   " at (" + text(box.row) + ", " + text(box.column) + ") of " +
                                   text(box.matrix_rows) + " x " + text(box.matrix_columns),
                          .operation = Operation::kBoxCopy,
                          .requests = 1,
                          .bytes = 4 * static_cast<std::uint64_t>(elements),
                          .run = [box = box](const Arrays& a) { copy_box(box, a); }});
  }
}

}  // namespace

void add_copies(Table& table) {
  add_thread_copies(table);
  add_copied_tiles(table);
  add_ragged_tiles(table);
  add_boxes(table);
}

}  // namespace ladder::fidelity
