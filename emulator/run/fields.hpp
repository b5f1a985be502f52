// SPDX-License-Identifier: MIT
/// \file  emulator/run/fields.hpp
/// \brief Named values of a finding: what its sentence is made from, and what a program reads.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ladder::emulator {

/// A whole number, a number, a truth, a word or several of them.
class FieldValue {
 public:
  using Numbers = std::vector<std::int64_t>;
  using Words = std::vector<std::string>;
  using Any = std::variant<bool, std::int64_t, double, std::string, Numbers, Words>;

  FieldValue(bool value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) FieldValue(T value) : value_(static_cast<std::int64_t>(value)) {}
  FieldValue(double value) : value_(value) {}
  FieldValue(const char* value) : value_(std::string(value)) {}
  FieldValue(std::string value) : value_(std::move(value)) {}
  FieldValue(Numbers value) : value_(std::move(value)) {}
  FieldValue(Words value) : value_(std::move(value)) {}

  const Any& any() const { return value_; }
  bool operator==(const FieldValue&) const = default;

 private:
  Any value_;
};

/// \brief Values by name, in the order in which they were given. Names are those of the JSON.
class Fields {
 public:
  using Entry = std::pair<std::string, FieldValue>;

  Fields() = default;
  Fields(std::initializer_list<Entry> entries) : entries_(entries) {}

  void set(std::string name, FieldValue value);
  bool has(const std::string& name) const;

  // \throws std::logic_error  there is no such field, or it holds something else
  bool truth(const std::string& name) const;
  std::int64_t number(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  const FieldValue::Numbers& numbers(const std::string& name) const;
  const FieldValue::Words& words(const std::string& name) const;
  /// A number as a sentence has it: "64".
  std::string digits(const std::string& name) const;

  const std::vector<Entry>& all() const { return entries_; }
  bool operator==(const Fields&) const = default;

 private:
  template <class T>
  const T& as(const std::string& name) const;

  std::vector<Entry> entries_;
};

}  // namespace ladder::emulator
