// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cooperative_groups/reduce.h
/// \brief CUDA's header of this name, for g++: the sum, or another fold, of the lanes of a tile or
///        of coalesced threads.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation, Here here = Here::current()) {
  for (unsigned step = Group::size() / 2; step > 0; step /= 2)
    value = operation(value, group.shfl_xor(value, static_cast<int>(step), here));
  return value;
}

template <class T, class Operation>
T reduce(const coalesced_group& group, T value, Operation operation, Here here = Here::current()) {
  T all = group.shfl(value, 0, here);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    all = operation(all, group.shfl(value, static_cast<int>(rank), here));
  return all;
}

}  // namespace cooperative_groups
