// SPDX-License-Identifier: MIT
#include "glassbox/execution_spaces.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {
namespace {

using Kind = SourceErrorKind;

/// A token with its line in the user's file.
struct PlacedToken {
  std::string_view text;
  unsigned file;  ///< index in Preprocessed::files
  unsigned line;
};

/// A whole translation unit.
struct Preprocessed {
  std::vector<std::string> files;
  std::vector<bool> is_own;  ///< of the program, by file
  std::vector<PlacedToken> tokens;
};

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

/// A function of the program.
struct Function {
  bool host = false, device = false, kernel = false;  ///< the words that it has
  bool is_template = false, is_constexpr = false, is_member = false;
  std::size_t head = 0;  ///< its first token
  std::size_t name = 0;
  std::size_t begin = 0, end = 0;  ///< of its body; 0: it is only declared

  bool on_device_alone() const { return (device || kernel) && !host; }
  bool on_host_alone() const { return !device && !kernel; }
};

constexpr std::array<std::string_view, 12> kNoTypes = {"return", "else",   "case",   "goto",
                                                       "throw",  "new",    "delete", "do",
                                                       "if",     "sizeof", "while",  "co_return"};

/// C functions that only the host has, and what of std no kernel can have.
constexpr std::array<std::string_view, 34> kHostFunctions = {
    "rand",   "srand",  "rand_r", "drand48", "random",  "strcmp",  "strncmp", "strcpy", "strncpy",
    "strcat", "strtok", "strchr", "atoi",    "atof",    "sprintf", "fprintf", "puts",   "putchar",
    "fopen",  "fclose", "fread",  "fwrite",  "fflush",  "exit",    "abort",   "getenv", "time",
    "usleep", "sleep",  "calloc", "realloc", "memmove", "memcmp",  "qsort"};
constexpr std::array<std::string_view, 14> kHostFunctionsOfStd = {
    "sort",        "stable_sort", "accumulate", "fill",    "copy", "transform", "reverse",
    "partial_sum", "iota",        "to_string",  "getline", "stoi", "shuffle",   "nth_element"};
constexpr std::array<std::string_view, 14> kHostTypesOfStd = {
    "vector", "string", "map",    "set",        "list",       "deque",         "unordered_map",
    "queue",  "stack",  "thread", "shared_ptr", "unique_ptr", "unordered_set", "ostringstream"};
constexpr std::array<std::string_view, 4> kHostVariablesOfStd = {"cout", "cerr", "cin", "clog"};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

class Reader {
 public:
  explicit Reader(Preprocessed all) : all_(std::move(all)) {}

  Objections objections() {
    read_declarations();
    for (const auto& [name, functions] : functions_) {
      for (const Function& function : functions)
        look_at(function);
    }
    std::ranges::sort(found_.errors, [](const SourceError& a, const SourceError& b) {
      return std::pair(a.place.file, a.place.line) < std::pair(b.place.file, b.place.line);
    });
    return found_;
  }

 private:
  enum class Scope { kNamespace, kExternC, kClass, kOther };

  std::size_t size() const { return all_.tokens.size(); }
  std::string_view word(std::size_t i) const { return i < size() ? all_.tokens[i].text : ""; }
  bool is_name(std::size_t i) const {
    const std::string_view text = word(i);
    return !text.empty() &&
           (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  }
  bool is_own(std::size_t i) const { return all_.is_own[all_.tokens[i].file]; }

  /// Of the bracket at `i`; the last token if it is never closed.
  std::size_t partner(std::size_t i) const {
    int depth = 0;
    for (; i < size(); ++i) {
      const std::string_view text = word(i);
      if (text == "(" || text == "{" || text == "[") ++depth;
      if ((text == ")" || text == "}" || text == "]") && --depth == 0) return i;
    }
    return size();
  }

  // -- Declarations
  // --------------------------------------------------------------------------------

  /// Namespaces and classes, one declaration after the other.
  void read_declarations() {
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

  Scope scope_of(std::size_t head, std::size_t open) const {
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

  /// Of "<" at i: the ">" that ends it.
  std::size_t end_of_angles(std::size_t i) const {
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
  void declare(std::size_t head, std::size_t end, bool is_member, std::size_t close) {
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
                 text == "static_assert" || text == "class" || text == "struct" ||
                 text == "union" || text == "concept" || text == "namespace") {
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
  void add_foreign(std::size_t name, bool is_member) {
    if (is_member) return;
    (namespaces_ == 0 ? foreign_ : foreign_in_namespaces_).insert(word(name));
  }

  bool is_foreign(std::string_view name) const {
    return foreign_.contains(name) || (uses_namespaces_ && foreign_in_namespaces_.contains(name));
  }

  // -- Bodies
  // --------------------------------------------------------------------------------------

  void look_at(const Function& function) {
    if (function.is_template || function.is_member) return;
    if (function.kernel && (function.device || function.host)) {
      return add(Kind::kNvccRefuses, function.name, "illegal combination of memory qualifiers");
    }
    if (function.kernel) look_at_type(function);
    if (function.begin == 0 || function.is_constexpr) return;
    const bool both = function.host && function.device;
    if (both) return;
    const std::set<std::string_view> locals = locals_of(function);
    for (std::size_t i = function.begin; i < function.end; ++i) {
      const std::string_view text = word(i);
      // What evaluates nothing, and what has rules of its own.
      if (text == "sizeof" || text == "decltype" || text == "noexcept" || text == "typeid" ||
          text == "alignof") {
        if (word(i + 1) == "(") i = partner(i + 1);
      } else if (text == "using" || text == "asm" || text == "__asm__") {
        while (i < function.end && word(i) != ";")
          ++i;
      } else if (text == "struct" || text == "class" || text == "union" || text == "enum") {
        while (i < function.end && word(i) != ";" && word(i) != "{" && word(i) != "(")
          ++i;
        if (word(i) == "{") i = partner(i);
      } else if (text == "std" && word(i + 1) == ":" && word(i + 2) == ":") {
        if (function.on_device_alone()) look_at_std(i, i + 3);
        i += 3;
      } else if ((text == "throw" || text == "try") && function.on_device_alone()) {
        add(Kind::kNvccRefuses, i, "device code does not support exception handling");
      } else if (is_name(i) && !is_qualified(i) && !locals.contains(text)) {
        look_at_name(function, i);
      }
    }
  }

  /// "a.x", "a->x", "A::x", and "x::a"
  bool is_qualified(std::size_t i) const {
    const std::string_view before = word(i - 1);
    if (before == "." || before == ":") return true;
    if (before == ">" && word(i - 2) == "-") return true;
    return word(i + 1) == ":" && word(i + 2) == ":";
  }

  void look_at_name(const Function& function, std::size_t i) {
    const std::string_view name = word(i);
    const bool is_call = word(i + 1) == "(";
    const auto known = functions_.find(name);
    const bool has_one_meaning = !is_foreign(name) && !other_names_.contains(name);
    if (function.on_device_alone()) {
      if (is_call && known != functions_.end()) {
        const auto is_hosts = [](const Function& other) {
          return other.on_host_alone() && !other.is_constexpr && !other.is_template &&
                 !other.is_member;
        };
        if (has_one_meaning && !variables_.contains(name) &&
            std::ranges::all_of(known->second, is_hosts)) {
          add(Kind::kHostCall, i);
        }
      } else if (is_call && has(kHostFunctions, name) && !other_names_.contains(name) &&
                 !variables_.contains(name)) {
        add(Kind::kHostCall, i);
      } else if (!is_call && variables_.contains(name) && has_one_meaning &&
                 known == functions_.end()) {
        add(Kind::kHostVariable, i);
      }
    } else if (function.on_host_alone() && is_call && known != functions_.end()) {
      const auto is_devices = [](const Function& other) {
        return other.device && !other.host && !other.kernel && !other.is_constexpr &&
               !other.is_member;
      };
      if (!has_one_meaning || variables_.contains(name)) return;
      if (std::ranges::all_of(known->second, is_devices)) add(Kind::kDeviceCall, i);
      // A launch was rewritten, and calls the kernel with arguments of its own.
      const bool is_launch = word(i + 2) == ":" && word(i + 4) == "ladder";
      if (!is_launch && std::ranges::all_of(known->second, &Function::kernel)) {
        add(Kind::kNvccRefuses, i, "a __global__ function call must be configured");
      }
    }
  }

  /// std::NAME, the name at `i`
  void look_at_std(std::size_t std_at, std::size_t i) {
    const std::string_view name = word(i);
    if (word(std_at - 1) == ":") return;  // cuda::std
    if ((has(kHostFunctionsOfStd, name) || has(kHostFunctions, name)) &&
        (word(i + 1) == "(" || word(i + 1) == "<")) {
      return add(Kind::kHostCall, i, "std::" + std::string(name));
    }
    if (has(kHostVariablesOfStd, name)) {
      return add(Kind::kHostVariable, i, "std::" + std::string(name));
    }
    if (!has(kHostTypesOfStd, name)) return;
    // An object of it, or one without a name: not a pointer to one or a reference.
    const std::size_t behind = word(i + 1) == "<" ? end_of_angles(i + 1) + 1 : i + 1;
    if (is_name(behind) || word(behind) == "(" || word(behind) == "{") {
      add(Kind::kHostCall, i, "std::" + std::string(name));
    }
  }

  /// "__global__ int"; what a macro or a typedef says is left alone.
  void look_at_type(const Function& kernel) {
    constexpr std::array<std::string_view, 8> kTypes = {"int",  "float",    "double", "bool",
                                                        "char", "unsigned", "long",   "short"};
    for (std::size_t i = kernel.head; i < kernel.name; ++i) {
      if (word(i) == "__attribute__" || word(i) == "alignas") {
        i = partner(i + 1);
      } else if (has(kTypes, word(i))) {
        return add(Kind::kKernelReturns, kernel.name, "");
      }
    }
  }

  /// \brief Names that a function's parameters and statements declare. A word is taken for one
  ///        where nothing but a type stands between it and the start of its statement.
  std::set<std::string_view> locals_of(const Function& function) const {
    std::set<std::string_view> names;
    std::size_t start = function.name + 2;
    bool is_type = true;       // so far
    bool has_type = false;     // a word came
    bool is_declared = false;  // one name was declared in this statement
    int depth = 0;
    for (std::size_t i = start; i < function.end; ++i) {
      const std::string_view text = word(i);
      if (text == ";" || text == "{" || text == "}" || text == "(" || text == ")") {
        if (text == "(" && is_type && has_type && is_name(i - 1) && is_name(i - 2) &&
            !has(kNoTypes, word(i - 2))) {
          names.insert(word(i - 1));  // Type name(...)
          is_declared = true;
        }
        if (text == "(") ++depth;
        if (text == ")") --depth;
        if (text == ";") is_declared = false;
        is_type = true;
        has_type = false;
      } else if (text == ",") {
        // The next parameter, or the next name of "int a = 1, b"
        if (is_declared && is_name(i + 1)) names.insert(word(i + 1));
        if (is_declared && (word(i + 1) == "*" || word(i + 1) == "&")) names.insert(word(i + 2));
        is_type = true;
        has_type = false;
      } else if (text == "[" && word(i - 1) == "auto") {
        for (; i < function.end && word(i) != "]"; ++i)
          if (is_name(i)) names.insert(word(i));
      } else if (text == "[" && is_type && has_type && is_name(i - 1) &&
                 (is_name(i - 2) || word(i - 2) == "*" || word(i - 2) == ">")) {
        names.insert(word(i - 1));
        is_declared = true;
        is_type = false;
      } else if (text == "<" && is_type && has_type) {
        const std::size_t close = end_of_angles(i);
        if (word(close) == ">") i = close;
      } else if (is_name(i) && !has(kNoTypes, text)) {
        if (is_type && has_type) {
          const std::string_view next = word(i + 1);
          const bool ends = next == "=" || next == ";" || next == "," || next == ")" ||
                            next == "[" || next == "{" || next == ":";
          if (ends && word(i + 2) != ":") {
            names.insert(text);
            is_declared = true;
            if (next == "=" || next == "{") is_type = false;
          }
        }
        has_type = true;
      } else if (text != "*" && text != "&" && text != ":") {
        is_type = false;
      }
    }
    return names;
  }

  void add(Kind kind, std::size_t i, std::string name = {}) {
    if (name.empty() && kind != Kind::kKernelReturns) name = word(i);
    const PlacedToken& token = all_.tokens[i];
    const emulator::Place place = {all_.files[token.file], token.line};
    for (const SourceError& known : found_.errors) {
      if (known.kind == kind && known.place == place &&
          (kind == Kind::kNvccRefuses || known.fields.word("name") == name))
        return;
    }
    const char* const field = kind == Kind::kNvccRefuses ? "text" : "name";
    found_.errors.push_back({.kind = kind, .place = place, .fields = {{field, name}}});
  }

  Preprocessed all_;
  std::map<std::string_view, std::vector<Function>> functions_;
  std::set<std::string_view> variables_;    ///< of the host
  std::set<std::string_view> other_names_;  ///< types, constants, members, variables of the device
  std::set<std::string_view> foreign_;      ///< of the system's headers and of ours
  std::set<std::string_view> foreign_in_namespaces_;
  bool uses_namespaces_ = false;  ///< by `using namespace`
  int namespaces_ = 0;            ///< around the declaration that is read
  Objections found_;
};

}  // namespace

Objections objections_of_sides(const std::string& preprocessed) {
  return Reader(read(preprocessed)).objections();
}

}  // namespace ladder::glassbox
