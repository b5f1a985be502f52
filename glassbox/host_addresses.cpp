// SPDX-License-Identifier: MIT
#include "glassbox/host_addresses.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include "glassbox/code_sides.hpp"

namespace ladder::glassbox {
namespace {

class HostAddresses : private TokenReader {
 public:
  explicit HostAddresses(const std::string& source) : TokenReader(source), sides_(*this) {}

  std::set<std::string> functions_of_device() const {
    std::set<std::string> names;
    std::set<std::string> kernels;
    for (std::size_t i = 0; i < size(); ++i) {
      if (sides_.place(i) != Place::kOutside || !is_any(i, {"__device__", "__global__"})) continue;
      const std::string name = function_declared_around(i);
      if (!name.empty()) (is(i, "__global__") ? kernels : names).insert(name);
    }
    for (const std::string& kernel : kernels)
      names.erase(kernel);
    return names;
  }

  std::vector<Change> changes(const std::set<std::string>& functions) const {
    std::vector<Change> found;
    const std::set<std::string_view> variables = variables_called_like(functions);
    for (std::size_t i = 1; i < size(); ++i) {
      if (!is_name(i) || !functions.contains(std::string(text(i)))) continue;
      if (variables.contains(text(i))) continue;
      if (!is_of_host(i)) continue;
      if (const auto [begin, end] = address_at(i); end != 0) {
        const std::string words = source_.substr(begin, end - begin);
        found.push_back({begin, end, std::string(kTakenOnHost) + "(" + words + ")"});
      }
    }
    return found;
  }

 private:
  /// Names that stand for something else as well: a variable, a parameter or a member.
  std::set<std::string_view> variables_called_like(const std::set<std::string>& functions) const {
    std::set<std::string_view> names;
    for (std::size_t i = 2; i < size(); ++i) {
      if (!is_name(i) || !functions.contains(std::string(text(i)))) continue;
      const bool is_behind_type = is_name(i - 1) && !is_any(i - 1, {"return", "case", "else"});
      const bool is_behind_star =
          is_any(i - 1, {"*", "&", ">"}) && (is_name(i - 2) || is_any(i - 2, {"*", ">"}));
      const bool is_bound = is(i - 1, "[") && is_any(i - 2, {"auto", "&"});
      if (is_bound || ((is_behind_type || is_behind_star) &&
                       is_any(i + 1, {";", "=", "[", "{", ",", ")", ":"}))) {
        names.insert(text(i));
      }
    }
    return names;
  }

  /// In a function of the host alone, or in what a variable of the host begins with.
  bool is_of_host(std::size_t i) const {
    if (sides_.place(i) == Place::kHost)
      return !sides_.on_device(i) && !sides_.bodies()[sides_.body_around(i)].may_be_both;
    return sides_.place(i) == Place::kOutside && is_in_value_of_host(i);
  }

  /// Outside of functions: `Op ops[] = {add, mul};` in no class.
  bool is_in_value_of_host(std::size_t i) const {
    std::size_t k = i;
    while (k > 0 && !is_any(k, {"=", ";", "}", "#"}))
      --k;
    if (!is(k, "=")) return false;
    for (; !is_any(k, {";", "{", "}", "#"}); --k) {
      if (is_any(k, {"__device__", "__constant__", "__managed__", "__global__", "constexpr",
                     "template", "using", "("}) ||
          may_be_macro(k))
        return false;
      if (k == 0) return true;
    }
    return is_in_namespaces(k + 1);
  }

  /// One of this file, or in capitals: it may stand for `__device__`.
  bool may_be_macro(std::size_t i) const {
    if (!is_name(i)) return false;
    const std::string_view word = text(i);
    if (word.size() > 1 &&
        std::ranges::none_of(word, [](unsigned char c) { return std::islower(c); }))
      return true;
    for (std::size_t k = 1; k < size(); ++k) {
      if (is(k, word) && is(k - 1, "define")) return true;
    }
    return false;
  }

  /// Are all the braces around it those of namespaces?
  bool is_in_namespaces(std::size_t i) const {
    while (i-- > 0) {
      if (is(i, "}")) {
        i = partner(i, -1);
        if (i == kNone) return false;
      } else if (is(i, "{")) {
        bool is_namespace = false;
        for (std::size_t k = i; k > 0 && !is_any(k - 1, {";", "{", "}"}); --k)
          is_namespace = is_namespace || is(k - 1, "namespace");
        if (!is_namespace) return false;
      }
    }
    return true;
  }

  /// The name of the function whose declaration has this word; empty of a variable.
  std::string function_declared_around(std::size_t i) const {
    std::size_t k = i;
    while (k > 0 && !is_any(k - 1, {";", "{", "}"}))
      --k;
    for (; k < size() && !is_any(k, {";", "=", "{", "using", "typedef", "operator"}); ++k) {
      if (is_any(k, {"__align__", "alignas", "__attribute__", "__launch_bounds__"}) || is(k, "<")) {
        k = partner(is(k, "<") ? k : k + 1, 1);
        if (k == kNone) return {};
      } else if (is(k, "(")) {
        return is_name(k - 1) ? std::string(text(k - 1)) : std::string();
      }
    }
    return {};
  }

  struct Piece {
    std::size_t begin = 0, end = 0;  ///< in the source; 0: it is none
  };

  /// "square", "&square", "ops::square", "square<float>", where a value may stand.
  Piece address_at(std::size_t i) const {
    std::size_t last = i;
    if (is(i + 1, "<")) last = partner(i + 1, 1);
    constexpr std::string_view kBehindValues = ",);}:]&|=!?";
    if (last == kNone || last + 1 >= size() || is_double_colon(last + 1) ||
        kBehindValues.find(text(last + 1)) == std::string_view::npos) {
      return {};
    }
    std::size_t first = i;
    while (first >= 2 && is_double_colon(first - 2))
      first -= first >= 3 && is_name(first - 3) ? 3 : 2;
    if (first == 0) return {};
    if (is(first - 1, "&") && first >= 2 && is_before_value(first - 2)) --first;
    if (!is_before_value(first - 1) || !is_value(first - 1)) return {};
    return {token(first).begin, token(last).end};
  }

  bool is_within_statement(std::size_t begin, std::size_t end) const {
    for (; begin < end; ++begin) {
      if (is_any(begin, {";", "{", "}", "?", "#"})) return false;
    }
    return true;
  }

  bool is_before_value(std::size_t i) const {
    return is_any(i, {"(", ",", "=", "{", "return", "?", ":", ")", "["});
  }

  bool is_double_colon(std::size_t i) const {
    return is(i, ":") && is(i + 1, ":") && token(i).end == token(i + 1).begin;
  }

  /// Not in an argument of a template or of decltype(), nor where a lambda lists what it takes.
  bool is_value(std::size_t i) const {
    for (; i > 0; --i) {
      if (is_any(i, {"{", "}", ";"})) return true;
      if (is(i, "(")) {
        return !is_any(i - 1,
                       {"decltype", "sizeof", "typeid", "alignof", "noexcept", "__typeof__"});
      }
      if (is_any(i, {"<", "["})) return false;
      if (is_any(i, {">", ")", "]"})) {
        const std::size_t open = partner(i, -1);
        if (!is(i, ">")) {
          if (open == kNone || open == 0) return false;
          i = open;
        } else if (open != kNone && is_within_statement(open, i)) {
          i = open;
        }
      }
    }
    return false;
  }

  CodeSides sides_;
};

}  // namespace

std::set<std::string> functions_of_device(const std::string& source) {
  return HostAddresses(source).functions_of_device();
}

std::vector<Change> addresses_on_host(const std::string& source,
                                      const std::set<std::string>& functions) {
  if (functions.empty()) return {};
  return HostAddresses(source).changes(functions);
}

}  // namespace ladder::glassbox
