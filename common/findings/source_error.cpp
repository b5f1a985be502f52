// SPDX-License-Identifier: MIT
#include "common/findings/source_error.hpp"

#include <array>
#include <utility>

#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using Names = std::pair<std::string_view, std::string_view>;  // code, title

constexpr std::array<Names, kSourceErrorKinds> kNames = {
    Names{"compiler-error", "The compiler refuses the program"},
    Names{"linker-error", "The linker refuses the program"},
    Names{"missing-library", "The program needs a library that the glass box does not have"},
    Names{"missing-word", "The program needs a word of CUDA that the glass box does not have"},
    Names{"not-emulated", "The program needs what the emulator does not have"},
    Names{"launch-syntax", "A launch is not kernel<<<grid, block>>>(arguments)"},
    Names{"unreadable-source", "A file of the program cannot be read"}};

}  // namespace

std::string_view code_of(SourceErrorKind kind) {
  return kNames[static_cast<std::size_t>(kind)].first;
}

std::string_view title_of(SourceErrorKind kind) {
  return kNames[static_cast<std::size_t>(kind)].second;
}

bool is_lack(SourceErrorKind kind) {
  return kind == SourceErrorKind::kMissingLibrary || kind == SourceErrorKind::kMissingWord ||
         kind == SourceErrorKind::kNotEmulated;
}

std::string text_of(const SourceError& error) {
  switch (error.kind) {
    case SourceErrorKind::kLaunchSyntax:
      return emulator::sentence("this launch is not kernel<<<grid, block>>>(arguments)");
    case SourceErrorKind::kUnreadable:
      return emulator::sentence("cannot read " + error.fields.word("file") + ": " +
                                error.fields.word("reason"));
    default:
      return error.fields.word("text");
  }
}

}  // namespace ladder
