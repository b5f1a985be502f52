// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_failures.hpp
/// \brief How a thread stops for good, and what is said about it.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "emulator/run/block/block_threads.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/waits/watched.hpp"

namespace ladder::emulator {

/// A thread of this or another block, and a line of it.
struct Actor {
  std::uint64_t block = 0;  ///< number of its block
  unsigned thread = 0;      ///< within the block
  std::source_location where;
};

/// A block has failed while none of its threads runs.
struct FailedAtRest {};

/// \brief The failure of a block, if it has one. A thread that fails leaves the block to the CPU
///        thread and never runs again.
class BlockFailures {
 public:
  explicit BlockFailures(BlockThreads& threads) : threads_(threads) {}

  void start_grid(const Watched& watched) { watched_ = &watched; }
  void start_block();

  /// \param fault   its place, block and thread are filled in
  /// \param thread  its place in the grid is reported
  /// \throws FailedAtRest  no thread of the block runs
  [[noreturn]] void fail(Fault fault, unsigned thread, std::source_location where);
  /// The same, where a thread of another block may have started what failed.
  [[noreturn]] void fail(Fault fault, const Actor& actor);
  /// The running thread was asked to stop, and is in a function that a kernel called.
  [[noreturn]] void fail_endless_loop();
  /// The running thread did something wrong in a function that a kernel called: the fault's place
  /// is that call.
  [[noreturn]] void fail_in_call(Fault fault);
  /// The running thread did something wrong at this place.
  [[noreturn]] void fail_at(Fault fault, const char* file, unsigned line);
  /// Ends the block at the running thread's access to what is in no array, before it happens.
  [[noreturn]] void fail_access(std::uintptr_t instruction);
  /// Ends the block where a function is to return whose local array was overrun.
  [[noreturn]] void fail_local_array(std::uintptr_t instruction);
  /// Ends the block at an access below the running thread's frames, before it happens.
  [[noreturn]] void fail_below_stack(std::uintptr_t instruction);
  [[noreturn]] void fail_exception(const std::string& exception, unsigned thread);
  /// No thread of the block can go on, and no other block can help.
  /// \param announcement  see Mbarriers::wrong_announcement()
  [[noreturn]] void fail_hang(std::vector<ThreadGroup> waiters,
                              std::optional<OtherAccess> announcement);

  /// \brief  A signal arrived on this CPU thread. Does not return when it ends the block.
  /// \return true: the signal is dealt with; false: it has nothing to do with a kernel
  bool take_signal(int signal, const siginfo_t& info, const ucontext_t& context) noexcept;

  bool has_failed() const { return failure_ || interrupt_.signal != 0; }

  /// What went wrong, if anything did.
  std::optional<KernelError> take_error();

 private:
  /// What a thread reports before it stops for good.
  struct Failure {
    Fault fault;  ///< its place may be empty: see `calls`
    unsigned thread;
    std::vector<std::uintptr_t> calls = {};   ///< if no place is known: see source_line_of()
    std::optional<std::uint64_t> block = {};  ///< if it is another one
  };

  /// Instructions of the kernel's code, innermost first.
  struct LiveCalls {
    std::array<std::uintptr_t, 32> calls = {};
    std::size_t count = 0;

    std::vector<std::uintptr_t> all() const { return {calls.begin(), calls.begin() + count}; }
  };

  /// Where a signal stopped the running thread.
  struct Interrupt {
    int signal = 0;  ///< 0: none did
    int code = 0;
    const void* address = nullptr;
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
    unsigned thread = 0;
    LiveCalls calls = {};  ///< where they are known
  };

  [[noreturn]] void give_up(Failure failure);
  /// With block and thread.
  KernelError error_of(Fault fault, unsigned thread, std::optional<std::uint64_t> block = {}) const;
  SourceLine line_of_kernel() const;
  SourceLine line_in_kernel(const std::vector<std::uintptr_t>& calls) const;
  KernelError error_of(Failure failure) const;
  KernelError error_of(const Interrupt& interrupt) const;
  LiveCalls live_calls() const noexcept;
  std::vector<std::uintptr_t> calls_in_kernel(std::uintptr_t instruction, std::uintptr_t stack,
                                              unsigned thread) const;

  BlockThreads& threads_;
  const Watched* watched_ = nullptr;
  std::optional<Failure> failure_;
  Interrupt interrupt_;
};

}  // namespace ladder::emulator
