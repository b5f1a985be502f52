// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/given_types.cuh
/// \brief What an operation is made of if a header gives it as types and functions, not as a
///        struct: see common/side_aware/side_boost.hpp.
#pragma once

#include "common/side_aware/kernels/element.cuh"

namespace ladder::side_aware {

/// The type of an array as its header gives it; an empty struct: there is no such array.
template <class T, bool is_empty = __is_empty(T)>
struct Given {
  using Type = T;
  __device__ T& of(T& element) { return element; }
};
template <class T>
struct Given<T, true> {
  using Type = None;
  T nothing;
  __device__ T& of(None&) { return nothing; }
};

/// The types and constants of such an operation.
template <class O0, class O1, class O2, class O3, class I0, class I1, class I2, class I3,
          bool reverse, bool evict0, bool evict1, bool evict2, bool evict3, int unrolled>
struct GivenTypes : OperationDefaults {
  static_assert(unrolled == 1 || unrolled == 2 || unrolled == 4 || unrolled == 8,
                "UNROLLED is 1, 2, 4 or 8");
  using Out0 = Given<O0>;
  using Out1 = Given<O1>;
  using Out2 = Given<O2>;
  using Out3 = Given<O3>;
  using In0 = Given<I0>;
  using In1 = Given<I1>;
  using In2 = Given<I2>;
  using In3 = Given<I3>;
  using o0 = typename Out0::Type;
  using o1 = typename Out1::Type;
  using o2 = typename Out2::Type;
  using o3 = typename Out3::Type;
  using i0 = typename In0::Type;
  using i1 = typename In1::Type;
  using i2 = typename In2::Type;
  using i3 = typename In3::Type;
  static constexpr bool reverse_order = reverse;
  static constexpr bool input_evict[4] = {evict0, evict1, evict2, evict3};
  static constexpr int pairs_in_batch = unrolled;
};

}  // namespace ladder::side_aware
