// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/traced_run.hpp
/// \brief A traced run of a kernel of the labs, and its arrays.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "emulator/trace/trace.hpp"

namespace ladder::labs {

/// An array of zeros, aligned as cudaMalloc does.
template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::size_t count) : count_(count) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(kAlignment, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(data_.get(), count, T{});
  }
  T* data() const { return data_.get(); }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::span<T> values() const { return {data_.get(), count_}; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> data_;
};

/// \brief  As emulator::trace(), of a kernel of the labs.
/// \throws std::logic_error  it is wrong: out of bounds, a race, ...
inline emulator::KernelTrace traced_run(const std::vector<emulator::TracedArray>& arrays,
                                        const std::function<void()>& launch,
                                        const emulator::TraceOptions& options = {}) {
  emulator::KernelTrace trace = emulator::trace(arrays, launch, options);
  if (!trace.hazards.empty())
    throw std::logic_error("a kernel of the labs is wrong: " + text_of(trace.hazards.front()));
  return trace;
}

}  // namespace ladder::labs
