// SPDX-License-Identifier: MIT
/// \file  classroom/judging.hpp
/// \brief Tests of a submission: makes inputs, lets the submission run, verifies what it has
///        written, looks at the clock.
#pragma once

#include <nlohmann/json.hpp>

#include "classroom/worker_process.hpp"

namespace ladder::grader {

/// \brief  Runs all tests of a job, as problems.py makes it.
/// \param  submission  the student's
/// \param  reference   the rung that the student's version is compared with; may be null, then the
///                     job has no `memory`
/// \return {tests: [{id, runs: [{status, message, findings, ...}]}], memory: [{id, status, message,
///         findings, yours, reference}]}; every test that was reached has the runs up to its first
///         that is not right. Each finding is {code, group, title, ...}, without a number of its
///         problem; `message` has these numbers, so that runs of a hidden test have none
nlohmann::json judge(const nlohmann::json& job, Submission& submission, Submission* reference);

/// \brief  Times a submission and the reference rung in turn. Each round has inputs that no round
///         had before, and each result is verified.
/// \param  machine  both run there
/// \param  job      {precision, tile, problems: [{id, shape, seed}], rounds}; a round to warm up
///                  comes first and does not count
/// \return [{id, status, message, findings, yours, reference}]: what each call took, in
///         milliseconds by the judge's clock; up to the first problem whose status is not "right"
/// \throws std::runtime_error  the reference is not right
nlohmann::json judge_speed(Machine& machine, const nlohmann::json& job, Submission& submission,
                           Submission& reference);

}  // namespace ladder::grader
