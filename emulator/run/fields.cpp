// SPDX-License-Identifier: MIT
#include "emulator/run/fields.hpp"

#include <algorithm>
#include <stdexcept>

namespace ladder::emulator {

void Fields::set(std::string name, FieldValue value) {
  const auto known = std::ranges::find(entries_, name, &Entry::first);
  if (known == entries_.end()) {
    entries_.emplace_back(std::move(name), std::move(value));
  } else {
    known->second = std::move(value);
  }
}

bool Fields::has(const std::string& name) const {
  return std::ranges::find(entries_, name, &Entry::first) != entries_.end();
}

template <class T>
const T& Fields::as(const std::string& name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::first);
  if (found == entries_.end()) throw std::logic_error("a finding has no field " + name);
  const T* const value = std::get_if<T>(&found->second.any());
  if (value == nullptr) throw std::logic_error("the field " + name + " holds something else");
  return *value;
}

bool Fields::truth(const std::string& name) const {
  return as<bool>(name);
}

std::int64_t Fields::number(const std::string& name) const {
  return as<std::int64_t>(name);
}

double Fields::real(const std::string& name) const {
  return as<double>(name);
}

const std::string& Fields::word(const std::string& name) const {
  return as<std::string>(name);
}

const FieldValue::Numbers& Fields::numbers(const std::string& name) const {
  return as<FieldValue::Numbers>(name);
}

const FieldValue::Words& Fields::words(const std::string& name) const {
  return as<FieldValue::Words>(name);
}

std::string Fields::digits(const std::string& name) const {
  return std::to_string(number(name));
}

}  // namespace ladder::emulator
