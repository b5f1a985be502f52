// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probe_table.hpp
/// \brief What the rows of the table of probes are made with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/fidelity/probes.hpp"

namespace ladder::fidelity {

using emulator::Operation;

/// Lane -> index of the element that it accesses, or kIdle.
using Place = std::function<int(int lane)>;

std::string text(int number);

/// An access of `bytes` per lane; element 0 lies `first_byte` bytes into the array.
WarpAccess access_of(unsigned bytes, const Place& place, int first_byte = 0);

/// The table while it grows.
class Table {
 public:
  /// An access that each warp makes once.
  void add(Operation operation, const WarpAccess& access, const std::string& name,
           const std::string& shows);

  /// One of one warp, in elements of `bytes`.
  void add(Operation operation, unsigned bytes, const std::string& name, const std::string& shows,
           const Place& place);

  std::vector<Probe> rows;
};

/// Loads, stores and atomics of threads, and shuffles (access_probes.cpp).
void add_accesses(Table& table);
/// Their part about lanes that meet in shared memory (shared_probes.cpp).
void add_shared_memory_accesses(Table& table);
/// Copies that arrive later: cp.async, and boxes of the tensor memory accelerator
/// (copy_probes.cpp).
void add_copies(Table& table);

}  // namespace ladder::fidelity
