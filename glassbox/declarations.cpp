// SPDX-License-Identifier: MIT
#include "glassbox/declarations.hpp"

#include <algorithm>
#include <cctype>

#include "glassbox/front_end_output.hpp"
#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {
namespace {

/// Tokens of one piece, which is all of one file; `line` is that of its first character.
void add_tokens(Preprocessed& all, std::string_view piece, unsigned file, unsigned line) {
  std::size_t at = 0;
  for (const Token& token : tokens_of(std::string(piece))) {
    line += static_cast<unsigned>(
        std::count(piece.begin() + static_cast<std::ptrdiff_t>(at),
                   piece.begin() + static_cast<std::ptrdiff_t>(token.begin), '\n'));
    at = token.begin;
    all.tokens.push_back({piece.substr(token.begin, token.end - token.begin), file, line});
  }
}

/// "# 12 "/home/me/my.cu" 2" begins line 12 of that file.
Preprocessed read(const std::string& text) {
  Preprocessed all;
  std::map<std::string, unsigned, std::less<>> numbers;
  std::size_t begin = 0;
  unsigned file = 0, line = 1;
  const auto file_of = [&](std::string_view name) {
    const auto [known, is_new] =
        numbers.try_emplace(std::string(name), static_cast<unsigned>(all.files.size()));
    if (is_new) {
      all.files.emplace_back(name);
      all.is_own.push_back(!name.starts_with("/usr/") && !name.starts_with("<") &&
                           !is_header_of_ours(name));
    }
    return known->second;
  };
  file = file_of("<none>");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text[at] == '#' && at + 2 < end && std::isdigit(static_cast<unsigned char>(text[at + 2]))) {
      add_tokens(all, std::string_view(text).substr(begin, at - begin), file, line);
      const std::size_t open = text.find('"', at);
      const std::size_t close = open < end ? text.find('"', open + 1) : end;
      line = static_cast<unsigned>(std::stoul(text.substr(at + 2, end - at - 2)));
      if (close < end) file = file_of(std::string_view(text).substr(open + 1, close - open - 1));
      begin = std::min(end + 1, text.size());
    }
    at = end + 1;
  }
  add_tokens(all, std::string_view(text).substr(begin), file, line);
  return all;
}

}  // namespace

Declarations::Declarations(const std::string& preprocessed) : all_(read(preprocessed)) {
  read_declarations();
}

bool Declarations::is_name(std::size_t i) const {
  const std::string_view text = word(i);
  return !text.empty() &&
         (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
}

std::size_t Declarations::partner(std::size_t i) const {
  int depth = 0;
  for (; i < size(); ++i) {
    const std::string_view text = word(i);
    if (text == "(" || text == "{" || text == "[") ++depth;
    if ((text == ")" || text == "}" || text == "]") && --depth == 0) return i;
  }
  return size();
}

/// Namespaces and classes, one declaration after the other.
void Declarations::read_declarations() {
  std::vector<Scope> scopes;
  std::size_t head = 0;
  const auto in_class = [&] { return !scopes.empty() && scopes.back() == Scope::kClass; };
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view text = word(i);
    if (text == "(" || text == "[") {
      i = partner(i);
    } else if (text == ";") {
      declare(head, i, in_class(), 0);
      head = i + 1;
    } else if (text == "}") {
      if (!scopes.empty()) {
        if (scopes.back() == Scope::kNamespace) --namespaces_;
        scopes.pop_back();
      }
      head = i + 1;
    } else if (text == "{") {
      const Scope scope = scope_of(head, i);
      if (scope == Scope::kOther) {
        const std::size_t close = partner(i);
        declare(head, i, in_class(), close);
        i = close;
        // A variable goes on to its semicolon; a function has ended.
        if (word(i + 1) != ";" && word(i + 1) != ",") head = i + 1;
      } else {
        scopes.push_back(scope);
        if (scope == Scope::kNamespace) ++namespaces_;
        head = i + 1;
      }
    }
  }
}

Declarations::Scope Declarations::scope_of(std::size_t head, std::size_t open) const {
  bool has_parameters = false, is_class = false, is_namespace = false, is_extern = false;
  for (std::size_t i = head; i < open; ++i) {
    const std::string_view text = word(i);
    if (text == "__attribute__" || text == "alignas" || text == "__declspec") {
      i = partner(i + 1);
    } else if (text == "template" && word(i + 1) == "<") {
      i = end_of_angles(i + 1);
    } else if (text == "(" || text == "=") {
      has_parameters = true;
    } else if (text == "class" || text == "struct" || text == "union") {
      is_class = true;
    } else if (text == "namespace") {
      is_namespace = true;
    } else if (text == "extern" && word(i + 1).starts_with("\"")) {
      is_extern = true;
    }
  }
  if (has_parameters) return Scope::kOther;
  return is_class       ? Scope::kClass
         : is_namespace ? Scope::kNamespace
         : is_extern    ? Scope::kExternC
                        : Scope::kOther;
}

std::size_t Declarations::end_of_angles(std::size_t i) const {
  int depth = 0;
  for (; i < size(); ++i) {
    if (word(i) == "(" || word(i) == "{") i = partner(i);
    if (word(i) == "<") ++depth;
    if (word(i) == ">" && --depth == 0) return i;
    if (word(i) == ";") return i;
  }
  return i;
}

/// A function or a variable, with the tokens [head, end) and perhaps a body from `end` to
/// `close`.
void Declarations::declare(std::size_t head, std::size_t end, bool is_member, std::size_t close) {
  Function function;
  function.head = head;
  function.is_member = is_member;
  std::size_t name = 0;
  std::size_t open = 0;
  bool is_type = false, is_constant = false, is_marked = false;
  for (std::size_t i = head; i < end; ++i) {
    const std::string_view text = word(i);
    if (text == "__attribute__") {
      const std::size_t stop = partner(i + 1);
      for (std::size_t k = i; k < stop; ++k) {
        function.host = function.host || word(k) == "ladder_host";
        function.device = function.device || word(k) == "ladder_device";
        function.kernel = function.kernel || word(k) == "ladder_global";
        is_marked = is_marked || word(k).starts_with("ladder_");
      }
      i = stop;
    } else if (text == "alignas" || text == "decltype" || text == "noexcept") {
      if (word(i + 1) == "(") i = partner(i + 1);
    } else if (text == "template") {
      function.is_template = true;
      if (word(i + 1) == "<") i = end_of_angles(i + 1);
    } else if (text == "[") {
      i = partner(i);
    } else if (text == "using" || text == "typedef" || text == "friend" || text == "enum" ||
               text == "static_assert" || text == "class" || text == "struct" || text == "union" ||
               text == "concept" || text == "namespace") {
      is_type = true;
      if ((text == "using" || text == "typedef") && is_own(i)) {
        other_names_.insert(word(end - 1));
        uses_namespaces_ = uses_namespaces_ || word(i + 1) == "namespace";
      }
    } else if (text == "constexpr" || text == "consteval" || text == "const") {
      is_constant = true;
      function.is_constexpr = function.is_constexpr || text != "const";
    } else if (text == "thread_local") {
      is_marked = true;
    } else if (text == "operator") {
      return;
    } else if (text == "=" || text == "{") {
      break;
    } else if (text == "(" && open == 0) {
      open = i;
      name = i - 1;
      i = partner(i);
    } else if (text == "<" && open == 0) {
      i = end_of_angles(i);
    } else if (is_name(i) && open == 0) {
      name = i;
    }
  }
  if (name <= head && open == 0) return;
  if (open != 0 && is_name(name)) {
    if (!is_own(name)) return add_foreign(name, is_member);
    function.name = name;
    if (close != 0) {
      function.begin = end;
      function.end = close;
    }
    // Type(Type) at a constructor: it is no function of its name alone.
    function.is_member = is_member || word(name - 1) == ":" || word(name - 1) == "~";
    functions_[word(name)].push_back(function);
  } else if (open == 0 && is_name(name) && name > head) {
    if (!is_own(name)) {
      add_foreign(name, is_member);
    } else if (is_type || is_constant || is_marked || is_member || function.is_template) {
      other_names_.insert(word(name));
    } else {
      variables_.insert(word(name));
    }
  }
}

/// Of a header that is not the program's.
void Declarations::add_foreign(std::size_t name, bool is_member) {
  if (is_member) return;
  (namespaces_ == 0 ? foreign_ : foreign_in_namespaces_).insert(word(name));
}

bool Declarations::is_foreign(std::string_view name) const {
  return foreign_.contains(name) || (uses_namespaces_ && foreign_in_namespaces_.contains(name));
}

}  // namespace ladder::glassbox
