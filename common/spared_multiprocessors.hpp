// SPDX-License-Identifier: MIT
/// \file  common/spared_multiprocessors.hpp
/// \brief SMs that persistent kernels leave to others.
#pragma once

namespace ladder {

/// \brief While it lives, kernels of this host thread that start one block per SM on a GPU start so
///        many fewer: another kernel, such as NCCL's, needs SMs of its own to run beside one.
class SparedMultiprocessors {
 public:
  explicit SparedMultiprocessors(int count) : before_(count_) { count_ = count; }
  ~SparedMultiprocessors() { count_ = before_; }
  SparedMultiprocessors(const SparedMultiprocessors&) = delete;
  SparedMultiprocessors& operator=(const SparedMultiprocessors&) = delete;

  static int count() { return count_; }

 private:
  static inline thread_local int count_ = 0;
  int before_;
};

}  // namespace ladder
