// SPDX-License-Identifier: MIT
/// \file  emulator/trace/block_tracer.hpp
/// \brief Turns the accesses of one block's threads into warp requests, which its parts count and
///        check.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "emulator/run/block/block_observer.hpp"
#include "emulator/trace/access_log.hpp"
#include "emulator/trace/access_news.hpp"
#include "emulator/trace/box_events.hpp"
#include "emulator/trace/call_codes.hpp"
#include "emulator/trace/early_accesses.hpp"
#include "emulator/trace/event_order.hpp"
#include "emulator/trace/flag_words.hpp"
#include "emulator/trace/global_polls.hpp"
#include "emulator/trace/global_requests.hpp"
#include "emulator/trace/hazard_list.hpp"
#include "emulator/trace/log_epochs.hpp"
#include "emulator/trace/product_events.hpp"
#include "emulator/trace/recorded_warp.hpp"
#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/shared_counts.hpp"
#include "emulator/trace/shared_requests.hpp"
#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/stream_slices.hpp"
#include "emulator/trace/thread_order.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_clocks.hpp"
#include "emulator/trace/warp_logs.hpp"
#include "emulator/trace/warp_steps.hpp"
#include "emulator/trace/wide_loads.hpp"

namespace ladder::emulator {

class BlockTracer;

/// Where what tracers saw goes; called from the CPU threads that run the blocks.
class TraceSink {
 public:
  virtual void block_ended(std::uint64_t block, BlockTracer& tracer) = 0;
  virtual void block_failed(const KernelError& error, const BlockTracer& tracer) = 0;
  /// The grid is over; the tracer may be used for another one.
  virtual void end_grid(BlockTracer& tracer) = 0;

 protected:
  ~TraceSink() = default;
};

/// \brief Observes the blocks of a grid one after the other.
///
/// Accesses of threads go through logs, and a warp's are one request; so do copies that threads
/// start. What orders accesses is noted at once.
class BlockTracer final : public BlockObserver {
 public:
  /// \param shared  of the CPU thread that runs the blocks
  /// \param rows    accesses of a thread that are logged before they are looked at: at most
  ///                WarpLog::kRows
  void start_grid(const GridPlan& plan, const SharedMemory& shared, const TraceWishes& wishes,
                  unsigned rows, TraceSink& sink);

  // -- BlockObserver ---------------------------------------------------------------------------
  void start_block(std::uint64_t block) override;
  void enter(unsigned thread) noexcept override;
  void leave(unsigned thread) noexcept override;
  void look_at(unsigned warp) override;
  void go_on(unsigned warp) override { stream_.count_chunk(warp); }
  void pass_barrier() override;
  void report(unsigned thread, Fault fault) override;
  void meet(unsigned warp) override;
  void meet_lanes(unsigned warp, std::uint32_t lanes) override;
  void exchange(unsigned warp) override;
  void give_values(unsigned warp, std::uint32_t lanes) override;
  std::uint16_t give_undefined(unsigned thread, const UndefinedShuffle& shuffle) override;
  void end_block() override;
  bool has_news() override { return news_.take(); }
  bool has_slice() const override { return stream_.are_enough(*state_.wishes); }
  void copy_started(unsigned thread, void* shared, const void* global, unsigned bytes,
                    unsigned source_bytes, std::source_location where) override;
  void copy_landed(void* shared, unsigned bytes) override;
  void box_requested(unsigned thread, const ptx::TensorMap& map, int row, int column,
                     std::source_location where) override;
  void box_started(unsigned thread, BlockObserver& target, void* shared, const ptx::TensorMap& map,
                   int row, int column, const void* barrier, std::source_location where) override;
  void box_landed(void* shared, unsigned bytes, const void* barrier) override;
  void box_store_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                         const ptx::TensorMap& map, int row, int column,
                         std::span<const std::byte> data, std::source_location where) override;
  void box_store_read(unsigned thread, std::span<const std::uintptr_t> pieces,
                      std::source_location where) override;
  void product_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                       std::source_location where) override;
  void product_ended(unsigned thread, unsigned number, std::span<const std::uintptr_t> pieces,
                     std::source_location where) override;
  void products_awaited(unsigned warp, unsigned number) override;
  void arrive_at_cluster_barrier() override;
  void pass_cluster_barrier() override;
  void pass_grid_barrier() override;
  void previous_kernel_awaited(unsigned thread) override { early_.awaits(thread); }
  void released(unsigned thread, const void* object) override;
  void arrived(unsigned thread, const void* object) override;
  void arrived_elsewhere(unsigned thread, BlockObserver& target, const void* object) override;
  void completed(const void* object) override;
  void completed_elsewhere(const BlockObserver& other, const void* theirs,
                           const void* object) override;
  void acquired(unsigned thread, const void* object) override;
  void fenced_for_copies(unsigned thread) override;
  std::uint32_t take_step(unsigned thread) override { return steps_.take(thread / 32); }
  bool knows_step(unsigned thread, unsigned other, std::uint32_t number) const override {
    return steps_.knows(thread / 32, other / 32, number);
  }
  void block_ended(std::uint64_t block) override { sink_->block_ended(block, *this); }
  void block_failed(const KernelError& error) override { sink_->block_failed(error, *this); }
  void end_grid() override;

  // -- What the hooks tell of the thread that runs ---------------------------------------------
  /// See GlobalRequests::report_elsewhere().
  bool report_elsewhere(std::uintptr_t address, AccessCode code) {
    return global_.report_elsewhere(logs_.running(), address, code);
  }
  /// Is it the shared memory of another block of the cluster, and is that checked?
  bool concerns_cluster(std::uintptr_t address) const {
    return state_.checks_cluster() && global_.is_in_cluster(address);
  }
  /// What was stored may be in the shared memory of another block of the cluster.
  void stores_elsewhere(std::uintptr_t address, unsigned bytes);
  /// __threadfence() and the like.
  void fenced(Scope scope);
  /// The running thread's next atomic is one of the block: atomicAdd_block().
  void narrows_next_atomic() { narrowed_ = logs_.running(); }
  /// It has logged an access to a volatile variable.
  void accesses_volatile(const volatile void* address) {
    logs_.mark_last(reinterpret_cast<std::uintptr_t>(address), &WarpLog::Marks::volatiles);
  }
  /// Atomically.
  void updates_flag(const void* address, unsigned bytes, std::uintptr_t instruction);
  /// It tries to: what it tells must be there before other CPU threads can see the update.
  void may_update_flag(const void* address) {
    releases(address, narrowed_ == logs_.running() ? Scope::kBlock : Scope::kDevice);
  }
  /// It has updated it: what other CPU threads did before is known.
  void has_updated_flag(const void* address) {
    acquires(logs_.running(), address, false);
    steps_.acquire(logs_.running() / 32, address);
  }
  /// The running thread is about to compare and swap; see WarpLogs.
  void compares_and_swaps(const void* address, unsigned bytes) {
    logs_.compares_and_swaps(reinterpret_cast<std::uintptr_t>(address), bytes);
  }
  /// It has loaded it.
  void loads_flag(const void* address);
  /// It does not race with atomics, whatever their order.
  void loads_atomically(const void* address) {
    flags_.loaded_atomically(reinterpret_cast<std::uintptr_t>(address));
  }
  /// It is about to load or store a volatile variable, and nobody else runs before.
  void loads_volatile(const void* address, unsigned bytes, std::uintptr_t instruction);
  void stores_volatile(const void* address);
  /// An instruction of the running thread copies a whole object in pieces.
  void copies_object(std::uintptr_t instruction) {
    whole_copies_.add(pack_access(instruction - state_.code_begin, AccessType::kLoad, 1));
  }
  void report_index(Place place, unsigned column, Fault fault);
  /// \param address  0: of a local variable
  void report_misaligned_object(Place place, Fault fault, std::uintptr_t address);

  // -- What the session takes ------------------------------------------------------------------
  /// Counters since the last call, by code.
  std::vector<std::pair<AccessCode, SiteCounts>> take_counts() { return sites_.take_counts(); }
  BlockStream take_stream() { return stream_.take(); }
  const std::vector<RawHazard>& hazards() const { return hazards_.all(); }
  const std::vector<RawRequest>& recorded_warp() const { return recorded_.all(); }
  const std::vector<ArrayUse>& uses() const { return global_.uses(); }
  const EventOrder& order() const { return order_; }
  const std::vector<std::uintptr_t>& polls() const { return polls_.instructions(); }
  double most_products() const { return logs_.words().most_products(); }
  const std::vector<SharedArray>& shared_arrays() const { return state_.shared_arrays; }

 private:
  void look_at_rows_in_step(const WarpLog& log, unsigned rows, std::uint32_t lanes);
  void look_at_rows_one_by_one(const WarpLog& log, unsigned rows);
  void request(AccessCode code, const std::uint64_t* address, std::uint32_t lanes);
  void count_words(AccessCode code, const std::uint64_t* address, std::uint32_t lanes);
  std::uint32_t check_other_blocks(AccessCode code, const std::uint64_t* address,
                                   std::uint32_t lanes);
  void report_misaligned(AccessCode code, const std::uint64_t* address, std::uint32_t lanes,
                         bool shared);
  void set_epochs(const Epochs& epochs);
  void start_clocks();
  void be_lenient();
  void look_at_if_in_step(unsigned warp);
  void may_order_blocks();
  void may_order_blocks_by(const void* object);
  std::uint64_t flag_at(const void* object) const;
  bool is_grid_barrier(const void* object) const;
  void release_steps(unsigned thread, const void* flag);
  void check_rows(unsigned thread, bool all = true);
  void acquires(unsigned thread, const void* object, bool all_rows);
  void acquires_later(const void* address);
  void releases(const void* address, Scope scope);
  void look_for_polls(const void* address, unsigned bytes, std::uintptr_t instruction);
  template <class Change>
  void change_epoch(unsigned thread, Change change);

  TracerState state_;
  WholeCopies whole_copies_;
  TraceSink* sink_ = nullptr;
  ThreadOrder thread_order_;
  WarpClocks clocks_;
  WarpSteps steps_;
  EventOrder order_;
  SharedShadow shadow_{clocks_};
  WarpLogs logs_;
  LogEpochs epochs_{clocks_, logs_};
  AccessNews news_;
  GlobalPolls polls_;
  FlagWords flags_;
  bool has_fenced_ = false;  ///< has any thread of the block?
  unsigned narrowed_ = ~0u;  ///< the thread whose next atomic is one of the block
  CallCodes calls_;
  StreamSlices stream_;
  RequestSites sites_;
  HazardList hazards_{state_};
  RecordedWarp recorded_{state_};
  EarlyAccesses early_{state_, logs_, hazards_};
  GlobalRequests global_{state_, thread_order_, stream_, hazards_, order_, recorded_, early_};
  SharedCounts shared_counts_{state_, sites_, recorded_};
  WideLoads wide_loads_{sites_, shared_counts_};
  SharedRequests shared_{state_,      clocks_,  shadow_, logs_, shared_counts_,
                         wide_loads_, hazards_, order_,  flags_};
  BoxEvents boxes_{state_, clocks_, shadow_, shared_, order_};
  ProductEvents products_{state_, clocks_, shadow_, shared_, order_};
};

}  // namespace ladder::emulator
