// SPDX-License-Identifier: MIT
#include "glassbox/build_error.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "emulator/run/own_files.hpp"

namespace ladder::glassbox {
namespace {

constexpr std::size_t kErrorsShown = 10;

/// "FILE:LINE:COLUMN: error: TEXT", as GNU's compilers write it; the text may end with a code of
/// ours in brackets, and may be that of a function that is not to be called.
struct Diagnostic {
  emulator::Place place;
  unsigned column = 0;
  std::string text;
  std::string code;  ///< "missing-word"; empty: an error of the compiler's own
};

std::optional<Diagnostic> diagnostic_in(const std::string& line) {
  static const std::regex form(
      R"(^(.+?):(\d+):(\d+): (?:fatal )?error: (?:#error |call to .* declared with attribute error: )?)"
      R"((.*?)(?: \[([a-z-]+)\])?$)");
  std::smatch found;
  if (!std::regex_match(line, found, form)) return std::nullopt;
  return Diagnostic{{found[1], static_cast<unsigned>(std::stoul(found[2]))},
                    static_cast<unsigned>(std::stoul(found[3])),
                    found[4],
                    found[5]};
}

/// "FILE:LINE:COLUMN:   required from ...": the line that leads to a template's.
std::optional<emulator::Place> cause_in(const std::string& line) {
  static const std::regex form(R"(^(.+?):(\d+):\d+: +required from .*$)");
  std::smatch found;
  if (!std::regex_match(line, found, form)) return std::nullopt;
  return emulator::Place{found[1], static_cast<unsigned>(std::stoul(found[2]))};
}

/// The kind that one of our codes names; that of the compiler's own errors if none does.
SourceErrorKind kind_of(const Diagnostic& diagnostic, SourceErrorKind usual) {
  for (int i = 0; i < kSourceErrorKinds; ++i) {
    const auto kind = static_cast<SourceErrorKind>(i);
    if (is_lack(kind) && code_of(kind) == diagnostic.code) return kind;
  }
  return usual;
}

SourceError error_of(const Diagnostic& diagnostic, SourceErrorKind usual,
                     const std::optional<emulator::Place>& cause) {
  SourceError error = {.kind = kind_of(diagnostic, usual),
                       .place = diagnostic.place,
                       .column = diagnostic.column,
                       .fields = {{"text", diagnostic.text}}};
  if (error.kind == usual && !diagnostic.code.empty()) {
    error.fields.set("text", fmt::format("{} [{}]", diagnostic.text, diagnostic.code));
  }
  // What is refused stands on its line, in what was written in its place.
  if (error.kind == SourceErrorKind::kNotEmulated) error.column = 0;
  // Of an error in a header of ours, the line of the program's that leads there.
  const bool is_ours = !emulator::root_of(diagnostic.place.file).empty();
  if (is_ours && cause) {
    error.fields.set("header_file", diagnostic.place.file);
    error.fields.set("header_line", diagnostic.place.line);
    error.place = *cause;
    error.column = 0;
  }
  return error;
}

/// "my.cu:12: undefined reference to `f()'" of a linker, which may name no line.
SourceError linker_error(const std::string& line) {
  static const std::regex form(R"(^(?:.*?ld: )?(.+?):(\d+): (undefined reference .*)$)");
  std::smatch found;
  if (!std::regex_match(line, found, form)) {
    return {.kind = SourceErrorKind::kLinker, .fields = {{"text", line}}};
  }
  return {.kind = SourceErrorKind::kLinker,
          .place = {found[1], static_cast<unsigned>(std::stoul(found[2]))},
          .fields = {{"text", found[3].str()}}};
}

/// "my.cu:1:33: error: cannot convert ..."
std::string line_of(const SourceError& error) {
  std::string text = text_of(error);
  if (error.place.line == 0) return text;
  const std::string place = fmt::format("{}:{}", error.place.file, error.place.line);
  if (error.kind == SourceErrorKind::kNotEmulated) return fmt::format("{}: error: {}", place, text);
  if (error.column == 0 || error.kind == SourceErrorKind::kMissingLibrary) {
    return fmt::format("{}: {}", place, text);
  }
  return fmt::format("{}:{}: error: {}", place, error.column, text);
}

std::string lines_of(const std::vector<SourceError>& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kErrorsShown; ++i)
    text += line_of(errors[i]) + "\n";
  if (errors.size() > kErrorsShown)
    text += fmt::format("... and {} more errors\n", errors.size() - kErrorsShown);
  return text;
}

}  // namespace

BuildError::BuildError(std::vector<SourceError> errors)
    : std::runtime_error(lines_of(errors)), errors_(std::move(errors)) {}

std::vector<SourceError> errors_in(const std::string& output, SourceErrorKind kind) {
  std::istringstream lines(output);
  std::vector<SourceError> errors;
  std::optional<emulator::Place> cause;
  std::set<std::string> told;  // g++ tells some of them several times, at other columns
  for (std::string line; std::getline(lines, line);) {
    if (const auto leads_here = cause_in(line)) cause = leads_here;
    std::optional<SourceError> error;
    if (const auto diagnostic = diagnostic_in(line)) {
      error = error_of(*diagnostic, kind, cause);
      cause.reset();
    } else if (kind == SourceErrorKind::kLinker &&
               line.find("undefined reference") != std::string::npos) {
      error = linker_error(line);
    }
    if (!error) continue;
    // Behind a header that is missing, everything is an error.
    if (error->kind == SourceErrorKind::kMissingLibrary) return {*error};
    const std::string key =
        fmt::format("{}:{}: {}", error->place.file, error->place.line, text_of(*error));
    if (told.insert(key).second) errors.push_back(*error);
  }
  if (errors.empty()) errors.push_back({.kind = kind, .fields = {{"text", output}}});
  return errors;
}

}  // namespace ladder::glassbox
