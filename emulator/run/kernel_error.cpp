// SPDX-License-Identifier: MIT
#include "emulator/run/kernel_error.hpp"

#include <algorithm>
#include <utility>

namespace ladder::emulator {
namespace {

std::string with_place(const std::string& sentence, const KernelError::Place& place) {
  std::string text = sentence;
  if (!place.file.empty()) text += " at " + place.file + ":" + std::to_string(place.line);
  return text + ", block " + to_text(place.block) + ", thread " + to_text(place.thread);
}

/// "threads 0-31 wait for an mbarrier at FILE:LINE (detail)"
std::string text_of(const KernelWaiters& group) {
  const bool one = group.threads.find_first_of(",-") == std::string::npos;
  std::string what = group.what;
  if (one) what.insert(std::min(what.find(' '), what.size()), "s");
  return (one ? "thread " : "threads ") + group.threads + " " + what + " at " + group.file + ":" +
         std::to_string(group.line) + (group.detail.empty() ? "" : " (" + group.detail + ")");
}

std::string text_of(const std::vector<KernelWaiters>& waiters, const std::string& remark) {
  constexpr std::size_t kMostGroups = 12;
  const bool one_block = std::ranges::all_of(
      waiters, [&](const KernelWaiters& other) { return other.block == waiters.front().block; });
  std::string text;
  for (std::size_t i = 0; i < std::min(waiters.size(), kMostGroups); ++i) {
    text += i == 0 ? "deadlock: nobody can go on: " : "; ";
    if (!one_block) text += "block " + to_text(waiters[i].block) + " ";
    text += text_of(waiters[i]);
  }
  if (waiters.size() > kMostGroups) {
    text += "; and " + std::to_string(waiters.size() - kMostGroups) + " more groups of threads";
  }
  return text + remark + ", first";
}

}  // namespace

std::string to_text(const KernelError::Index& index) {
  std::string text;
  for (const unsigned extent : index) {
    text += text.empty() ? "(" : ", ";
    text += std::to_string(extent);
  }
  text += ")";
  return text;
}

KernelError::KernelError(KernelErrorKind kind, const std::string& sentence, Place place)
    : std::runtime_error(with_place(sentence, place)), kind_(kind), place_(std::move(place)) {}

KernelError::KernelError(std::vector<KernelWaiters> waiters, const std::string& remark, Place place)
    : std::runtime_error(with_place(text_of(waiters, remark), place)),
      kind_(KernelErrorKind::kDeadlock),
      place_(std::move(place)),
      waiters_(std::move(waiters)) {}

KernelError::KernelError(KernelErrorKind kind, const std::string& sentence)
    : std::runtime_error(sentence), kind_(kind) {}

KernelError::~KernelError() = default;

}  // namespace ladder::emulator
