// SPDX-License-Identifier: MIT
#include "glassbox/code_sides.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <vector>

namespace ladder::glassbox {
namespace {

/// HD, CUDA_CALLABLE: what is called like that may be a macro.
bool may_be_macro(std::string_view word) {
  return word.size() > 1 &&
         std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c) != 0; }) &&
         std::ranges::none_of(word, [](unsigned char c) { return std::islower(c) != 0; });
}

}  // namespace

/// Goes through a source once.
class SideReader {
 public:
  SideReader(const TokenReader& source, CodeSides& sides) : source_(source), sides_(sides) {}

  void read() {
    for (std::size_t i = 0; i < source_.size();) {
      const std::size_t end = source_.is(i, "#") ? directive(i) : word(i);
      for (; i < end; ++i)
        sides_.sides_.push_back(scopes_.back().side);
    }
  }

 private:
  /// What stands in front of a brace, since the last brace or semicolon.
  struct Head {
    bool global = false, device = false, host = false;
    bool unknown = false;   ///< perhaps one of these
    bool function = false;  ///< there are parentheses
    bool type = false;
    bool constant = false;
  };
  struct Scope {
    CodeSides::Side side = {};
    bool is_body = false;
    Head head = {};
    std::size_t conditions = 0;  ///< `#if` that were open
  };

  bool is(std::size_t i, std::string_view wanted) const { return source_.is(i, wanted); }

  /// \return the token behind it
  std::size_t directive(std::size_t i) {
    const std::size_t end = source_.end_of_directive(i);
    if (source_.is_any(i + 1, {"if", "ifdef", "ifndef"})) conditions_.push_back(scopes_);
    if (source_.is_any(i + 1, {"else", "elif"}) && !conditions_.empty())
      scopes_ = conditions_.back();
    if (is(i + 1, "endif") && !conditions_.empty()) conditions_.pop_back();
    if (is(i + 1, "define")) {
      Head& macro = macros_.try_emplace(source_.text(i + 2)).first->second;
      for (std::size_t k = i + 3; k < end; ++k)
        add_space(macro, k);
    }
    return end;
  }

  void add_space(Head& head, std::size_t i) const {
    head.global = head.global || is(i, "__global__");
    head.device = head.device || is(i, "__device__");
    head.host = head.host || is(i, "__host__");
    const auto macro = macros_.find(source_.text(i));
    if (macro != macros_.end()) {
      head.global = head.global || macro->second.global;
      head.device = head.device || macro->second.device;
      head.host = head.host || macro->second.host;
    } else if (source_.is_name(i) && may_be_macro(source_.text(i))) {
      head.unknown = true;
    }
  }

  /// \return the token behind it
  std::size_t word(std::size_t i) {
    add_space(head_, i);
    if (is(i, "template") && is(i + 1, "<")) {
      const std::size_t close = source_.partner(i + 1, 1);
      return close == TokenReader::kNone ? i + 1 : close + 1;
    }
    head_.function = head_.function || is(i, "(");
    head_.type = head_.type ||
                 (!head_.function && source_.is_any(i, {"class", "struct", "namespace", "enum"}));
    head_.constant = head_.constant || source_.is_any(i, {"constexpr", "consteval"});
    if (is(i, "{")) {
      open(i);
    } else if (is(i, "}") && scopes_.size() > 1) {
      close(i);
    } else if (source_.is_any(i, {"}", ";"})) {
      head_ = {};
    }
    return i + 1;
  }

  /// "struct S {", but not "struct S make(int n) {"
  bool opens_type(std::size_t i) const {
    return head_.type && !source_.is_any(i - 1, {")", "const", "noexcept"});
  }

  void open(std::size_t i) {
    const bool for_device = head_.global || (head_.device && !head_.host);
    const Place around = scopes_.back().side.place;
    const bool begins = around == Place::kOutside
                            ? head_.function && !opens_type(i)
                            : around == Place::kHost && head_.function && head_.device;  // a lambda
    Scope scope = {.side = scopes_.back().side,
                   .is_body = begins,
                   .head = head_,
                   .conditions = conditions_.size()};
    if (begins) {
      scope.side = {.place = for_device ? Place::kDevice : Place::kHost,
                    .on_device = head_.global || head_.device,
                    .body = sides_.bodies_.size()};
      sides_.bodies_.push_back({.open = i,
                                .place = scope.side.place,
                                .on_device = scope.side.on_device,
                                .may_be_both = head_.unknown && !head_.device,
                                .is_constant = head_.constant});
    }
    scopes_.push_back(scope);
    head_ = {};
  }

  void close(std::size_t i) {
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    head_ = {};
    if (!scope.is_body) return;
    FunctionBody& body = sides_.bodies_[scope.side.body];
    body.close = i;
    body.is_one_piece = scope.conditions == conditions_.size();
    // "S() : a{1}, b{2} {": what was closed is a member.
    const bool is_member =
        scopes_.back().side.place == Place::kOutside && source_.is_any(i + 1, {"{", ","});
    if (is_member) head_ = scope.head;
  }

  const TokenReader& source_;
  CodeSides& sides_;
  std::vector<Scope> scopes_ = {{}};
  std::vector<std::vector<Scope>> conditions_;  ///< the scopes at each `#if` that is open
  std::map<std::string_view, Head> macros_;
  Head head_;
};

CodeSides::CodeSides(const TokenReader& source) {
  SideReader(source, *this).read();
}

}  // namespace ladder::glassbox
