// SPDX-License-Identifier: MIT
#include "common/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace ladder {

void require_standard_output() {
  bool closed = false;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    closed = closed || descriptor == STDOUT_FILENO;
    // The lowest free number is this one.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor) {
      throw std::runtime_error(fmt::format("cannot open /dev/null: {}", std::strerror(errno)));
    }
  }
  if (closed) {
    throw std::runtime_error(
        "cannot write standard output: it is closed; send it to a file or to /dev/null");
  }
}

void finish_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.fail();
  if (flushed) return;
  throw std::runtime_error(fmt::format("cannot write standard output: {}",
                                       errno == 0 ? "not all was written" : std::strerror(errno)));
}

}  // namespace ladder
