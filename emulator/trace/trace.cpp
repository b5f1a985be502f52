// SPDX-License-Identifier: MIT
#include "emulator/trace/trace.hpp"

#include <stdexcept>

#include "emulator/run/kernel_error.hpp"
#include "emulator/trace/trace_session.hpp"

namespace ladder::emulator {

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  requests += other.requests;
  zeros += other.zeros;
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

AccessCounts& AccessCounts::operator*=(std::uint64_t factor) {
  requests *= factor;
  zeros *= factor;
  lanes *= factor;
  bytes *= factor;
  sectors *= factor;
  distinct_sectors *= factor;
  ideal_sectors *= factor;
  lines *= factor;
  wavefronts *= factor;
  ideal_wavefronts *= factor;
  return *this;
}

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
    case Operation::kAsyncCopy:
      return "async copy";
    case Operation::kBoxCopy:
      return "box copy";
    case Operation::kBoxStore:
      return "box store";
    case Operation::kProduct:
      return "tensor product";
  }
  return "";
}

KernelTrace trace(const std::vector<TracedArray>& arrays, const std::function<void()>& launch,
                  const TraceOptions& options) {
  TraceSession session(arrays, options);
  try {
    launch();
  } catch (const KernelError& error) {
    if (group_of(error.kind()) == FaultGroup::kLaunch) throw;
  }
  return session.result();
}

}  // namespace ladder::emulator
