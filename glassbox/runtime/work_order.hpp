// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/work_order.hpp
/// \brief What CUDA orders: work in streams and graphs, and the host. Here all work is done when
///        its call returns; what a GPU could do in another order, and then differently, is told.
///
/// Each stream counts its work. A clock holds, for each stream, up to which count its work is
/// done; streams, events and the host have one. What is not in the host's clock may still run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/run/fault.hpp"
#include "glassbox/runtime/access_record.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/stream_calls.hpp"

namespace ladder::glassbox {

class Clock {
 public:
  /// From now on, what the other one knows to be done is done.
  void join(const Clock& other);
  void set(std::size_t lane, std::uint64_t count);
  bool covers(std::size_t lane, std::uint64_t count) const {
    return lane < counts_.size() && counts_[lane] >= count;
  }

 private:
  std::vector<std::uint64_t> counts_;  ///< by lane
};

/// Where a stream is.
struct StreamPosition {
  std::string name = {};    ///< "copies"; of the default stream empty
  bool is_legacy = false;   ///< the default stream, for which all blocking ones wait
  bool is_blocking = true;  ///< it waits for the default stream, and the default stream for it
  std::size_t lane = 0;     ///< of its count; a destroyed stream's goes to a new one
  std::uint64_t count = 0;  ///< of its work so far
  Clock clock = {};         ///< what is done once all its work is
  Clock awaited = {};       ///< what the events that it has waited for know to be done
};

/// One launch of a graph, or of a graph within it.
struct GraphRun {
  using Before = std::vector<std::vector<bool>>;  ///< by node: those that come before it

  std::shared_ptr<const Before> before;
  std::shared_ptr<const GraphRun> outer = {};  ///< null: no graph
  std::size_t node = 0;                        ///< of the outer graph, that this is
  std::size_t depth = 0;
};

/// Where a piece of work is in the order of things.
struct WorkPosition {
  std::string stream = {};  ///< its name
  std::size_t lane = 0;
  std::uint64_t count = 0;
  Clock clock = {};                          ///< what is done before it begins
  Clock others = {};                         ///< likewise, but for the order of its stream
  std::shared_ptr<const GraphRun> run = {};  ///< null: it is in no graph
  std::size_t node = 0;
};

enum class WorkKind { kKernel, kCopy, kFill, kHost, kAllocation, kFree };

/// A kernel, a copy or the like, and what it did.
struct DoneWork {
  WorkKind kind = WorkKind::kKernel;
  std::string name = {};  ///< "consume", "cudaMemcpyAsync"
  emulator::Place place = {};
  TouchedBytes touched = {};
};

/// Values that may tell whether two stores are of the same.
using OldValues = std::vector<std::pair<Bytes, std::vector<std::byte>>>;

/// Everybody's clocks, and the work that the host has not waited for.
class WorkOrder {
 public:
  static WorkOrder& instance();

  /// Whether anything is looked at: not if the program shall only run.
  static bool is_kept();

  void add(StreamPosition& stream);
  void remove(StreamPosition& stream);
  /// More than the default stream is there, or will be.
  bool has_streams() const { return has_streams_; }
  void expect_streams() { has_streams_ = true; }

  // -- What CUDA's calls order -----------------------------------------------------------------
  WorkPosition begin(StreamPosition& stream);
  /// \return the clock of what is recorded there
  Clock record(StreamPosition& stream);
  void wait(StreamPosition& stream, const Clock& event);
  void host_waits_for(StreamPosition& stream);
  void host_waits_for(const Clock& event);
  /// Everything is done before everything that comes.
  void host_waits_for_all();

  // -- What is looked at -----------------------------------------------------------------------
  /// What others may have stored at the same time, before the thread's current work stores.
  /// \param where  it will store; null: nobody knows, and all arrays are open
  OldValues values_before(const ByteRanges* where);
  /// The current work of this thread is done: compares it with all that may run beside it.
  void add(DoneWork work, const OldValues& before);
  /// The host frees an array for which CUDA waits for nobody.
  void host_frees(const Allocation& array, const emulator::Place& place);
  void host_touches(const Bytes& bytes, Touch touch, const void* caller);

  /// A function of the host, as this thread's current work.
  void run_host_function(const char* call, const Here& here, const std::function<void()>& function);
  void start_recording(AccessRecord::Extent extent);
  void stop_recording();

 private:
  WorkOrder() = default;
  Clock of_others(const StreamPosition& stream) const;
  struct Remembered;
  struct Clash;
  void keep(Remembered work);
  void forget_what_is_done();
  void watch();
  /// The accesses of this thread are those of a function of the host.
  void begin_host_function();
  TouchedBytes end_host_function();
  /// \brief The current work, a function of the host, may tell the host that some work is done.
  /// \param wanted  whether it tells of the first one; the second one is the current work
  void host_may_know(bool (*wanted)(const WorkPosition&, const WorkPosition&));
  static std::optional<Clash> clash_of(const Remembered& one, const Remembered& now,
                                       const OldValues& before);
  static void tell(const Clash& clash);
  static bool is_before(const WorkPosition& a, const WorkPosition& b);
  static bool is_until(const WorkPosition& a, const WorkPosition& b);  ///< or both are the same
  static bool is_unordered(const WorkPosition& a, const WorkPosition& b);

  std::mutex mutex_;
  std::set<StreamPosition*> streams_;
  StreamPosition* legacy_ = nullptr;
  std::vector<std::pair<std::size_t, std::uint64_t>> free_lanes_;  ///< with their counts
  std::size_t lanes_ = 0;
  std::list<Remembered> running_;                                 ///< for all that the host knows
  std::vector<std::pair<WorkPosition, WorkPosition>> unordered_;  ///< pairs that were told
  std::set<std::pair<const void*, std::uint64_t>> told_;  ///< accesses of the host, and to what
  std::uint64_t numbers_ = 0;
  Clock host_;
  Clock all_;
  unsigned host_functions_ = 0;
  bool has_streams_ = false;
};

/// \brief The turn of a stream's next work: what this thread does meanwhile is that work. Within
///        another turn it is nothing.
class StreamTurn {
 public:
  explicit StreamTurn(cudaStream_t stream);
  bool is_outermost() const { return is_outermost_; }
  ~StreamTurn();
  StreamTurn(const StreamTurn&) = delete;
  StreamTurn& operator=(const StreamTurn&) = delete;

 private:
  bool is_outermost_;
};

/// Likewise of a graph's nodes, one after the other.
class GraphTurn {
 public:
  explicit GraphTurn(std::shared_ptr<const GraphRun::Before> before);
  ~GraphTurn();
  GraphTurn(const GraphTurn&) = delete;
  GraphTurn& operator=(const GraphTurn&) = delete;
  void go_to(std::size_t node);

 private:
  std::shared_ptr<const GraphRun> outer_;
  std::size_t node_ = 0;
};

/// The call returns when the current work is done. A graph's launch never waits.
void host_waits_for_work();

}  // namespace ladder::glassbox
