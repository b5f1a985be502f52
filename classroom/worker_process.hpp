// SPDX-License-Identifier: MIT
/// \file  classroom/worker_process.hpp
/// \brief A student's rung, seen from the judge: a process that it starts, asks, and stops.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "classroom/graded_run.hpp"
#include "common/gemm.hpp"
#include "common/machine.hpp"

namespace ladder::grader {

/// The process ended or was stopped before it had answered.
class WorkerEnded : public std::runtime_error {
 public:
  enum class Why { killed, forbidden, timeout, protocol };

  WorkerEnded(Why why, const std::string& sentence) : std::runtime_error(sentence), why(why) {}

  Why why;
};

/// How long an answer may take by the clock of the wall, however busy the machine is; usually 120.
void set_wall_seconds(double seconds);

/// What a judge asks of a submission.
class Submission {
 public:
  virtual ~Submission() = default;
  /// \throws WorkerEnded
  virtual RunReport run(const Gemm<float>& gemm, const RunOrder& order) = 0;
  virtual RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) = 0;
  /// Of a rung that chooses: [{name, tile, BK, ranks}].
  /// \throws WorkerEnded
  virtual nlohmann::json plans(const Shape& shape, const RunOrder& order) = 0;
  /// What holds the processes that run it, as containment.hpp calls it; empty before one has.
  virtual nlohmann::json holds() const { return nlohmann::json::array(); }
  /// What its calls have used until now.
  virtual double cpu_seconds() const = 0;
};

/// \brief Starts a worker when it is first asked, and again after it has ended.
class WorkerProcess final : public Submission {
 public:
  /// \param  machine    where the matrices of run() lie
  /// \param  program    grader_worker, or grader_gpu_worker
  /// \param  library    that holds the rung
  /// \param  folders    that hold what it may read
  WorkerProcess(Machine& machine, std::string program, std::string library, int number,
                std::vector<std::string> folders);
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  RunReport run(const Gemm<float>& gemm, const RunOrder& order) override;
  RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) override;
  nlohmann::json plans(const Shape& shape, const RunOrder& order) override;

  nlohmann::json holds() const override { return holds_; }
  double cpu_seconds() const override;
  /// Ends it, so that the next call meets a fresh one.
  void stop();

 private:
  template <class T>
  RunReport run_any(const Gemm<T>& gemm, const RunOrder& order);
  nlohmann::json ask(const nlohmann::json& message);
  nlohmann::json answer();
  nlohmann::json receive();
  void start();
  bool start_as(bool other_user);
  void wait_for_answer();
  int wait_for_end();
  [[noreturn]] void ended();
  [[noreturn]] static void tell_end(int status);

  Machine& machine_;
  std::string program_;
  std::string library_;
  int number_;
  std::vector<std::string> folders_;
  nlohmann::json holds_;
  pid_t process_ = 0;
  double ended_seconds_ = 0;  ///< CPU time of the processes before
  int socket_ = -1;
  int file_;
  char* matrices_;
  std::uint64_t calls_ = 0;
};

/// \brief A rung on the emulator: one worker has it as it runs, one with each access traced.
class EmulatedSubmission final : public Submission {
 public:
  /// \param  libraries  plain and traced
  EmulatedSubmission(Machine& machine, const std::string& program,
                     const std::vector<std::string>& libraries, int number,
                     const std::vector<std::string>& folders)
      : plain_(machine, program, libraries.at(0), number, folders),
        traced_(machine, program, libraries.at(1), number, folders) {}

  RunReport run(const Gemm<float>& gemm, const RunOrder& order) override {
    return worker(order).run(gemm, order);
  }
  RunReport run(const Gemm<bfloat16>& gemm, const RunOrder& order) override {
    return worker(order).run(gemm, order);
  }
  nlohmann::json plans(const Shape& shape, const RunOrder& order) override {
    return worker(order).plans(shape, order);
  }

  nlohmann::json holds() const override {
    return traced_.holds().empty() ? plain_.holds() : traced_.holds();
  }
  double cpu_seconds() const override { return plain_.cpu_seconds() + traced_.cpu_seconds(); }

 private:
  WorkerProcess& worker(const RunOrder& order) { return order.traced ? traced_ : plain_; }

  WorkerProcess plain_;
  WorkerProcess traced_;
};

}  // namespace ladder::grader
