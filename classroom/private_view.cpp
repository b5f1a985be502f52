// SPDX-License-Identifier: MIT
#include "classroom/private_view.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace ladder::grader {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "/tmp";  // there on every machine; what is there is not touched
constexpr const char* kMachine = "/machine";
constexpr const char* kView = "/view";
constexpr int kNobody = 65534;

// Of linux/mount.h, which some versions of the C library do not let in beside sys/mount.h.
struct MountAttributes {
  std::uint64_t set, clear, propagation, user_namespace;
};
constexpr std::uint64_t kReadOnly = 0x1;
constexpr std::uint64_t kNoSetuid = 0x2;
constexpr std::uint64_t kNoDevices = 0x4;
constexpr unsigned kRecursive = 0x8000;

void require(bool success, const std::string& what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

void mount_in_memory(const std::string& at, std::size_t bytes) {
  const std::string options = "mode=1777,nr_inodes=65536,size=" + std::to_string(bytes);
  require(mount("tmpfs", at.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0,
          "mount tmpfs");
}

void set_attributes(const std::string& at, std::uint64_t attributes) {
  const MountAttributes wanted = {attributes, 0, 0, 0};
  require(syscall(SYS_mount_setattr, AT_FDCWD, at.c_str(), kRecursive, &wanted, sizeof wanted) == 0,
          "mount_setattr " + at);
}

/// A path as it was asked for, and where it leads on the machine.
struct Shown {
  std::string target;
  std::string source;
  std::uint64_t attributes;
};

bool lies_in(const std::string& path, const Shown& folder) {
  return path.starts_with(folder.target + "/") && folder.attributes & kReadOnly;
}

/// What is there of some paths, found before the machine's files are moved. What lies in a folder
/// that is shown already is seen there; so a link in it leads on to what else is shown.
void find(const std::vector<std::string>& paths, std::uint64_t attributes,
          std::vector<Shown>& found) {
  for (const std::string& path : paths) {
    if (std::ranges::any_of(found, [&](const Shown& each) { return lies_in(path, each); }) &&
        attributes & kReadOnly) {
      continue;
    }
    std::error_code nothing;
    const fs::path source = fs::canonical(path, nothing);
    if (!nothing) found.push_back({path, source.string(), attributes});
  }
}

/// Shows a path of the machine in the view, at its place.
void show(const Shown& path) {
  const std::string source = kMachine + path.source;
  const std::string target = kView + path.target;
  fs::create_directories(fs::path(target).parent_path());
  if (fs::is_directory(source)) {
    fs::create_directories(target);
  } else if (!fs::exists(target)) {
    const std::ofstream file(target);
  }
  require(mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0,
          "mount " + path.target);
  set_attributes(target, path.attributes);
}

/// This user is `nobody` in the new user namespace.
void write_maps(uid_t user, gid_t group) {
  const auto write_to = [](const char* path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    require(file.good(), path);
  };
  write_to("/proc/self/setgroups", "deny");
  write_to("/proc/self/gid_map", std::to_string(kNobody) + " " + std::to_string(group) + " 1");
  write_to("/proc/self/uid_map", std::to_string(kNobody) + " " + std::to_string(user) + " 1");
}

/// \return a descriptor, or a negative number where this kernel has no Landlock
int rules_of(const PrivateView& view, std::uint64_t read_file, std::uint64_t read_folder,
             std::uint64_t all) {
  landlock_ruleset_attr handled = {};  // newer kernels know more members
  handled.handled_access_fs = all;
  const int rules =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  if (rules < 0) return rules;
  const auto allow = [&](const std::string& path, bool write) {
    const int at = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (at < 0) return;  // not on this system
    struct stat found = {};
    require(fstat(at, &found) == 0, "fstat");
    const std::uint64_t file = write ? read_file | LANDLOCK_ACCESS_FS_WRITE_FILE : read_file;
    const landlock_path_beneath_attr rule = {.allowed_access = !S_ISDIR(found.st_mode) ? file
                                                               : write                 ? all
                                                                       : read_folder,
                                             .parent_fd = at};
    require(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0,
            "landlock_add_rule");
    close(at);
  };
  for (const std::string& path : view.read)
    allow(path, false);
  for (const std::string& path : view.write)
    allow(path, true);
  return rules;
}

}  // namespace

bool separate_from_machine(ProcessIds ids) {
  constexpr int kAlways = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  const int separate = ids == ProcessIds::own ? kAlways | CLONE_NEWPID : kAlways;
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0) return unshare(separate) == 0;
  if (unshare(CLONE_NEWUSER | separate) != 0) return false;
  write_maps(user, group);
  return true;
}

bool see_only(const PrivateView& view) {
  std::vector<Shown> shown;
  find(view.read, kReadOnly | kNoSetuid | kNoDevices, shown);
  find(view.write, kNoSetuid | kNoDevices, shown);
  find({"/dev/null"}, kNoSetuid, shown);
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  mount_in_memory(kPlace, view.temporary_bytes);
  const std::string place = kPlace;
  for (const char* const folder : {kMachine, kView})
    fs::create_directory(place + folder);
  require(syscall(SYS_pivot_root, kPlace, (place + kMachine).c_str()) == 0, "pivot_root");
  require(chdir("/") == 0, "chdir");
  // What is mounted here becomes the root: one that cannot be written to.
  mount_in_memory(kView, std::size_t{1} << 20);
  const std::string temporary = std::string(kView) + "/tmp";
  fs::create_directory(temporary);
  mount_in_memory(temporary, view.temporary_bytes);
  for (const Shown& path : shown)
    show(path);
  require(chdir(kView) == 0, "chdir");
  require(syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
  require(umount2(".", MNT_DETACH) == 0, "umount");
  require(chdir("/") == 0, "chdir");
  require(mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
                nullptr) == 0,
          "mount /");
  return true;
}

bool open_only(const PrivateView& view) {
  constexpr std::uint64_t kAll = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  constexpr std::uint64_t kReadFolder = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
  const int rules = rules_of(view, kReadFile, kReadFolder, kAll);
  if (rules < 0) return false;
  const bool locked = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return locked;
}

}  // namespace ladder::grader
