// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted_heads.hpp
/// \brief What attention heads read from DRAM, traced on the emulator and replayed on a card.
#pragma once

#include "bench/labs/questions/kernels/attention_heads.hpp"
#include "common/device_card.hpp"

namespace ladder::labs {

/// Bytes read.
struct HeadTraffic {
  double requested_bytes = 0.0;
  double dram_bytes = 0.0;
};

/// \param  blocks  of the launch: as many as query heads, or fewer that each take several
HeadTraffic count_heads(const AttentionHeads& heads, int blocks, const DeviceCard& card);

}  // namespace ladder::labs
