// SPDX-License-Identifier: MIT
/// \file  classroom/contained_call.cpp
/// \brief Runs a compiler, or a tool that inspects what it made, where a submission can do no harm:
///        as the user `nobody`, without a network, with the files that it is told of and no other,
///        and with limits on memory, time, processes and files. Whatever it has started ends with
///        it, and it ends with whoever has called it. classroom/contained.py calls it.
///
///     contained_call [--read PATH]... [--write FOLDER]... [--cpu SECONDS] -- WORD...
///     contained_call --holds      what of it this machine can do, as JSON: ["user", "files", ...]
///
/// The exit code is that of the program, 128 and the number of the signal that ended it, or 125 if
/// this machine cannot contain what was asked for.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "classroom/private_view.hpp"

namespace ladder::grader {
namespace {

constexpr int kCannotContain = 125;
constexpr unsigned kNobody = 65534;
constexpr rlim_t kMemoryBytes = rlim_t{2} << 30;  // of one process; the largest rung takes a fifth
constexpr rlim_t kFileBytes = rlim_t{256} << 20;
constexpr std::size_t kTemporaryBytes = std::size_t{1} << 30;
constexpr rlim_t kFiles = 256;
constexpr rlim_t kProcesses = 1024;  // of all graders of this machine: a worker may have more
constexpr rlim_t kLastSeconds = 5;   // for a compiler to say that its time is over

struct Call {
  PrivateView view = {.read = {}, .write = {}, .temporary_bytes = kTemporaryBytes};
  rlim_t cpu_seconds = 120;
  bool only_holds = false;
  std::vector<char*> words;
};

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

Call call_of(int argc, char** argv) {
  Call call;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--holds") {
      call.only_holds = true;
    } else if (word == "--") {
      call.words.assign(argv + i + 1, argv + argc);
      break;
    } else if (i + 1 == argc) {
      throw std::invalid_argument(word + " needs a value");
    } else if (word == "--read") {
      call.view.read.emplace_back(argv[++i]);
    } else if (word == "--write") {
      call.view.write.emplace_back(argv[++i]);
    } else if (word == "--cpu") {
      call.cpu_seconds = std::stoul(argv[++i]);
    } else {
      throw std::invalid_argument("no such option: " + word);
    }
  }
  if (call.words.empty() && !call.only_holds) throw std::invalid_argument("no program is named");
  call.words.push_back(nullptr);
  return call;
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  const rlimit both = {soft, hard};
  require(setrlimit(resource, &both) == 0, "setrlimit");
}

void set_limits(const Call& call) {
  limit(RLIMIT_AS, 3 * kMemoryBytes, 3 * kMemoryBytes);
  limit(RLIMIT_DATA, kMemoryBytes, kMemoryBytes);
  limit(RLIMIT_CPU, call.cpu_seconds, call.cpu_seconds + kLastSeconds);
  limit(RLIMIT_FSIZE, kFileBytes, kFileBytes);
  limit(RLIMIT_NOFILE, kFiles, kFiles);
  limit(RLIMIT_NPROC, kProcesses, kProcesses);
  limit(RLIMIT_CORE, 0, 0);
}

/// No compiler needs these; what they refuse is an error and no end.
void forbid_calls() {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                 seccomp_release);
  require(filter != nullptr, "seccomp_init");
  for (const char* const name : {"mount",
                                 "umount2",
                                 "pivot_root",
                                 "chroot",
                                 "unshare",
                                 "setns",
                                 "mount_setattr",
                                 "move_mount",
                                 "open_tree",
                                 "fsopen",
                                 "ptrace",
                                 "process_vm_readv",
                                 "process_vm_writev",
                                 "bpf",
                                 "perf_event_open",
                                 "io_uring_setup",
                                 "userfaultfd",
                                 "keyctl",
                                 "add_key",
                                 "request_key",
                                 "socket",
                                 "socketpair",
                                 "mknod",
                                 "mknodat",
                                 "name_to_handle_at",
                                 "open_by_handle_at",
                                 "personality"}) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;  // unknown to this libseccomp
    const int error = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0);
    if (error != 0) throw std::system_error(-error, std::generic_category(), name);
  }
  const int error = seccomp_load(filter.get());
  if (error != 0) throw std::system_error(-error, std::generic_category(), "seccomp_load");
}

void become_nobody() {
  require(setgroups(0, nullptr) == 0, "setgroups");
  require(setresgid(kNobody, kNobody, kNobody) == 0, "setresgid");
  require(setresuid(kNobody, kNobody, kNobody) == 0, "setresuid");
}

void end_with_parent() {
  require(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, "prctl");
}

/// \return what holds for this process and those that it starts
std::vector<std::string> give_up_rights(const Call& call, bool separate) {
  std::vector<std::string> holds = {"limits", "seccomp"};
  const bool root = geteuid() == 0;
  if (separate) holds.insert(holds.end(), {"network", "processes"});
  const bool view = separate && see_only(call.view);
  if (view) holds.emplace_back("view");
  if (root) become_nobody();
  if (root || separate) holds.emplace_back("user");
  const std::string folder = call.view.write.empty() ? "/" : call.view.write.front();
  require(setenv("TMPDIR", view ? "/tmp" : folder.c_str(), 1) == 0, "setenv");
  end_with_parent();  // a change of the user forgets it
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
  PrivateView open = call.view;
  open.write.emplace_back("/dev/null");
  if (view) open.write.emplace_back("/tmp");
  if (open_only(open)) holds.emplace_back("files");
  return holds;
}

int status_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Waits for one child, and ends the others: they are children of this process, too.
int wait_for(pid_t child) {
  int status = 0;
  int code = kCannotContain;
  while (true) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended == child) code = status_of(status);
    if (ended == child || ended < 0) break;
  }
  return code;
}

void start(Call& call, const std::string& folder) {
  set_limits(call);
  if (chdir(folder.c_str()) != 0) require(chdir("/") == 0, "chdir");
  forbid_calls();
  execvp(call.words.front(), call.words.data());
  throw std::system_error(errno, std::generic_category(), call.words.front());
}

/// In a process of its own, the first one of its namespace, with which all of it ends.
int run(Call& call, bool separate) {
  char* const here = get_current_dir_name();
  const std::string folder = here != nullptr ? here : "/";
  free(here);
  end_with_parent();
  require(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0, "prctl");
  const std::vector<std::string> holds = give_up_rights(call, separate);
  if (call.only_holds) {
    for (const std::string& word : holds)
      std::printf("%s\"%s\"", &word == &holds.front() ? "[" : ", ", word.c_str());
    std::puts("]");
    return std::fflush(stdout);
  }
  const pid_t child = fork();
  require(child >= 0, "fork");
  if (child == 0) start(call, folder);
  return wait_for(child);
}

int contained(Call& call) {
  end_with_parent();
  const bool separate = separate_from_machine(ProcessIds::own);
  const pid_t child = fork();
  require(child >= 0, "fork");
  if (child == 0) _exit(run(call, separate));
  return wait_for(child);
}

}  // namespace
}  // namespace ladder::grader

int main(int argc, char** argv) {
  const pid_t self = getpid();
  try {
    ladder::grader::Call call = ladder::grader::call_of(argc, argv);
    return ladder::grader::contained(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "contained_call: %s\n", error.what());
    if (getpid() != self) _exit(ladder::grader::kCannotContain);
    return ladder::grader::kCannotContain;
  }
}
