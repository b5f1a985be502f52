// SPDX-License-Identifier: MIT
#include "emulator/run/launch.hpp"

#include <functional>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/run/grid_runner.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/worker_pool.hpp"

namespace ladder::emulator {
namespace {

thread_local GridStats stats_of_last_run;
thread_local std::vector<NotedLaunch>* noted = nullptr;  ///< of noted_launches(), while it lasts
thread_local GridRunner* runner_of_this_thread = nullptr;
thread_local LaunchReceiver* receiver_of_this_thread = nullptr;

void require_cpu() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c")) {
    return;
  }
  throw KernelError(FaultKind::kUnsupportedCpu);
}

NotedLaunch noted_launch(const GridPlan& plan) {
  return {.kernel = plan.kernel,
          .grid = array_of({plan.grid.x, plan.grid.y, plan.grid.z}),
          .block = array_of({plan.block.x, plan.block.y, plan.block.z}),
          .cluster = plan.cluster,
          .cooperative = plan.cooperative,
          .static_shared_bytes = plan.static_shared_bytes,
          .dynamic_shared_bytes = plan.dynamic_shared_bytes};
}

}  // namespace

void run_program(const GridLaunch& launch, const ThreadProgram& program) {
  if (noted != nullptr) {
    noted->push_back(noted_launch(GridPlan(launch, program)));
    return;
  }
  if (receiver_of_this_thread != nullptr) {
    receiver_of_this_thread->receive(launch, program);
    return;
  }
  require_cpu();
  if (BlockRunner::of_this_cpu_thread() != nullptr) {
    throw KernelError(FaultKind::kLaunchInKernel);
  }
  const GridPlan plan(launch, program);
  stats_of_last_run = {};
  stats_of_last_run.threads_per_block = plan.threads;
  stats_of_last_run = runner_of_this_thread == nullptr
                          ? WorkerPool::instance().run(plan, cpu_threads(), hang_limit())
                          : runner_of_this_thread->run(plan);
}

void set_launch_receiver(LaunchReceiver* receiver) noexcept {
  receiver_of_this_thread = receiver;
}

void set_grid_runner(GridRunner* runner) noexcept {
  runner_of_this_thread = runner;
}

GridStats last_run() {
  return stats_of_last_run;
}

std::vector<NotedLaunch> noted_launches(const std::function<void()>& launch) {
  struct Noting {
    explicit Noting(std::vector<NotedLaunch>* launches) { noted = launches; }
    ~Noting() { noted = nullptr; }
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;
  };
  std::vector<NotedLaunch> launches;
  const Noting noting(&launches);
  launch();
  return launches;
}

const void* launched_kernel(const std::function<void()>& launch) {
  const std::vector<NotedLaunch> launches = noted_launches(launch);
  return launches.empty() ? nullptr : launches.back().kernel;
}

}  // namespace ladder::emulator
