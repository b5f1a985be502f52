// SPDX-License-Identifier: MIT
#include "common/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace ladder {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path, reason));
}

/// What is at a path, behind all links.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Where links lead to, even if there is nothing there yet.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == kMostLinks) refuse(path, "symbolic links lead in a circle; name another file");
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

  /// \return whether all went well; errno says what did not
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  bool close() {
    const bool closed = number_ < 0 || ::close(number_) == 0;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

/// \brief Holds back what interrupts a program, so that it leaves no file that is half made.
///
/// What came meanwhile takes effect at the end.
class HeldSignals {
 public:
  HeldSignals() {
    came_ = 0;
    struct sigaction keep {};
    keep.sa_handler = [](int number) { came_ = number; };
    keep.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
      sigaction(kInterrupts[i], nullptr, &before_[i]);
      // Somebody who ignores a signal, as nohup does, goes on to ignore it.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kInterrupts[i], &keep, nullptr);
    }
  }
  ~HeldSignals() {
    for (std::size_t i = 0; i < kInterrupts.size(); ++i)
      sigaction(kInterrupts[i], &before_[i], nullptr);
    if (came_ != 0) raise(came_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  static constexpr std::array kInterrupts = {SIGHUP, SIGINT, SIGTERM};
  static inline volatile std::sig_atomic_t came_ = 0;

  std::array<struct sigaction, kInterrupts.size()> before_;
};

/// A new file of its own in the folder of the target; gone at the end unless it was renamed.
class NewFile {
 public:
  explicit NewFile(const std::string& target) : descriptor_(create(folder_of(target), name_)) {}
  ~NewFile() {
    if (exists()) unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool exists() const { return !name_.empty(); }

  /// \return whether it is at the target now; errno says why not
  bool become(const std::string& target, const std::string& text) {
    if (const auto old = status_of(target)) {
      // Who may not give a file away keeps it; its mode comes second, because chown() can change
      // it.
      const int given = fchown(descriptor_.number(), old->st_uid, old->st_gid);
      const mode_t mode = given == 0 ? old->st_mode & 07777 : old->st_mode & 0777;
      if (fchmod(descriptor_.number(), mode) != 0) return false;
    }
    if (!descriptor_.write(text) || !descriptor_.close()) return false;
    if (rename(name_.c_str(), target.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  /// A name that nothing has; the mode is what the user's umask leaves.
  static int create(const std::string& folder, std::string& name) {
    for (int number = 0;; ++number) {
      name = fmt::format("{}/.unfinished-{}-{}", folder, getpid(), number);
      const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return descriptor;
      if (errno == EEXIST) continue;
      name.clear();
      return descriptor;
    }
  }

  HeldSignals held_;  // until the file is at its target, or gone
  std::string name_;
  Descriptor descriptor_;
};

/// Standard output or error, if they are what is at the path: a second way in would write
/// over what they say.
std::optional<int> own_output(const struct stat& wanted) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) continue;
    if (status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino) return descriptor;
  }
  return std::nullopt;
}

void write_through(const std::string& path, const std::string& text) {
  const auto status = status_of(path);
  const std::optional<int> own = status ? own_output(*status) : std::nullopt;
  std::fflush(nullptr);
  Descriptor descriptor(own ? dup(*own) : open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (descriptor.number() < 0 || !descriptor.write(text) || !descriptor.close()) {
    refuse(path, std::strerror(errno));
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (is_standard_output()) return;
  const auto status = status_of(path_);
  if (status ? S_ISDIR(status->st_mode) : path_.ends_with('/')) {
    refuse(path_, "it is a folder; name a file in it");
  }
  if (status) {
    if (faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) {
      refuse(path_,
             fmt::format("{}; make it writable, or name another file", std::strerror(errno)));
    }
    if (!S_ISREG(status->st_mode) || own_output(*status)) return;
  }
  target_ = behind_links(path_);
  const std::string folder = folder_of(target_);
  const auto parent = status_of(folder);
  if (!parent && errno == ENOENT) {
    refuse(path_, fmt::format("there is no folder {}; make it first: mkdir -p {}", folder, folder));
  }
  if (parent && !S_ISDIR(parent->st_mode)) {
    refuse(path_, fmt::format("{} is not a folder; name a file elsewhere", folder));
  }
  if (!NewFile(target_).exists()) {
    refuse(path_, fmt::format("no file can be made in {} ({}); make it writable, or name a file "
                              "elsewhere",
                              folder, std::strerror(errno)));
  }
}

bool OutputFile::is_standard_output() const {
  return path_ == "-";
}

bool OutputFile::is_same_file_as(const OutputFile& other) const {
  if (is_standard_output() && other.is_standard_output()) return true;
  if (target_.empty() || other.target_.empty()) return false;
  const auto place = [](const std::string& target) {
    return fs::weakly_canonical(fs::absolute(target));
  };
  std::error_code error;
  return place(target_) == place(other.target_) || fs::equivalent(target_, other.target_, error);
}

void OutputFile::write(const std::string& text) const {
  if (is_standard_output()) {
    fmt::print("{}", text);
    return;
  }
  if (target_.empty()) {
    write_through(path_, text);
    return;
  }
  NewFile file(target_);
  if (!file.exists() || !file.become(target_, text)) refuse(path_, std::strerror(errno));
}

}  // namespace ladder
