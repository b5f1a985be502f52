// SPDX-License-Identifier: MIT
/// \file  emulator/trace/trace_session.hpp
/// \brief Collects what the tracers of all CPU threads see while a host function launches kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/run/grid_plan.hpp"
#include "emulator/run/grid_runner.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/trace/block_classes.hpp"
#include "emulator/trace/block_tracer.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/trace/undefined_values.hpp"

namespace ladder::emulator {

/// \brief One call of trace(): from now on the grids that this host thread launches are traced.
class TraceSession final : private GridRunner {
 public:
  TraceSession(const std::vector<TracedArray>& arrays, const TraceOptions& options);
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  /// All that was seen.
  KernelTrace result();

 private:
  /// \brief  Runs and traces one grid.
  /// \throws KernelError  the grid cannot go on; what was seen until then is kept
  GridStats run(const GridPlan& plan) override;

  class WholeGrid;
  class FirstSlices;
  class Representatives;

  struct CountsOfLine {
    AccessCounts counts;
    WarpRequest example;
    /// Of the example: the lowest is kept.
    std::pair<std::uint64_t, std::uint64_t> rank = {~std::uint64_t{0}, ~std::uint64_t{0}};
  };

  GridStats run_blocks(const GridPlan& plan);
  void add_counts(const GridPlan& plan, BlockTracer& tracer, std::uint64_t weight);
  void keep(const GridPlan& plan, const BlockTracer& tracer);
  void keep_hazard(Fault hazard);
  void keep_unwritten_loads();
  void keep_undefined();
  void keep_uncounted();
  void name_origin(Fault& hazard) const;
  void keep_failure(const GridPlan& plan, const KernelError& error, const BlockTracer& tracer);

  TraceOptions options_;
  TraceWishes wishes_;
  std::optional<AccessSamples> samples_;
  LinePatterns patterns_;
  GlobalShadow shadow_;
  GridOrder order_;
  ClusterShadow clusters_;
  /// A load of what nobody had written, as far as the other blocks' logs were known by then.
  struct UnwrittenLoad {
    Fault hazard;
    std::uint64_t address;
    std::uint64_t block;
  };
  std::vector<UnwrittenLoad> unwritten_loads_;  ///< of this launch
  UndefinedValues undefined_;
  KernelTrace trace_;
  std::mutex mutex_;
  BlockClasses classes_;
  /// By file, line, operation, array, bytes per lane.
  std::map<std::tuple<std::string, unsigned, Operation, std::string, unsigned>, CountsOfLine>
      lines_;
  bool hooks_seen_ = false;
  bool last_may_run_ = true;                    ///< the launch before, when the next one starts
  std::atomic<bool> awaited_previous_ = false;  ///< by any thread of this launch
};

}  // namespace ladder::emulator
