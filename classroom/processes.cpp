// SPDX-License-Identifier: MIT
#include "classroom/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "classroom/containment.hpp"

namespace ladder::grader {
namespace {

/// For one call, where the reference takes less than one.
constexpr rlim_t kCpuSeconds = 20;
constexpr int kAside = 40;  ///< no descriptor that a process keeps has such a number

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

void keep_only(const std::vector<Kept>& kept) {
  std::vector<Kept> aside;
  for (const Kept& each : kept) {
    aside.push_back({fcntl(each.from, F_DUPFD, kAside), each.to});
    require(aside.back().from >= 0, "fcntl");
  }
  close_range(3, kAside - 1, 0);
  for (const Kept& each : aside)
    require(dup2(each.from, each.to) == each.to, "dup2");
  close_range(kAside, ~0u, 0);
}

}  // namespace

Pipe::Pipe() {
  require(pipe2(ends_.data(), O_CLOEXEC) == 0, "pipe2");
}

Pipe::~Pipe() {
  close(ends_[0]);
  close_writes();
}

void Pipe::close_writes() {
  if (ends_[1] >= 0) close(ends_[1]);
  ends_[1] = -1;
}

pid_t started(const std::vector<Kept>& kept, const std::function<void()>& work) {
  const pid_t process = fork();
  require(process >= 0, "fork");
  if (process != 0) return process;
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_IGN);  // the other process may end at any time
    const rlimit most = {kCpuSeconds, kCpuSeconds + 1};
    require(setrlimit(RLIMIT_CPU, &most) == 0, "setrlimit");
    keep_only(kept);
    forbid_all_but_running();
    work();
    _exit(kDone);
  } catch (...) {
    _exit(1);
  }
}

int status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace ladder::grader
