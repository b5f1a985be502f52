// SPDX-License-Identifier: MIT
/// \file  classroom/device_process.hpp
/// \brief The GPU's side of a judged call: the process that has the matrices, and runs grids.
///
/// All that it runs of a submission are the threads of grids that the host process has launched
/// (host_process.hpp); each of their accesses counts. Nothing of the submission has run in it
/// before: static objects are initialised by the host process, for itself.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "classroom/graded_library.hpp"
#include "classroom/worker_orders.hpp"

namespace ladder::grader {

/// \brief  Maps the matrices and the workspace, runs what the host process launches, and reports to
///         the judge.
/// \param  order     of the judge: see RunOrder; and where `workspace` lies in the shared memory
/// \param  code      an address in the library that the grids have to come from
void run_device_process(const Rung& rung, const GradedLibrary& library, const nlohmann::json& order,
                        const std::array<MatrixPlace*, 3>& matrices, const void* code);

}  // namespace ladder::grader
