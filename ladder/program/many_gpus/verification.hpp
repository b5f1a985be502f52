// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/verification.hpp
/// \brief Is the product of all ranks right, and is it the one GPU's, bit by bit?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ladder/program/many_gpus/steps.hpp"

namespace ladder::many_gpus {

/// What was found of one step, over all ranks.
struct StepVerdict {
  Step step = Step::in_turn;
  bool ran = false;
  std::string why_not;              ///< it did not run
  double error_over_bound = 0.0;    ///< the largest, with random inputs; right results <= 1
  std::int64_t wrong_elements = 0;  ///< beyond the bound
  std::int64_t wrong_integers =
      0;  ///< with inputs of few bits, whose sums no order of additions rounds
  bool outside_written = false;
  /// As one GPU's product of the whole, with random inputs; unknown where beta is not 0.
  std::optional<bool> same_bits;

  bool right() const {
    return ran && wrong_elements == 0 && wrong_integers == 0 && !outside_written;
  }
};

/// \brief  Computes the product of one form in each step and compares it with the exact one, and
///         with one GPU's.
/// \throws ShapeRefused, MachineError, and what the kernels throw
template <class T>
std::vector<StepVerdict> verify(Setting& setting, const Problem& problem, Form form,
                                const std::vector<Step>& steps);

}  // namespace ladder::many_gpus
