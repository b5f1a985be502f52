// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/trace_session.hpp
/// \brief Collects what the tracers of all CPU threads see while a host function launches kernels.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "common/emulator/grid_plan.hpp"
#include "common/emulator/settings.hpp"
#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/trace/trace.hpp"

namespace ladder::emulator {

/// \brief One call of trace().
class TraceSession {
 public:
  TraceSession(const std::vector<TracedArray>& arrays, const TraceOptions& options);
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  /// The session that the calling host thread is in; null if none.
  static TraceSession* of_this_thread() noexcept;

  /// \brief  Runs and traces one grid.
  /// \throws KernelError  the grid cannot go on; what was seen until then is kept
  GridStats run(const GridPlan& plan);

  /// All that was seen.
  KernelTrace result();

 private:
  class WholeGrid;
  class FirstSlices;
  class Representatives;
  friend class WholeGrid;

  /// Blocks that ask the same, each at its own place.
  struct BlockClass {
    BlockStream stream;
    std::uint64_t representative = 0;
    std::uint64_t members = 0;
  };

  GridStats run_blocks(const GridPlan& plan);
  void count_shifts_from_representatives(const GridPlan& plan);
  TracedBlock classify(std::uint64_t block, BlockStream stream, bool complete);
  void add_counts(const GridPlan& plan, BlockTracer& tracer, std::uint64_t weight);
  void keep(const GridPlan& plan, const BlockTracer& tracer);
  void keep_failure(const GridPlan& plan, const KernelError& error, const BlockTracer& tracer);
  Hazard named(const GridPlan& plan, const RawHazard& raw) const;
  std::string array_element(std::uint64_t address) const;
  std::string size_note(const std::string& element) const;
  void name_addresses(const RawRequest& raw, WarpRequest& request) const;

  TraceOptions options_;
  TraceWishes wishes_;
  LinePatterns patterns_;
  KernelTrace trace_;
  std::mutex mutex_;
  std::vector<BlockClass> classes_;
  std::size_t first_class_ = 0;  ///< of the grid that runs
  std::map<std::tuple<std::string, unsigned, Operation, unsigned>, AccessCounts> lines_;
  std::vector<SharedArray> shared_arrays_;
  bool hooks_seen_ = false;
  const void* kernel_ = nullptr;  ///< the last that was launched
};

}  // namespace ladder::emulator
