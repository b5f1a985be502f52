// SPDX-License-Identifier: MIT
/// \file  common/emulator/kernel_error.hpp
/// \brief What the emulator throws when a kernel does something that CUDA forbids or leaves
///        undefined. Free of CUDA's types, so that any host program can catch it.
#pragma once

#include <array>
#include <stdexcept>
#include <string>

namespace ladder::emulator {

/// What a kernel did wrong.
enum class KernelErrorKind {
  kBadLaunch,           ///< grid, block or dynamic shared memory beyond CUDA's limits
  kUnsupportedCpu,      ///< the CPU lacks AVX2, FMA or F16C
  kDivergentBarrier,    ///< threads of one block wait at different barrier lines
  kMissingBarrier,      ///< some threads left the kernel while others wait at a barrier
  kWarpArguments,       ///< a lane is not in its own mask, or the width is no power of two
  kWarpMismatch,        ///< lanes of one mask left, wait elsewhere, or call something else
  kDeadlock,            ///< every thread waits for another one
  kEndlessLoop,         ///< no thread finished or passed a barrier within the hang limit
  kInvalidAddress,      ///< access to memory that does not exist
  kMisalignedAddress,   ///< vector access to an address that is no multiple of the vector's size
  kStackOverflow,       ///< local variables and calls need more than a thread's stack
  kDivisionByZero,      ///< integer division by zero (a GPU returns an undefined value)
  kIllegalInstruction,  ///< __trap() or an instruction that the CPU does not know
  kException,           ///< a C++ exception left the kernel
};

/// \brief One error of one thread, with the place in the source. what() says all of it.
class KernelError : public std::runtime_error {
 public:
  using Index = std::array<unsigned, 3>;  ///< x, y, z

  /// Where and who; all that is not known stays empty or zero.
  struct Place {
    std::string file;   ///< relative to the repository where the file belongs to it
    unsigned line = 0;  ///< 1-based; 0: not known
    Index block = {};   ///< blockIdx
    Index thread = {};  ///< threadIdx
  };

  /// An error of a kernel that runs: the message ends in "at FILE:LINE, block (..), thread (..)".
  KernelError(KernelErrorKind kind, const std::string& sentence, Place place);

  /// An error found before any thread ran.
  KernelError(KernelErrorKind kind, const std::string& sentence);

  ~KernelError() override;
  KernelError(const KernelError&) = default;
  KernelError& operator=(const KernelError&) = default;

  KernelErrorKind kind() const noexcept { return kind_; }
  const std::string& file() const noexcept { return place_.file; }
  unsigned line() const noexcept { return place_.line; }
  const Index& block() const noexcept { return place_.block; }
  const Index& thread() const noexcept { return place_.thread; }

 private:
  KernelErrorKind kind_;
  Place place_;
};

/// "(1, 0, 2)", as CUDA programmers write an index.
std::string to_text(const KernelError::Index& index);

}  // namespace ladder::emulator
