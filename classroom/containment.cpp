// SPDX-License-Identifier: MIT
#include "classroom/containment.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>
#include <system_error>

#include "classroom/messages.hpp"

namespace ladder::grader {
namespace {

constexpr unsigned kNobody = 65534;
constexpr rlim_t kAddressBytes = rlim_t{12} << 30;  // most of it is room for stacks, never touched
// Stacks count from their first use: 20 blocks of 384 threads that wait for each other have 4.4 GB.
constexpr rlim_t kDataBytes = rlim_t{6} << 30;
constexpr rlim_t kFiles = 64;
constexpr rlim_t kFilesOfGpu = 1024;
constexpr rlim_t kProcesses = 4096;  // of all graders of this machine: they share one user

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both = {most, most};
  require(setrlimit(resource, &both) == 0, "setrlimit");
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

void add(const Filter& filter, std::uint32_t action, const char* call,
         std::initializer_list<scmp_arg_cmp> conditions = {}) {
  const int number = seccomp_syscall_resolve_name(call);
  if (number == __NR_SCMP_ERROR) return;  // unknown to this libseccomp
  const int error =
      seccomp_rule_add_array(filter.get(), action, number, static_cast<unsigned>(conditions.size()),
                             std::data(conditions));
  if (error != 0) throw std::system_error(-error, std::generic_category(), call);
}

/// What running a kernel on the emulator and telling its hazards needs.
Filter running() {
  Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS), seccomp_release);
  require(filter != nullptr, "seccomp_init");
  for (const char* const call : {"brk",
                                 "munmap",
                                 "mremap",
                                 "madvise",
                                 "futex",
                                 "set_robust_list",
                                 "rseq",
                                 "rt_sigaction",
                                 "rt_sigprocmask",
                                 "rt_sigreturn",
                                 "sigaltstack",
                                 "sched_yield",
                                 "sched_getaffinity",
                                 "clock_gettime",
                                 "clock_getres",
                                 "clock_nanosleep",
                                 "nanosleep",
                                 "getpid",
                                 "gettid",
                                 "getrandom",
                                 "exit",
                                 "exit_group",
                                 "lseek",
                                 "close",
                                 "fstat",
                                 "newfstatat",
                                 "readlink",
                                 "pread64",
                                 "restart_syscall",
                                 "getuid",
                                 "geteuid",
                                 "sysinfo"}) {
    add(filter, SCMP_ACT_ALLOW, call);
  }
  const auto own = static_cast<scmp_datum_t>(getpid());
  add(filter, SCMP_ACT_ALLOW, "tgkill", {SCMP_A0(SCMP_CMP_EQ, own)});
  // No new code: what runs is what was checked.
  for (const char* const call : {"mmap", "mprotect"})
    add(filter, SCMP_ACT_ALLOW, call, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  add(filter, SCMP_ACT_ALLOW, "read");
  for (const scmp_datum_t other : {kSocket, kAnswers})
    add(filter, SCMP_ACT_ALLOW, "write", {SCMP_A0(SCMP_CMP_EQ, other)});
  // The C library's last words, before it aborts: nobody reads them.
  for (const scmp_datum_t unread : {1, 2}) {
    for (const char* const call : {"write", "writev"})
      add(filter, SCMP_ACT_ERRNO(EBADF), call, {SCMP_A0(SCMP_CMP_EQ, unread)});
  }
  // To read: lines of the source, for messages.
  constexpr auto kWrites = static_cast<scmp_datum_t>(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND);
  add(filter, SCMP_ACT_ALLOW, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY)});
  add(filter, SCMP_ACT_ALLOW, "open", {SCMP_A1(SCMP_CMP_MASKED_EQ, kWrites, O_RDONLY)});
  // Threads of this process, and no clone3, whose flags no filter can see.
  constexpr auto kThread = static_cast<scmp_datum_t>(CLONE_THREAD | CLONE_VM);
  add(filter, SCMP_ACT_ALLOW, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, kThread, kThread)});
  add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3");
  // Asked for by libraries, and fine without an answer.
  for (const char* const call :
       {"prlimit64", "getrlimit", "prctl", "ioctl", "access", "faccessat", "faccessat2",
        "readlinkat", "getdents64", "statx", "uname", "fcntl", "getcwd", "stat", "lstat",
        "fadvise64", "get_mempolicy", "mbind"}) {
    add(filter, SCMP_ACT_ERRNO(EPERM), call);
  }
  return filter;
}

void load(const Filter& filter) {
  // All threads of the process.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  const int error = seccomp_load(filter.get());
  if (error != 0) throw std::system_error(-error, std::generic_category(), "seccomp_load");
}

/// \brief  Files outside of these folders cannot be opened any more, but for the devices and the
///         /proc that CUDA's driver needs.
/// \return false: this kernel has no Landlock
bool lock_files(const std::vector<std::string>& folders, bool gpu) {
  constexpr std::uint64_t kAll = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  constexpr std::uint64_t kReadFolder = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
  landlock_ruleset_attr handled = {};  // newer kernels know more members
  handled.handled_access_fs = kAll;
  const int rules =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  if (rules < 0) return false;
  const auto allow = [&](const std::string& path, std::uint64_t more) {
    const int at = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (at < 0) return;  // not on this system
    struct stat found = {};
    require(fstat(at, &found) == 0, "fstat");
    const landlock_path_beneath_attr rule = {
        .allowed_access = (S_ISDIR(found.st_mode) ? kReadFolder : kReadFile) | more,
        .parent_fd = at};
    require(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0,
            "landlock_add_rule");
    close(at);
  };
  for (const std::string& folder : folders)
    allow(folder, 0);
  if (gpu) {
    allow("/dev", LANDLOCK_ACCESS_FS_WRITE_FILE);
    allow("/proc", 0);
    allow("/sys", 0);
  }
  const bool locked = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return locked;
}

}  // namespace

std::vector<std::string> give_up_rights(bool other_user, RunsOn machine) {
  std::vector<std::string> holds = {"process"};
  close_range(kMatrices + 1, ~0u, 0);
  const bool gpu = machine == RunsOn::gpu;
  if (!gpu) {  // CUDA reserves addresses for all the memory there is
    limit(RLIMIT_AS, kAddressBytes);
    limit(RLIMIT_DATA, kDataBytes);
  }
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, gpu ? kFilesOfGpu : kFiles);
  holds.emplace_back("limits");
  if (geteuid() == 0) {
    if (unshare(CLONE_NEWNET) == 0) holds.emplace_back("network");
    if (other_user) {
      require(setgroups(0, nullptr) == 0, "setgroups");
      require(setresgid(kNobody, kNobody, kNobody) == 0, "setresgid");
      require(setresuid(kNobody, kNobody, kNobody) == 0, "setresuid");
      limit(RLIMIT_NPROC, kProcesses);
      holds.emplace_back("user");
    }
  }
  require(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, "prctl");  // it ends with the judge
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
  require(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0, "prctl");  // it may read its own maps
  return holds;
}

std::vector<std::string> forbid_all_but_loading(const std::vector<std::string>& folders,
                                                RunsOn machine) {
  std::vector<std::string> holds;
  if (lock_files(folders, machine == RunsOn::gpu)) holds.emplace_back("files");
  Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  require(filter != nullptr, "seccomp_init");
  for (const char* const call : {"fork",
                                 "vfork",
                                 "execve",
                                 "execveat",
                                 "socket",
                                 "socketpair",
                                 "connect",
                                 "bind",
                                 "ptrace",
                                 "process_vm_readv",
                                 "process_vm_writev",
                                 "kill",
                                 "tkill",
                                 "pidfd_open",
                                 "mount",
                                 "umount2",
                                 "unshare",
                                 "setns",
                                 "keyctl",
                                 "bpf",
                                 "perf_event_open",
                                 "io_uring_setup",
                                 "memfd_create",
                                 "shmget",
                                 "mknod",
                                 "mknodat",
                                 "unlink",
                                 "unlinkat",
                                 "rename",
                                 "renameat",
                                 "renameat2",
                                 "mkdir",
                                 "mkdirat",
                                 "symlink",
                                 "symlinkat",
                                 "link",
                                 "linkat",
                                 "chmod",
                                 "fchmod",
                                 "fchmodat",
                                 "truncate",
                                 "ftruncate",
                                 "creat",
                                 "inotify_init1",
                                 "timer_create"}) {
    add(filter, SCMP_ACT_KILL_PROCESS, call);
  }
  load(filter);
  holds.emplace_back("seccomp");
  return holds;
}

void forbid_all_but_running() {
  load(running());
}

}  // namespace ladder::grader
