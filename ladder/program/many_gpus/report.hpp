// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/report.hpp
/// \brief What `many_gpus` prints and files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ladder/program/many_gpus/measurement.hpp"
#include "ladder/program/many_gpus/verification.hpp"

namespace ladder::many_gpus {

/// What was found of one form.
struct FormReport {
  Form form;
  std::vector<StepVerdict> verdicts;
  std::optional<Measurement> measured;
};

/// Everything of one call.
struct Report {
  Problem problem;
  std::string precision;
  std::string rung;  ///< "12_stream_k"
  int ranks;
  int hosts;
  std::string links;  ///< "NCCL 2.28.9"
  std::string device;
  std::vector<FormReport> forms;
};

bool all_right(const Report& report);

/// Tables for a terminal.
std::string text_of(const Report& report);

/// \param versions  of the machine and the links
nlohmann::json to_json(const Report& report, std::optional<Protocol> protocol,
                       const std::map<std::string, std::string>& versions);

}  // namespace ladder::many_gpus
