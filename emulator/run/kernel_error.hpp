// SPDX-License-Identifier: MIT
/// \file  emulator/run/kernel_error.hpp
/// \brief What the emulator throws when a kernel does something that CUDA forbids or leaves
///        undefined. It uses none of CUDA's types, so any host program can catch it.
#pragma once

#include <stdexcept>
#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// \brief A fault that a kernel or its launch cannot go on after. what() is text_of(fault()).
class KernelError : public std::runtime_error {
 public:
  using Index = emulator::Index;

  explicit KernelError(Fault fault);
  ~KernelError() override;
  KernelError(const KernelError&) = default;
  KernelError& operator=(const KernelError&) = default;

  const Fault& fault() const noexcept { return fault_; }
  FaultKind kind() const noexcept { return fault_.kind; }
  const std::string& file() const noexcept { return fault_.place.file; }
  unsigned line() const noexcept { return fault_.place.line; }
  const Index& block() const noexcept { return fault_.block; }
  const Index& thread() const noexcept { return fault_.thread; }

 private:
  Fault fault_;
};

}  // namespace ladder::emulator
