// SPDX-License-Identifier: MIT
#include "emulator/run/worker_pool.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "emulator/run/block/faults.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/waits/hang_report.hpp"

namespace ladder::emulator {
namespace {

constexpr auto kLookAgain = std::chrono::microseconds(100);
constexpr int kLooksBeforeSleep = 100;
constexpr auto kTurnOfOthers = std::chrono::microseconds(50);  // of the cluster, while one spins

/// "it holds 16 at a time, 2 of 1024 threads on each of 8 SMs; LADDER_MULTIPROCESSORS sets how
/// many"
}  // namespace

WorkerPool& WorkerPool::instance() {
  static WorkerPool* const pool = [] {
    install_fault_handlers();
    return new WorkerPool;
  }();
  return *pool;
}

GridStats WorkerPool::run(const GridPlan& plan, unsigned workers, Seconds limit,
                          GridObserver* observer) {
  const std::lock_guard one_grid(one_grid_);
  std::unique_lock lock(mutex_);
  queue_.start(plan, observer);
  observer_ = observer;
  // A cooperative grid of clusters needs all of them at once.
  const std::uint64_t gangs = std::min<std::uint64_t>(
      queue_.count() / plan.cluster,
      plan.cooperative && plan.cluster > 1 ? queue_.count() : std::max(workers / plan.cluster, 1u));
  start_workers(static_cast<unsigned>(
      plan.cluster == 1 ? std::min<std::uint64_t>(workers, queue_.count()) : gangs * plan.cluster));
  gangs_.clear();
  for (std::uint64_t i = 0; plan.cluster > 1 && i < gangs; ++i)
    gangs_.push_back(std::make_unique<Gang>());
  plan_ = &plan;
  busy_ = wanted_;
  stuck_ = resting_ = 0;
  given_up_ = false;
  parked_ = 0;
  error_ = nullptr;
  stats_ = {};
  stats_.threads_per_block = plan.threads;
  stats_.launches_before_waiting = true;
  ++grid_number_;
  work_comes_.notify_all();
  watch_.start(targets(), limit, observer != nullptr);
  work_ends_.wait(lock, [&] { return busy_ == 0; });
  watch_.rest();
  plan_ = nullptr;
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  stats_.launches_before_waiting &= stats_.launches_dependents;
  return stats_;
}

void WorkerPool::start_workers(unsigned wanted) {
  while (workers_.size() < wanted) {
    auto worker = std::make_unique<Worker>();
    worker->number = static_cast<unsigned>(workers_.size());
    std::thread thread([this, target = worker.get()] { work(*target); });
    worker->thread = thread.native_handle();
    thread.detach();
    workers_.push_back(std::move(worker));
  }
  wanted_ = wanted;
}

/// The workers of the grid, for the watch.
std::vector<HangWatch::Target> WorkerPool::targets() const {
  std::vector<HangWatch::Target> targets;
  for (unsigned i = 0; i < wanted_; ++i)
    targets.push_back(
        {.thread = workers_[i]->thread, .id = &workers_[i]->id, .watched = &workers_[i]->watched});
  return targets;
}

void WorkerPool::work(Worker& worker) {
  install_signal_stack();
  worker.id = gettid();
  std::uint64_t last_grid = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [&] {
      return plan_ != nullptr && grid_number_ != last_grid && worker.number < wanted_;
    });
    last_grid = grid_number_;
    lock.unlock();
    run_blocks(worker);
    lock.lock();
    --busy_;
    others_move_.notify_all();
    if (busy_ == 0) work_ends_.notify_all();
  }
}

void WorkerPool::run_blocks(Worker& worker) {
  try {
    worker.memory = SharedMemory(*plan_);
    worker.loaded = nullptr;
    worker.blocks = worker.barriers = 0;
    worker.waited = false;
    worker.watched.set_spinning(false);
    if (plan_->cluster > 1) {
      run_clusters(worker);
    } else {
      run_single_blocks(worker);
    }
  } catch (...) {
    report(queue_.next(), std::current_exception());
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    others_move_.notify_all();
  }
  end_grid(worker);
}

void WorkerPool::end_grid(Worker& worker) {
  abandon_rooms(worker, 0);
  bool launches_dependents = false;
  bool waits_first = false;
  for (const auto& room : worker.rooms) {
    if (room->grid != grid_number_) continue;
    if (observer_ != nullptr) room->runner.observer()->end_grid();
    launches_dependents |= room->runner.dependent_launch().launches();
    waits_first |= room->runner.dependent_launch().waits_first();
  }
  const std::lock_guard lock(mutex_);
  stats_.launches_dependents |= launches_dependents;
  stats_.launches_before_waiting &= !waits_first;
  stats_.blocks += worker.blocks;
  stats_.blocks_waited = stats_.blocks_waited || worker.waited;
  stats_.barriers_per_block = std::max(stats_.barriers_per_block, worker.barriers);
}

// -- Blocks without clusters ---------------------------------------------------------------------

/// Takes block after block in the order of their numbers. Blocks below a failed one have all been
/// taken before it and run to their end, so the lowest failure is the same in every run.
void WorkerPool::run_single_blocks(Worker& worker) {
  for (;;) {
    abandon_rooms(worker, queue_.stop());
    Room* room = next_room(worker);
    if (room != nullptr) {
      run_room(worker, *room, std::nullopt);
      continue;
    }
    if (const auto block = queue_.take()) {
      run_room(worker, *start_room(worker), block);
    } else if (!worker.has_parked() && !queue_.may_start()) {
      return;
    } else if (room = worker.take_spinner(); room != nullptr) {
      worker.watched.set_spinning(true);
      sched_yield();
      run_room(worker, *room, std::nullopt);
    } else if (!wait_for_others(worker)) {
      abandon_rooms(worker, 0);
    }
  }
}

/// A block that waited, if one may go on.
Room* WorkerPool::next_room(Worker& worker) {
  return parked_ == 0 ? nullptr : worker.room_that_may_go_on();
}

/// A room for a new block.
Room* WorkerPool::start_room(Worker& worker) {
  Room& room = worker.free_room();
  if (room.grid != grid_number_) {
    BlockObserver* const observer =
        observer_ == nullptr ? nullptr : &observer_->observe(worker.memory);
    room.runner.start_grid(*plan_, worker.memory, observer, worker.watched);
    room.grid = grid_number_;
  }
  worker.watched.set_spinning(false);
  return &room;
}

/// Lets a room's block run: a new one, or the one that is there.
void WorkerPool::run_room(Worker& worker, Room& room, std::optional<std::uint64_t> block) {
  worker.load(room, block.has_value(), plan_->dynamic_shared_bytes);
  if (block) {
    const auto extent = observer_ == nullptr ? Extent::kAll : observer_->extent();
    room.state = room.runner.run_block(*block, extent);
    if (!room.is_free()) {
      ++parked_;
      worker.waited = true;
      // Blocks that end early leave others waiting forever: what they do cannot be sampled.
      if (extent == Extent::kFirstSlice) queue_.stop_at(0);
    }
  } else {
    room.state = room.runner.resume();
    if (room.is_free()) --parked_;
  }
  if (!room.is_free()) return;
  queue_.end_one();
  end_block(worker, room);
}

void WorkerPool::end_block(Worker& worker, Room& room) {
  const std::uint64_t block = room.runner.block();
  BlockObserver* const observer = room.runner.observer();
  if (std::optional<KernelError> error = room.runner.take_error()) {
    if (observer != nullptr) observer->block_failed(*error);
    report(block, std::make_exception_ptr(*std::move(error)));
    if (plan_->cluster > 1) room.runner.cluster().fail();
    return;
  }
  if (observer != nullptr) observer->block_ended(block);
  ++worker.blocks;
  worker.barriers = std::max(worker.barriers, room.runner.barriers_passed());
}

/// Gives up the blocks from number `from` on that wait or spin.
void WorkerPool::abandon_rooms(Worker& worker, std::uint64_t from) {
  if (parked_ == 0) return;
  for (const auto& room : worker.rooms) {
    if (room->is_free() || room->runner.block() < from) continue;
    room->runner.abandon();
    room->state = BlockState::kEnded;
    --parked_;
    queue_.end_one();
  }
}

// -- Blocks that wait for others -----------------------------------------------------------------

/// Waits until a block of the worker may go on, or another may start. False: none can.
bool WorkerPool::wait_for_others(Worker& worker) {
  for (int look = 0; look < kLooksBeforeSleep; ++look) {
    if (worker.room_that_may_go_on() != nullptr) return true;
    sched_yield();
  }
  std::unique_lock lock(mutex_);
  ++stuck_;
  const auto may_start_one = [&] {
    return plan_->cluster == 1 && queue_.has_room() && queue_.may_start();
  };
  while (!given_up_ && worker.room_that_may_go_on() == nullptr && !may_start_one()) {
    if (stuck_ + resting_ == busy_ && !anybody_may_go_on()) {
      report_hang();
      given_up_ = true;
      others_move_.notify_all();
    } else {
      others_move_.wait_for(lock, kLookAgain);
    }
  }
  --stuck_;
  return !given_up_;
}

/// All CPU threads are stuck or rest: can any of their blocks go on, if only to poll a flag for
/// longer?
bool WorkerPool::anybody_may_go_on() const {
  bool anybody = false;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms)
      anybody = room->may_go_on() || anybody;
  }
  if (anybody) return true;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms)
      anybody = (!room->is_free() && room->runner.extend_patience()) || anybody;
  }
  return anybody;
}

/// Names all threads of all blocks that wait, unless a failure is known that explains it.
void WorkerPool::report_hang() {
  if (error_ != nullptr) return;
  std::vector<const Room*> waiting;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms) {
      if (!room->is_free()) waiting.push_back(room.get());
    }
  }
  std::ranges::sort(waiting, {}, [](const Room* room) { return room->runner.block(); });
  Fault fault = {FaultKind::kDeadlock};
  for (const Room* room : waiting) {
    for (ThreadGroup& group : room->runner.waiters())
      fault.groups.push_back(std::move(group));
    if (!fault.other) fault.other = room->runner.wrong_announcement();
  }
  if (const std::uint64_t left = queue_.left(); left > 0) {
    fault.fields = {{"blocks_not_started", left},
                    {"resident_blocks", plan_->resident},
                    {"threads", plan_->threads},
                    {"multiprocessors", multiprocessors()}};
  }
  take_place_of_first(fault);
  const KernelError error(std::move(fault));
  const BlockRunner& first = waiting.front()->runner;
  if (first.observer() != nullptr) first.observer()->block_failed(error);
  queue_.stop_at(first.block());
  error_ = std::make_exception_ptr(error);
}

// -- Clusters ------------------------------------------------------------------------------------

void WorkerPool::run_clusters(Worker& worker) {
  Gang& gang = *gangs_[worker.number / plan_->cluster];
  const unsigned rank = worker.number % plan_->cluster;
  gang.cluster.set_shared(rank, worker.memory);
  Room* const room = start_room(worker);
  room->runner.join_cluster(gang.cluster, rank);
  while (const auto first = next_cluster(gang)) {
    queue_.begin_one();
    run_in_turn(gang, worker, *room, *first + rank);
    while (!room->is_free()) {
      if (room->state == BlockState::kSpinning) {
        worker.watched.set_spinning(true);
        std::this_thread::sleep_for(kTurnOfOthers);
      } else if (!wait_for_others(worker)) {
        break;
      }
      run_in_turn(gang, worker, *room, std::nullopt);
    }
    abandon_rooms(worker, 0);
  }
}

/// Blocks of a cluster take turns, until they wait: one that reads what another has yet to write,
/// and does not wait for it, finds nothing there however many cores there are.
void WorkerPool::run_in_turn(Gang& gang, Worker& worker, Room& room,
                             std::optional<std::uint64_t> block) {
  const std::lock_guard turn(gang.one_runs);
  run_room(worker, room, block);
  if (room.is_free()) gang.cluster.leave(worker.number % plan_->cluster);
}

/// Waits until all blocks of the gang's cluster have ended. First block of the next; none: that was
/// the last.
std::optional<std::uint64_t> WorkerPool::next_cluster(Gang& gang) {
  const unsigned size = plan_->cluster;
  std::unique_lock lock(mutex_);
  ++gang.resting;
  ++resting_;
  others_move_.notify_all();
  if (gang.resting == size) {
    gang.first = queue_.take_cluster(size);
    if (given_up_) gang.first.reset();
    gang.cluster.start(size);
    for (unsigned rank = 0; gang.first && rank < size; ++rank)
      gang.cluster.shared(rank).poison(plan_->dynamic_shared_bytes);
    gang.resting = 0;
    resting_ -= size;
    ++gang.turn;
  } else {
    others_move_.wait(lock, [&, turn = gang.turn] { return gang.turn != turn || given_up_; });
  }
  return given_up_ ? std::nullopt : gang.first;
}

void WorkerPool::report(std::uint64_t block, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error_ != nullptr && block >= queue_.stop()) return;
  queue_.stop_at(block);
  error_ = std::move(error);
}

}  // namespace ladder::emulator
