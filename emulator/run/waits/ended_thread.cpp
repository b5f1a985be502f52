// SPDX-License-Identifier: MIT
#include "emulator/run/waits/ended_thread.hpp"

#include <unistd.h>

#include <cstdio>

namespace ladder::emulator {

void end_with_thread() noexcept {
  std::fflush(stdout);
  std::fputs(
      "The kernel ended its thread, by pthread_exit() or the like. A kernel ends by returning.\n",
      stderr);
  _exit(kThreadEndedStatus);
}

}  // namespace ladder::emulator
