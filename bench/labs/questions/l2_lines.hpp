// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_lines.hpp
/// \brief What a line of L2 competes with, and whether a line that is half empty leaves first.
#pragma once

#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// \brief  Walks of equal steps of a power of two beside walks over the same memory whose lines are
///         spread: how many lines push each other out, if the step alone decides.
void add_lines_of_a_stride(LabReport& report, Instruments& instruments, const LabOptions& options);

/// \brief  Lines of which one sector was read beside lines that were read whole: which survive a
///         stream.
void add_survival_by_sectors(LabReport& report, Instruments& instruments,
                             const LabOptions& options);

}  // namespace ladder::labs
