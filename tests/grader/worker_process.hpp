// SPDX-License-Identifier: MIT
/// \file  tests/grader/worker_process.hpp
/// \brief A student's rung, seen from the judge: a process that it starts, asks, and stops.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "tests/grader/graded_run.hpp"

namespace ladder::grader {

/// Whose rung runs, and where.
struct Libraries {
  std::string plain;
  std::string traced;
};

/// The process ended or was stopped before it had answered.
class WorkerEnded : public std::runtime_error {
 public:
  enum class Why { killed, forbidden, timeout, protocol };

  WorkerEnded(Why why, const std::string& sentence) : std::runtime_error(sentence), why(why) {}

  Why why;
};

/// What a judge asks of a submission.
class Submission {
 public:
  virtual ~Submission() = default;
  /// \throws WorkerEnded
  virtual RunReport run(const Gemm<float>& gemm, const RunOrder& order) = 0;
  virtual RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) = 0;
  /// Of a rung that chooses: [{name, tile, BK, ranks}]. \throws WorkerEnded
  virtual nlohmann::json plans(const Shape& shape, const RunOrder& order) = 0;
};

/// \brief Starts grader_worker when it is first asked, and anew after it has ended.
class WorkerProcess final : public Submission {
 public:
  /// \param  program  grader_worker
  /// \param  folders  that hold what it may read
  WorkerProcess(std::string program, Libraries libraries, int number,
                std::vector<std::string> folders);
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  RunReport run(const Gemm<float>& gemm, const RunOrder& order) override;
  RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) override;
  nlohmann::json plans(const Shape& shape, const RunOrder& order) override;

  /// What holds the process, as containment.hpp calls it; empty before it has run.
  const nlohmann::json& holds() const { return holds_; }
  /// Ends it, so that the next call meets a fresh one.
  void stop();

 private:
  template <class T>
  RunReport run_any(const Gemm<T>& gemm, const RunOrder& order);
  nlohmann::json ask(const nlohmann::json& message);
  nlohmann::json receive();
  void start();
  bool start_as(bool other_user);
  void wait_for_answer();
  [[noreturn]] void ended();

  std::string program_;
  Libraries libraries_;
  int number_;
  std::vector<std::string> folders_;
  nlohmann::json holds_;
  pid_t process_ = 0;
  int socket_ = -1;
  int file_;
  char* matrices_;
  std::uint64_t calls_ = 0;
};

}  // namespace ladder::grader
