// SPDX-License-Identifier: MIT
#include "glassbox/execution_spaces.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "glassbox/declarations.hpp"

namespace ladder::glassbox {
namespace {

using Kind = SourceErrorKind;

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

/// Looks at the bodies of functions.
class Reader {
 public:
  explicit Reader(const std::string& preprocessed) : all_(preprocessed) {}

  Objections objections() {
    for (const auto& [name, functions] : all_.functions()) {
      for (const Function& function : functions)
        look_at(function);
    }
    std::ranges::sort(found_.errors, [](const SourceError& a, const SourceError& b) {
      return std::pair(a.place.file, a.place.line) < std::pair(b.place.file, b.place.line);
    });
    return found_;
  }

 private:
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
      const std::string_view text = all_.word(i);
      // What evaluates nothing, and what has rules of its own.
      if (text == "sizeof" || text == "decltype" || text == "noexcept" || text == "typeid" ||
          text == "alignof") {
        if (all_.word(i + 1) == "(") i = all_.partner(i + 1);
      } else if (text == "using" || text == "asm" || text == "__asm__") {
        while (i < function.end && all_.word(i) != ";")
          ++i;
      } else if (text == "struct" || text == "class" || text == "union" || text == "enum") {
        while (i < function.end && all_.word(i) != ";" && all_.word(i) != "{" &&
               all_.word(i) != "(")
          ++i;
        if (all_.word(i) == "{") i = all_.partner(i);
      } else if (text == "[") {
        i = end_of_device_lambda(i);
      } else if (text == "std" && all_.word(i + 1) == ":" && all_.word(i + 2) == ":") {
        if (function.on_device_alone()) look_at_std(i, i + 3);
        i += 3;
      } else if ((text == "throw" || text == "try") && function.on_device_alone()) {
        add(Kind::kNvccRefuses, i, "device code does not support exception handling");
      } else if (all_.is_name(i) && !is_qualified(i) && !locals.contains(text)) {
        look_at_name(function, i);
      }
    }
  }

  /// Of `[=] __device__(int i) {`; the bracket itself if it begins something else.
  std::size_t end_of_device_lambda(std::size_t bracket) const {
    std::size_t i = all_.partner(bracket) + 1;
    bool is_of_device = false;
    for (; all_.word(i) == "__attribute__"; i = all_.partner(i + 1) + 1) {
      for (std::size_t k = i; k < all_.partner(i + 1); ++k)
        is_of_device = is_of_device || all_.word(k) == "ladder_device";
    }
    if (!is_of_device) return bracket;
    while (i < all_.size() && all_.word(i) != "{" && all_.word(i) != ";")
      i = all_.word(i) == "(" ? all_.partner(i) + 1 : i + 1;
    return all_.word(i) == "{" ? all_.partner(i) : bracket;
  }

  /// "a.x", "a->x", "A::x", and "x::a"
  bool is_qualified(std::size_t i) const {
    const std::string_view before = all_.word(i - 1);
    if (before == "." || before == ":") return true;
    if (before == ">" && all_.word(i - 2) == "-") return true;
    return all_.word(i + 1) == ":" && all_.word(i + 2) == ":";
  }

  void look_at_name(const Function& function, std::size_t i) {
    const std::string_view name = all_.word(i);
    const bool is_call = all_.word(i + 1) == "(";
    const auto known = all_.functions().find(name);
    const bool has_one_meaning = !all_.is_foreign(name) && !all_.is_other_name(name);
    if (function.on_device_alone()) {
      if (is_call && known != all_.functions().end()) {
        const auto is_hosts = [](const Function& other) {
          return other.on_host_alone() && !other.is_constexpr && !other.is_template &&
                 !other.is_member;
        };
        if (has_one_meaning && !all_.is_host_variable(name) &&
            std::ranges::all_of(known->second, is_hosts)) {
          add(Kind::kHostCall, i);
        }
      } else if (is_call && has(kHostFunctions, name) && !all_.is_other_name(name) &&
                 !all_.is_host_variable(name)) {
        add(Kind::kHostCall, i);
      } else if (!is_call && all_.is_host_variable(name) && has_one_meaning &&
                 known == all_.functions().end()) {
        add(Kind::kHostVariable, i);
      }
    } else if (function.on_host_alone() && is_call && known != all_.functions().end()) {
      const auto is_devices = [](const Function& other) {
        return other.device && !other.host && !other.kernel && !other.is_constexpr &&
               !other.is_member;
      };
      if (!has_one_meaning || all_.is_host_variable(name)) return;
      if (std::ranges::all_of(known->second, is_devices)) add(Kind::kDeviceCall, i);
      // A launch was rewritten, and calls the kernel with arguments of its own.
      const bool is_launch = all_.word(i + 2) == ":" && all_.word(i + 4) == "ladder";
      if (!is_launch && std::ranges::all_of(known->second, &Function::kernel)) {
        add(Kind::kNvccRefuses, i, "a __global__ function call must be configured");
      }
    }
  }

  /// std::NAME, the name at `i`
  void look_at_std(std::size_t std_at, std::size_t i) {
    const std::string_view name = all_.word(i);
    if (all_.word(std_at - 1) == ":") return;  // cuda::std
    if ((has(kHostFunctionsOfStd, name) || has(kHostFunctions, name)) &&
        (all_.word(i + 1) == "(" || all_.word(i + 1) == "<")) {
      return add(Kind::kHostCall, i, "std::" + std::string(name));
    }
    if (has(kHostVariablesOfStd, name)) {
      return add(Kind::kHostVariable, i, "std::" + std::string(name));
    }
    if (!has(kHostTypesOfStd, name)) return;
    // An object of it, or one without a name: not a pointer to one or a reference.
    const std::size_t behind = all_.word(i + 1) == "<" ? all_.end_of_angles(i + 1) + 1 : i + 1;
    if (all_.is_name(behind) || all_.word(behind) == "(" || all_.word(behind) == "{") {
      add(Kind::kHostCall, i, "std::" + std::string(name));
    }
  }

  /// "__global__ int"; what a macro or a typedef says is left alone.
  void look_at_type(const Function& kernel) {
    constexpr std::array<std::string_view, 8> kTypes = {"int",  "float",    "double", "bool",
                                                        "char", "unsigned", "long",   "short"};
    for (std::size_t i = kernel.head; i < kernel.name; ++i) {
      if (all_.word(i) == "__attribute__" || all_.word(i) == "alignas") {
        i = all_.partner(i + 1);
      } else if (has(kTypes, all_.word(i))) {
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
    for (std::size_t i = start; i < function.end; ++i) {
      const std::string_view text = all_.word(i);
      if (text == ";" || text == "{" || text == "}" || text == "(" || text == ")") {
        if (text == "(" && is_type && has_type && all_.is_name(i - 1) && all_.is_name(i - 2) &&
            !has(kNoTypes, all_.word(i - 2))) {
          names.insert(all_.word(i - 1));  // Type name(...)
          is_declared = true;
        }
        if (text == ";") is_declared = false;
        is_type = true;
        has_type = false;
      } else if (text == ",") {
        // The next parameter, or the next name of "int a = 1, b"
        if (is_declared && all_.is_name(i + 1)) names.insert(all_.word(i + 1));
        if (is_declared && (all_.word(i + 1) == "*" || all_.word(i + 1) == "&"))
          names.insert(all_.word(i + 2));
        is_type = true;
        has_type = false;
      } else if (text == "[" && all_.word(i - 1) == "auto") {
        for (; i < function.end && all_.word(i) != "]"; ++i)
          if (all_.is_name(i)) names.insert(all_.word(i));
      } else if (text == "[" && is_type && has_type && all_.is_name(i - 1) &&
                 (all_.is_name(i - 2) || all_.word(i - 2) == "*" || all_.word(i - 2) == ">")) {
        names.insert(all_.word(i - 1));
        is_declared = true;
        is_type = false;
      } else if (text == "<" && is_type && has_type) {
        const std::size_t close = all_.end_of_angles(i);
        if (all_.word(close) == ">") i = close;
      } else if (all_.is_name(i) && !has(kNoTypes, text)) {
        if (is_type && has_type) {
          const std::string_view next = all_.word(i + 1);
          const bool ends = next == "=" || next == ";" || next == "," || next == ")" ||
                            next == "[" || next == "{" || next == ":";
          if (ends && all_.word(i + 2) != ":") {
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
    if (name.empty() && kind != Kind::kKernelReturns) name = all_.word(i);
    const emulator::Place place = all_.place_of(i);
    for (const SourceError& known : found_.errors) {
      if (known.kind == kind && known.place == place &&
          (kind == Kind::kNvccRefuses || known.fields.word("name") == name))
        return;
    }
    const char* const field = kind == Kind::kNvccRefuses ? "text" : "name";
    found_.errors.push_back({.kind = kind, .place = place, .fields = {{field, name}}});
  }

  const Declarations all_;
  Objections found_;
};

}  // namespace

Objections objections_of_sides(const std::string& preprocessed) {
  return Reader(preprocessed).objections();
}

}  // namespace ladder::glassbox
