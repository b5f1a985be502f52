// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/remembered_work.hpp
/// \brief Work that is done here, and may still run on a GPU: what it is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/fault.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {

/// What this thread does is this work.
extern thread_local std::optional<WorkPosition> current_work;

/// An array or a variable.
struct NamedBytes {
  std::string name;
  Bytes bytes;
};

inline bool is_in(const Bytes& bytes, std::uintptr_t address) {
  return address >= bytes.begin && address < bytes.end;
}

/// Work that is done here, and may still run on a GPU.
struct WorkOrder::Remembered {
  DoneWork work;
  WorkPosition position;
  std::uint64_t number = 0;
  std::vector<NamedBytes> arrays = {};
  bool is_of_host = false;    ///< it uses what the host may touch
  bool signals_host = false;  ///< it may tell the host by itself how far it is
  bool is_known = false;      ///< a function of the host may have told that it is done

  /// The array that holds the byte, or the variable.
  std::optional<NamedBytes> array_with(std::uintptr_t address) const;
};

/// Two accesses without an order; the first one was issued earlier.
struct WorkOrder::Clash {
  const Remembered* first;
  const Remembered* second;
  Bytes bytes;
  Touch by_first, by_second;
};

emulator::AccessVerb verb_of(Touch touch);
const char* code_of(WorkKind kind);
emulator::Element element_of(const std::string& array);

}  // namespace ladder::glassbox
