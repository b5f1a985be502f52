// SPDX-License-Identifier: MIT
/// \file  ladder/program/prediction_table.hpp
/// \brief A prediction beside the reader's own figure and the recorded one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ladder/program/climb.hpp"
#include "ladder/program/predictions.hpp"
#include "ladder/program/questions.hpp"
#include "ladder/program/results.hpp"

namespace ladder {

/// Counts a ratio on the emulator, nothing where it cannot be counted.
using CountRatio = std::function<std::optional<double>(const Rung&, const CounterRatio&)>;

/// A figure as tables have it: "0.203", "1.56", "1024", "0.969 %".
std::string figure_text(const Question& question, double figure);

/// \brief  Rungs that predicted gains are taken over and that are not among the chosen ones.
/// \param  ladder  the rungs that can be run
std::vector<Rung> rungs_to_compare_with(const Predictions& predictions,
                                        std::span<const Rung> ladder,
                                        const std::vector<Rung>& chosen);

/// \brief  Predicted, own and recorded figures of each right rung with a kept prediction, 80
///         columns wide. Of a single rung without one: that there is something to predict.
/// \param  count  is called only for counters that were predicted
std::string predictions_text(const Predictions& predictions, const Climb& climb,
                             const CountRatio& count,
                             const std::optional<Recording>& recording = recorded_climb());

}  // namespace ladder
