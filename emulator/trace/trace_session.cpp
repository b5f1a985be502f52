// SPDX-License-Identifier: MIT
#include "emulator/trace/trace_session.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "emulator/run/worker_pool.hpp"
#include "emulator/trace/code_places.hpp"
#include "emulator/trace/trace_names.hpp"
#include "emulator/trace/tracer_stock.hpp"

namespace ladder::emulator {
namespace {

/// Accesses of a thread that make up the first slice of a kernel without barriers.
constexpr unsigned kRowsOfFirstSlice = 16;

/// A wild or misaligned access that the hardware caught, as the tracer names it.
std::optional<FaultKind> seen_by_tracer(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNoArray:
    case FaultKind::kInvalidAddress:
    case FaultKind::kNullPointer:
    case FaultKind::kOutsideShared:
      return FaultKind::kGlobalOutOfBounds;
    default:
      if (group_of(kind) == FaultGroup::kAlignment) return FaultKind::kMisaligned;
      return std::nullopt;
  }
}

/// Hazards in the order of their blocks' and threads' numbers.
auto order_of(const Fault& hazard) {
  const auto& [block, thread] = std::pair(hazard.block, hazard.thread);
  return std::tuple(block[2], block[1], block[0], thread[2], thread[1], thread[0]);
}

}  // namespace

TraceSession::TraceSession(const std::vector<TracedArray>& arrays, const TraceOptions& options)
    : options_(options), shadow_(arrays), classes_(arrays.size(), options.complete_shifts) {
  wishes_.arrays = arrays;
  wishes_.index = ArrayIndex(arrays);
  trace_.uses.resize(arrays.size());
  wishes_.patterns = &patterns_;
  wishes_.undefined = &undefined_;
  wishes_.warp = options.warp;
  wishes_.complete_shifts = options.complete_shifts;
  wishes_.host_variables = options.host_variables;
  wishes_.previous = options.previous;
  wishes_.awaited_previous = &awaited_previous_;
  if (options_.look_for_uncounted) wishes_.samples = &samples_.emplace(arrays);
  if (!options_.sample) undefined_.start(arrays);
  set_grid_runner(this);
}

TraceSession::~TraceSession() {
  set_grid_runner(nullptr);
}

// -- The three ways to run a grid ----------------------------------------------------------------

/// Every block, from its start to its end.
class TraceSession::WholeGrid : public GridObserver, public TraceSink {
 public:
  WholeGrid(TraceSession& session, const GridPlan& plan) : session_(session), plan_(plan) {}

  std::uint64_t count() const override { return plan_.blocks; }
  std::uint64_t block(std::uint64_t i) const override { return i; }
  Extent extent() const override { return Extent::kAll; }
  BlockObserver& observe(const SharedMemory& shared) override {
    BlockTracer& tracer = TracerStock::instance().take();
    tracer.start_grid(plan_, shared, session_.wishes_, rows(), *this);
    return tracer;
  }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockStream stream = tracer.take_stream();
    const std::lock_guard lock(session_.mutex_);
    const std::size_t at = session_.trace_.launched.size() - plan_.blocks + block;
    session_.trace_.launched[at] = session_.classes_.add(block, std::move(stream), true);
  }
  void block_failed(const KernelError& error, const BlockTracer& tracer) override {
    session_.keep_failure(plan_, error, tracer);
  }
  void end_grid(BlockTracer& tracer) final {
    settle(tracer);
    TracerStock::instance().put_back(tracer);
  }

 protected:
  /// Accesses of a thread that are logged before they are looked at.
  virtual unsigned rows() const { return WarpLog::kRows; }
  /// Keeps what the tracer saw of all its blocks.
  virtual void settle(BlockTracer& tracer) {
    session_.add_counts(plan_, tracer, 1);
    session_.keep(plan_, tracer);
  }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
};

/// Every block, until it shows what it will do: to find those that do the same.
class TraceSession::FirstSlices : public WholeGrid {
 public:
  FirstSlices(TraceSession& session, const GridPlan& plan)
      : WholeGrid(session, plan), session_(session), plan_(plan) {}

  Extent extent() const override { return Extent::kFirstSlice; }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockStream stream = tracer.take_stream();
    const std::lock_guard lock(session_.mutex_);
    const std::size_t at = session_.trace_.launched.size() - plan_.blocks + block;
    const bool complete = stream.slice_ends.size() == 1;  // it ended before a slice did
    session_.trace_.launched[at] = session_.classes_.add(block, std::move(stream), complete);
  }
  /// Nothing runs after this: what led to the failure is told now.
  void block_failed(const KernelError& error, const BlockTracer& tracer) override {
    session_.keep_failure(plan_, error, tracer);
    session_.keep(plan_, tracer);
  }

 protected:
  unsigned rows() const override { return kRowsOfFirstSlice; }
  void settle(BlockTracer& tracer) override { tracer.take_counts(); }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
};

/// One block of each class, from its start to its end.
class TraceSession::Representatives : public WholeGrid {
 public:
  Representatives(TraceSession& session, const GridPlan& plan)
      : WholeGrid(session, plan), session_(session), plan_(plan) {
    for (BlockClass& same : session.classes_.of_this_grid())
      class_of_[same.representative] = &same;
    for (const auto& [block, same] : class_of_)
      blocks_.push_back(block);
  }

  std::uint64_t count() const override { return blocks_.size(); }
  std::uint64_t block(std::uint64_t i) const override { return blocks_[i]; }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockClass& same = *class_of_.at(block);
    same.stream = tracer.take_stream();
    session_.add_counts(plan_, tracer, same.members);
  }

 protected:
  void settle(BlockTracer& tracer) override { session_.keep(plan_, tracer); }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
  std::map<std::uint64_t, BlockClass*> class_of_;
  std::vector<std::uint64_t> blocks_;
};

GridStats TraceSession::run(const GridPlan& plan) {
  trace_.kernel = plan.kernel;
  trace_.blocks += plan.blocks;
  trace_.threads_per_block = plan.threads;
  if (options_.warp && options_.warp->first < plan.blocks) {
    trace_.warp_block = array_of(plan.block_index(options_.warp->first));
  }
  trace_.launched.resize(trace_.launched.size() + plan.blocks);
  classes_.start_grid();
  awaited_previous_ = false;
  wishes_.previous_may_run = plan.overlaps_previous && last_may_run_;
  shadow_.start_grid();
  order_.start_grid();
  clusters_.start_grid();
  unwritten_loads_.clear();
  GridStats stats;
  try {
    if (samples_) samples_->start_grid(plan);
    stats = run_blocks(plan);
    if (samples_) samples_->end_grid();
  } catch (...) {
    if (samples_) samples_->end_grid();
    keep_unwritten_loads();
    trace_.launched.resize(trace_.launched.size() - plan.blocks);
    classes_.forget_grid();
    throw;
  }
  keep_unwritten_loads();
  last_may_run_ = stats.launches_dependents;
  trace_.blocks_traced += stats.blocks;
  trace_.barriers_per_block = std::max(trace_.barriers_per_block, stats.barriers_per_block);
  return stats;
}

/// All blocks have ended, so what others wrote is known.
void TraceSession::keep_unwritten_loads() {
  for (UnwrittenLoad& load : unwritten_loads_) {
    const std::size_t array = wishes_.index.with(load.address, load.address + 1);
    const std::size_t at =
        load.address - reinterpret_cast<std::uint64_t>(wishes_.arrays[array].data);
    const bool ordered =
        shadow_.blocks_may_be_ordered() && shadow_.was_stored_by_another(array, at, load.block);
    if (!ordered) keep_hazard(std::move(load.hazard));
  }
  unwritten_loads_.clear();
}

GridStats TraceSession::run_blocks(const GridPlan& plan) {
  WorkerPool& pool = WorkerPool::instance();
  const auto run_whole = [&] {
    wishes_.shadow = &shadow_;
    wishes_.order = &order_;
    wishes_.clusters = &clusters_;
    WholeGrid whole(*this, plan);
    return pool.run(plan, cpu_threads(), hang_limit(), &whole);
  };
  // Blocks that wait for each other must all run to their end.
  if (!options_.sample || plan.cluster > 1 || plan.cooperative) return run_whole();
  wishes_.shadow = nullptr;  // not all blocks run to their end
  FirstSlices first(*this, plan);
  if (pool.run(plan, cpu_threads(), hang_limit(), &first).blocks_waited) {
    classes_.forget_grid();
    classes_.start_grid();
    return run_whole();
  }
  classes_.count_shifts_from_representatives(std::span(trace_.launched).last(plan.blocks));
  Representatives representatives(*this, plan);
  return pool.run(plan, cpu_threads(), hang_limit(), &representatives);
}

// -- What is kept --------------------------------------------------------------------------------

void TraceSession::add_counts(const GridPlan& plan, BlockTracer& tracer, std::uint64_t weight) {
  const auto counts = tracer.take_counts();
  const std::lock_guard lock(mutex_);
  const TraceNames names(plan, wishes_, tracer.shared_arrays());
  for (const auto& [code, site] : counts) {
    if (site.global == AccessCounts() && site.shared == AccessCounts()) continue;
    hooks_seen_ = true;
    const SourceLine place = place_of(plan.code.begin(), code);
    const auto add = [&](const AccessCounts& added, bool shared) {
      if (added == AccessCounts()) return;
      AccessCounts all = added;
      all *= weight;
      const unsigned bytes = type_of(code) == AccessType::kBox ? 0 : bytes_of(code);
      CountsOfLine& line = lines_[{place.file, place.line, operation_of(code, shared),
                                   names.array_name(site.array), bytes}];
      line.counts += all;
      const ExampleRequest& example = site.example;
      const auto rank = [](std::uint64_t excess, std::uint64_t when) {
        return std::pair(~excess, when);
      };
      if (example.lanes == 0 || example.shared != shared ||
          rank(example.excess, example.when) >= line.rank) {
        return;
      }
      line.rank = rank(example.excess, example.when);
      line.example = names.request({.code = code,
                                    .shared = shared,
                                    .lanes = example.lanes,
                                    .address = example.address,
                                    .counts = example.counts});
    };
    add(site.global, false);
    add(site.shared, true);
  }
}

void TraceSession::keep(const GridPlan& plan, const BlockTracer& tracer) {
  const std::lock_guard lock(mutex_);
  const TraceNames names(plan, wishes_, tracer.shared_arrays());
  // Wherever an index beyond its array leads, it is one fault. Its file is as it was compiled, and
  // an access's is a whole path.
  const auto is_of_index = [&](const Fault& hazard) {
    const auto name_of = [](const Place& place) {
      return std::filesystem::path(place.file).filename();
    };
    return hazard.kind == FaultKind::kNoArray &&
           std::ranges::any_of(tracer.hazards(), [&](const RawHazard& raw) {
             return raw.kind == FaultKind::kIndexOutOfBounds &&
                    raw.place.line == hazard.place.line &&
                    name_of(raw.place) == name_of(hazard.place);
           });
  };
  for (const RawHazard& raw : tracer.hazards()) {
    if (raw.kind == FaultKind::kUninitialisedGlobal) {
      unwritten_loads_.push_back({names.hazard(raw), raw.address, raw.block});
    } else {
      Fault hazard = names.hazard(raw);
      if (is_of_index(hazard)) continue;
      name_origin(hazard);
      keep_hazard(std::move(hazard));
    }
  }
  OrderOfEvents order = tracer.order().result();
  if (!order.tiles.empty()) trace_.order = std::move(order);
  for (const RawRequest& raw : tracer.recorded_warp())
    trace_.warp.push_back(names.request(raw));
  trace_.most_products += tracer.most_products();
  for (const std::uintptr_t instruction : tracer.polls()) {
    const SourceLine line = place_of(
        plan.code.begin(), pack_access(instruction - plan.code.begin(), AccessType::kLoad, 4));
    const Place place = {line.file, line.line};
    if (std::ranges::find(trace_.polls, place) == trace_.polls.end()) trace_.polls.push_back(place);
  }
  for (std::size_t i = 0; i < trace_.uses.size(); ++i) {
    trace_.uses[i].loaded |= tracer.uses()[i].loaded;
    trace_.uses[i].stored |= tracer.uses()[i].stored;
  }
  std::size_t bytes = 0;
  for (const SharedArray& array : tracer.shared_arrays())
    bytes += array.bytes;
  trace_.shared_bytes = bytes;
}

/// Of an access outside of all arrays: is its index an undefined value?
void TraceSession::name_origin(Fault& hazard) const {
  if (group_of(hazard.kind) != FaultGroup::kOutOfBounds || hazard.address == 0) return;
  for (const TracedArray& array : wishes_.arrays) {
    const auto offset =
        static_cast<std::int64_t>(hazard.address - reinterpret_cast<std::uint64_t>(array.data));
    const auto bytes = static_cast<std::int64_t>(array.element_bytes);
    const Fields origin = undefined_.origin_of_index(offset / bytes);
    if (origin.all().empty()) continue;
    hazard.kind = FaultKind::kGlobalOutOfBounds;
    hazard.fields = origin;
    hazard.element = Element{.space = MemorySpace::kGlobal,
                             .array = array.name,
                             .indices = {offset / bytes},
                             .extents = {static_cast<std::int64_t>(array.bytes) / bytes}};
    return;
  }
}

void TraceSession::keep_hazard(Fault hazard) {
  const auto known = std::ranges::find_if(
      trace_.hazards, [&](const Fault& other) { return is_same(other, hazard); });
  if (known == trace_.hazards.end()) {
    trace_.hazards.push_back(std::move(hazard));
  } else {
    const std::uint64_t times = known->times + hazard.times;
    const bool updates = known->fields.has("updates") || hazard.fields.has("updates");
    if (order_of(hazard) < order_of(*known)) *known = std::move(hazard);
    known->times = times;
    if (updates) known->fields.set("updates", true);
  }
}

void TraceSession::keep_failure(const GridPlan& plan, const KernelError& error,
                                const BlockTracer& tracer) {
  Fault hazard = error.fault();
  // A wild access that the hardware caught is among the tracer's own hazards, with its array.
  const std::optional<FaultKind> seen = seen_by_tracer(hazard.kind);
  const bool known =
      seen && std::ranges::any_of(tracer.hazards(), [&](const RawHazard& raw) {
        return raw.kind == *seen && array_of(plan.block_index(raw.block)) == hazard.block;
      });
  if (known) return;
  // An index beyond a local array has overwritten who knows what.
  const auto rank = [](const Index& block) { return std::tuple(block[2], block[1], block[0]); };
  const bool is_consequence =
      (seen || hazard.kind == FaultKind::kLocalOverrun ||
       hazard.kind == FaultKind::kStackOverflow || hazard.kind == FaultKind::kIllegalInstruction) &&
      std::ranges::any_of(tracer.hazards(), [&](const RawHazard& raw) {
        return raw.kind == FaultKind::kIndexOutOfBounds &&
               rank(array_of(plan.block_index(raw.block))) <= rank(hazard.block);
      });
  if (is_consequence) return;
  const std::lock_guard lock(mutex_);
  // Blocks on other CPU threads may fail alike before the grid ends.
  const auto other = std::ranges::find_if(trace_.hazards, [&](const Fault& earlier) {
    return earlier.kind == hazard.kind && earlier.place == hazard.place;
  });
  if (other == trace_.hazards.end()) {
    trace_.hazards.push_back(std::move(hazard));
  } else if (order_of(hazard) < order_of(*other)) {
    *other = std::move(hazard);
  }
}

/// Of blocks that were not run, the arrays say nothing.
void TraceSession::keep_undefined() {
  if (options_.sample) return;
  const auto place_of = [&](const std::string& array, auto... operations) {
    for (const auto& [key, counts] : lines_) {
      const auto& [file, line, operation, name, bytes] = key;
      if (((operation == operations) || ...) && name == array) return Place{file, line};
    }
    return Place();
  };
  const auto place_of_store = [&](const std::string& array) {
    return place_of(array, Operation::kGlobalStore, Operation::kGlobalAtomic, Operation::kBoxStore);
  };
  // What a kernel has loaded it may store again.
  const auto was_stored = [&](std::size_t array, std::size_t at) {
    return shadow_.was_stored(array, at) &&
           place_of(wishes_.arrays[array].name, Operation::kGlobalLoad).line == 0;
  };
  for (Fault& hazard : undefined_.find_in(wishes_.arrays, place_of_store, was_stored))
    trace_.hazards.push_back(std::move(hazard));
  trace_.strays = undefined_.strays(trace_.hazards);
}

void TraceSession::keep_uncounted() {
  if (!samples_) return;
  for (const std::uintptr_t instruction : samples_->uncounted()) {
    if (is_of_cuda_word(instruction)) continue;
    const SourceLine line = source_line_of(std::array{instruction});
    const Place place = {without_repository(line.file), line.line};
    if (std::ranges::find(trace_.uncounted, place) == trace_.uncounted.end())
      trace_.uncounted.push_back(place);
  }
}

KernelTrace TraceSession::result() {
  // A kernel that accesses no memory calls no hook, but its library could.
  if (trace_.kernel == nullptr || (!hooks_seen_ && !is_traced(trace_.kernel))) {
    throw std::logic_error("trace(): no kernel of a traced library was launched");
  }
  for (const auto& [key, found] : lines_) {
    const auto& [file, line, operation, array, bytes] = key;
    trace_.lines.push_back({file, line, operation, array, bytes, found.counts, found.example});
  }
  keep_undefined();
  keep_uncounted();
  std::ranges::stable_sort(trace_.hazards, {}, order_of);
  for (BlockClass& same : classes_.all())
    trace_.streams.push_back(std::move(same.stream));
  trace_.patterns = patterns_.all();
  return std::move(trace_);
}

}  // namespace ladder::emulator
