// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probes.cpp
/// \brief The table of probes, and how a row of it is made.
#include "tests/fidelity/probes.hpp"

#include <algorithm>
#include <utility>

#include "tests/fidelity/probe_table.hpp"

namespace ladder::fidelity {
namespace {

std::string prefix_of(Operation operation) {
  switch (operation) {
    case Operation::kGlobalLoad:
      return "global_load";
    case Operation::kGlobalStore:
      return "global_store";
    case Operation::kGlobalAtomic:
      return "global_atomic";
    case Operation::kSharedLoad:
      return "shared_load";
    case Operation::kSharedStore:
      return "shared_store";
    case Operation::kSharedAtomic:
      return "shared_atomic";
    case Operation::kAsyncCopy:
      return "async_copy";
    case Operation::kBoxCopy:
      return "box_copy";
    case Operation::kBoxStore:
      return "box_store";
    case Operation::kProduct:
      return "tensor_product";
  }
  return "";
}

std::function<void(const Arrays&)> launcher_of(Operation operation, const WarpAccess& access) {
  return [=](const Arrays& arrays) {
    if (operation == Operation::kGlobalLoad) load_global(access, arrays);
    if (operation == Operation::kGlobalStore) store_global(access, arrays);
    if (operation == Operation::kSharedLoad) load_shared(access, arrays);
    if (operation == Operation::kSharedStore) store_shared(access, arrays);
  };
}

std::uint64_t active_lanes(const WarpAccess& access) {
  return kWarpLanes - std::ranges::count(access.pattern.offset_bytes, kIdle);
}

}  // namespace

std::string text(int number) {
  return std::to_string(number);
}

WarpAccess access_of(unsigned bytes, const Place& place, int first_byte) {
  WarpAccess access = {.bytes = bytes};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int index = place(lane);
    access.pattern.offset_bytes[lane] =
        index == kIdle ? kIdle : first_byte + index * static_cast<int>(bytes);
  }
  return access;
}

void Table::add(Operation operation, const WarpAccess& access, const std::string& name,
                const std::string& shows) {
  rows.push_back({.name = prefix_of(operation) + "_" + text(access.bytes) + "B_" + name,
                  .shows = shows,
                  .operation = operation,
                  .requests = static_cast<std::uint64_t>(access.warps),
                  .bytes = access.warps * active_lanes(access) * access.bytes,
                  .run = launcher_of(operation, access)});
}

void Table::add(Operation operation, unsigned bytes, const std::string& name,
                const std::string& shows, const Place& place) {
  add(operation, access_of(bytes, place), name, shows);
}

const std::vector<Probe>& probes() {
  static const std::vector<Probe> rows = [] {
    Table table;
    add_accesses(table);
    add_copies(table);
    return std::move(table.rows);
  }();
  return rows;
}

}  // namespace ladder::fidelity
