// SPDX-License-Identifier: MIT
/// \file  common/side_aware/operations/rope.cuh
/// \brief Rotary position embedding in place: turns each pair of a query's or key's head by an
///        angle that depends on the token and the pair. Heads of values are skipped.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

/// out0 = in0  (batch, kTokens, kHeads, kPairs) pairs;  in1  (kTokens, kPairs) cosines and sines
struct Rope : OperationDefaults {
  using i0 = float2;
  using i1 = float2;
  using o0 = float2;
  static constexpr bool input_evict[4] = {true, false, false, false};
  static constexpr int pairs_in_batch = 2;

  static constexpr unsigned kTokens = 1024;
  static constexpr unsigned kRotatedHeads = 2 * 32;  // queries and keys
  static constexpr unsigned kHeads = 3 * 32;         // and values
  static constexpr unsigned kPairs = 128 / 2;        // of a head

  template <class Index>
  __device__ static bool indexing(Index vector, int width, Index (&inputs)[4], const Sideband&) {
    const auto pair = vector * static_cast<unsigned>(width);
    const auto head = pair / kPairs % kHeads;
    const auto token = pair / (kPairs * kHeads) % kTokens;
    inputs[1] = (token * kPairs + pair % kPairs) / static_cast<unsigned>(width);
    return head >= kRotatedHeads;
  }

  __device__ static void apply(Element<Rope>& element) {
    const float2 value = element.in0;
    const float2 turn = element.in1;
    element.out0.x = value.x * turn.x - value.y * turn.y;
    element.out0.y = value.x * turn.y + value.y * turn.x;
  }
};

}  // namespace ladder::side_aware
