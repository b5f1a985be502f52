// SPDX-License-Identifier: MIT
/// \file  classroom/host_process.hpp
/// \brief One call of a student's run(), without the matrices: the host's side of a judged call.
///
/// The host's code of a submission runs in a process of its own, where the addresses of A, B, C and
/// the workspace lead nowhere. What it launches runs in the device process (device_process.hpp),
/// which has the matrices at the same addresses and runs nothing but grids. So only a kernel can
/// have computed C: whatever the host's code does, it has never seen an element of A or B. Both
/// processes are gone after the call, with all that the submission has left behind.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "classroom/graded_library.hpp"
#include "classroom/worker_orders.hpp"

namespace ladder::grader {

/// \brief  Calls run() of a rung and sends its launches to the device process, then how it ended.
/// \param  order     of the judge: shape, alpha, beta, sms, configuration
/// \param  matrices  A, B and C, whose addresses it hands over
void run_host_process(const Rung& rung, const GradedLibrary& library, const nlohmann::json& order,
                      const std::array<const MatrixPlace*, 3>& matrices);

/// Sends what a rung that chooses would do for a shape: {plans: [{name, tile, BK, ranks}]}.
void run_planning_process(const Rung& rung, const GradedLibrary& library,
                          const nlohmann::json& order);

}  // namespace ladder::grader
