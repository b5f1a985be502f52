// SPDX-License-Identifier: MIT
/// \file  ladder/program/print.hpp
/// \brief What a person sees: tables as wide as the terminal, of at most 80 columns.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/terminal/text_table.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/results.hpp"

namespace ladder {

/// Which kernel and tile each of the rungs takes for a shape, on the machine that they are for.
std::string explanation(std::span<const Rung> rungs, const Shape& shape);

/// The rung table.
std::string list_text(std::span<const Rung> rungs);

/// \brief A climb as a table, with complaints and refusals below it.
/// \param recording  shown beside the results of the emulator, which knows no time
std::string climb_text(const Climb& climb, const std::optional<Recording>& recording);

}  // namespace ladder
