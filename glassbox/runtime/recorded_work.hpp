// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/recorded_work.hpp
/// \brief Which bytes a kernel or a copy reads and writes, for WorkOrder.
#pragma once

#include <cstddef>
#include <string>

#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {

/// \brief Kernels' accesses are recorded as long as it lives, if anybody may want to know.
class RecordedKernel {
 public:
  RecordedKernel();
  ~RecordedKernel();
  RecordedKernel(const RecordedKernel&) = delete;
  RecordedKernel& operator=(const RecordedKernel&) = delete;
  /// \brief What it did is the current work.
  /// \param overlaps_previous  it may have started while the kernel before still ran
  void tell(const std::string& name, const emulator::Place& place, bool overlaps_previous);

 private:
  bool is_wanted_;
  OldValues before_;
};

/// \brief Copies, fills and the like: the rows of their target and their source.
class RecordedCopy {
 public:
  RecordedCopy(const char* function, const Here& here);
  void reads(const void* data, std::size_t bytes);
  void writes(const void* data, std::size_t bytes);
  /// A variable of the program, by its name.
  void reads_symbol(const void* symbol, std::size_t bytes);
  void writes_symbol(const void* symbol, std::size_t bytes);
  /// After these two, and before the bytes move.
  void begin();
  void tell(WorkKind kind);

 private:
  DoneWork work_;
  OldValues before_;
};

}  // namespace ladder::glassbox
