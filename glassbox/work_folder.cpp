// SPDX-License-Identifier: MIT
#include "glassbox/work_folder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "glassbox/runtime/orders.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEnds = {SIGINT, SIGTERM, SIGHUP};
constexpr int kRounds = 50;  ///< a process may start another one while we look

// Of the one that there is, for the signal handler.
volatile int life_line = -1;  ///< the watch sees its other end close
volatile pid_t watch = 0;

/// Is the variable among those of the process?
bool has_in_environment(const fs::path& process, const std::string& variable) {
  std::ifstream file(process / "environ", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = '\0' + text.str();
  return all.find('\0' + variable + '\0') != std::string::npos;
}

/// Ends all processes that were started for the folder, and those that they have started.
void end_processes_of(const fs::path& folder) {
  const std::string variable = std::string(kFolderVariable) + "=" + folder.string();
  bool found = true;
  for (int round = 0; found && round < kRounds; ++round) {
    found = false;
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
      const pid_t process = std::atoi(it->path().filename().c_str());
      if (process <= 0 || process == getpid()) continue;
      if (!has_in_environment(it->path(), variable)) continue;
      found = kill(process, SIGKILL) == 0 || found;
    }
    if (found) usleep(2000);
  }
}

void clean(const fs::path& folder) {
  end_processes_of(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

/// The watch: ends when its end of the pipe does.
[[noreturn]] void keep_watch(int end, const fs::path& folder) {
  setsid();  // away from the terminal, and from whoever ends a whole group of processes
  for (const int signal : kEnds)
    std::signal(signal, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    close(stream);
  char word = 0;
  while (read(end, &word, 1) < 0 && errno == EINTR) {
  }
  clean(folder);
  _exit(0);
}

/// Lets the watch clean up, and ends as the signal says.
void end_by(int signal) {
  close(life_line);
  while (waitpid(watch, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

WorkFolder::WorkFolder() {
  std::string path = (fs::temp_directory_path() / "glassbox_XXXXXX").string();
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || mkdtemp(path.data()) == nullptr) {
    throw std::runtime_error("cannot make a folder in " + fs::temp_directory_path().string() +
                             ": " + std::strerror(errno));
  }
  path_ = path;
  const pid_t process = fork();
  if (process == 0) {
    close(ends[1]);
    keep_watch(ends[0], path_);
  }
  close(ends[0]);
  if (process < 0) {
    close(ends[1]);
    fs::remove_all(path_);
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  }
  life_line = ends[1];
  watch = process;
  struct sigaction action = {};
  action.sa_handler = end_by;
  for (const int signal : kEnds) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays
  }
}

WorkFolder::~WorkFolder() {
  for (const int signal : kEnds)
    std::signal(signal, SIG_DFL);
  close(life_line);
  while (waitpid(watch, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace ladder::glassbox
