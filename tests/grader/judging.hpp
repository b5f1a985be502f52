// SPDX-License-Identifier: MIT
/// \file  tests/grader/judging.hpp
/// \brief Tests of a submission: makes inputs, lets the submission run, verifies what it has
/// written.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/grader/worker_process.hpp"

namespace ladder::grader {

/// \brief  Runs all tests of a job, as problems.py makes it.
/// \param  submission  the student's
/// \param  reference   the rung that the student's version is compared with; may be null, then the
///                     job has no `memory`
/// \return {tests: [{id, runs: [{status, message, ...}]}], memory: [{id, status, message, yours,
///         reference}]}; every test that was reached has the runs up to its first that is not right
nlohmann::json judge(const nlohmann::json& job, Submission& submission, Submission* reference);

}  // namespace ladder::grader
