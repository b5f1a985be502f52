// SPDX-License-Identifier: MIT
#include "emulator/run/block/block_runner.hpp"

#include <cxxabi.h>

#include <exception>

#include "emulator/run/waits/ended_thread.hpp"
#include "emulator/run/waits/hang_report.hpp"

namespace ladder::emulator {

// -- Blocks --------------------------------------------------------------------------------------

void BlockRunner::start_grid(const GridPlan& plan, const SharedMemory& shared,
                             BlockObserver* observer, Watched& watched) {
  const CopyArrival arrival = copy_arrival();
  threads_.start_grid(plan, observer);
  failures_.start_grid(watched);
  scheduler_.start_grid(watched);
  shared_checks_.start_grid(shared);
  copies_.start_grid(arrival);
  mbarriers_.start_grid(arrival);
  boxes_.start_grid(arrival);
  stores_.start_grid(arrival);
  products_.start_grid(arrival);
  cluster_.start_grid();
  dependent_launch_.start_grid();
}

void BlockRunner::start_block(std::uint64_t block) {
  threads_.start_block(block);
  failures_.start_block();
  barrier_.start_block();
  copies_.start_block();
  mbarriers_.start_block();
  boxes_.start_block();
  stores_.start_block();
  named_barriers_.start_block();
  registers_.start_block();
  products_.start_block();
  flags_.start_block();
  cluster_.start_block();
  dependent_launch_.start_block();
  shared_checks_.memory().poison(threads_.plan().dynamic_shared_bytes);
  if (observer() != nullptr) observer()->start_block(block);
}

BlockState BlockRunner::run_block(std::uint64_t block, Extent extent) {
  current_ = this;
  start_block(block);
  return scheduler_.run_block(extent);
}

BlockState BlockRunner::resume() {
  current_ = this;
  visited_ = false;
  return scheduler_.resume();
}

void BlockRunner::abandon() {
  if (observer() != nullptr) observer()->end_block();
  threads_.forget();
}

std::vector<ThreadGroup> BlockRunner::waiters() const {
  return waiters_of(threads_, barrier_.arrived());
}

// -- Threads -------------------------------------------------------------------------------------

/// A fiber's whole life: one thread after the other, forever.
void BlockRunner::run_threads() {
  for (;;) {
    threads_.begin();
    std::string exception = run_program();
    if (!exception.empty()) {
      failures_.fail_exception(exception, threads_.running().number);
    }
    finish_thread();
  }
}

/// Runs the thread's program. The text of an exception that escapes, else an empty string.
std::string BlockRunner::run_program() const noexcept {
  const ThreadProgram& program = threads_.plan().program;
  try {
    program.run(program.arguments);
    return "";
  } catch (const std::exception& exception) {
    return *exception.what() != '\0' ? exception.what() : "without a message";
  } catch (const abi::__forced_unwind&) {
    end_with_thread();
  } catch (...) {
    return "of unknown type";
  }
}

void BlockRunner::finish_thread() {
  threads_.finish();
  scheduler_.note_progress();
  cluster_.leave();
  scheduler_.settle(threads_.warp_of(threads_.running()));
  if (threads_.all_finished()) {
    mbarriers_.check_at_end();
    boxes_.check_at_end();
    stores_.check_at_end();
    registers_.check_at_end();
    products_.check_at_end();
    threads_.switch_to_main();
    return;
  }
  Lane* const next = threads_.next_ready(threads_.running().number);
  if (next != nullptr && !next->has_begun) {
    threads_.go_on_as(*next);
  } else {
    scheduler_.suspend();
  }
}

// -- When threads wait ---------------------------------------------------------------------------

void BlockRunner::wake_who_may_go_on() {
  cluster_.wake_if_over();
  flags_.wake_where_changed();
}

void BlockRunner::fail_hang() {
  if (barrier_.is_broken()) barrier_.fail();
  products_.fail_if_partial();
  bool any_waits = false;
  for (unsigned w = 0; w < threads_.warps(); ++w)
    any_waits = any_waits || threads_.warp(w).waiting != 0;
  if (!any_waits) warp_calls_.fail_deadlock();
  failures_.fail_hang(waiters(), wrong_announcement());
}

}  // namespace ladder::emulator
