// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/shared_checks.hpp
/// \brief What copies and barriers require of the addresses that a kernel gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/run/grid_plan.hpp"

namespace ladder::emulator {

/// \brief The shared memory of a block, which may use only a part of the dynamic part.
class SharedChecks {
 public:
  explicit SharedChecks(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_grid(const SharedMemory& shared) { shared_ = shared; }

  const SharedMemory& memory() const noexcept { return shared_; }

  bool holds(const void* address, std::size_t bytes) const {
    return shared_.holds(static_cast<const std::byte*>(address), bytes,
                         scheduler_.threads().plan().dynamic_shared_bytes);
  }

  /// \brief Ends the block unless all of the bytes are in its shared memory.
  /// \param argument  whose address it is: a code that fault_text.cpp knows
  void require_inside(const char* argument, const void* address, std::size_t bytes,
                      std::source_location where) {
    if (holds(address, bytes)) return;
    scheduler_.fail({FaultKind::kOutsideShared, {{"argument", argument}}}, where);
  }

  void require_alignment(const char* argument, const void* address, unsigned bytes,
                         std::source_location where) {
    if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
    scheduler_.fail({FaultKind::kMisalignedArgument, {{"argument", argument}, {"multiple", bytes}}},
                    where);
  }

 private:
  BlockScheduler& scheduler_;
  SharedMemory shared_;
};

}  // namespace ladder::emulator
