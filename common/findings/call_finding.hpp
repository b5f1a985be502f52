// SPDX-License-Identifier: MIT
/// \file  common/findings/call_finding.hpp
/// \brief What the host's part of a CUDA program does wrong, as data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/findings/call_reasons.hpp"
#include "emulator/run/fault.hpp"

namespace ladder {

/// A call that fails, or something else outside of kernels.
struct CallFinding {
  CallReason reason = CallReason::kNullPointer;
  std::string error = {};     ///< CUDA's name of it: "cudaErrorInvalidValue"; empty: it has none
  std::string function = {};  ///< "cudaMalloc"; empty: none
  emulator::Place place = {};
  emulator::Fields fields = {};  ///< those of the reason's sentence; given_as and pointer_mode of
                                 ///< a pointer that cuBLAS was given
  std::uint64_t times = 1;
};

/// CUDA's name of the error; the reason's code where it has none.
std::string code_of(const CallFinding& finding);

/// Whether both are of one reason, call and line.
bool is_same(const CallFinding& a, const CallFinding& b);

/// The finding in English, for people, without its place.
std::string text_of(const CallFinding& finding);

/// As findings.schema.json has it.
nlohmann::json to_json(const CallFinding& finding);

}  // namespace ladder
