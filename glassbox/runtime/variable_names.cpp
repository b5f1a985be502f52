// SPDX-License-Identifier: MIT
#include "glassbox/runtime/variable_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/program_calls.hpp"

namespace ladder::glassbox {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

/// Where a name that begins at `at` ends.
std::size_t end_of_name(const std::string& text, std::size_t at) {
  while (at < text.size() && is_name(text[at]))
    ++at;
  return at;
}

std::size_t skip_space(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0)
    ++at;
  return at;
}

/// Behind a string or a character in quotes that begins at `at`.
std::size_t end_of_quoted(const std::string& text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

/// What is between the parenthesis at `open` and its partner.
struct Arguments {
  std::vector<std::string> each;
  std::size_t end = 0;  ///< behind the partner
};

/// Nothing if there is no partner.
std::optional<Arguments> arguments_at(const std::string& text, std::size_t open) {
  Arguments found;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_quoted(text, i) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
    const bool ends = depth == 0;
    if (!ends && (c != ',' || depth > 1)) continue;
    found.each.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
    if (!ends) continue;
    found.end = i + 1;
    return found;
  }
  return std::nullopt;
}

/// The parenthesis that opens the arguments of the call whose name ends at `at`, behind template
/// arguments.
std::optional<std::size_t> parenthesis_behind(const std::string& text, std::size_t at) {
  at = skip_space(text, at);
  if (at < text.size() && text[at] == '<') {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return std::nullopt;
    at = skip_space(text, end + 1);
  }
  if (at < text.size() && text[at] == '(') return at;
  return std::nullopt;
}

/// A call in a text.
struct Call {
  std::vector<std::string> arguments;
  std::string before;  ///< in the text: "float* a = "
};

/// All calls of a function.
std::vector<Call> calls_in(const std::string& text, const std::string& function) {
  std::vector<Call> found;
  for (std::size_t at = text.find(function); at != std::string::npos;
       at = text.find(function, at + 1)) {
    const bool begins = at == 0 || !is_name(text[at - 1]);
    if (!begins || end_of_name(text, at) != at + function.size()) continue;
    const auto open = parenthesis_behind(text, at + function.size());
    if (!open) continue;
    if (auto arguments = arguments_at(text, *open)) {
      found.push_back({std::move(arguments->each), text.substr(0, at)});
    }
  }
  return found;
}

// -- The source ----------------------------------------------------------------------------------

/// Debug information puts the folder of the compiler in front of a relative name.
bool is_same_file(const std::string& file, const std::string& name) {
  return file == name || file.ends_with("/" + name);
}

/// Each line of a copy once: of functions with two bodies, the host's, which comes behind #line.
std::string each_line_once(const std::string& copy) {
  const std::string mark = "#line ";
  std::vector<std::string> lines;
  std::istringstream stream(copy);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(mark)) {
      lines.resize(std::min<std::size_t>(lines.size(), std::stoul(line.substr(mark.size())) - 1));
    } else {
      lines.push_back(line);
    }
  }
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

/// A file as the compiler read it: columns are those of the copy that was made for it, if any.
const std::string& text_of(const std::string& file) {
  static auto& known = *new std::map<std::string, std::string>();
  const auto [found, is_new] = known.try_emplace(file);
  if (!is_new) return found->second;
  const auto read = [&](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  };
  const std::string mark = "#line 1 \"";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(orders().folder, ignored)) {
    std::string begin;
    std::ifstream stream(entry.path(), std::ios::binary);
    if (!entry.is_regular_file(ignored) || !std::getline(stream, begin)) continue;
    if (!begin.starts_with(mark) || !begin.ends_with('"')) continue;
    const std::string name = begin.substr(mark.size(), begin.size() - mark.size() - 1);
    if (!is_same_file(file, name)) continue;
    return found->second = each_line_once(read(entry.path()).substr(begin.size() + 1));
  }
  return found->second = read(file);
}

/// Where a line begins; nothing if there are fewer.
std::optional<std::size_t> begin_of_line(const std::string& text, unsigned line) {
  std::size_t at = 0;
  for (unsigned i = 1; i < line; ++i) {
    at = text.find('\n', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  return at;
}

// -- Macros --------------------------------------------------------------------------------------

struct Macro {
  std::vector<std::string> parameters;
  std::string body;
};

/// A macro with parameters that the file defines.
std::optional<Macro> macro_in(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find("define"); at != std::string::npos;
       at = text.find("define", at + 1)) {
    const std::size_t begin = skip_space(text, at + 6);
    const std::size_t end = end_of_name(text, begin);
    if (text.compare(begin, end - begin, name) != 0) continue;
    if (end >= text.size() || text[end] != '(') continue;
    const auto parameters = arguments_at(text, end);
    if (!parameters) continue;
    std::string body;
    for (std::size_t i = parameters->end; i < text.size(); ++i) {
      if (text[i] == '\n' && text[i - 1] != '\\') break;
      body += text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n' ? ' ' : text[i];
    }
    return Macro{parameters->each, body};
  }
  return std::nullopt;
}

/// With arguments in place of parameters.
std::string expanded(const Macro& macro, const std::vector<std::string>& arguments) {
  std::string result;
  for (std::size_t at = 0; at < macro.body.size();) {
    const std::size_t end = std::max(end_of_name(macro.body, at), at + 1);
    const std::string word = macro.body.substr(at, end - at);
    const auto parameter = std::ranges::find(macro.parameters, word);
    const auto number = static_cast<std::size_t>(parameter - macro.parameters.begin());
    result +=
        parameter != macro.parameters.end() && number < arguments.size() ? arguments[number] : word;
    at = end;
  }
  return result;
}

/// Calls of a function by a macro's expansion, and by the macros in it.
std::vector<Call> calls_by(const std::string& file, const std::string& expansion,
                           const std::string& function, int depth) {
  std::vector<Call> found = calls_in(expansion, function);
  constexpr int kDeepest = 4;
  if (!found.empty() || depth == kDeepest) return found;
  for (std::size_t at = 0; at < expansion.size();) {
    const std::size_t end = end_of_name(expansion, at);
    if (end == at) {
      ++at;
      continue;
    }
    const auto open = parenthesis_behind(expansion, end);
    const auto arguments = open ? arguments_at(expansion, *open) : std::nullopt;
    const auto macro = arguments ? macro_in(file, expansion.substr(at, end - at)) : std::nullopt;
    at = end;
    if (!macro) continue;
    const auto more = calls_by(file, expanded(*macro, arguments->each), function, depth + 1);
    found.insert(found.end(), more.begin(), more.end());
    at = arguments->end;
  }
  return found;
}

/// Without a cast in front, an address-of and parentheses around.
std::string without_wrapping(std::string text) {
  for (;;) {
    text = trimmed(text);
    if (text.starts_with('&')) {
      text = text.substr(1);
    } else if (text.starts_with("reinterpret_cast") || text.starts_with("static_cast")) {
      const std::size_t open = text.find('(', text.find('>'));
      if (open == std::string::npos) return text;
      text = text.substr(open);
    } else if (text.starts_with('(')) {
      const auto inner = arguments_at(text, 0);
      if (!inner) return text;
      const std::string behind = trimmed(text.substr(inner->end));
      if (!behind.empty() && (behind[0] == '.' || behind[0] == '[' || behind.starts_with("->"))) {
        return text;
      }
      text = behind.empty() ? inner->each[0] : behind;
    } else {
      return text;
    }
  }
}

/// The calls of a function that a place in the source may be.
std::vector<Call> calls_at(const std::string& function, const std::string& file, unsigned line,
                           std::size_t column) {
  const std::string& text = text_of(file);
  const auto begin = begin_of_line(text, line);
  if (!begin) return {};
  const std::size_t end_of_line = std::min(text.find('\n', *begin), text.size());
  const std::size_t at = *begin + column - 1;
  if (column == 0 || at >= end_of_line) {
    return calls_in(text.substr(*begin, end_of_line - *begin), function);
  }
  // A call's column is that of its parenthesis; a macro's, that of its name.
  const std::size_t end = end_of_name(text, at);
  const auto open = parenthesis_behind(text, end);
  const auto arguments = open ? arguments_at(text, *open) : std::nullopt;
  if (!arguments) return {};
  if (end == at || text.compare(at, end - at, function) == 0) {
    std::size_t name = text.rfind(function, at);
    const std::size_t statement = std::min(text.find_last_of(";{}", at) + 1, at);
    if (name == std::string::npos || name < statement) name = at;
    return {{arguments->each, text.substr(statement, name - statement)}};
  }
  return calls_by(text, text.substr(at, arguments->end - at), function, 0);
}

// -- Functions that take memory for others -------------------------------------------------------

/// "alloc" of "alloc<float>"
std::string without_template(const std::string& function) {
  return function.substr(0, function.find('<'));
}

/// The number of a parameter of the function whose definition is the last before a line's end.
std::optional<std::size_t> number_of_parameter(const std::string& text, unsigned line,
                                               const std::string& function,
                                               const std::string& parameter) {
  const auto begin = begin_of_line(text, line);
  if (!begin) return std::nullopt;
  const std::string before = text.substr(0, text.find('\n', *begin));
  for (std::size_t at = before.rfind(function); at != std::string::npos && at > 0;
       at = before.rfind(function, at - 1)) {
    const std::size_t end = end_of_name(before, at);
    if (end != at + function.size() || is_name(before[at - 1]) || before[end] != '(') continue;
    const auto parameters = arguments_at(before, end);
    if (!parameters) continue;
    for (std::size_t i = 0; i < parameters->each.size(); ++i) {
      const std::string& declared = parameters->each[i];
      std::size_t name = declared.size();
      while (name > 0 && is_name(declared[name - 1]))
        --name;
      if (declared.substr(name) == parameter) return i;
    }
  }
  return std::nullopt;
}

/// Does the function that a line is in return this variable, further down?
bool is_returned(const std::string& text, unsigned line, const std::string& variable) {
  const auto begin = begin_of_line(text, line);
  if (!begin) return false;
  const std::size_t end = std::min(text.find("\n}", *begin), text.size());
  const std::string rest = text.substr(*begin, end - *begin);
  for (std::size_t at = rest.find("return"); at != std::string::npos;
       at = rest.find("return", at + 1)) {
    const std::size_t name = skip_space(rest, at + 6);
    if (rest.compare(name, variable.size(), variable) == 0 &&
        rest[skip_space(rest, name + variable.size())] == ';') {
      return true;
    }
  }
  return false;
}

/// What is assigned to, of "float* a = " or "s.p = (float*)".
std::string assigned_in(std::string text) {
  text = trimmed(text);
  if (text.ends_with(')')) text = trimmed(text.substr(0, text.rfind('(')));
  if (!text.ends_with('=')) return "";
  text = trimmed(text.substr(0, text.size() - 1));
  std::size_t begin = text.size();
  while (begin > 0 &&
         (is_name(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '[' ||
          text[begin - 1] == ']' || (begin > 1 && text.compare(begin - 2, 2, "->") == 0))) {
    begin -= text[begin - 1] == '>' ? 2 : 1;
  }
  return variable_in(text.substr(begin));
}

/// An expression of a call's, and what else the call was.
struct Given {
  std::string expression;
  std::string file;
  unsigned line;
};

/// \brief What a pointer is called where the user's function was called that the place is in.
/// \return empty if that cannot be told
std::string name_at_callers(Given given, const std::vector<emulator::SourceFrame>& frames) {
  std::size_t at = 0;
  while (at < frames.size() &&
         (!is_same_file(frames[at].line.file, given.file) || frames[at].line.line != given.line)) {
    ++at;
  }
  std::string name;
  for (; at + 1 < frames.size(); ++at) {
    const std::string core = variable_in(given.expression);
    const bool is_address = given.expression.find('&') != std::string::npos;
    const std::string& text = text_of(given.file);
    const std::string function = without_template(frames[at].function);
    const emulator::SourceLine& caller = frames[at + 1].line;
    const bool returned = is_address && is_returned(text, given.line, core);
    if (core.empty() || function.empty() || (is_address && !returned)) return name;
    const auto number =
        returned ? std::nullopt : number_of_parameter(text, given.line, function, core);
    if (!returned && !number) return name;
    const std::vector<Call> calls = calls_at(function, caller.file, caller.line, caller.column);
    if (calls.size() != 1) return name;
    if (returned) return assigned_in(calls[0].before);
    if (*number >= calls[0].arguments.size()) return name;
    given = {calls[0].arguments[*number], caller.file, caller.line};
    name = variable_in(given.expression);
  }
  return name;
}

/// "a or b"; empty if any of them has no name.
std::string one_of(const std::vector<Call>& calls) {
  std::vector<std::string> names;
  for (const Call& call : calls) {
    const std::string name = variable_in(call.arguments[0]);
    if (name.empty()) return "";
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

}  // namespace

std::string variable_in(const std::string& expression) {
  std::string text = without_wrapping(expression);
  for (const char* const end : {".data()", ".get()"}) {
    if (text.ends_with(end)) text.resize(text.size() - std::char_traits<char>::length(end));
  }
  if (text.starts_with("this->")) text = text.substr(6);
  if (text.starts_with('*')) text = trimmed(text.substr(1));
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return "";
  std::string name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_name(text, at);
    if (end > at) {
      name += text.substr(at, end - at);
      at = end;
    } else if (text[at] == '[') {
      const auto subscript = arguments_at(text, at);
      if (!subscript) return "";
      const std::string& index = subscript->each[0];
      const bool is_number = !index.empty() && std::ranges::all_of(index, [](unsigned char c) {
        return std::isdigit(c) != 0;
      });
      if (is_number) name += "[" + index + "]";
      at = subscript->end;
    } else if (text[at] == '.' || text.compare(at, 2, "->") == 0 ||
               text.compare(at, 2, "::") == 0) {
      const std::size_t size = text[at] == '.' ? 1 : 2;
      name += text.substr(at, size);
      at += size;
    } else {
      return "";
    }
  }
  return name;
}

std::string variable_in_launch(const std::string& kernel, const emulator::Place& place,
                               unsigned number) {
  std::ifstream stream(place.file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto line = begin_of_line(text, place.line);
  if (!line) return "";
  const std::string name = kernel.substr(0, kernel.find('<'));
  std::vector<std::string> found;
  // Launches of this kernel that begin in this line.
  const std::size_t end_of_line = std::min(text.find('\n', *line), text.size());
  for (std::size_t at = text.find(name, *line); at < end_of_line; at = text.find(name, at + 1)) {
    const std::size_t shape = text.find("<<<", at + name.size());
    const std::size_t end = shape == std::string::npos ? shape : text.find(">>>", shape);
    if (end == std::string::npos) break;
    if (text.substr(at, shape - at).find(';') != std::string::npos) continue;
    const std::size_t open = skip_space(text, end + 3);
    if (open >= text.size() || text[open] != '(') continue;
    const auto arguments = arguments_at(text, open);
    if (!arguments || arguments->each.size() < number) return "";
    const std::string variable = variable_in(arguments->each[number - 1]);
    if (std::ranges::find(found, variable) == found.end()) found.push_back(variable);
  }
  return found.size() == 1 ? found[0] : "";
}

std::string variable_in_call(const std::string& function, const emulator::Place& place,
                             std::size_t column) {
  using Key = std::tuple<std::string, std::string, unsigned, std::size_t>;
  static std::mutex mutex;
  static auto& known_calls = *new std::map<Key, std::vector<Call>>();
  static auto& known_names = *new std::map<std::vector<std::uintptr_t>, std::string>();
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known_calls.try_emplace({function, place.file, place.line, column});
  if (is_new) found->second = calls_at(function, place.file, place.line, column);
  const std::vector<Call>& calls = found->second;
  if (calls.size() != 1) return one_of(calls);
  const std::string& expression = calls[0].arguments[0];
  const bool is_address = expression.find('&') != std::string::npos;
  if (is_address && !is_returned(text_of(place.file), place.line, variable_in(expression))) {
    return variable_in(expression);
  }
  // The variable is that of a function which takes memory for others.
  const std::vector<std::uintptr_t> chain = calls_of_program();
  const auto [name, is_new_chain] = known_names.try_emplace(chain);
  if (is_new_chain) {
    name->second =
        name_at_callers({expression, place.file, place.line}, emulator::source_frames_of(chain));
  }
  return name->second.empty() ? variable_in(expression) : name->second;
}

}  // namespace ladder::glassbox
