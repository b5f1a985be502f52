// SPDX-License-Identifier: MIT
#include "glassbox/launch_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "glassbox/code_sides.hpp"

namespace ladder::glassbox {
namespace {

class LaunchChecks : private TokenReader {
 public:
  explicit LaunchChecks(const std::string& source) : TokenReader(source), sides_(*this) {}

  std::vector<Change> changes() {
    for (std::size_t i = 0; i < size();) {
      if (is(i, "#")) {
        read_directive(i);
        i = end_of_directive(i);
      } else {
        if (const Bounds bounds = bounds_at(i); bounds.end != kNone) check(bounds);
        ++i;
      }
    }
    return changes_;
  }

 private:
  /// The tokens between the parentheses of `__launch_bounds__`, and the last of it all.
  struct Bounds {
    std::size_t first = 0, close = 0;
    std::size_t end = kNone;  ///< of the words in front of the kernel
  };

  /// `#define BOUNDS __launch_bounds__(256, 2)`
  void read_directive(std::size_t i) {
    const std::size_t end = end_of_directive(i);
    for (std::size_t k = i; k < end; ++k) {
      if (is(k, "__CUDA_ARCH__")) asks_for_architecture_ = true;
    }
    if (!is(i + 1, "define") || !is_name(i + 2)) return;
    macros_.erase(text(i + 2));
    if (i + 3 < end && is(i + 3, "(") && token(i + 3).begin == token(i + 2).end) return;
    for (std::size_t k = i + 3; k < end; ++k) {
      if (const Bounds bounds = bounds_at(k); bounds.end != kNone && bounds.end < end)
        macros_[text(i + 2)] = bounds;
    }
  }

  Bounds bounds_at(std::size_t i) const {
    if (const auto macro = macros_.find(text(i)); macro != macros_.end())
      return {.first = macro->second.first, .close = macro->second.close, .end = i};
    if (!is(i, "__launch_bounds__") || !is(i + 1, "(")) return {};
    const std::size_t close = partner(i + 1, 1);
    return {.first = i + 2, .close = close, .end = close};
  }

  /// The parenthesis that opens the parameters of the function whose head goes on at `i`.
  std::size_t parameters_of(std::size_t i) const {
    for (; i < size(); ++i) {
      if (is_any(i, {"{", "}", ";", "#", "="})) return kNone;
      if (!is(i, "(")) continue;
      if (!text(i - 1).starts_with("__")) return i;
      i = partner(i, 1);  // __cluster_dims__(2), __attribute__((...))
      if (i == kNone) return kNone;
    }
    return kNone;
  }

  /// Names that mean the same for nvcc's device side, in front of the kernel, as here in its body.
  bool is_known(const Bounds& bounds, std::size_t parameters, std::size_t end) const {
    for (std::size_t k = bounds.first; k < bounds.close; ++k) {
      if (!is_name(k)) continue;
      if (asks_for_architecture_ || !is_declared(text(k))) return false;
      for (std::size_t p = parameters; p < end; ++p)
        if (is(p, text(k))) return false;
    }
    return true;
  }

  /// In this file: as a macro, as a constant, or as an argument of a template.
  bool is_declared(std::string_view name) const {
    for (std::size_t k = 1; k < size(); ++k) {
      if (is(k, name) && is_name(k - 1) && (is(k - 1, "define") || is_any(k + 1, {"=", ",", ">"})))
        return true;
    }
    return false;
  }

  void check(const Bounds& bounds) {
    const std::size_t open = parameters_of(bounds.end + 1);
    const std::size_t close = open == kNone ? kNone : partner(open, 1);
    if (close == kNone || !is(close + 1, "{") || bounds.first == bounds.close) return;
    const auto body = std::ranges::find_if(
        sides_.bodies(), [&](const FunctionBody& one) { return one.open == close + 1; });
    if (body == sides_.bodies().end() || body->place != Place::kDevice) return;
    if (!is_known(bounds, open, close)) return;
    std::string words = source_.substr(token(bounds.first).begin,
                                       token(bounds.close).begin - token(bounds.first).begin);
    std::ranges::replace(words, '\n', ' ');
    std::ranges::replace(words, '\\', ' ');
    changes_.push_back({token(body->open).end, token(body->open).end,
                        " ::ladder::glassbox::require_launch_bounds(" + words + ");"});
  }

  CodeSides sides_;
  std::map<std::string_view, Bounds> macros_;
  bool asks_for_architecture_ = false;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> checks_of_launches(const std::string& source) {
  return LaunchChecks(source).changes();
}

}  // namespace ladder::glassbox
