// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/emulated_grouping.hpp
/// \brief L14's kernels on the emulator, and the paper's of L13.
#pragma once

#include <span>
#include <vector>

#include "bench/labs/instruments/hash_grouping.hpp"
#include "bench/labs/instruments/instruments.hpp"

namespace ladder::labs {

/// \brief  Groups these keys into an empty table, with the kernels that a GPU runs.
/// \return all buckets
/// \throws std::logic_error  a kernel reads or writes what it must not
std::vector<Bucket> grouped_on_emulator(const Grouping& grouping, std::span<const TableWord> keys);

/// \brief  Reads words where each thread's generator says, with the kernel that a GPU runs.
/// \return their sum over all scopes
std::uint64_t lcg_sum_on_emulator(const RandomReads& reads);

/// \brief  Counts the keys on the CPU, and compares.
/// \throws std::logic_error  a group is missing, is there twice, or has another count
void require_counts(std::span<const Bucket> table, std::span<const TableWord> keys);

}  // namespace ladder::labs
