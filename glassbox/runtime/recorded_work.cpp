// SPDX-License-Identifier: MIT
#include "glassbox/runtime/recorded_work.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/run/settings.hpp"
#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/previous_kernels.hpp"
#include "glassbox/runtime/program_variables.hpp"

namespace ladder::glassbox {

RecordedKernel::RecordedKernel() : is_wanted_(WorkOrder::is_kept()) {
  if (!is_wanted_) return;
  using Extent = AccessRecord::Extent;
  const bool any_shared =
      !managed_variables().is_empty() ||
      std::ranges::any_of(Allocations::instance().live(), [](const Allocation* array) {
        return array->kind != MemoryKind::kDevice;
      });
  const bool any_order = WorkOrder::instance().has_streams() || PreviousKernels::are_kept();
  const Extent extent = any_order ? Extent::kAll : any_shared ? Extent::kShared : Extent::kNone;
  is_wanted_ = extent != Extent::kNone && AccessRecord::has_marks();
  if (!is_wanted_) return;
  before_ = WorkOrder::instance().values_before(nullptr);
  WorkOrder::instance().start_recording(extent);
}

RecordedKernel::~RecordedKernel() {
  if (is_wanted_) WorkOrder::instance().stop_recording();
}

void RecordedKernel::tell(const std::string& name, const emulator::Place& place,
                          bool overlaps_previous) {
  if (!is_wanted_) return;
  DoneWork work = {.kind = WorkKind::kKernel, .name = name, .place = place};
  work.touched.has_fenced = kernel_has_fenced;
  std::vector<Allocation*> arrays = Allocations::instance().live();
  std::ranges::sort(arrays, {}, &Allocation::data);
  for (const Allocation* const array : arrays)
    AccessRecord::instance().take(bytes_at(array->data, array->bytes), work.touched);
  AccessRecord::instance().take_variables(work.touched);
  const emulator::GridStats stats = emulator::last_run();
  if (stats.launches_dependents) {
    PreviousKernels::instance().add({.name = name, .place = place, .touched = work.touched},
                                    overlaps_previous && stats.launches_before_waiting);
  }
  WorkOrder::instance().add(std::move(work), before_);
}

RecordedCopy::RecordedCopy(const char* function, const Here& here)
    : work_({.kind = WorkKind::kCopy, .name = function, .place = place_of(here)}) {}

void RecordedCopy::reads(const void* data, std::size_t bytes) {
  if (Allocations::instance().with(data) != nullptr)
    work_.touched[Touch::kLoad].add(bytes_at(data, bytes));
}

void RecordedCopy::writes(const void* data, std::size_t bytes) {
  if (Allocations::instance().with(data) != nullptr)
    work_.touched[Touch::kStore].add(bytes_at(data, bytes));
}

void RecordedCopy::reads_symbol(const void* symbol, std::size_t bytes) {
  work_.touched[Touch::kLoad].add(bytes_at(symbol, bytes));
}

void RecordedCopy::writes_symbol(const void* symbol, std::size_t bytes) {
  work_.touched[Touch::kStore].add(bytes_at(symbol, bytes));
}

void RecordedCopy::begin() {
  if (WorkOrder::is_kept())
    before_ = WorkOrder::instance().values_before(&work_.touched[Touch::kStore]);
}

void RecordedCopy::tell(WorkKind kind) {
  work_.kind = kind;
  if (WorkOrder::is_kept()) WorkOrder::instance().add(std::move(work_), before_);
}

}  // namespace ladder::glassbox
