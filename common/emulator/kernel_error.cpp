// SPDX-License-Identifier: MIT
#include "common/emulator/kernel_error.hpp"

#include <utility>

namespace ladder::emulator {
namespace {

std::string with_place(const std::string& sentence, const KernelError::Place& place) {
  std::string text = sentence;
  if (!place.file.empty()) text += " at " + place.file + ":" + std::to_string(place.line);
  return text + ", block " + to_text(place.block) + ", thread " + to_text(place.thread);
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

KernelError::KernelError(KernelErrorKind kind, const std::string& sentence)
    : std::runtime_error(sentence), kind_(kind) {}

KernelError::~KernelError() = default;

}  // namespace ladder::emulator
