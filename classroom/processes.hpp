// SPDX-License-Identifier: MIT
/// \file  classroom/processes.hpp
/// \brief The two processes of a judged call. They end with the worker, or after much computing.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <vector>

namespace ladder::grader {

/// How a process of a call says how it ended. Nobody else knows these numbers.
inline constexpr int kDone = 87;
inline constexpr int kHostIsGone = 88;  ///< the device process: the other one has ended

/// A pipe whose ends the next exec() closes.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reads() const { return ends_[0]; }
  int writes() const { return ends_[1]; }
  void close_writes();  ///< of this process

 private:
  std::array<int, 2> ends_ = {};
};

/// Descriptors that a new process keeps: what is `from` here is `to` there.
struct Kept {
  int from;
  int to;
};

/// \brief  Forks a process that may do nothing but compute (containment.hpp), and does `work`.
/// \param  kept  all descriptors that it has, beside those of input and output
pid_t started(const std::vector<Kept>& kept, const std::function<void()>& work);

/// \brief  Waits for a process.
/// \return what waitpid() says of it
int status_of(pid_t process);

}  // namespace ladder::grader
