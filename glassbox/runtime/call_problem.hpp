// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/call_problem.hpp
/// \brief Why a call of the program's fails, on its way to the list of findings.
#pragma once

#include <string>

#include "common/findings/call_reasons.hpp"
#include "emulator/run/fields.hpp"
#include "glassbox/runtime/error_codes.hpp"

namespace ladder::glassbox {

using ladder::CallReason;  // for the run time's own functions, which are in no namespace

/// What is wrong with a call: see call_reasons.hpp for the fields of each reason.
struct CallProblem {
  CallReason reason;
  emulator::Fields fields = {};
};

/// \brief  Keeps the error as the last one, and tells it at the end, with the place.
/// \return the error
cudaError_t failed(cudaError_t error, const CallProblem& problem, const std::string& function,
                   const Here& here);

}  // namespace ladder::glassbox
