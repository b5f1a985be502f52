// SPDX-License-Identifier: MIT
/// \file  emulator/run/kernel_error.hpp
/// \brief What the emulator throws when a kernel does something that CUDA forbids or leaves
///        undefined. It uses none of CUDA's types, so any host program can catch it.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::emulator {

/// What a kernel did wrong.
enum class KernelErrorKind {
  kBadLaunch,           ///< grid, block or dynamic shared memory beyond CUDA's limits
  kUnsupportedCpu,      ///< the CPU lacks AVX2, FMA or F16C
  kDivergentBarrier,    ///< threads of one block wait at different barrier lines
  kMissingBarrier,      ///< some threads left the kernel, others wait at a barrier, and others spin
  kWarpArguments,       ///< a lane is not in its own mask, or the width is no power of two
  kWarpMismatch,        ///< lanes of one mask left, wait elsewhere, or call something else
  kDeadlock,            ///< every thread waits for another one
  kEndlessLoop,         ///< no thread finished or passed a barrier within the hang limit
  kInvalidAddress,      ///< access to memory that does not exist
  kMisalignedAddress,   ///< vector access to an address that is no multiple of the vector's size
  kLocalArray,          ///< a store past the end of a thread's local array
  kStackOverflow,       ///< local variables and calls need more than a thread's stack
  kDivisionByZero,      ///< integer division by zero (a GPU returns an undefined value)
  kIllegalInstruction,  ///< __trap() or an instruction that the CPU does not know
  kAssertion,           ///< assert() in a kernel does not hold
  kException,           ///< a C++ exception left the kernel
  kMbarrier,            ///< an mbarrier that is none, or that is not used as it was initialized
  kNamedBarrier,        ///< threads at one named barrier do not agree on how many they are
  kCopyUnfinished,      ///< a block ends while a copy still writes into its shared memory
  kRegisters,           ///< the four warps of a warpgroup do not call setmaxnreg alike
  kGridBarrier,         ///< grid.sync() in a launch that is not cooperative
  kCluster,             ///< a block of the cluster does not exist, or has ended
};

/// Threads of one block that wait for the same thing at the same line.
struct KernelWaiters {
  std::array<unsigned, 3> block = {};  ///< blockIdx
  std::string threads;                 ///< their numbers within the block: "0-127, 130"
  std::string what;                    ///< "wait for an mbarrier"
  std::string detail;                  ///< what is missing; may be empty
  std::string file;                    ///< relative to the repository, as in KernelError::Place
  unsigned line = 0;
};

/// \brief One error of one thread, with the place in the source. what() says all of it.
class KernelError : public std::runtime_error {
 public:
  using Index = std::array<unsigned, 3>;  ///< x, y, z

  /// Where and which thread; what is not known stays empty or zero.
  struct Place {
    std::string file;   ///< relative to the repository if the file belongs to it
    unsigned line = 0;  ///< 1-based; 0: not known
    Index block = {};   ///< blockIdx
    Index thread = {};  ///< threadIdx
  };

  /// An error of a kernel that runs: the message ends in "at FILE:LINE, block (..), thread (..)".
  KernelError(KernelErrorKind kind, const std::string& sentence, Place place);

  /// A hang: no thread can go on. The message lists all waiters; the first one is the place.
  KernelError(std::vector<KernelWaiters> waiters, const std::string& remark, Place place);

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

  /// Which threads waited where when none could go on; empty for other errors.
  const std::vector<KernelWaiters>& waiters() const noexcept { return waiters_; }

 private:
  KernelErrorKind kind_;
  Place place_;
  std::vector<KernelWaiters> waiters_;
};

/// "(1, 0, 2)", as CUDA programmers write an index.
std::string to_text(const KernelError::Index& index);

}  // namespace ladder::emulator
