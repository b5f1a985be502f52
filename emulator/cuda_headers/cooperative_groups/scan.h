// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cooperative_groups/scan.h
/// \brief CUDA's header of this name, for g++: running sums, or other folds, over a group's
///        threads.
#pragma once

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

/// The fold of the values of this thread and of those of lower rank.
template <class Group, class T, class Operation = plus<T>>
T inclusive_scan(const Group& group, T value, Operation operation = {},
                 Here here = Here::current()) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T lower = group.shfl_up(value, step, here);
    if (group.thread_rank() >= step) value = operation(lower, value);
  }
  return value;
}

/// The fold of the values of lower rank; T() for the first thread.
template <class Group, class T, class Operation = plus<T>>
T exclusive_scan(const Group& group, T value, Operation operation = {},
                 Here here = Here::current()) {
  const T lower = group.shfl_up(inclusive_scan(group, value, operation, here), 1, here);
  return group.thread_rank() == 0 ? T() : lower;
}

}  // namespace cooperative_groups
