// SPDX-License-Identifier: MIT
#include "glassbox/runtime/previous_kernels.hpp"

#include <array>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "glassbox/runtime/hook_slots.hpp"
#include "glassbox/runtime/remembered_work.hpp"

namespace ladder::glassbox {
namespace {

using emulator::AccessVerb;

/// More kernels in a row are not remembered: the oldest goes.
constexpr std::size_t kMaxInARow = 4;

std::optional<AccessVerb> use_before(const TouchedBytes& touched, const Bytes& bytes,
                                     AccessVerb verb) {
  for (const Touch touch : {Touch::kStore, Touch::kUpdate, Touch::kLoad}) {
    const bool clashes = verb_of(touch) != verb || verb == AccessVerb::kStore;
    if (clashes && touched[touch].meets(bytes)) return verb_of(touch);
  }
  return std::nullopt;
}

}  // namespace

PreviousKernels& PreviousKernels::instance() {
  static auto* const kernels = new PreviousKernels();  // used until the very end of the process
  return *kernels;
}

bool PreviousKernels::are_kept() {
  // ladder::emulator::launch_dependents()
  constexpr std::array<std::string_view, 1> kName = {"_ZN6ladder8emulator17launch_dependents"};
  static const bool any = program_calls_any(kName);
  return any && WorkOrder::is_kept();
}

void PreviousKernels::add(Kernel kernel, bool previous_may_run) {
  if (!current_work || current_work->run != nullptr) return;
  const std::lock_guard lock(mutex_);
  std::vector<Known>& last = last_[current_work->lane];
  if (!previous_may_run) last.clear();
  if (last.size() == kMaxInARow) last.erase(last.begin());
  last.push_back({current_work->count, std::make_shared<const Kernel>(std::move(kernel))});
}

std::vector<emulator::PreviousKernel> PreviousKernels::of_current_work() {
  std::vector<emulator::PreviousKernel> found;
  if (!current_work || current_work->run != nullptr) return found;
  const std::lock_guard lock(mutex_);
  const std::vector<Known>& last = last_[current_work->lane];
  if (last.empty() || last.back().count + 1 != current_work->count) return found;
  for (const Known& known : last | std::views::reverse) {
    if (current_work->others.covers(current_work->lane, known.count)) break;
    found.push_back(
        {.name = known.kernel->name,
         .place = known.kernel->place,
         .use_before =
             [kernel = known.kernel](std::uint64_t begin, std::uint64_t end, AccessVerb verb) {
               return use_before(kernel->touched, {begin, end}, verb);
             },
         .may_signal =
             [kernel = known.kernel](std::uint64_t address) {
               return kernel->touched.has_fenced &&
                      kernel->touched[Touch::kUpdate].meets({address, address + 1});
             }});
  }
  return found;
}

}  // namespace ladder::glassbox
