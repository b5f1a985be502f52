// SPDX-License-Identifier: MIT
#include "glassbox/runtime/work_order.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/hook_slots.hpp"
#include "glassbox/runtime/host_accesses.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/program_variables.hpp"
#include "glassbox/runtime/stream_capture.hpp"

namespace ladder::glassbox {
namespace {

using emulator::AccessVerb;
using emulator::Fault;
using emulator::FaultKind;

/// More work that the host has not waited for is not remembered: the oldest goes.
constexpr std::size_t kMaxRunning = 4096;
/// Of what one other may have stored, that many bytes are kept, from both ends of each piece:
/// enough to see whether two stored the same.
constexpr std::size_t kMaxOldBytes = std::size_t{64} << 10;

/// Pairs of work without an order that are remembered, so that each is told once.
constexpr std::size_t kMaxPairs = 64;

/// What this thread does is this work.
thread_local std::optional<WorkPosition> current;
/// Of the host's function that this thread runs as a stream's work.
thread_local TouchedBytes* host_function = nullptr;

/// Names of functions with which threads of the host wait for each other.
constexpr std::array<std::string_view, 12> kSignals = {"pthread_",
                                                       "sem_",
                                                       "mtx_",
                                                       "cnd_",
                                                       "_ZNSt18condition_variable",
                                                       "_ZNSt28__atomic_futex",
                                                       "_ZNSt6thread",
                                                       "syscall",
                                                       "write",
                                                       "eventfd",
                                                       "kill",
                                                       "raise"};

/// Fewer, larger pieces first: no array is known by more than one of them.
struct NamedBytes {
  std::string name;
  Bytes bytes;
};

bool any_of(const ByteRanges& ranges, bool (*wanted)(std::uintptr_t)) {
  return std::ranges::any_of(ranges.all(), [&](const Bytes& one) { return wanted(one.begin); });
}

bool is_in(const Bytes& bytes, std::uintptr_t address) {
  return address >= bytes.begin && address < bytes.end;
}

/// In memory that the host shares with kernels, or its own.
bool may_be_of_host(std::uintptr_t address) {
  if (is_in_arrays(address)) return is_shared_with_host(address);
  return !is_in(program_variables(), address) || is_in(managed_variables(), address);
}

/// An array that is not freed, or a variable.
bool is_there(const void* data) {
  return Allocations::instance().with(data) != nullptr ||
         is_in(program_variables(), reinterpret_cast<std::uintptr_t>(data));
}

}  // namespace

// -- Clocks --------------------------------------------------------------------------------------

void Clock::join(const Clock& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t lane = 0; lane < other.counts_.size(); ++lane)
    counts_[lane] = std::max(counts_[lane], other.counts_[lane]);
}

void Clock::set(std::size_t lane, std::uint64_t count) {
  if (counts_.size() <= lane) counts_.resize(lane + 1);
  counts_[lane] = count;
}

// -- Work that is remembered ---------------------------------------------------------------------

/// Work that is done here, and may still run on a GPU.
struct WorkOrder::Remembered {
  DoneWork work;
  WorkPosition position;
  std::uint64_t number = 0;
  std::vector<NamedBytes> arrays = {};
  bool is_of_host = false;    ///< it uses what the host may touch
  bool signals_host = false;  ///< it may tell the host by itself how far it is

  /// The array that holds the byte, or the variable.
  std::optional<NamedBytes> array_with(std::uintptr_t address) const {
    const auto found = std::ranges::find_if(
        arrays, [&](const NamedBytes& array) { return is_in(array.bytes, address); });
    if (found != arrays.end()) return *found;
    const ProgramVariable* const variable = variable_with(address);
    if (variable == nullptr) return std::nullopt;
    return NamedBytes{variable->name, variable->bytes};
  }
};

/// Two accesses without an order; the first one was issued earlier.
struct WorkOrder::Clash {
  const Remembered* first;
  const Remembered* second;
  Bytes bytes;
  Touch by_first, by_second;
};

namespace {

AccessVerb verb_of(Touch touch) {
  return touch == Touch::kStore    ? AccessVerb::kStore
         : touch == Touch::kUpdate ? AccessVerb::kUpdate
                                   : AccessVerb::kLoad;
}

const char* code_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kKernel:
      return "kernel";
    case WorkKind::kCopy:
      return "copy";
    case WorkKind::kFill:
      return "fill";
    case WorkKind::kHost:
      return "host-function";
    case WorkKind::kAllocation:
      return "allocation";
    case WorkKind::kFree:
      return "free";
  }
  return "";
}

enum class Values { kUnknown, kSame, kOthers };

/// Whether what the earlier one has stored is still there, although the later one has stored, too.
Values compare_values(const Bytes& both, const OldValues& before) {
  Values result = Values::kUnknown;
  for (const auto& [where, values] : before) {
    const Bytes known = common(where, both);
    if (known.is_empty()) continue;
    if (std::memcmp(reinterpret_cast<const void*>(known.begin),
                    values.data() + (known.begin - where.begin), known.end - known.begin) != 0) {
      return Values::kOthers;
    }
    result = Values::kSame;
  }
  return result;
}

/// \brief  Bytes that both have stored.
/// \return nothing if both have stored the same values, as far as that is known
std::optional<Bytes> stored_by_both(const ByteRanges& first, const ByteRanges& second,
                                    const OldValues& before) {
  std::optional<Bytes> found;
  bool any_same = false;
  const bool others = first.any_common(second, [&](const Bytes& both) {
    const Values values = compare_values(both, before);
    any_same |= values == Values::kSame;
    if (!found || values == Values::kOthers) found = both;
    return values == Values::kOthers;
  });
  return others || !any_same ? found : std::nullopt;
}

/// \brief The later work may have waited for a flag or a lock that the earlier one has set: then
///        what orders them is in the kernels.
bool may_have_signalled(const TouchedBytes& earlier, const TouchedBytes& later) {
  return earlier.has_fenced && (earlier[Touch::kUpdate].meets(later[Touch::kLook]) ||
                                earlier[Touch::kUpdate].meets(later[Touch::kUpdate]));
}

struct Pair {
  Touch first, second;
};
/// Accesses that need an order.
constexpr std::array kClashes = {
    Pair{Touch::kStore, Touch::kLoad},   Pair{Touch::kLoad, Touch::kStore},
    Pair{Touch::kStore, Touch::kStore},  Pair{Touch::kUpdate, Touch::kLoad},
    Pair{Touch::kLoad, Touch::kUpdate},  Pair{Touch::kUpdate, Touch::kStore},
    Pair{Touch::kStore, Touch::kUpdate},
};

emulator::Element element_of(const std::string& array) {
  emulator::Element element;
  element.array = array;
  return element;
}

}  // namespace

// -- Who comes before whom -----------------------------------------------------------------------

bool WorkOrder::is_before(const WorkPosition& a, const WorkPosition& b) {
  // Within the graph that both are in, its edges decide.
  const GraphRun* own = a.run.get();
  const GraphRun* its = b.run.get();
  std::size_t own_node = a.node, its_node = b.node;
  while (own != nullptr && its != nullptr && own != its) {
    const bool own_is_deeper = own->depth >= its->depth;
    const bool its_is_deeper = its->depth >= own->depth;
    if (own_is_deeper) {
      own_node = own->node;
      own = own->outer.get();
    }
    if (its_is_deeper) {
      its_node = its->node;
      its = its->outer.get();
    }
  }
  if (own != nullptr && own == its) return (*own->before)[its_node][own_node];
  return b.clock.covers(a.lane, a.count);
}

bool WorkOrder::is_until(const WorkPosition& a, const WorkPosition& b) {
  const bool is_same = a.lane == b.lane && a.count == b.count && a.run == b.run && a.node == b.node;
  return is_same || is_before(a, b);
}

bool WorkOrder::is_unordered(const WorkPosition& a, const WorkPosition& b) {
  return !is_before(a, b) && !is_before(b, a);
}

WorkOrder& WorkOrder::instance() {
  static auto* const order = new WorkOrder();  // used until the very end of the process
  return *order;
}

bool WorkOrder::is_kept() {
  return orders().verb != Verb::kRun;
}

void WorkOrder::add(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  if (free_lanes_.empty()) {
    stream.lane = lanes_++;
  } else {
    std::tie(stream.lane, stream.count) = free_lanes_.back();
    free_lanes_.pop_back();
  }
  if (stream.is_legacy) {
    legacy_ = &stream;
  } else {
    has_streams_ = true;
  }
  const std::string name = stream.name;
  const auto is_taken = [&](const StreamPosition* other) { return other->name == stream.name; };
  for (int i = 2; !name.empty() && std::ranges::any_of(streams_, is_taken); ++i)
    stream.name = name + "#" + std::to_string(i);
  streams_.insert(&stream);
}

void WorkOrder::remove(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
  free_lanes_.emplace_back(stream.lane, stream.count);
}

Clock WorkOrder::record(StreamPosition& stream) {
  const std::lock_guard lock(mutex_);
  if (stream.is_legacy) {
    for (const StreamPosition* const other : streams_) {
      if (other->is_blocking) stream.clock.join(other->clock);
    }
  } else if (stream.is_blocking && legacy_ != nullptr) {
    stream.clock.join(legacy_->clock);
  }
  return stream.clock;
}

WorkPosition WorkOrder::begin(StreamPosition& stream) {
  WorkPosition position = {.stream = stream.name, .lane = stream.lane, .clock = record(stream)};
  const std::lock_guard lock(mutex_);
  position.clock.join(host_);
  position.count = ++stream.count;
  stream.clock = position.clock;
  stream.clock.set(stream.lane, stream.count);
  all_.join(stream.clock);
  return position;
}

void WorkOrder::wait(StreamPosition& stream, const Clock& event) {
  const std::lock_guard lock(mutex_);
  stream.clock.join(event);
}

void WorkOrder::host_waits_for(StreamPosition& stream) {
  host_waits_for(record(stream));
}

void WorkOrder::host_waits_for(const Clock& event) {
  const std::lock_guard lock(mutex_);
  host_.join(event);
  forget_what_is_done();
}

void WorkOrder::host_waits_for_all() {
  const std::lock_guard lock(mutex_);
  host_.join(all_);
  forget_what_is_done();
}

// -- What is remembered --------------------------------------------------------------------------

void WorkOrder::forget_what_is_done() {
  const auto gone = std::erase_if(running_, [&](const Remembered& one) {
    return host_.covers(one.position.lane, one.position.count);
  });
  if (gone > 0) watch();
}

/// Marks the pages at which the host may meet work that still runs.
void WorkOrder::watch() {
  static std::vector<std::uint8_t*> marked;
  for (std::uint8_t* const mark : marked)
    *mark = 0;
  marked.clear();
  Bytes own = {kArraysEnd, 0};
  bool any = false;
  for (const Remembered& one : running_) {
    if (!one.is_of_host) continue;
    any = true;
    for (const ByteRanges& ranges : one.work.touched.of) {
      for (const Bytes& bytes : ranges.all()) {
        if (!may_be_of_host(bytes.begin)) continue;
        if (is_in_arrays(bytes.begin)) {
          for (std::uintptr_t page = bytes.begin / kMarkedPage * kMarkedPage; page < bytes.end;
               page += kMarkedPage) {
            std::uint8_t* const mark = watch_mark(page);
            if (*mark != 0) continue;
            *mark = 1;
            marked.push_back(mark);
          }
        } else {
          if (own.is_empty()) own = bytes;
          own = {std::min(own.begin, bytes.begin), std::max(own.end, bytes.end)};
        }
      }
    }
  }
  // A function of the host may signal with any word.
  watched_begin = host_functions_ > 0 || own.is_empty() ? 0 : own.begin;
  watched_end = host_functions_ > 0 ? UINTPTR_MAX : own.is_empty() ? 0 : own.end;
  host_is_watched = any || host_functions_ > 0;
  record_accesses(host_is_watched || recorded_begin != kArraysEnd);
}

void WorkOrder::keep(Remembered work) {
  // What the same line has done to the same bytes before, in its turn, tells nothing more.
  std::erase_if(running_, [&](const Remembered& one) {
    return one.work.place == work.work.place && one.work.kind == work.work.kind &&
           is_before(one.position, work.position) &&
           std::ranges::equal(one.work.touched.of, work.work.touched.of);
  });
  if (running_.size() == kMaxRunning) running_.pop_front();
  running_.push_back(std::move(work));
}

OldValues WorkOrder::values_before(const ByteRanges* where) {
  OldValues values;
  if (!current) return values;
  std::size_t room = 0;
  const auto keep_piece = [&](const Bytes& bytes) {
    const auto* const data = reinterpret_cast<const std::byte*>(bytes.begin);
    if (!is_there(data)) return;
    values.emplace_back(bytes, std::vector<std::byte>(data, data + (bytes.end - bytes.begin)));
    room -= bytes.end - bytes.begin;
  };
  const auto keep_values = [&](const Bytes& bytes) {
    const std::size_t half = room / 2;
    if (bytes.end - bytes.begin <= room) {
      keep_piece(bytes);
    } else if (half > 0) {
      keep_piece({bytes.begin, bytes.begin + half});
      keep_piece({bytes.end - half, bytes.end});
    }
    return room == 0;
  };
  const std::lock_guard lock(mutex_);
  for (const Remembered& one : running_) {
    if (!is_unordered(one.position, *current)) continue;
    if (one.work.kind == WorkKind::kAllocation || one.work.kind == WorkKind::kFree) continue;
    const ByteRanges& stored = one.work.touched[Touch::kStore];
    room = kMaxOldBytes;
    stored.any_common(where == nullptr ? stored : *where, keep_values);
  }
  return values;
}

void WorkOrder::add(DoneWork work, const OldValues& before) {
  if (!current) return;
  Remembered now = {.work = std::move(work), .position = *current};
  for (const ByteRanges& ranges : now.work.touched.of) {
    for (const Bytes& bytes : ranges.all()) {
      now.is_of_host |= may_be_of_host(bytes.begin);
      if (now.array_with(bytes.begin)) continue;
      if (const Allocation* const array =
              Allocations::instance().with(reinterpret_cast<const void*>(bytes.begin))) {
        now.arrays.push_back({array->name, bytes_at(array->data, array->bytes)});
      }
    }
  }
  if (std::ranges::all_of(now.work.touched.of, &ByteRanges::is_empty)) return;
  now.signals_host =
      now.work.touched.has_fenced && any_of(now.work.touched[Touch::kUpdate], &may_be_of_host);
  const std::lock_guard lock(mutex_);
  now.number = ++numbers_;
  for (const Remembered& one : running_ | std::views::reverse) {
    if (!is_unordered(one.position, now.position)) continue;
    if (may_have_signalled(one.work.touched, now.work.touched)) continue;
    // The order that is missing between two of them would be one for what comes before the first,
    // and for what comes behind the second: the latest and the earliest are told.
    const auto tells_as_much = [&](const auto& pair) {
      return is_until(one.position, pair.first) && is_until(pair.second, now.position);
    };
    if (std::ranges::any_of(unordered_, tells_as_much)) continue;
    const std::optional<Clash> clash = clash_of(one, now, before);
    if (!clash) continue;
    tell(*clash);
    if (unordered_.size() == kMaxPairs) unordered_.erase(unordered_.begin());
    unordered_.emplace_back(one.position, now.position);
  }
  const bool changes_watch = now.is_of_host;
  keep(std::move(now));
  if (changes_watch) watch();
}

std::optional<WorkOrder::Clash> WorkOrder::clash_of(const Remembered& one, const Remembered& now,
                                                    const OldValues& before) {
  std::optional<Clash> clash;
  const auto takes_or_frees = [](WorkKind kind) {
    return kind == WorkKind::kAllocation || kind == WorkKind::kFree;
  };
  // One stream takes an array, another one frees it: whoever used it is to be told of.
  if (takes_or_frees(one.work.kind) && takes_or_frees(now.work.kind)) return clash;
  const bool is_use = !takes_or_frees(one.work.kind) && !takes_or_frees(now.work.kind);
  for (const auto& [first, second] : kClashes) {
    const ByteRanges& by_first = one.work.touched[first];
    const ByteRanges& by_second = now.work.touched[second];
    std::optional<Bytes> bytes;
    if (is_use && first == Touch::kStore && second == Touch::kStore) {
      bytes = stored_by_both(by_first, by_second, before);
    } else {
      by_first.any_common(by_second, [&](const Bytes& both) {
        bytes = both;
        return true;
      });
    }
    if (!bytes) continue;
    clash.emplace(Clash{&one, &now, *bytes, first, second});
    break;
  }
  // Nodes of a graph run here in the opposite order.
  if (clash && one.position.run != nullptr && one.position.run == now.position.run &&
      now.position.node < one.position.node) {
    std::swap(clash->first, clash->second);
    std::swap(clash->by_first, clash->by_second);
  }
  return clash;
}

void WorkOrder::tell(const Clash& clash) {
  const Remembered& first = *clash.first;
  const Remembered& second = *clash.second;
  const Bytes& bytes = clash.bytes;
  const bool is_graph = first.position.run != nullptr && second.position.run != nullptr &&
                        first.position.lane == second.position.lane &&
                        first.position.count == second.position.count;
  FaultKind kind = is_graph ? FaultKind::kRaceBetweenNodes : FaultKind::kRaceBetweenStreams;
  if (first.work.kind == WorkKind::kFree || second.work.kind == WorkKind::kFree) {
    kind = FaultKind::kFreedInUse;
  } else if (first.work.kind == WorkKind::kAllocation) {
    kind = FaultKind::kUsedBeforeAllocated;
  }
  std::optional<NamedBytes> array = second.array_with(bytes.begin);
  if (!array) array = first.array_with(bytes.begin);
  if (!array) return;
  Fault fault(kind, {{"work", second.work.name},
                     {"work_kind", code_of(second.work.kind)},
                     {"stream", is_graph ? "" : second.position.stream},
                     {"other_work", first.work.name},
                     {"other_work_kind", code_of(first.work.kind)},
                     {"other_stream", is_graph ? "" : first.position.stream},
                     {"verb", emulator::code_of(verb_of(clash.by_second))},
                     {"from_byte", bytes.begin - array->bytes.begin},
                     {"bytes", bytes.end - bytes.begin}});
  fault.place = second.work.place;
  fault.other.emplace(first.work.place, emulator::Index{});
  fault.other->verb = verb_of(clash.by_first);
  fault.element = element_of(array->name);
  Findings::instance().add(std::move(fault));
}

// -- The host ------------------------------------------------------------------------------------

std::atomic<bool> host_is_watched = false;
std::atomic<std::uintptr_t> watched_begin = 0, watched_end = 0;

void host_touches(const Bytes& bytes, Touch touch, const void* caller) {
  WorkOrder::instance().host_touches(bytes, touch, caller);
}

void WorkOrder::host_touches(const Bytes& bytes, Touch touch, const void* caller) {
  if (host_function != nullptr) {
    if (touch == Touch::kUpdate) host_function->has_fenced = true;
    if (is_shared_with_host(bytes.begin)) (*host_function)[touch].add(bytes);
    return;
  }
  const auto is_marked = [&] {
    return bytes.end - bytes.begin > kMarkedPage || *watch_mark(bytes.begin) != 0 ||
           *watch_mark(bytes.end - 1) != 0;
  };
  if (is_in_arrays(bytes.begin) && !is_marked()) return;
  const bool stores = touch == Touch::kStore || touch == Touch::kUpdate;
  const ByteRanges own(bytes);
  const std::lock_guard lock(mutex_);
  Clock known;
  for (const Remembered& one : running_) {
    if (!one.is_of_host || one.signals_host) continue;
    const TouchedBytes& its = one.work.touched;
    const bool is_stored = its[Touch::kStore].meets(own) || its[Touch::kUpdate].meets(own);
    if (!is_stored && !(stores && its[Touch::kLoad].meets(own))) continue;
    if (touch == Touch::kUpdate || touch == Touch::kLook) {
      // The host may wait for this very value.
      known.join(one.position.clock);
      known.set(one.position.lane, one.position.count);
      continue;
    }
    if (!told_.emplace(caller, one.number).second) continue;
    const std::optional<NamedBytes> array = one.array_with(bytes.begin);
    if (!array) continue;
    const std::array instruction = {reinterpret_cast<std::uintptr_t>(caller) - 1};
    const emulator::SourceLine line = emulator::source_line_of(instruction);
    Fault fault(stores ? FaultKind::kHostWritesTooEarly : FaultKind::kHostReadsTooEarly,
                {{"other_work", one.work.name},
                 {"other_work_kind", code_of(one.work.kind)},
                 {"other_stream", one.position.stream},
                 {"from_byte", bytes.begin - array->bytes.begin},
                 {"bytes", bytes.end - bytes.begin}});
    fault.place = {line.file, line.line};
    fault.other.emplace(one.work.place, emulator::Index{});
    fault.other->verb = is_stored ? AccessVerb::kStore : AccessVerb::kLoad;
    fault.element = element_of(array->name);
    Findings::instance().add(std::move(fault));
  }
  host_.join(known);
  forget_what_is_done();
}

void WorkOrder::host_frees(const Allocation& array, const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  const ByteRanges all(bytes_at(array.data, array.bytes));
  for (const Remembered& one : running_ | std::views::reverse) {
    if (one.work.kind == WorkKind::kAllocation) continue;
    const auto used = std::ranges::find_if(
        one.work.touched.of, [&](const ByteRanges& ranges) { return ranges.meets(all); });
    if (used == std::end(one.work.touched.of)) continue;
    Fault fault(FaultKind::kFreedInUse, {{"work", "cudaFree"},
                                         {"work_kind", code_of(WorkKind::kFree)},
                                         {"other_work", one.work.name},
                                         {"other_work_kind", code_of(one.work.kind)},
                                         {"other_stream", one.position.stream}});
    fault.place = place;
    fault.other.emplace(one.work.place, emulator::Index{});
    fault.other->verb = verb_of(static_cast<Touch>(used - std::begin(one.work.touched.of)));
    fault.element = element_of(array.name);
    Findings::instance().add(std::move(fault));
    return;
  }
}

void WorkOrder::begin_host_function() {
  host_function = new TouchedBytes();
  const std::lock_guard lock(mutex_);
  ++host_functions_;
  watch();
}

TouchedBytes WorkOrder::end_host_function() {
  const std::unique_ptr<TouchedBytes> touched(host_function);
  host_function = nullptr;
  const std::lock_guard lock(mutex_);
  --host_functions_;
  watch();
  return std::move(*touched);
}

void WorkOrder::start_recording(AccessRecord::Extent extent) {
  const std::lock_guard lock(mutex_);
  AccessRecord::instance().start(extent);
  record_accesses(true);
}

void WorkOrder::stop_recording() {
  const std::lock_guard lock(mutex_);
  AccessRecord::instance().end();
  record_accesses(host_is_watched);
}

// -- Turns ---------------------------------------------------------------------------------------

StreamTurn::StreamTurn(cudaStream_t stream) : is_outermost_(!current && WorkOrder::is_kept()) {
  if (is_outermost_) current = WorkOrder::instance().begin(stream_at(stream)->position);
}

StreamTurn::~StreamTurn() {
  if (is_outermost_) current.reset();
}

GraphTurn::GraphTurn(std::shared_ptr<const GraphRun::Before> before) {
  if (!current) return;
  outer_ = current->run;
  node_ = current->node;
  current->run =
      std::make_shared<GraphRun>(GraphRun{.before = std::move(before),
                                          .outer = outer_,
                                          .node = node_,
                                          .depth = outer_ == nullptr ? 0 : outer_->depth + 1});
}

GraphTurn::~GraphTurn() {
  if (!current) return;
  current->run = outer_;
  current->node = node_;
}

void GraphTurn::go_to(std::size_t node) {
  if (current) current->node = node;
}

void host_waits_for_work() {
  if (!current || current->run != nullptr) return;
  Clock done = current->clock;
  done.set(current->lane, current->count);
  WorkOrder::instance().host_waits_for(done);
}

void run_host_function(const char* call, const Here& here, const std::function<void()>& function) {
  if (!WorkOrder::is_kept()) return function();
  WorkOrder& order = WorkOrder::instance();
  OldValues before;
  {
    const Allocations::Door open;
    before = order.values_before(nullptr);
  }
  order.begin_host_function();
  function();
  DoneWork work = {.kind = WorkKind::kHost,
                   .name = call,
                   .place = place_of(here),
                   .touched = order.end_host_function()};
  // The host may wait for it by other means than CUDA's.
  static const bool may_signal = program_calls_any(kSignals);
  const bool signals = may_signal || work.touched.has_fenced;
  {
    const Allocations::Door open;
    order.add(std::move(work), before);
  }
  if (signals) host_waits_for_work();
}

}  // namespace ladder::glassbox
