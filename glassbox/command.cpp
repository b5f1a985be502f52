// SPDX-License-Identifier: MIT
#include "glassbox/command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "glassbox/runtime/orders.hpp"

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

/// These variables, and those of this process that are none of them.
std::vector<std::string> with_own(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  const auto is_given = [&](const std::string& word) {
    const std::string start = word.substr(0, word.find('=') + 1);
    return std::ranges::any_of(
        variables, [&](const std::string& variable) { return variable.starts_with(start); });
  };
  for (char** word = environ; *word != nullptr; ++word) {
    if (!is_given(*word)) all.emplace_back(*word);
  }
  return all;
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

std::vector<std::string> compiler_environment(const std::filesystem::path& folder) {
  return {"LC_ALL=C.UTF-8", "TMPDIR=" + folder.string(),
          std::string(kFolderVariable) + "=" + folder.string()};
}

Ended output_of(const std::vector<std::string>& words,
                const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const std::vector<std::string> all = with_own(environment);
  const pid_t process = spawned(words, &actions, pointers_to(all).data());
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
  const std::vector<std::string> all = with_own(environment);
  // Whatever stops this process stops the program; the report comes after it.
  struct sigaction pass_on = {};
  pass_on.sa_flags = SA_SIGINFO;
  pass_on.sa_sigaction = [](int signal, siginfo_t* info, void*) {
    static volatile sig_atomic_t times = 0;
    if (program_in_front <= 0) return;
    // The terminal sends SIGINT to both. Who asks twice means it.
    const bool has_it = signal == SIGINT && info->si_code == SI_KERNEL;
    times = times + 1;
    if (!has_it || times > 1) kill(program_in_front, times > 1 ? SIGKILL : signal);
  };
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup stays
    sigaction(signal, &pass_on, nullptr);
    sigaddset(&usual, signal);
  }
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
