// SPDX-License-Identifier: MIT
/// \file  classroom/judge.cpp
/// \brief Reads a job from standard input, with the seeds of the hidden tests, and writes what came
///        of it to standard output. python3 -m classroom.grade starts it.
///
///     {"do": "grade", ...}   all tests on the emulator, and the counters
///     {"do": "speed", ...}   timed in turn with the reference rung, on the job's "device"
///     {"do": "gpu"}          the GPU's name and compute capability, or why there is none
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "classroom/judging.hpp"

namespace ladder::grader {
namespace {

using nlohmann::json;

/// \param  whose  "submission" or "reference": its libraries
std::unique_ptr<Submission> worker_of(Machine& machine, const json& job, const char* whose) {
  const std::string program = job.at("worker");
  const std::vector<std::string> libraries = job.at(whose);
  const std::vector<std::string> folders = job.at("folders");
  const int number = job.at("number");
  if (libraries.size() == 1) {
    return std::make_unique<WorkerProcess>(machine, program, libraries[0], number, folders);
  }
  return std::make_unique<EmulatedSubmission>(machine, program, libraries, number, folders);
}

json graded(const json& job) {
  const auto machine = make_cpu_machine();
  const auto submission = worker_of(*machine, job, "submission");
  const auto reference = worker_of(*machine, job, "reference");
  json result = judge(job, *submission, reference.get());
  result["holds"] = submission->holds();
  return result;
}

json timed(const json& job) {
  const auto machine = job.at("device") == "gpu" ? make_gpu_machine() : make_cpu_machine();
  const auto submission = worker_of(*machine, job, "submission");
  const auto reference = worker_of(*machine, job, "reference");
  json result = {{"problems", judge_speed(*machine, job, *submission, *reference)}};
  result["holds"] = submission->holds();
  return result;
}

json gpu() {
  try {
    const auto machine = make_gpu_machine();
    return {{"name", machine->name()},
            {"compute_capability", machine->compute_capability()},
            {"versions", machine->versions()}};
  } catch (const MachineError& error) {
    return {{"why", error.what()}};
  }
}

void run() {
  const std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  const auto job = json::parse(text);
  const std::string wanted = job.at("do");
  if (job.contains("wall_seconds")) set_wall_seconds(job.at("wall_seconds"));
  const json result = wanted == "gpu" ? gpu() : wanted == "speed" ? timed(job) : graded(job);
  std::cout << result.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
}

}  // namespace
}  // namespace ladder::grader

int main() {
  std::signal(SIGPIPE, SIG_IGN);  // a worker may end at any time
  try {
    ladder::grader::run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
