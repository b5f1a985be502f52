// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/attention_heads.hpp
/// \brief Query heads, and the keys and values that they read.
#pragma once

namespace ladder::labs {

struct AttentionHeads {
  int queries = 0;           ///< query heads
  int queries_per_head = 1;  ///< that read the same keys and values; 1: each has its own
  int vectors_per_head = 0;  ///< of 16 bytes: the keys and values of one head

  int heads() const { return queries / queries_per_head; }
};

}  // namespace ladder::labs
