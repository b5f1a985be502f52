// SPDX-License-Identifier: MIT
/// \file  tests/grader/judge.cpp
/// \brief Reads a job from standard input, with the seeds of the hidden tests, and writes what came
///        of it to standard output. python3 -m tests.grader.grade starts it.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/grader/judging.hpp"

namespace {

ladder::grader::Libraries libraries_of(const nlohmann::json& json) {
  return {json.at("plain"), json.at("traced")};
}

void run() {
  using namespace ladder::grader;
  const std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  const auto job = nlohmann::json::parse(text);
  const std::string worker = job.at("worker");
  const int number = job.at("number");
  WorkerProcess submission(worker, libraries_of(job.at("submission")), number, job.at("folders"));
  WorkerProcess reference(worker, libraries_of(job.at("reference")), number, job.at("folders"));
  nlohmann::json result = judge(job, submission, &reference);
  result["holds"] = submission.holds();
  std::cout << result.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace

int main() {
  std::signal(SIGPIPE, SIG_IGN);  // a worker may end at any time
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
