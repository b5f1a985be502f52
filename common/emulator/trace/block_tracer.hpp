// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/block_tracer.hpp
/// \brief Turns the accesses of one block's threads into warp requests, counts them, and checks
///        them. Each CPU thread that runs blocks has one.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/emulator/run/block_observer.hpp"
#include "common/emulator/run/grid_plan.hpp"
#include "common/emulator/run/shared_arrays.hpp"
#include "common/emulator/trace/access_log.hpp"
#include "common/emulator/trace/block_stream.hpp"
#include "common/emulator/trace/event_order.hpp"
#include "common/emulator/trace/line_patterns.hpp"
#include "common/emulator/trace/request_shape.hpp"
#include "common/emulator/trace/shared_shadow.hpp"
#include "common/emulator/trace/trace.hpp"
#include "common/ptx/tensor_map.hpp"

namespace ladder::emulator {

/// Counters of one place in the machine code.
struct SiteCounts {
  AccessCounts global;
  AccessCounts shared;
};

/// A fault before its lines and names are looked up.
struct RawHazard {
  HazardKind kind = HazardKind::kOther;
  AccessCode code = 0;
  AccessCode earlier = 0;    ///< race: the access before
  std::uint64_t block = 0;   ///< the lowest with this fault
  std::uint16_t thread = 0;  ///< within the block
  std::uint16_t earlier_thread = 0;
  bool shared = false;
  std::uint64_t address = 0;  ///< shared: offset in shared memory
  std::string text = {};      ///< where the fault was found by other means
  Place place = {};           ///< likewise
  unsigned column = 0;        ///< likewise
  std::uint64_t times = 1;
};

/// A warp request before its line and array are looked up.
struct RawRequest {
  AccessCode code = 0;
  bool shared = false;
  std::uint32_t lanes = 0;
  std::array<std::uint64_t, 32> address = {};
  AccessCounts counts = {};
};

/// What the session wants to know of the grid that runs.
struct TraceWishes {
  std::vector<TracedArray> arrays;
  LinePatterns* patterns = nullptr;                        ///< shared by all CPU threads
  std::uint64_t ordered_block = 0;                         ///< whose order of events is recorded
  std::optional<std::pair<std::uint64_t, unsigned>> warp;  ///< block and warp to record in full
  std::function<bool(ArrayShifts&)> complete_shifts;       ///< see TraceOptions
};

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

/// \brief The tracer of one CPU thread.
class BlockTracer final : public BlockObserver {
 public:
  /// Gets ready for the blocks of a grid; `shared` is this CPU thread's shared memory.
  void start_grid(const GridPlan& plan, const SharedMemory& shared, const TraceWishes& wishes,
                  TraceSink& sink);

  // -- BlockObserver ---------------------------------------------------------------------------
  void start_block(std::uint64_t block) override;
  void enter(unsigned thread) noexcept override;
  void leave(unsigned thread) noexcept override;
  void look_at(unsigned warp) override;
  void go_on(unsigned warp) override { ++chunks_[warp]; }
  void pass_barrier() override;
  void meet(unsigned warp) override;
  void end_block() override;
  /// \brief Is what the block has done enough to tell what it will do? It has passed a barrier, or
  ///        made as many accesses as a slice has; and the arrays that it has touched by then say
  ///        where in the others it will be, or it has done so many times.
  bool has_slice() const override;
  void copy_started(unsigned thread, void* shared, const void* global, unsigned bytes,
                    unsigned source_bytes, std::source_location where) override;
  void copy_landed(void* shared, unsigned bytes) override;
  void box_started(unsigned thread, void* shared, const ptx::TensorMap& map, int row, int column,
                   const void* barrier, std::source_location where) override;
  void box_landed(void* shared, unsigned bytes, const void* barrier) override;
  void released(unsigned thread, const void* object) override;
  void arrived(unsigned thread, const void* object) override;
  void completed(const void* object) override;
  void acquired(unsigned thread, const void* object) override;
  void fenced_for_copies(unsigned thread) override;
  void block_ended(std::uint64_t block) override { sink_->block_ended(block, *this); }
  void block_failed(const KernelError& error) override { sink_->block_failed(error, *this); }
  /// Nothing is logged until the next block starts.
  void end_grid() override;

  /// How many accesses of a thread are logged before they are looked at: at most WarpLog::kRows.
  void set_rows(unsigned rows) { row_limit_ = rows; }

  // -- What the hooks tell ---------------------------------------------------------------------
  /// \return false: the access is of no concern, e.g. of a local variable
  bool report_elsewhere(std::uintptr_t address, AccessCode code);
  void report_index(Place place, unsigned column, const std::string& text);

  // -- What the session takes ------------------------------------------------------------------
  /// Counters since the last call, by code.
  std::vector<std::pair<AccessCode, SiteCounts>> take_counts();
  BlockStream take_stream();
  const std::vector<RawHazard>& hazards() const { return hazards_; }
  const std::vector<RawRequest>& recorded_warp() const { return recorded_; }
  const EventOrder& order() const { return order_; }
  const std::vector<SharedArray>& shared_arrays() const { return shared_arrays_; }

 private:
  /// A word that a request touches, relative to its first lane's word.
  struct TouchedWord {
    std::int32_t word;
    std::uint8_t lane;
    std::uint8_t bytes;
    bool several;
  };
  /// What one place in the code asked last time, and what came out of it.
  struct Site {
    AccessCode code = 0;
    SiteCounts counts;
    std::array<std::uint64_t, 32> delta;   ///< address minus that of the first lane
    std::array<std::uint64_t, 32> active;  ///< all ones where the lane takes part
    std::uint32_t lanes = 0;               ///< 0: nothing is known yet
    std::uint32_t pattern = 0;             ///< its number; another one for other deltas or lanes
    std::int64_t lowest = 0;               ///< of the deltas
    std::int64_t highest = 0;              ///< behind the last byte
    std::uint64_t skew = 0;                ///< bits of deltas below the access size
    std::size_t array = kMaxArrays;        ///< of the last global access
    // Global: depends on where in a line the first lane's byte is.
    struct Phase {
      std::uint32_t pattern = 0;
      std::uint16_t sectors = 0;  ///< 0: not computed
      std::uint16_t distinct_sectors = 0;
      std::uint16_t ideal_sectors = 0;
      std::uint16_t lines = 0;
    };
    std::array<Phase, kLineBytes> phases;
    // Shared.
    unsigned phase_in_word = 0;  ///< of the first lane's byte
    bool is_guard = false;       ///< no array, but g++'s note that an array is constructed
    SharedShape shape;
    std::array<SharedShape, 5> wide_shapes =
        {};  ///< as part of a load of so many words; 0: unknown
    std::vector<TouchedWord> words;
    std::unordered_map<std::uint64_t, CopyShape> copies;  ///< by what they read, and from where
  };
  /// Scalar shared loads of neighbouring words that a GPU's compiler makes one wide load of.
  struct WideLoad {
    AccessCode code;
    std::uint32_t lanes;
    unsigned count;
    unsigned limit;
    std::array<std::uint64_t, 32> address;  ///< of the first
  };

  /// A thread's epoch changed before it filled this row of the log.
  struct EpochChange {
    std::uint16_t row;
    std::uint8_t lane;
    Epoch before;
    Epoch after;
  };
  /// Of the lanes of one request.
  struct Epochs {
    Epoch earliest = 1;
    Epoch latest = 1;
  };
  /// A box copy that has not landed.
  struct StartedBox {
    const void* shared;
    const void* barrier;
    std::uint32_t number;  ///< see SharedShadow::start_box()
  };
  /// The code of a call that was looked up lately.
  struct Call {
    const char* file = nullptr;
    std::uint_least32_t line = 0;
    std::uint_least32_t column = 0;
    AccessCode code = 0;
  };

  /// Accesses this near to shared memory are meant for it.
  static constexpr std::size_t kNearShared = std::size_t{32} * 1024;

  WarpLog& log_of(unsigned warp);
  void flush_in_step(const WarpLog& log, unsigned rows, std::uint32_t lanes);
  void flush_unequal(unsigned warp, const WarpLog& log, unsigned rows);
  void sort_changes(unsigned warp);
  void forget_changes(unsigned warp);
  Epoch epoch_at(unsigned warp, unsigned lane, unsigned row) const;
  Epochs epochs_at(unsigned warp, unsigned row, std::uint32_t lanes) const;
  void end_slice();
  void start_clocks();
  void flush_if_in_step(unsigned warp);
  void note_epoch(unsigned thread, Epoch before);
  AccessCode code_of(std::source_location where, AccessType type, unsigned bytes);
  void log(std::uintptr_t address, AccessCode code);
  void fill_by_box(const BoxCopy& box, const void* shared, unsigned bytes);
  void count_box(AccessCode code, unsigned thread, const ptx::TensorMap& map, int row, int column);
  void see_order_as(unsigned warp, Epoch at);
  void request(AccessCode code, const std::uint64_t* address, std::uint32_t lanes);
  void global_request(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  void shared_request(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  void check_shared(Site& site, std::uint64_t first);
  [[gnu::cold]] void report_conflict(const WordAccess& access, const Conflict& conflict);
  bool is_written_in_logs(std::uint32_t word) const;
  void count_copy(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  void count_shared(Site& site, const std::uint64_t* address, std::uint32_t lanes,
                    const SharedShape& shape);
  bool widen(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  void settle_wide_loads();
  void emit(const WideLoad& load);
  bool same_pattern(Site& site, const std::uint64_t* address, std::uint32_t lanes) const;
  void learn_pattern(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  const Site::Phase& phase_of(Site& site, const std::uint64_t* address);
  void find_words(Site& site, const std::uint64_t* address);
  std::size_t array_with(std::uint64_t begin, std::uint64_t end) const;
  void report_global(Site& site, const std::uint64_t* address, std::uint32_t lanes);
  bool is_launch_code(AccessCode code);
  bool is_private(std::uintptr_t address) const;
  bool is_recorded() const;
  void report(RawHazard hazard);
  Site& site_of(AccessCode code);

  const GridPlan* plan_ = nullptr;
  const TraceWishes* wishes_ = nullptr;
  TraceSink* sink_ = nullptr;
  std::uintptr_t code_begin_ = 0;
  std::uintptr_t shared_begin_ = 0;
  std::size_t shared_bytes_ = 0;
  std::vector<SharedArray> shared_guards_;
  std::vector<SharedArray> shared_arrays_;  ///< those that the kernel may use
  std::uintptr_t global_begin_ = 0;
  std::size_t global_bytes_ = 0;

  std::array<WarpLog*, 32> logs_ = {};
  std::vector<std::unique_ptr<WarpLog>> all_logs_;
  std::vector<WarpLog*> free_logs_;
  std::array<std::uint16_t, 1024> rows_ = {};
  std::array<std::uint32_t, 32> syncs_ = {};
  WarpClocks clocks_;
  std::array<std::vector<EpochChange>, 32> changes_;  ///< by warp, since its log was looked at
  std::array<std::uint16_t, 33> lane_changes_ = {};   ///< where in them a lane's begin, if sorted
  std::bitset<WarpLog::kRows + 1> rows_with_changes_;
  Epochs epochs_;                  ///< of the request that is looked at
  std::vector<StartedBox> boxes_;  ///< that have not landed
  std::array<Call, 64> calls_ = {};
  unsigned row_limit_ = WarpLog::kRows;
  unsigned running_ = 0;
  bool inside_ = false;  ///< the cursor belongs to running_

  std::unordered_map<AccessCode, bool> launch_code_;
  std::unordered_map<AccessCode, std::unique_ptr<Site>> sites_;
  std::array<Site*, 1024> recent_sites_ = {};
  std::vector<WideLoad> wide_;
  std::uint32_t patterns_ = 0;                      ///< that sites have learned
  std::array<std::uint64_t, 32> copy_source_ = {};  ///< of each lane's latest cp.async; 0: zeros
  std::optional<std::size_t> recorded_source_;      ///< its place in recorded_, if it has one
  unsigned warp_ = 0;                               ///< whose requests are looked at
  std::uint64_t block_ = 0;
  SharedShadow shadow_{clocks_};

  BlockStream stream_;
  std::array<std::uint32_t, 32> chunks_ = {};  ///< full logs of each warp since the last barrier
  std::uint32_t slice_chunk_ = 0;              ///< the slice that is being filled has these
  std::vector<RawHazard> hazards_;
  std::vector<RawRequest> recorded_;
  EventOrder order_;
};

}  // namespace ladder::emulator
