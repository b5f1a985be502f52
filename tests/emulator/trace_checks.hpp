// SPDX-License-Identifier: MIT
/// \file  tests/emulator/trace_checks.hpp
/// \brief What the tests of trace() have in common: arrays to trace, and questions to a trace.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "emulator/trace/trace.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/trace_probes.hpp"

namespace ladder::trace_probes {

using namespace ladder::emulator;

/// Global memory: zeros, aligned to 256 bytes.
template <class T>
class GlobalArray {
 public:
  explicit GlobalArray(std::size_t count)
      : count_(count), data_(static_cast<T*>(::operator new(count * sizeof(T), kAlignment))) {
    std::fill_n(data_.get(), count, T());
  }

  T* data() const { return data_.get(); }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  TracedArray named(const std::string& name) const {
    return {.name = name, .data = data(), .bytes = count_ * sizeof(T), .element_bytes = sizeof(T)};
  }

 private:
  static constexpr std::align_val_t kAlignment = std::align_val_t{256};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> data_;
};

using Floats = GlobalArray<float>;
using Ints = GlobalArray<int>;

/// Where the marked line of the probes is.
inline Place probe_place(const std::string& marker) {
  for (const char* file :
       {"trace_count_probes.cu", "trace_hazard_probes.cu", "trace_async_probes.cu"}) {
    const unsigned line = line_of(file, marker);
    if (line != 0) return {std::string("tests/emulator/") + file, line};
  }
  ADD_FAILURE() << "no marker " << marker;
  return {};
}

/// What the marked line does in one way, over all sizes or in one.
inline AccessCounts at(const KernelTrace& trace, const std::string& marker, Operation operation,
                       std::optional<unsigned> access_bytes = {}) {
  AccessCounts sum;
  const Place place = probe_place(marker);
  for (const LineCounts& one : trace.lines) {
    if (one.file == place.file && one.line == place.line && one.operation == operation &&
        one.access_bytes == access_bytes.value_or(one.access_bytes)) {
      sum += one.counts;
    }
  }
  return sum;
}

inline AccessCounts loads_at(const KernelTrace& trace, const std::string& marker,
                             std::optional<unsigned> access_bytes = {}) {
  return at(trace, marker, Operation::kGlobalLoad, access_bytes);
}

inline AccessCounts shared_loads_at(const KernelTrace& trace, const std::string& marker,
                                    std::optional<unsigned> access_bytes = {}) {
  return at(trace, marker, Operation::kSharedLoad, access_bytes);
}

inline std::uint64_t requests_of(const KernelTrace& trace, Operation operation) {
  std::uint64_t sum = 0;
  for (const LineCounts& one : trace.lines)
    sum += one.operation == operation ? one.counts.requests : 0;
  return sum;
}

/// All hazards in a readable form, to compare them or to show them.
inline std::vector<std::string> messages_of(const KernelTrace& trace) {
  std::vector<std::string> messages;
  for (const Fault& hazard : trace.hazards)
    messages.push_back(std::string(code_of(hazard.kind)) + " x" + std::to_string(hazard.times) +
                       ": " + text_of(hazard));
  return messages;
}

/// The only hazard; a failure if there is none or more than one.
inline Fault only_hazard(const KernelTrace& trace) {
  EXPECT_EQ(trace.hazards.size(), 1u) << testing::PrintToString(messages_of(trace));
  return trace.hazards.empty() ? Fault() : trace.hazards.front();
}

inline void expect_clean(const KernelTrace& trace) {
  EXPECT_EQ(messages_of(trace), std::vector<std::string>());
}

/// Sets the number of CPU threads for one scope.
class CpuThreads {
 public:
  explicit CpuThreads(unsigned count) : before_(cpu_threads()) { set_cpu_threads(count); }
  ~CpuThreads() { set_cpu_threads(before_); }
  CpuThreads(const CpuThreads&) = delete;
  CpuThreads& operator=(const CpuThreads&) = delete;

 private:
  unsigned before_;
};

inline TraceOptions sampling(const std::function<bool(ArrayShifts&)>& complete_shifts,
                             bool sample = true) {
  TraceOptions options;
  options.sample = sample;
  options.complete_shifts = complete_shifts;
  return options;
}

inline TraceOptions recording(std::uint64_t block, unsigned warp) {
  TraceOptions options;
  options.warp = {block, warp};
  return options;
}

/// "A[100]"; empty where no array is known.
inline std::string element_of(const Fault& hazard) {
  return hazard.element ? name_of(*hazard.element) : "";
}

/// The place of the other access; no line where there is none.
inline Place other_of(const Fault& hazard) {
  return hazard.other ? hazard.other->place : Place();
}

}  // namespace ladder::trace_probes
