// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/copy_probes.cpp
/// \brief Probes of copies that arrive later: what each reads, and where it writes.
#include <algorithm>
#include <utility>

#include "tests/fidelity/probe_table.hpp"

namespace ladder::fidelity {
namespace {

/// cp.async: which lane reads where, and where it writes.
void add_thread_copies(Table& table) {
  const auto add = [&](unsigned bytes, const std::string& name, const std::string& shows,
                       const Place& from, const Place& to, unsigned inside = 0xFFFFFFFFu) {
    const WarpAccess access = access_of(bytes, from);
    const Pattern target = access_of(bytes, to).pattern;
    table.add(Operation::kAsyncCopy, access, name, shows);
    table.rows.back().run = [=](const Arrays& arrays) {
      copy_to_shared(access, target, inside, arrays);
    };
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
  add_boxes(table);
}

}  // namespace ladder::fidelity
