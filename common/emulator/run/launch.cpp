// SPDX-License-Identifier: MIT
#include "common/emulator/run/launch.hpp"

#include <functional>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/run/grid_plan.hpp"
#include "common/emulator/run/grid_runner.hpp"
#include "common/emulator/run/settings.hpp"
#include "common/emulator/run/worker_pool.hpp"

namespace ladder::emulator {
namespace {

thread_local GridStats stats_of_last_run;
thread_local const void** kernel_to_note = nullptr;  ///< of launched_kernel(), while it lasts
thread_local GridRunner* runner_of_this_thread = nullptr;

void require_cpu() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c")) {
    return;
  }
  throw KernelError(KernelErrorKind::kUnsupportedCpu,
                    "launch refused: emulated kernels need a CPU with AVX2, FMA and F16C (Intel "
                    "since 2013, AMD since 2015); this one lacks them");
}

}  // namespace

void run_program(const GridLaunch& launch, const ThreadProgram& program) {
  if (kernel_to_note != nullptr) {
    *kernel_to_note = launch.kernel;
    return;
  }
  require_cpu();
  if (BlockRunner::of_this_cpu_thread() != nullptr) {
    throw KernelError(KernelErrorKind::kBadLaunch, "launch refused: a kernel launches a kernel");
  }
  const GridPlan plan(launch, program);
  stats_of_last_run = {};
  stats_of_last_run.threads_per_block = plan.threads;
  stats_of_last_run = runner_of_this_thread == nullptr
                          ? WorkerPool::instance().run(plan, cpu_threads(), hang_limit())
                          : runner_of_this_thread->run(plan);
}

void set_grid_runner(GridRunner* runner) noexcept {
  runner_of_this_thread = runner;
}

GridStats last_run() {
  return stats_of_last_run;
}

const void* launched_kernel(const std::function<void()>& launch) {
  struct Noting {
    explicit Noting(const void** kernel) { kernel_to_note = kernel; }
    ~Noting() { kernel_to_note = nullptr; }
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;
  };
  const void* kernel = nullptr;
  const Noting noting(&kernel);
  launch();
  return kernel;
}

}  // namespace ladder::emulator
