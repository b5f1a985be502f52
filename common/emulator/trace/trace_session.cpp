// SPDX-License-Identifier: MIT
#include "common/emulator/trace/trace_session.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/emulator/barrier_functions.hpp"
#include "common/emulator/trace/code_places.hpp"
#include "common/emulator/worker_pool.hpp"

namespace ladder::emulator {
namespace {

thread_local TraceSession* session_of_this_thread = nullptr;

/// Accesses of a thread that make up the first slice of a kernel without barriers.
constexpr unsigned kRowsOfFirstSlice = 16;

KernelError::Index array_of(uint3 index) {
  return {index.x, index.y, index.z};
}

std::string text_of(const Place& place) {
  return place.file + ":" + std::to_string(place.line);
}

std::string verb_of(AccessCode code) {
  switch (type_of(code)) {
    case AccessType::kLoad:
      return "loads";
    case AccessType::kStore:
      return "stores";
    case AccessType::kAtomic:
      return "updates";
  }
  return "";
}

Operation operation_of(AccessCode code, bool shared) {
  switch (type_of(code)) {
    case AccessType::kLoad:
      return shared ? Operation::kSharedLoad : Operation::kGlobalLoad;
    case AccessType::kStore:
      return shared ? Operation::kSharedStore : Operation::kGlobalStore;
    case AccessType::kAtomic:
      break;
  }
  return shared ? Operation::kSharedAtomic : Operation::kGlobalAtomic;
}

HazardKind hazard_of(KernelErrorKind kind) {
  switch (kind) {
    case KernelErrorKind::kDivergentBarrier:
    case KernelErrorKind::kMissingBarrier:
      return HazardKind::kDivergentBarrier;
    case KernelErrorKind::kDeadlock:
    case KernelErrorKind::kEndlessLoop:
      return HazardKind::kHang;
    case KernelErrorKind::kInvalidAddress:
      return HazardKind::kGlobalOutOfBounds;
    case KernelErrorKind::kMisalignedAddress:
      return HazardKind::kMisaligned;
    default:
      return HazardKind::kOther;
  }
}

/// Hazards in the order of their blocks' and threads' numbers.
auto order_of(const Hazard& hazard) {
  const auto& [block, thread] = std::pair(hazard.block, hazard.thread);
  return std::tuple(block[2], block[1], block[0], thread[2], thread[1], thread[0]);
}

}  // namespace

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  distinct_sectors += other.distinct_sectors;
  ideal_sectors += other.ideal_sectors;
  lines += other.lines;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  return *this;
}

namespace {

AccessCounts times(AccessCounts counts, std::uint64_t factor) {
  counts.requests *= factor;
  counts.lanes *= factor;
  counts.bytes *= factor;
  counts.sectors *= factor;
  counts.distinct_sectors *= factor;
  counts.ideal_sectors *= factor;
  counts.lines *= factor;
  counts.wavefronts *= factor;
  counts.ideal_wavefronts *= factor;
  return counts;
}

}  // namespace

std::string name_of(Operation operation) {
  switch (operation) {
    case Operation::kGlobalLoad:
      return "global load";
    case Operation::kGlobalStore:
      return "global store";
    case Operation::kGlobalAtomic:
      return "global atomic";
    case Operation::kSharedLoad:
      return "shared load";
    case Operation::kSharedStore:
      return "shared store";
    case Operation::kSharedAtomic:
      return "shared atomic";
  }
  return "";
}

std::string name_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::kGlobalOutOfBounds:
      return "out of bounds (global)";
    case HazardKind::kSharedOutOfBounds:
      return "out of bounds (shared)";
    case HazardKind::kMisaligned:
      return "misaligned";
    case HazardKind::kUninitialisedShared:
      return "uninitialised (shared)";
    case HazardKind::kRace:
      return "race";
    case HazardKind::kDivergentBarrier:
      return "divergent barrier";
    case HazardKind::kHang:
      return "hang";
    case HazardKind::kOther:
      return "error";
  }
  return "";
}

KernelTrace trace(const std::vector<TracedArray>& arrays, const std::function<void()>& launch,
                  const TraceOptions& options) {
  if (arrays.size() > kMaxArrays) {
    throw std::logic_error("a trace knows at most " + std::to_string(kMaxArrays) + " arrays");
  }
  TraceSession session(arrays, options);
  try {
    launch();
  } catch (const KernelError& error) {
    if (error.kind() == KernelErrorKind::kBadLaunch ||
        error.kind() == KernelErrorKind::kUnsupportedCpu) {
      throw;
    }
  }
  return session.result();
}

TraceSession::TraceSession(const std::vector<TracedArray>& arrays, const TraceOptions& options)
    : options_(options) {
  wishes_.arrays = arrays;
  wishes_.patterns = &patterns_;
  wishes_.warp = options.warp;
  session_of_this_thread = this;
}

TraceSession::~TraceSession() {
  session_of_this_thread = nullptr;
}

TraceSession* TraceSession::of_this_thread() noexcept {
  return session_of_this_thread;
}

// -- The three ways to run a grid ----------------------------------------------------------------

/// Every block, from its start to its end.
class TraceSession::WholeGrid : public TraceJob {
 public:
  WholeGrid(TraceSession& session, const GridPlan& plan) : session_(session), plan_(plan) {}

  std::uint64_t count() const override { return plan_.blocks; }
  std::uint64_t block(std::uint64_t i) const override { return i; }
  BlockRunner::Extent extent() const override { return BlockRunner::Extent::kAll; }
  void start(BlockTracer& tracer, const SharedMemory& shared) override {
    tracer.set_rows(WarpLog::kRows);
    tracer.start_grid(plan_, shared, session_.wishes_);
  }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockStream stream = tracer.take_stream();
    const std::lock_guard lock(session_.mutex_);
    const std::size_t at = session_.trace_.launched.size() - plan_.blocks + block;
    session_.trace_.launched[at] = session_.classify(block, std::move(stream), true);
  }
  void block_failed(const KernelError& error, const BlockTracer& tracer) override {
    session_.keep_failure(plan_, error, tracer);
  }
  void end(BlockTracer& tracer) override {
    session_.add_counts(plan_, tracer, 1);
    session_.keep(plan_, tracer);
  }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
};

/// Every block, until its first barrier: to find those that do the same.
class TraceSession::FirstSlices : public WholeGrid {
 public:
  FirstSlices(TraceSession& session, const GridPlan& plan)
      : WholeGrid(session, plan), session_(session), plan_(plan) {}

  BlockRunner::Extent extent() const override { return BlockRunner::Extent::kFirstSlice; }
  void start(BlockTracer& tracer, const SharedMemory& shared) override {
    WholeGrid::start(tracer, shared);
    tracer.set_rows(kRowsOfFirstSlice);
  }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockStream stream = tracer.take_stream();
    const std::lock_guard lock(session_.mutex_);
    const std::size_t at = session_.trace_.launched.size() - plan_.blocks + block;
    const bool complete = stream.slice_ends.size() == 1;  // it ended before a slice did
    session_.trace_.launched[at] = session_.classify(block, std::move(stream), complete);
  }
  /// Nothing runs after this: what led to the failure is told now.
  void block_failed(const KernelError& error, const BlockTracer& tracer) override {
    session_.keep_failure(plan_, error, tracer);
    session_.keep(plan_, tracer);
  }
  void end(BlockTracer& tracer) override { tracer.take_counts(); }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
};

/// One block of each class, from its start to its end.
class TraceSession::Representatives : public WholeGrid {
 public:
  Representatives(TraceSession& session, const GridPlan& plan)
      : WholeGrid(session, plan), session_(session), plan_(plan) {
    for (std::size_t i = session.first_class_; i < session.classes_.size(); ++i)
      class_of_[session.classes_[i].representative] = i;
    for (const auto& [block, index] : class_of_)
      blocks_.push_back(block);
  }

  std::uint64_t count() const override { return blocks_.size(); }
  std::uint64_t block(std::uint64_t i) const override { return blocks_[i]; }
  void block_ended(std::uint64_t block, BlockTracer& tracer) override {
    BlockClass& same = session_.classes_[class_of_.at(block)];
    same.stream = tracer.take_stream();
    session_.add_counts(plan_, tracer, same.members);
  }
  void end(BlockTracer& tracer) override { session_.keep(plan_, tracer); }

 private:
  TraceSession& session_;
  const GridPlan& plan_;
  std::map<std::uint64_t, std::size_t> class_of_;
  std::vector<std::uint64_t> blocks_;
};

GridStats TraceSession::run(const GridPlan& plan) {
  kernel_ = plan.kernel;
  trace_.blocks += plan.blocks;
  trace_.threads_per_block = plan.threads;
  if (options_.warp && options_.warp->first < plan.blocks) {
    trace_.warp_block = array_of(plan.block_index(options_.warp->first));
  }
  trace_.launched.resize(trace_.launched.size() + plan.blocks);
  first_class_ = classes_.size();
  GridStats stats;
  try {
    stats = run_blocks(plan);
  } catch (...) {
    // Nobody can replay blocks that did not run.
    trace_.launched.resize(trace_.launched.size() - plan.blocks);
    classes_.resize(first_class_);
    throw;
  }
  trace_.blocks_traced += stats.blocks;
  trace_.barriers_per_block = std::max(trace_.barriers_per_block, stats.barriers_per_block);
  return stats;
}

GridStats TraceSession::run_blocks(const GridPlan& plan) {
  WorkerPool& pool = WorkerPool::instance();
  if (!options_.sample) {
    WholeGrid whole(*this, plan);
    return pool.run(plan, cpu_threads(), hang_limit(), &whole);
  }
  FirstSlices first(*this, plan);
  pool.run(plan, cpu_threads(), hang_limit(), &first);
  count_shifts_from_representatives(plan);
  Representatives representatives(*this, plan);
  return pool.run(plan, cpu_threads(), hang_limit(), &representatives);
}

// -- Blocks that do the same ---------------------------------------------------------------------

namespace {

using KnownShifts = std::array<std::optional<std::int64_t>, kMaxArrays>;

/// How far `stream` is from `other` in each array that they touch; nothing if they do not do the
/// same.
std::optional<KnownShifts> shifts_between(const BlockStream& other, const BlockStream& stream) {
  if (stream.accesses.size() != other.accesses.size() || stream.slice_ends != other.slice_ends) {
    return std::nullopt;
  }
  KnownShifts shifts;
  for (std::size_t i = 0; i < stream.accesses.size(); ++i) {
    const StreamAccess& a = other.accesses[i];
    const StreamAccess& b = stream.accesses[i];
    if (a.pattern != b.pattern || a.array != b.array || a.store != b.store) return std::nullopt;
    std::optional<std::int64_t>& shift = shifts[a.array];
    if (!shift) shift = b.line - a.line;
    if (*shift != b.line - a.line) return std::nullopt;
  }
  return shifts;
}

}  // namespace

/// The class of a block, a new one if it does what none did before. `complete`: the stream is all
/// that the block does.
TracedBlock TraceSession::classify(std::uint64_t block, BlockStream stream, bool complete) {
  constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);
  for (std::size_t i = first_class_; i < classes_.size(); ++i) {
    const std::optional<KnownShifts> shifts = shifts_between(classes_[i].stream, stream);
    if (!shifts) continue;
    KnownShifts bytes = *shifts;
    for (auto& shift : bytes) {
      if (shift) *shift *= kLine;
    }
    if (!complete && !(options_.complete_shifts && options_.complete_shifts(bytes))) {
      continue;
    }
    TracedBlock traced = {.stream = i};
    bool whole_lines = true;
    for (std::size_t array = 0; array < kMaxArrays; ++array) {
      whole_lines = whole_lines && bytes[array].value_or(0) % kLine == 0;
      traced.line_shift[array] = bytes[array].value_or(0) / kLine;
    }
    if (!whole_lines) continue;
    ++classes_[i].members;
    classes_[i].representative = std::min(classes_[i].representative, block);
    return traced;
  }
  classes_.push_back({.stream = std::move(stream), .representative = block, .members = 1});
  return {.stream = classes_.size() - 1};
}

/// A class has the stream of the block that happened to end first, until its representative's takes
/// that place.
void TraceSession::count_shifts_from_representatives(const GridPlan& plan) {
  const std::span launched = std::span(trace_.launched).last(plan.blocks);
  std::vector<TracedBlock> representatives;
  for (std::size_t i = first_class_; i < classes_.size(); ++i)
    representatives.push_back(launched[classes_[i].representative]);
  for (TracedBlock& block : launched) {
    const TracedBlock& representative = representatives[block.stream - first_class_];
    for (std::size_t array = 0; array < kMaxArrays; ++array)
      block.line_shift[array] -= representative.line_shift[array];
  }
}

// -- What is kept --------------------------------------------------------------------------------

void TraceSession::add_counts(const GridPlan& plan, BlockTracer& tracer, std::uint64_t weight) {
  const auto counts = tracer.take_counts();
  const std::lock_guard lock(mutex_);
  for (const auto& [code, site] : counts) {
    if (site.global.requests == 0 && site.shared.requests == 0) continue;
    hooks_seen_ = true;
    const SourceLine place = place_of(plan.code.begin(), code);
    const auto add = [&](const AccessCounts& added, bool shared) {
      if (added.requests == 0) return;
      lines_[{place.file, place.line, operation_of(code, shared), bytes_of(code)}] +=
          times(added, weight);
    };
    add(site.global, false);
    add(site.shared, true);
  }
}

void TraceSession::keep(const GridPlan& plan, const BlockTracer& tracer) {
  const std::lock_guard lock(mutex_);
  shared_arrays_ = tracer.shared_arrays();
  for (const RawHazard& raw : tracer.hazards()) {
    Hazard hazard = named(plan, raw);
    const auto known = std::ranges::find_if(trace_.hazards, [&](const Hazard& other) {
      return other.kind == hazard.kind && other.place == hazard.place &&
             other.other == hazard.other;
    });
    if (known == trace_.hazards.end()) {
      trace_.hazards.push_back(std::move(hazard));
    } else {
      const std::uint64_t times = known->times + hazard.times;
      if (order_of(hazard) < order_of(*known)) *known = hazard;
      known->times = times;
    }
  }
  OrderOfEvents order = tracer.order().result();
  if (!order.tiles.empty()) trace_.order = std::move(order);
  for (const RawRequest& raw : tracer.recorded_warp()) {
    const SourceLine line = place_of(plan.code.begin(), raw.code);
    WarpRequest request = {.place = {line.file, line.line},
                           .operation = operation_of(raw.code, raw.shared),
                           .access_bytes = bytes_of(raw.code),
                           .lanes = raw.lanes,
                           .counts = raw.counts};
    name_addresses(raw, request);
    trace_.warp.push_back(std::move(request));
  }
  std::size_t bytes = 0;
  for (const SharedArray& array : tracer.shared_arrays())
    bytes += array.bytes;
  trace_.shared_bytes = bytes;
}

/// Addresses become bytes from the start of the array that they lie in.
void TraceSession::name_addresses(const RawRequest& raw, WarpRequest& request) const {
  std::uint64_t start = 0;
  const std::uint64_t first = raw.address[static_cast<unsigned>(__builtin_ctz(raw.lanes))];
  if (raw.shared) {
    for (const SharedArray& array : shared_arrays_) {
      if (first < array.offset || first >= array.offset + array.bytes) continue;
      request.array = array.name;
      start = array.offset;
    }
    request.bank0 = static_cast<unsigned>(start / 4 % 32);
  } else {
    for (const TracedArray& array : wishes_.arrays) {
      const auto begin = reinterpret_cast<std::uint64_t>(array.data);
      if (first < begin || first >= begin + array.bytes) continue;
      request.array = array.name;
      start = begin;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((raw.lanes >> lane & 1) != 0) {
      request.addresses[lane] = static_cast<std::int64_t>(raw.address[lane] - start);
    }
  }
}

void TraceSession::keep_failure(const GridPlan& plan, const KernelError& error,
                                const BlockTracer& tracer) {
  Hazard hazard = {.kind = hazard_of(error.kind()),
                   .place = {error.file(), error.line()},
                   .block = error.block(),
                   .thread = error.thread(),
                   .message = error.what()};
  // A wild access that the hardware caught is among the tracer's own hazards, with its array.
  const bool known = std::ranges::any_of(tracer.hazards(), [&](const RawHazard& raw) {
    return raw.kind == hazard.kind && array_of(plan.block_index(raw.block)) == hazard.block;
  });
  if (known &&
      (hazard.kind == HazardKind::kGlobalOutOfBounds || hazard.kind == HazardKind::kMisaligned)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  // Blocks on other CPU threads may fail alike before the grid ends.
  const auto other = std::ranges::find_if(trace_.hazards, [&](const Hazard& earlier) {
    return earlier.kind == hazard.kind && earlier.place == hazard.place;
  });
  if (other == trace_.hazards.end()) {
    trace_.hazards.push_back(std::move(hazard));
  } else if (order_of(hazard) < order_of(*other)) {
    *other = std::move(hazard);
  }
}

std::string TraceSession::array_element(std::uint64_t address) const {
  const TracedArray* nearest = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const TracedArray& array : wishes_.arrays) {
    const auto begin = reinterpret_cast<std::uint64_t>(array.data);
    const std::uint64_t away = address < begin                 ? begin - address
                               : address < begin + array.bytes ? 0
                                                               : address - (begin + array.bytes);
    if (away >= distance) continue;
    distance = away;
    nearest = &array;
  }
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  if (nearest == nullptr || distance > kFar) return "";
  const auto offset =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(nearest->data));
  const auto bytes = static_cast<std::int64_t>(nearest->element_bytes);
  const std::int64_t index = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
  return nearest->name + "[" + std::to_string(index) + "]";
}

Hazard TraceSession::named(const GridPlan& plan, const RawHazard& raw) const {
  const std::uintptr_t base = plan.code.begin();
  const auto place_at = [&](AccessCode code) {
    const SourceLine line = place_of(base, code);
    return Place{line.file, line.line};
  };
  const auto thread_name = [&](unsigned thread) {
    return "thread " + to_text(array_of(plan.thread_index(thread)));
  };
  Hazard hazard;
  hazard.kind = raw.kind;
  hazard.place = raw.place.line != 0 ? raw.place : place_at(raw.code);
  hazard.block = array_of(plan.block_index(raw.block));
  hazard.thread = array_of(plan.thread_index(raw.thread));
  hazard.times = raw.times;
  if (raw.text.empty()) {
    hazard.element =
        raw.shared ? element_name(shared_arrays_, raw.address) : array_element(raw.address);
  } else {
    hazard.element = subscript_ending_at(hazard.place.file, hazard.place.line, raw.column);
  }
  const std::string who = thread_name(raw.thread);
  const std::string where = " at " + text_of(hazard.place) + ", block " + to_text(hazard.block);
  const std::string bytes = std::to_string(bytes_of(raw.code));
  switch (raw.kind) {
    case HazardKind::kGlobalOutOfBounds: {
      const std::string target = hazard.element.empty() ? "an address in no array" : hazard.element;
      hazard.message = "out of bounds: " + who + " " + verb_of(raw.code) + " " + target +
                       size_note(hazard.element) + where;
      break;
    }
    case HazardKind::kSharedOutOfBounds:
      hazard.message = raw.text.empty() ? "out of bounds: " + who + " " + verb_of(raw.code) + " " +
                                              hazard.element + " of shared memory" + where
                                        : "out of bounds: " + who + " uses " + raw.text + " in " +
                                              hazard.element + where;
      break;
    case HazardKind::kMisaligned:
      hazard.message = "misaligned: " + who + " " + verb_of(raw.code) + " " + bytes + " bytes at " +
                       hazard.element + ", which is not a multiple of " + bytes + " bytes," + where;
      break;
    case HazardKind::kUninitialisedShared:
      hazard.message = "uninitialised: " + who + " " + verb_of(raw.code) + " " + hazard.element +
                       ", which no thread of the block has written," + where;
      break;
    case HazardKind::kRace:
      hazard.other = place_at(raw.earlier);
      hazard.message =
          "race: " + who + " " + verb_of(raw.code) + " " + hazard.element + " at " +
          text_of(hazard.place) + ", and no barrier separates it from " +
          (raw.earlier_thread == raw.thread ? "another lane that "
                                            : thread_name(raw.earlier_thread) + " that ") +
          verb_of(raw.earlier) + " it at " + text_of(*hazard.other) + ", block " +
          to_text(hazard.block);
      break;
    default:
      break;
  }
  return hazard;
}

/// " (A has 4096 elements)" for an element of a known array.
std::string TraceSession::size_note(const std::string& element) const {
  for (const TracedArray& array : wishes_.arrays) {
    if (!element.starts_with(array.name + "[")) continue;
    const std::size_t elements = array.bytes / array.element_bytes;
    if (array.columns > 0) {
      return " (" + array.name + " is " + std::to_string(elements / array.columns) + " x " +
             std::to_string(array.columns) + ")";
    }
    return " (" + array.name + " has " + std::to_string(elements) + " elements)";
  }
  return "";
}

KernelTrace TraceSession::result() {
  // A kernel that accesses no memory calls no hook, but its library could.
  if (kernel_ == nullptr || (!hooks_seen_ && !is_traced(kernel_))) {
    throw std::logic_error("trace(): no kernel of a traced library was launched");
  }
  for (const auto& [key, counts] : lines_) {
    const auto& [file, line, operation, bytes] = key;
    trace_.lines.push_back({file, line, operation, bytes, counts});
  }
  std::ranges::stable_sort(trace_.hazards, {}, order_of);
  for (BlockClass& same : classes_)
    trace_.streams.push_back(std::move(same.stream));
  trace_.patterns = patterns_.all();
  return std::move(trace_);
}

// -- What the hooks call -------------------------------------------------------------------------

void log_when_there_is_room(std::uintptr_t address, AccessType type, unsigned bytes,
                            std::uintptr_t instruction) {
  BlockRunner::of_this_cpu_thread()->wait_for_room_in_log();
  log_access(reinterpret_cast<const void*>(address), type, bytes,
             reinterpret_cast<const void*>(instruction + 1));
}

void access_elsewhere(std::uintptr_t address, AccessType type, unsigned bytes,
                      std::uintptr_t instruction) {
  if (!access_cursor.is_active()) return;
  BlockRunner& runner = *BlockRunner::of_this_cpu_thread();
  if (runner.on_stack(address)) return;
  const unsigned thread = runner.running_thread();
  const AccessCode code = pack_access(instruction - access_cursor.code_begin, type, bytes);
  if (!runner.tracer()->report_elsewhere(thread, address, code)) return;
  runner.fail_access("invalid address: it lies in no array of the kernel", instruction);
}

void index_out_of_bounds(const char* file, unsigned line, unsigned column, const char* array_type,
                         std::int64_t index) {
  if (!access_cursor.is_active()) return;
  BlockRunner& runner = *BlockRunner::of_this_cpu_thread();
  runner.tracer()->report_index(
      runner.running_thread(), {without_repository(file), line}, column,
      "index " + std::to_string(index) + " of an array of type " + array_type);
}

}  // namespace ladder::emulator
