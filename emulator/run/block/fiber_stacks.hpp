// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/fiber_stacks.hpp
/// \brief Stacks for the fibers that CUDA threads run on.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <cstdint>

namespace ladder::emulator {

/// \brief Room for the stacks of one block's threads, with a page below each that traps. A thread
///        of CUDA may have 512 KiB of local memory; what is never touched takes no memory. Stacks
///        are kept, and later blocks use them again. Where so many blocks run at once that Linux
///        has no room for all those pages, the last ones do without: a thread that leaves its stack
///        is then found in the others.
class FiberStacks {
 public:
  static constexpr std::size_t kLocalBytes = std::size_t{512} * 1024;
  static constexpr std::size_t kStackBytes = kLocalBytes + 64 * 1024;  ///< and our own functions
  static constexpr std::size_t kMaxStacks = 1024;

  /// \throws std::system_error  no address space left
  FiberStacks();
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  /// \brief  Makes stacks 0 to count-1 usable.
  /// \throws std::system_error  Linux's limit on memory mappings is reached
  void prepare(std::size_t count);

  /// Stack `index` of those that prepare() made usable, as Boost describes it.
  boost::context::stack_context stack(std::size_t index) const;

  /// Whether the address is in the trapping page below stack `index`.
  bool in_guard(std::size_t index, const void* address) const;

  /// Whether the address is in stack `index`.
  bool holds(std::size_t index, std::uintptr_t address) const;

  /// Whether the address is behind stack `index`, in another stack or below one.
  bool is_beyond(std::size_t index, const void* address) const;

  /// Whether the address is in any stack.
  bool contains(std::uintptr_t address) const;

  /// First byte after stack `index`.
  const std::byte* end(std::size_t index) const;

 private:
  std::byte* memory_;
  std::size_t prepared_ = 0;
};

}  // namespace ladder::emulator
