// SPDX-License-Identifier: MIT
#include "emulator/trace/block_tracer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
// -- Grids and blocks ----------------------------------------------------------------------------

void BlockTracer::start_grid(const GridPlan& plan, const SharedMemory& shared,
                             const TraceWishes& wishes, unsigned rows, TraceSink& sink) {
  sink_ = &sink;
  if (state_.shared_bytes != shared.arrays.size()) shadow_.resize(shared.arrays.size());
  const auto dynamic_offset =
      static_cast<std::size_t>(shared.dynamic.data() - shared.arrays.data());
  state_ = {
      .plan = &plan,
      .wishes = &wishes,
      .code_begin = plan.code.begin(),
      .shared_begin = reinterpret_cast<std::uintptr_t>(shared.arrays.data()),
      .shared_bytes = shared.arrays.size(),
      .dynamic_offset = dynamic_offset,
      .shared_guards = shared_guards_of(plan.kernel, dynamic_offset),
      .shared_arrays = shared_arrays_of(plan.kernel, dynamic_offset, plan.dynamic_shared_bytes),
      .whole_copies = &whole_copies_};
  if (wishes.samples != nullptr) wishes.samples->watch(std::as_bytes(shared.arrays));
  logs_.set_limit(rows);
  logs_.set_arrays(wishes.arrays, wishes.index);
  if (plan.cooperative || plan.cluster > 1) may_order_blocks();
  thread_order_.start_grid(wishes.shadow == nullptr ? nullptr : wishes.order, plan.threads,
                           plan.cluster);
  global_.start_grid();
  sites_.start_grid();
  whole_copies_ = {};
  hazards_.start_grid();
  polls_.start_grid();
  logs_.words().start_grid();
  flags_.start_grid(state_.shared_begin, state_.shared_bytes);
  recorded_.start_grid();
  clocks_.deactivate();
  order_.start(state_.shared_arrays);
}

void BlockTracer::start_block(std::uint64_t block) {
  state_.block = block;
  const unsigned cluster = state_.plan->cluster;
  clocks_.start_block(state_.plan->threads, static_cast<unsigned>(block % cluster), cluster);
  steps_.start_block();
  shadow_.start_block();
  boxes_.start_block();
  epochs_.start_block();
  early_.start_block();
  logs_.start_block();
  shared_.start_block();
  global_.start_block();
  thread_order_.start_block(block);
  state_.grid_phase = 0;
  state_.is_lenient = false;
  narrowed_ = ~0u;
  stream_.start_block();
  flags_.start_block();
  polls_.start_block();
  news_.forget();
  has_fenced_ = false;
  access_cursor = {.code_begin = state_.code_begin,
                   .shared_begin = state_.shared_begin - TracerState::kNearShared,
                   .shared_bytes = state_.shared_bytes + 2 * TracerState::kNearShared,
                   .global_begin = global_.begin(),
                   .global_bytes = global_.bytes()};
}

void BlockTracer::end_block() {
  for (unsigned warp = 0; 32 * warp < state_.plan->threads; ++warp)
    look_at(warp);
  stream_.end();
  logs_.words().end_block();
  logs_.end_block();
}

/// Nothing is logged until the next block starts.
void BlockTracer::end_grid() {
  access_cursor = {};
  logs_.end_block();
  sink_->end_grid(*this);
}

void BlockTracer::enter(unsigned thread) noexcept {
  access_cursor.tracer = this;
  logs_.enter(thread);
  if (state_.wishes->samples != nullptr) state_.wishes->samples->enter();
}

void BlockTracer::leave(unsigned) noexcept {
  logs_.leave();
}

void BlockTracer::pass_barrier() {
  early_.pass_barrier();
  thread_order_.pass_barrier();
  news_.forget();
  shadow_.pass_barrier();
  if (clocks_.is_active()) clocks_.pass_barrier();
  steps_.pass_barrier();
  if (state_.is_ordered()) order_.pass_barrier();
  stream_.end();
}

void BlockTracer::report(unsigned thread, Fault fault) {
  const Place place = fault.place;
  const FaultKind kind = fault.kind;
  hazards_.report({.kind = kind,
                   .thread = static_cast<std::uint16_t>(thread),
                   .found = std::move(fault),
                   .place = place});
}

void BlockTracer::meet(unsigned warp) {
  look_at(warp);
  early_.meet(warp);
  shared_.meet(warp);
  thread_order_.meet(warp);
  if (clocks_.is_active()) clocks_.meet(warp);
}

void BlockTracer::meet_lanes(unsigned warp, std::uint32_t lanes) {
  start_clocks();
  logs_.count_rows();
  early_.meet(warp);
  std::array<Epoch, 32> before;
  for_each_lane(lanes, [&](unsigned lane) { before[lane] = clocks_.epoch_of(32 * warp + lane); });
  clocks_.meet_lanes(warp, lanes);
  for_each_lane(lanes, [&](unsigned lane) {
    epochs_.note(32 * warp + lane, before[lane]);
    check_rows(32 * warp + lane);
  });
  thread_order_.meet_lanes(warp, lanes);
}

// -- Fences and flags ----------------------------------------------------------------------------

void BlockTracer::may_order_blocks() {
  if (state_.wishes->shadow != nullptr) state_.wishes->shadow->may_order_blocks();
}

void BlockTracer::may_order_blocks_by(const void* object) {
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  if (at - global_.begin() < global_.bytes() && !state_.is_near_shared(at)) may_order_blocks();
}

/// A flag in shared memory is one of its block: other blocks have theirs at the same address.
std::uint64_t BlockTracer::flag_at(const void* object) const {
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  if (at - state_.shared_begin < state_.shared_bytes)
    return ThreadOrder::key_of_shared(state_.block, at - state_.shared_begin);
  if (state_.plan->cluster == 1) return at;
  const ClusterMember& member = BlockRunner::of_this_cpu_thread()->cluster();
  const auto place = member.place_of(at);
  if (!place) return at;
  return ThreadOrder::key_of_shared(state_.block - member.rank() + place->first, place->second);
}

/// What the thread has logged is checked now, because more will be known of what it does next.
/// \param all  or without the last row
void BlockTracer::check_rows(unsigned thread, bool all) {
  if (!thread_order_.is_active()) return;
  logs_.count_rows();
  const unsigned rows = logs_.rows(thread);
  const unsigned end = all || rows == 0 ? rows : rows - 1;
  const unsigned warp = thread / 32;
  const unsigned lane = thread % 32;
  unsigned row = logs_.checked(thread);
  if (row >= end) return;
  const WarpLog& log = logs_.log_of(warp);
  for (; row < end; ++row) {
    const WarpLog::Marks marks = logs_.marks_in(warp, row);
    global_.check_alone({.code = log.row[row].code[lane],
                         .address = log.row[row].address[lane],
                         .thread = thread,
                         .value = log.stored[row].value[lane],
                         .is_volatile = (marks.volatiles >> lane & 1) != 0,
                         .is_of_block = (marks.of_block >> lane & 1) != 0});
  }
  logs_.set_checked(thread, end);
}

void BlockTracer::releases(const void* address, Scope scope) {
  const unsigned thread = logs_.running();
  if (thread_order_.is_active() && thread_order_.has_fenced(thread))
    thread_order_.release(thread, flag_at(address), scope);
}

void BlockTracer::acquires(unsigned thread, const void* object, bool all_rows) {
  if (!thread_order_.may_acquire()) return;
  AcquiredFlags news = thread_order_.news_of(thread, flag_at(object));
  if (news == nullptr) return;
  check_rows(thread, all_rows);
  thread_order_.acquire(thread, std::move(news));
}

void BlockTracer::acquires_later(const void* address) {
  if (thread_order_.is_active()) thread_order_.acquire_later(logs_.running(), flag_at(address));
}

void BlockTracer::fenced(Scope scope) {
  may_order_blocks();
  const unsigned thread = logs_.running();
  if (thread_order_.is_active()) {
    check_rows(thread);
    thread_order_.fence(thread, scope);
  }
  if (state_.shared_arrays.empty()) return;
  has_fenced_ = true;
  flags_.fenced(thread);
  change_epoch(thread, [&](Epoch) { clocks_.fence_thread(thread); });
}

/// Blocks that wait for others' flags look at them more or less often.
void BlockTracer::look_for_polls(const void* address, unsigned bytes, std::uintptr_t instruction) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (state_.plan->blocks == 1 || bytes < 4 || at - global_.begin() >= global_.bytes()) return;
  if (state_.is_near_shared(at)) return;
  polls_.look(logs_.running(), address, instruction, access_cursor.next);
}

void BlockTracer::updates_flag(const void* address, unsigned bytes, std::uintptr_t instruction) {
  may_order_blocks_by(address);
  early_.learns_from(logs_.running(), address);
  look_for_polls(address, bytes, instruction);
  logs_.words().stores(logs_.running(), bytes);
  const bool of_block = narrowed_ == logs_.running();
  if (of_block) {
    narrowed_ = ~0u;
    logs_.mark_last(reinterpret_cast<std::uintptr_t>(address), &WarpLog::Marks::of_block);
  }
  releases(address, of_block ? Scope::kBlock : Scope::kDevice);
  release_steps(logs_.running(), address);
  if (!has_fenced_) return;
  clocks_.load_flag(logs_.running(), address);
  clocks_.store_flag(logs_.running(), address);
}

void BlockTracer::loads_flag(const void* address) {
  may_order_blocks_by(address);
  early_.learns_from(logs_.running(), address);
  acquires_later(address);
  steps_.acquire(logs_.running() / 32, address);
  if (has_fenced_) clocks_.load_flag(logs_.running(), address);
}

void BlockTracer::loads_volatile(const void* address, unsigned bytes, std::uintptr_t instruction) {
  may_order_blocks_by(address);
  early_.learns_from(logs_.running(), address);
  look_for_polls(address, bytes, instruction);
  acquires_later(address);
  steps_.acquire(logs_.running() / 32, address);
  flags_.loaded(logs_.running(), reinterpret_cast<std::uintptr_t>(address), access_cursor.next);
  if (has_fenced_) clocks_.load_flag(logs_.running(), address);
}

void BlockTracer::stores_volatile(const void* address) {
  may_order_blocks_by(address);
  releases(address, Scope::kDevice);
  release_steps(logs_.running(), address);
  flags_.stored(logs_.running(), reinterpret_cast<std::uintptr_t>(address));
  if (has_fenced_) clocks_.store_flag(logs_.running(), address);
}

void BlockTracer::exchange(unsigned warp) {
  look_at(warp);
  early_.meet(warp);
  thread_order_.exchange(warp);
  if (clocks_.is_active()) clocks_.meet(warp);
}

void BlockTracer::give_values(unsigned warp, std::uint32_t lanes) {
  logs_.words().exchanges(warp, lanes);
}

std::uint16_t BlockTracer::give_undefined(unsigned thread, const UndefinedShuffle& shuffle) {
  return state_.wishes->undefined->add(*state_.plan, state_.block, thread, shuffle);
}

void BlockTracer::report_index(Place place, unsigned column, Fault fault) {
  const FaultKind kind = fault.kind;
  hazards_.report({.kind = kind,
                   .thread = static_cast<std::uint16_t>(logs_.running()),
                   .shared = true,
                   .found = std::move(fault),
                   .place = std::move(place),
                   .column = column});
}

void BlockTracer::report_misaligned_object(Place place, Fault fault, std::uintptr_t address) {
  const bool shared = address != 0 && state_.is_near_shared(address);
  const FaultKind kind = fault.kind;
  hazards_.report({.kind = kind,
                   .thread = static_cast<std::uint16_t>(logs_.running()),
                   .shared = shared,
                   .address = shared ? address - state_.shared_begin : address,
                   .found = std::move(fault),
                   .place = std::move(place)});
}

// -- What orders accesses ------------------------------------------------------------------------

void BlockTracer::start_clocks() {
  if (clocks_.is_active()) return;
  clocks_.activate();
  shadow_.use_clocks();
}

/// The sooner a log is looked at, the nearer to the order in which things happened. Lanes that have
/// done equally much have probably done the same.
void BlockTracer::look_at_if_in_step(unsigned warp) {
  logs_.count_rows();
  const unsigned lanes = std::min(32u, state_.plan->threads - 32 * warp);
  const std::uint16_t* const rows = logs_.rows_of(warp);
  if (rows[0] == 0) return;
  for (unsigned lane = 1; lane < lanes; ++lane) {
    if (rows[lane] != rows[0]) return;
  }
  look_at(warp);
}

template <class Change>
void BlockTracer::change_epoch(unsigned thread, Change change) {
  start_clocks();
  look_at_if_in_step(thread / 32);
  const Epoch before = clocks_.epoch_of(thread);
  change(before);
  epochs_.note(thread, before);
}

/// The flags of a barrier of the whole grid, which is known as such.
bool BlockTracer::is_grid_barrier(const void* object) const {
  const auto* const turns = reinterpret_cast<const std::byte*>(state_.plan->turns.get());
  const auto offset = static_cast<std::uintptr_t>(static_cast<const std::byte*>(object) - turns);
  return turns != nullptr && offset < (state_.plan->blocks + 1) * sizeof(unsigned);
}

/// Other blocks may look at a flag and pass on what it tells, unless it lies in this block's shared
/// memory.
void BlockTracer::release_steps(unsigned thread, const void* flag) {
  const auto at = reinterpret_cast<std::uintptr_t>(flag);
  if (state_.plan->cluster == 1 && at - state_.shared_begin < state_.shared_bytes)
    steps_.release(thread / 32, flag);
}

void BlockTracer::released(unsigned thread, const void* object) {
  release_steps(thread, object);
  may_order_blocks_by(object);
  if (thread_order_.is_active() && !is_grid_barrier(object)) {
    check_rows(thread);
    thread_order_.fence(thread, Scope::kDevice);
    thread_order_.release(thread, flag_at(object), Scope::kDevice);
  }
  change_epoch(thread, [&](Epoch) { clocks_.release(thread, object); });
}

/// What a barrier of some warps puts in order in global memory is not followed.
void BlockTracer::arrived(unsigned thread, const void* object) {
  may_order_blocks_by(object);
  if (!BlockRunner::of_this_cpu_thread()->cluster().is_barrier(object)) be_lenient();
  steps_.arrive(thread / 32, object);
  change_epoch(thread, [&](Epoch) { clocks_.arrive(thread, object); });
}

void BlockTracer::be_lenient() {
  state_.is_lenient = true;
  thread_order_.be_lenient();
}

/// The other block does not run meanwhile.
void BlockTracer::arrived_elsewhere(unsigned thread, BlockObserver& target, const void* object) {
  be_lenient();
  auto& other = static_cast<BlockTracer&>(target);
  other.be_lenient();
  other.start_clocks();
  other.steps_.arrive_from_elsewhere(object);
  change_epoch(thread,
               [&](Epoch) { other.clocks_.arrive_from(clocks_.tell(thread, object), object); });
}

void BlockTracer::completed_elsewhere(const BlockObserver& other, const void* theirs,
                                      const void* object) {
  steps_.arrive_from_elsewhere(object);
  steps_.complete(object);
  clocks_.complete_with(static_cast<const BlockTracer&>(other).clocks_, theirs, object);
}

void BlockTracer::acquired(unsigned thread, const void* object) {
  early_.acquired(thread);
  may_order_blocks_by(object);
  if (!is_grid_barrier(object)) acquires(thread, object, true);
  steps_.acquire(thread / 32, object);
  change_epoch(thread, [&](Epoch) { clocks_.acquire(thread, object); });
}

void BlockTracer::arrive_at_cluster_barrier() {
  if (!thread_order_.is_active()) return;
  for (unsigned warp = 0; 32 * warp < state_.plan->threads; ++warp)
    look_at(warp);
  thread_order_.arrive_at_cluster();
}

void BlockTracer::pass_cluster_barrier() {
  early_.pass_barrier_of_blocks();
  if (thread_order_.is_active()) thread_order_.pass_cluster();
}

void BlockTracer::pass_grid_barrier() {
  early_.pass_barrier_of_blocks();
  ++state_.grid_phase;
  if (state_.wishes->shadow != nullptr) state_.wishes->shadow->pass_grid_barrier(state_.grid_phase);
}

void BlockTracer::fenced_for_copies(unsigned thread) {
  change_epoch(thread, [&](Epoch) { clocks_.fence(thread); });
}

void BlockTracer::completed(const void* object) {
  start_clocks();
  clocks_.complete(object);
  steps_.complete(object);
  // Who waits for boxes goes on tile by tile, as others do from barrier to barrier.
  if (clocks_.is_copy_barrier(object)) stream_.end_if_any();
}

// -- Copies --------------------------------------------------------------------------------------

void BlockTracer::copy_started(unsigned thread, void* shared, const void* global, unsigned bytes,
                               unsigned source_bytes, std::source_location where) {
  start_clocks();
  // All lanes fill a row for the source: those that read nothing have no address.
  const auto source = source_bytes == 0 ? 0 : reinterpret_cast<std::uintptr_t>(global);
  const AccessCode code = calls_.at(where, AccessType::kCopySource, bytes);
  if (source != 0 && source - global_.begin() >= global_.bytes()) {
    global_.report(thread, code, source);
  }
  if (source != 0 && source_bytes < bytes) global_.copies_in_part(source, source_bytes);
  logs_.append(source, code);
  logs_.append(reinterpret_cast<std::uintptr_t>(shared),
               calls_.at(where, AccessType::kCopyTarget, bytes));
}

void BlockTracer::copy_landed(void* shared, unsigned bytes) {
  logs_.append(reinterpret_cast<std::uintptr_t>(shared),
               pack_access(0, AccessType::kCopyLanded, bytes));
}

void BlockTracer::box_requested(unsigned thread, const ptx::TensorMap& map, int row, int column,
                                std::source_location where) {
  global_.request_box(sites_.at(calls_.at(where, AccessType::kBox, 16)), thread, map, row, column);
  logs_.words().is_not_alone();
}

void BlockTracer::box_started(unsigned thread, BlockObserver& target, void* shared,
                              const ptx::TensorMap& map, int row, int column, const void* barrier,
                              std::source_location where) {
  auto& other = static_cast<BlockTracer&>(target);
  other.start_clocks();
  BoxCopy box = {.copy_barrier = other.clocks_.copy_barrier(barrier),
                 .code = calls_.at(where, AccessType::kBox, 16),
                 .thread = static_cast<std::uint16_t>(thread)};
  change_epoch(thread, [&](Epoch before) {
    box.epoch = before;
    if (&other == this) {
      steps_.arrive(thread / 32, barrier);
      clocks_.advance(thread);
    } else {
      other.steps_.arrive_from_elsewhere(barrier);
      box.block = state_.block;
      box.knows = clocks_.tell(thread, shared);
    }
  });
  other.global_.receive_box(other.sites_.at(box.code), map, row, column);
  other.boxes_.start(box, shared, static_cast<unsigned>(map.box_bytes()), barrier);
}

void BlockTracer::box_landed(void* shared, unsigned bytes, const void* barrier) {
  boxes_.land(shared, bytes, barrier);
}

void BlockTracer::box_store_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                                    const ptx::TensorMap& map, int row, int column,
                                    std::span<const std::byte> data, std::source_location where) {
  const AccessCode code = calls_.at(where, AccessType::kBox, kBytesOfBoxStore);
  change_epoch(thread, [&](Epoch) { boxes_.start_store(code, thread, pieces); });
  global_.store_box(sites_.at(code), thread, map, row, column, data);
  logs_.words().is_not_alone();
}

void BlockTracer::box_store_read(unsigned thread, std::span<const std::uintptr_t> pieces,
                                 std::source_location where) {
  const AccessCode code = calls_.at(where, AccessType::kBox, kBytesOfBoxStore);
  change_epoch(thread, [&](Epoch) { boxes_.end_store(code, thread, pieces); });
}

void BlockTracer::product_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                                  std::source_location where) {
  logs_.words().gives_tensor_cores();
  RequestSite& site = sites_.at(calls_.at(where, AccessType::kBox, kBytesOfProduct));
  if (pieces.empty()) {
    products_.started(site, thread, pieces);
    return;
  }
  change_epoch(thread, [&](Epoch) { products_.started(site, thread, pieces); });
}

void BlockTracer::product_ended(unsigned thread, unsigned number,
                                std::span<const std::uintptr_t> pieces,
                                std::source_location where) {
  products_.ended(calls_.at(where, AccessType::kBox, kBytesOfProduct), thread, number, pieces);
}

void BlockTracer::products_awaited(unsigned warp, unsigned number) {
  start_clocks();
  look_at(warp);
  clocks_.wait_for_products(warp, number);
}

}  // namespace ladder::emulator
