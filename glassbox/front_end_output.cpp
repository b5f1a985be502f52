// SPDX-License-Identifier: MIT
#include "glassbox/front_end_output.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

#include "emulator/run/own_files.hpp"
#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {
namespace {

using Kind = SourceErrorKind;

constexpr const char* kRelaxed = "--expt-relaxed-constexpr";
constexpr const char* kLambda = "--extended-lambda";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

unsigned number_in(const std::string& digits) {
  return static_cast<unsigned>(std::stoul(digits));
}

/// Adds what is not there yet: one for each name at each line.
void add(std::vector<SourceError>& list, SourceError error) {
  const auto same = [&](const SourceError& known) {
    return known.kind == error.kind && known.place == error.place &&
           known.fields.word("name") == error.fields.word("name");
  };
  if (std::ranges::none_of(list, same)) list.push_back(std::move(error));
}

SourceError objection(Kind kind, const emulator::Place& place, const std::string& name) {
  return {.kind = kind, .place = place, .fields = {{"name", name}}};
}

// -- nvcc -----------------------------------------------------------------------------------------

/// "square" of "maths::square<int>(int)", as nvcc and clang write functions.
std::string name_in(std::string function) {
  function = std::regex_replace(function, std::regex(R"(\s+)"), " ");
  int depth = 0;
  std::string name;
  for (const char c : function) {
    if (c == '<') ++depth;
    if (c == '(' && depth == 0 && !name.empty()) break;
    if (depth == 0) name += c;
    if (c == '>' && depth > 0) --depth;
  }
  while (name.ends_with(' '))
    name.pop_back();
  const std::size_t space = name.rfind(' ');
  if (space != std::string::npos && !contains(name, "operator")) name = name.substr(space + 1);
  while (name.starts_with(':') || name.starts_with(' '))
    name.erase(0, 1);
  return name;
}

std::optional<SourceError> nvcc_error(const emulator::Place& place, const std::string& text) {
  static const std::regex call(
      R"re(^calling a (?:constexpr )?(__\w+__) function\("(.*)"\) from a )re"
      R"re(((?:__\w+__ ?)+) function.*)re");
  static const std::regex undefined(R"re(^identifier "(.*)" is undefined in device code.*)re");
  std::smatch found;
  SourceError note = objection(Kind::kNvccOption, place, "");
  if (contains(text, kRelaxed)) {
    note.fields.set("option", kRelaxed);
    return note;
  }
  if (contains(text, "extended-lambda")) {
    note.fields.set("option", kLambda);
    return note;
  }
  if (std::regex_match(text, found, call)) {
    const Kind kind = found[1] == "__host__" ? Kind::kHostCall : Kind::kDeviceCall;
    return objection(kind, place, name_in(found[2]));
  }
  if (std::regex_match(text, found, undefined)) {
    return objection(Kind::kHostVariable, place, name_in(found[1]));
  }
  if (contains(text, "__global__ function must")) return objection(Kind::kKernelReturns, place, "");
  SourceError other = objection(Kind::kNvccRefuses, place, "");
  other.fields.set("text", text);
  return other;
}

// -- clang ----------------------------------------------------------------------------------------

/// "FILE:LINE:COLUMN: error: TEXT", and the notes behind it.
struct Message {
  emulator::Place place;
  unsigned column = 0;
  std::string text;
  std::vector<Message> notes = {};
};

std::vector<Message> messages_in(const std::string& output) {
  static const std::regex form(R"(^(.+?):(\d+):(\d+): (?:fatal )?(error|note): (.*)$)");
  std::vector<Message> messages;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, form)) continue;
    Message message = {{found[1], number_in(found[2])}, number_in(found[3]), found[5]};
    if (found[4] == "error") {
      messages.push_back(std::move(message));
    } else if (!messages.empty()) {
      messages.back().notes.push_back(std::move(message));
    }
  }
  return messages;
}

/// A source's text and tokens, for a look at what stands around a place.
class SourceText {
 public:
  explicit SourceText(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    text_ = text.str();
    tokens_ = tokens_of(text_);
  }

  bool contains(std::string_view part) const { return text_.find(part) != std::string::npos; }

  /// Index of the token at a line and column, or of the one behind it.
  std::size_t token_at(unsigned line, unsigned column) const {
    std::size_t at = 0;
    for (unsigned i = 1; i < line; ++i) {
      at = text_.find('\n', at);
      if (at == std::string::npos) return tokens_.size();
      ++at;
    }
    at += column > 0 ? column - 1 : 0;
    const auto found =
        std::ranges::lower_bound(tokens_, at, {}, [](const Token& token) { return token.begin; });
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  /// Is it within sizeof(...), decltype(...) or noexcept(...), which evaluate nothing?
  bool is_unevaluated(std::size_t i) const {
    constexpr std::array<std::string_view, 5> kWords = {"sizeof", "decltype", "noexcept", "typeid",
                                                        "alignof"};
    int depth = 0;
    while (i-- > 0) {
      if (word(i) == ";" || word(i) == "{" || word(i) == "}") return false;
      if (word(i) == ")") ++depth;
      if (word(i) == "(" && --depth < 0) {
        if (i > 0 && std::ranges::find(kWords, word(i - 1)) != kWords.end()) return true;
        depth = 0;
      }
    }
    return false;
  }

  /// \brief Is the function constexpr whose name stands there, as C++17 has it? The standard
  ///        library has macros for later ones.
  bool is_constexpr(std::size_t i) const {
    constexpr std::array<std::string_view, 5> kWords = {
        "constexpr", "consteval", "_GLIBCXX_CONSTEXPR", "_GLIBCXX14_CONSTEXPR",
        "_GLIBCXX17_CONSTEXPR"};
    while (i-- > 0) {
      if (word(i) == ";" || word(i) == "{" || word(i) == "}") return false;
      if (std::ranges::find(kWords, word(i)) != kWords.end()) return true;
    }
    return false;
  }

  /// Does the declaration that goes through this token have a first value, behind `=`?
  bool has_first_value(std::size_t i) const {
    for (; i < tokens_.size() && word(i) != ";"; ++i) {
      if (word(i) == "=") return true;
    }
    return false;
  }

 private:
  std::string text_;
  std::vector<Token> tokens_;
};

/// Sources that were looked at.
class SourceTexts {
 public:
  const SourceText& of(const std::string& file) {
    return texts_.try_emplace(file, file).first->second;
  }

 private:
  std::map<std::string, SourceText> texts_;
};

bool is_of_system(const std::string& file) {
  return file.starts_with("/usr/");
}

/// What nvcc has on both sides although a header of the system declares it for the host.
bool is_on_device_too(std::string_view name) {
  constexpr std::array<std::string_view, 18> kNames = {
      "move",   "forward", "strlen", "abs",    "labs",          "llabs",
      "printf", "malloc",  "free",   "memcpy", "memset",        "clock",
      "begin",  "end",     "isnan",  "isinf",  "__assert_fail", "initializer_list"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("__builtin");
}

/// Reads what clang says, from the first error to the first that may be clang's alone.
class ClangReader {
 public:
  Objections read(const std::vector<Message>& messages) {
    for (const Message& message : messages) {
      // What a header has in it does not follow from the program's own lines.
      if (is_header_of_ours(message.place.file) || is_of_system(message.place.file)) continue;
      const std::optional<SourceError> error = objection_of(message);
      if (!error) break;
      if (error->kind == Kind::kCompiler) continue;  // no objection of nvcc's
      add(is_note(error->kind) ? found_.notes : found_.errors, *error);
    }
    return found_;
  }

 private:
  /// kCompiler where nvcc would say nothing, or warn; nothing where nobody knows.
  std::optional<SourceError> objection_of(const Message& message) {
    const SourceError nothing = objection(Kind::kCompiler, message.place, "");
    static const std::regex reference(
        R"(^reference to (__\w+__) (function|variable) '(.*)' in ((?:__\w+__ ?)+) (?:function|lambda).*)");
    static const std::regex candidate(R"(.*: call to (__\w+__) function from (.*) function.*)");
    static const std::regex quoted(R"(^.*'(.*?)'.*$)");
    std::smatch found;
    if (std::regex_match(message.text, found, reference)) {
      const std::string side = found[1], what = found[2], name = found[3], from = found[4];
      if (from == "__host__ __device__") return nothing;  // a warning of nvcc's
      if (what == "variable") {
        return from == "__host__" || is_unevaluated(message)
                   ? nothing
                   : objection(Kind::kHostVariable, message.place, name);
      }
      const bool is_allowed =
          side == "__device__" && from == "__host__" && is_address(message, name);
      return is_allowed ? nothing : call_of(message, side, from, name, message.notes);
    }
    std::vector<Message> candidates;
    std::string side, from;
    for (const Message& note : message.notes) {
      if (!std::regex_match(note.text, found, candidate)) continue;
      candidates.push_back(note);
      side = found[1];
      from = found[2];
    }
    if (!candidates.empty()) {
      const std::string name =
          std::regex_match(message.text, found, quoted) ? found[1].str() : "this";
      return call_of(message, side, from, name, candidates);
    }
    if (const std::string name = operator_of_host(message); !name.empty()) {
      return objection(Kind::kHostCall, message.place, name);
    }
    return other_of(message);
  }

  /// "operator<<" where a kernel streams into std::cout: clang leaves the host's operators out, and
  /// then only those remain that the C++ library has deleted.
  static std::string operator_of_host(const Message& message) {
    static const std::regex ambiguous(R"(^use of overloaded operator '(.+)' is ambiguous.*)");
    std::smatch found;
    if (message.notes.empty() || !std::regex_match(message.text, found, ambiguous)) return "";
    const bool are_deleted = std::ranges::all_of(message.notes, [](const Message& note) {
      return is_of_system(note.place.file) && contains(note.text, "explicitly deleted");
    });
    return are_deleted ? "operator" + found[1].str() : "";
  }

  std::optional<SourceError> call_of(const Message& message, const std::string& side,
                                     const std::string& from, const std::string& name,
                                     const std::vector<Message>& declarations) {
    const SourceError nothing = objection(Kind::kCompiler, message.place, "");
    if (from == "__host__ __device__" || is_unevaluated(message)) return nothing;
    if (side == "__device__" && from == "__host__") {
      return objection(Kind::kDeviceCall, message.place, name);
    }
    if (side != "__host__" || from == "__host__") return nothing;
    bool all_constexpr = !declarations.empty();
    for (const Message& declaration : declarations) {
      const std::string& file = declaration.place.file;
      if (is_header_of_ours(file)) return nothing;
      // libcu++'s words are the C++ library's here, and both sides' there.
      if (is_of_system(file) &&
          (is_on_device_too(name) || texts_.of(message.place.file).contains("cuda/std"))) {
        return nothing;
      }
      const SourceText& text = texts_.of(file);
      const std::size_t token = text.token_at(declaration.place.line, declaration.column);
      all_constexpr = all_constexpr && text.is_constexpr(token);
    }
    if (declarations.empty()) return nothing;
    if (!all_constexpr) return objection(Kind::kHostCall, message.place, name);
    SourceError note = objection(Kind::kNvccOption, message.place, "");
    note.fields.set("option", kRelaxed);
    return note;
  }

  /// Rules about declarations and statements.
  std::optional<SourceError> other_of(const Message& message) {
    if (message.text.starts_with("kernel function type")) {
      return objection(Kind::kKernelReturns, message.place, "");
    }
    if (contains(message.text, "initialization is not supported for __")) {
      const SourceText& text = texts_.of(message.place.file);
      if (!text.has_first_value(text.token_at(message.place.line, message.column))) {
        return objection(Kind::kCompiler, message.place, "");
      }
      return refused(message);
    }
    constexpr std::array<std::string_view, 8> kRules = {
        "not configured",
        "must be a free function or static member function",
        "are not allowed on non-static local variables",
        "__shared__ local variables not allowed in",
        "cannot use 'throw' in __",
        "cannot use 'try' in __",
        "cannot use variable-length arrays in __",
        "'device' and 'global' attributes are not compatible"};
    for (const std::string_view rule : kRules) {
      if (contains(message.text, rule) && !contains(message.text, "__host__ __device__ function"))
        return refused(message);
    }
    if (contains(message.text, "in __host__ __device__ function")) {
      return objection(Kind::kCompiler, message.place, "");
    }
    return std::nullopt;
  }

  static SourceError refused(const Message& message) {
    SourceError error = objection(Kind::kNvccRefuses, message.place, "");
    error.column = message.column;
    error.fields.set("text", message.text);
    return error;
  }

  /// \brief Is the function named there and not called? nvcc gives the host an address of its own:
  ///        see host_addresses.hpp.
  bool is_address(const Message& message, const std::string& name) {
    const SourceText& text = texts_.of(message.place.file);
    std::size_t i = text.token_at(message.place.line, message.column);
    while (text.word(i + 1) == ":" && text.word(i + 2) == ":")
      i += 3;
    if (!name.starts_with(text.word(i))) return false;
    ++i;
    if (text.word(i) == "<") {
      while (!text.word(i).empty() && text.word(i) != ">")
        ++i;
      ++i;
    }
    return !text.word(i).empty() && text.word(i) != "(";
  }
  bool is_unevaluated(const Message& message) {
    const SourceText& text = texts_.of(message.place.file);
    return text.is_unevaluated(text.token_at(message.place.line, message.column));
  }

  SourceTexts texts_;
  Objections found_;
};

}  // namespace

bool is_header_of_ours(std::string_view file) {
  const std::string_view root = emulator::root_of(file);
  if (root.empty()) return false;
  const std::string_view below = file.substr(root.size());
  return below.starts_with("emulator/") || below.starts_with("glassbox/");
}

Objections objections_of_nvcc(const std::string& output, const std::string& nvcc_root) {
  static const std::regex form(
      R"(^(.+?)\((\d+)\): (?:fatal |catastrophic )?error(?: #[\w-]+)?: (.*)$)");
  Objections found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, form)) continue;
    const emulator::Place place = {match[1], number_in(match[2])};
    const bool foreign = is_of_system(place.file) || place.file.starts_with(nvcc_root);
    if (foreign) continue;
    std::optional<SourceError> error = nvcc_error(place, match[3]);
    if (!error) continue;
    // "undefined in device code" follows a call of a host function.
    const bool follows = error->kind == Kind::kHostVariable &&
                         std::ranges::any_of(found.errors, [&](const SourceError& known) {
                           return known.kind == Kind::kHostCall && known.place == place;
                         });
    if (!follows) add(is_note(error->kind) ? found.notes : found.errors, std::move(*error));
  }
  return found;
}

Objections objections_of_clang(const std::string& output) {
  return ClangReader().read(messages_in(output));
}

}  // namespace ladder::glassbox
