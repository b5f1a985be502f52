// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/box_place.hpp
/// \brief Where a box may begin. An H100 ends with an illegal instruction elsewhere.
#pragma once

#include <source_location>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/words/tensor_map.hpp"

namespace ladder::emulator {

/// Ends the block if a box begins at a column that is no multiple of 16 bytes, or if one that is
/// stored begins above its matrix or to the left of it. Loads may begin there.
inline void require_box_place(BlockScheduler& scheduler, const ptx::TensorMap& map, int row,
                              int column, bool is_store, std::source_location where) {
  const int multiple = 16 / map.element_bytes;
  if (column % multiple != 0) {
    scheduler.fail(
        {FaultKind::kIllegalInstruction, {{"box_column", column}, {"multiple", multiple}}}, where);
  }
  if (is_store && row < 0) {
    scheduler.fail({FaultKind::kIllegalInstruction, {{"box_row", row}}}, where);
  }
  if (is_store && column < 0) {
    scheduler.fail({FaultKind::kIllegalInstruction, {{"box_column", column}}}, where);
  }
}

}  // namespace ladder::emulator
