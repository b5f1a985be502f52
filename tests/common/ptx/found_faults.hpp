// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/found_faults.hpp
/// \brief What the emulator and its trace find in a kernel of this folder, by the marks of its
///          lines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "emulator/trace/trace.hpp"
#include "tests/emulator/expect_kernel_error.hpp"

namespace ladder {

using emulator::Fault;
using emulator::FaultKind;
using emulator::Place;

/// An array that a trace knows.
template <class T>
class Traced {
 public:
  explicit Traced(std::size_t count, T value = T())
      : count_(count), data_(static_cast<T*>(::operator new(count * sizeof(T), kAlignment))) {
    std::fill_n(data_.get(), count, value);
  }
  T* data() const { return data_.get(); }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  emulator::TracedArray named(const std::string& name, bool written = true) const {
    return {.name = name,
            .data = data(),
            .bytes = count_ * sizeof(T),
            .element_bytes = sizeof(T),
            .written = written};
  }

 private:
  static constexpr std::align_val_t kAlignment = std::align_val_t{256};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> data_;
};

/// Where the line of a file of this folder is that ends in `// <mark>`.
inline Place place_of_mark(const std::string& file, const std::string& mark) {
  const unsigned line = emulator::line_of(file, mark);
  EXPECT_NE(line, 0u) << "no mark " << mark;
  return {"tests/common/ptx/" + file, line};
}

/// What is to be found.
struct Finding {
  FaultKind kind;
  std::string mark;
  std::string other = "";  ///< empty: any, or none
};

inline bool is_it(const Fault& fault, const std::string& file, const Finding& finding) {
  if (fault.kind != finding.kind || fault.place != place_of_mark(file, finding.mark)) return false;
  return finding.other.empty() ||
         (fault.other && fault.other->place == place_of_mark(file, finding.other));
}

inline std::string text_of_all(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults)
    text += text_of(fault) + "\n";
  return text;
}

inline void expect_nothing(const std::vector<Fault>& faults, const char* mode = "") {
  EXPECT_TRUE(faults.empty()) << mode << ":\n" << text_of_all(faults);
}

/// What a launch ends in; nothing if it runs through.
inline std::vector<Fault> faults_of(const std::function<void()>& launch) {
  const auto error = emulator::error_of(launch);
  return error ? std::vector<Fault>{error->fault()} : std::vector<Fault>();
}

inline void expect_found(const std::vector<Fault>& faults, const std::string& file,
                         const Finding& finding) {
  EXPECT_TRUE(
      std::ranges::any_of(faults, [&](const Fault& fault) { return is_it(fault, file, finding); }))
      << code_of(finding.kind) << " is missing at " << finding.mark << " in\n"
      << text_of_all(faults);
}

}  // namespace ladder
