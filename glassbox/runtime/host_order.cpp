// SPDX-License-Identifier: MIT
// What the host does while work may still run, and its functions that are work themselves.
#include <array>
#include <memory>
#include <ranges>
#include <string_view>
#include <utility>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/hook_slots.hpp"
#include "glassbox/runtime/host_accesses.hpp"
#include "glassbox/runtime/program_variables.hpp"
#include "glassbox/runtime/remembered_work.hpp"

namespace ladder::glassbox {
namespace {

using emulator::AccessVerb;
using emulator::Fault;
using emulator::FaultKind;

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

}  // namespace

std::atomic<bool> host_is_watched = false;
std::atomic<std::uintptr_t> watched_begin = 0, watched_end = 0;

void host_touches(const Bytes& bytes, Touch touch, const void* caller) {
  WorkOrder::instance().host_touches(bytes, touch, caller);
}

void WorkOrder::host_touches(const Bytes& bytes, Touch touch, const void* caller) {
  if (host_function != nullptr) {
    if (touch == Touch::kUpdate && !host_function->has_fenced) {
      host_function->has_fenced = true;
      host_may_know(&is_before);  // another thread may wait for this value
    }
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
    if (!one.is_of_host || one.signals_host || one.is_known) continue;
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

void WorkOrder::host_may_know(bool (*wanted)(const WorkPosition&, const WorkPosition&)) {
  if (!current_work) return;
  const std::lock_guard lock(mutex_);
  for (Remembered& one : running_)
    one.is_known |= wanted(one.position, *current_work);
  host_.join(current_work->clock);
  forget_what_is_done();
  watch();
}

void WorkOrder::host_frees(const Allocation& array, const emulator::Place& place) {
  const std::lock_guard lock(mutex_);
  const ByteRanges all(bytes_at(array.data, array.bytes));
  for (const Remembered& one : running_ | std::views::reverse) {
    if (one.work.kind == WorkKind::kAllocation || one.is_known) continue;
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

void WorkOrder::run_host_function(const char* call, const Here& here,
                                  const std::function<void()>& function) {
  if (!is_kept()) return function();
  OldValues before;
  {
    const Allocations::Door open;
    before = values_before(nullptr);
  }
  // The host may wait for it by other means than CUDA's, even before it returns.
  static const bool may_signal = program_calls_any(kSignals);
  if (may_signal) host_may_know(&is_before);
  begin_host_function();
  function();
  DoneWork work = {.kind = WorkKind::kHost,
                   .name = call,
                   .place = place_of(here),
                   .touched = end_host_function()};
  const bool signals = may_signal || work.touched.has_fenced;
  {
    const Allocations::Door open;
    add(std::move(work), before);
  }
  if (!signals) return;
  host_may_know(&is_until);
  host_waits_for_work();
}

}  // namespace ladder::glassbox
