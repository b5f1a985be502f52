// SPDX-License-Identifier: MIT
/// \file  common/findings/json_parts.hpp
/// \brief What the JSON of all findings is made of.
#pragma once

#include <nlohmann/json.hpp>

#include "emulator/run/fault.hpp"

namespace ladder {

/// A number, or "nan", "inf", "-inf": JSON has none of them.
nlohmann::json number_json(double value);

/// Adds "file" and "line", or nothing where no line is known.
void add_place(nlohmann::json& to, const emulator::Place& place);

}  // namespace ladder
