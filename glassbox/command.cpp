// SPDX-License-Identifier: MIT
#include "glassbox/command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace ladder::glassbox {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words)
    pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

volatile pid_t program_in_front = 0;

pid_t spawned(const std::vector<std::string>& words, const posix_spawn_file_actions_t* actions,
              char** environment) {
  pid_t process = 0;
  std::vector<char*> arguments = pointers_to(words);
  const int error =
      posix_spawnp(&process, arguments[0], actions, nullptr, arguments.data(), environment);
  if (error != 0)
    throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
  return process;
}

Ended wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return {.code = WEXITSTATUS(status)};
  return {.code = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
}

}  // namespace

Ended output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const pid_t process = spawned(words, &actions, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> part;
  for (ssize_t n; (n = read(ends[0], part.data(), part.size())) > 0;)
    output.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  Ended ended = wait_for(process);
  ended.output = output;
  return ended;
}

Ended run_in_front(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, bool output_to_errors) {
  std::vector<std::string> all = environment;
  for (char** word = environ; *word != nullptr; ++word)
    all.emplace_back(*word);
  // Whatever stops this process stops the program; the report comes after it.
  struct sigaction pass_on = {};
  pass_on.sa_handler = [](int signal) {
    if (program_in_front > 0) kill(program_in_front, signal);
  };
  sigaction(SIGTERM, &pass_on, nullptr);
  std::signal(SIGINT, SIG_IGN);  // the terminal sends it to both
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  std::vector<char*> arguments = pointers_to(words);
  std::vector<char*> variables = pointers_to(all);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output_to_errors) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  const int error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(),
                                 variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
  program_in_front = process;
  return wait_for(process);
}

}  // namespace ladder::glassbox
