// SPDX-License-Identifier: MIT
/// \file  glassbox/declarations.hpp
/// \brief The words of a preprocessed program, and which functions and variables they declare.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/run/fault.hpp"

namespace ladder::glassbox {

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

/// What a translation unit declares in its namespaces and classes.
class Declarations {
 public:
  /// \param preprocessed  what g++ -E writes; stays where it is as long as this is used
  explicit Declarations(const std::string& preprocessed);

  std::size_t size() const { return all_.tokens.size(); }
  std::string_view word(std::size_t i) const { return i < size() ? all_.tokens[i].text : ""; }
  bool is_name(std::size_t i) const;
  emulator::Place place_of(std::size_t i) const {
    return {all_.files[all_.tokens[i].file], all_.tokens[i].line};
  }
  /// Of the bracket at `i`; the last token if it is never closed.
  std::size_t partner(std::size_t i) const;
  /// Of "<" at i: the ">" that ends it.
  std::size_t end_of_angles(std::size_t i) const;

  /// The program's own functions, by name.
  const std::map<std::string_view, std::vector<Function>>& functions() const { return functions_; }
  bool is_host_variable(std::string_view name) const { return variables_.contains(name); }
  /// A type, a constant, a member, a variable of the device
  bool is_other_name(std::string_view name) const { return other_names_.contains(name); }
  /// Of the system's headers and of ours
  bool is_foreign(std::string_view name) const;

 private:
  enum class Scope { kNamespace, kExternC, kClass, kOther };

  bool is_own(std::size_t i) const { return all_.is_own[all_.tokens[i].file]; }
  void read_declarations();
  Scope scope_of(std::size_t head, std::size_t open) const;
  void declare(std::size_t head, std::size_t end, bool is_member, std::size_t close);
  void add_foreign(std::size_t name, bool is_member);

  Preprocessed all_;
  std::map<std::string_view, std::vector<Function>> functions_;
  std::set<std::string_view> variables_;    ///< of the host
  std::set<std::string_view> other_names_;  ///< types, constants, members, variables of the device
  std::set<std::string_view> foreign_;      ///< of the system's headers and of ours
  std::set<std::string_view> foreign_in_namespaces_;
  bool uses_namespaces_ = false;  ///< by `using namespace`
  int namespaces_ = 0;            ///< around the declaration that is read
};

}  // namespace ladder::glassbox
