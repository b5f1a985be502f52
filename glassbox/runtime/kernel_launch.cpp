// SPDX-License-Identifier: MIT
#include "glassbox/runtime/kernel_launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/trace/trace.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/cluster_launch.hpp"
#include "glassbox/runtime/device_heap.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/hook_slots.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/previous_kernels.hpp"
#include "glassbox/runtime/program_variables.hpp"
#include "glassbox/runtime/recorded_work.hpp"
#include "glassbox/runtime/refused_launch.hpp"
#include "glassbox/runtime/stray_addresses.hpp"
#include "glassbox/runtime/stream_capture.hpp"
#include "glassbox/runtime/texture.hpp"
#include "glassbox/runtime/virtual_tables.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {
namespace {

using emulator::FaultGroup;
using emulator::FaultKind;
using emulator::KernelError;

/// Launches of one kernel at one line that are traced; the others run. Further ones are traced if
/// their grid, their blocks or their arrays are new: the first may have been a warm-up.
constexpr std::uint64_t kTracedLaunches = 3;
constexpr std::size_t kTracedKinds = 8;
constexpr std::size_t kUsualSharedBytes = std::size_t{48} * 1024;

std::atomic<std::size_t> allowed_shared_bytes = kUsualSharedBytes;

cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kInvalidAddress:
    case FaultKind::kNullPointer:
    case FaultKind::kNoArray:
    case FaultKind::kOutsideShared:
    case FaultKind::kHeapFree:
    case FaultKind::kHostObject:
      return cudaErrorIllegalAddress;
    case FaultKind::kMisalignedAddress:
    case FaultKind::kMisalignedArgument:
    case FaultKind::kMisalignedMatrix:
    case FaultKind::kMisalignedVector:
    case FaultKind::kSurfaceMisaligned:
    case FaultKind::kLeadingDimension:
      return cudaErrorMisalignedAddress;
    case FaultKind::kStackOverflow:
      return cudaErrorHardwareStackError;
    case FaultKind::kDeadlock:
    case FaultKind::kWarpDeadlock:
    case FaultKind::kEndlessLoop:
      return cudaErrorLaunchTimeout;
    case FaultKind::kHostFunctionPointer:
      return cudaErrorInvalidPc;
    case FaultKind::kAssertion:
      return cudaErrorAssert;
    case FaultKind::kLaunchCooperativeTooLarge:
      return cudaErrorCooperativeLaunchTooLarge;
    case FaultKind::kLaunchClusterSize:
    case FaultKind::kLaunchClusterGrid:
    case FaultKind::kLaunchClusterDeclared:
    case FaultKind::kLaunchClusterExtentZero:
      return cudaErrorInvalidClusterSize;
    // "Will fail to launch", CUDA's guide says of it, and not how. No GPU has told us.
    case FaultKind::kLaunchBounds:
    case FaultKind::kLaunchSharedNotAllowed:
    case FaultKind::kLaunchInGraph:
      return cudaErrorInvalidValue;
    default:
      break;
  }
  switch (group_of(kind)) {
    case FaultGroup::kTexture:
      return cudaErrorIllegalAddress;
    case FaultGroup::kLaunch:
      return cudaErrorInvalidConfiguration;
    default:
      return cudaErrorLaunchFailure;
  }
}

/// What is told of any launch.
Launch launch_of(const LaunchRequest& request) {
  return {.kernel = name_of(request),
          .place = place_of(request.here),
          .grid = {request.grid.x, request.grid.y, request.grid.z},
          .block = {request.block.x, request.block.y, request.block.z},
          .dynamic_shared_bytes = request.dynamic_shared_bytes,
          .number = Findings::instance().launches()};
}

/// "reduce" of "reduce<256>"
std::string without_arguments(const std::string& kernel) {
  return kernel.substr(0, kernel.find('<'));
}

/// A launch's grid, block, dynamic shared memory and arrays.
using LaunchKind = std::vector<std::uint64_t>;

LaunchKind kind_of(const LaunchRequest& request, const std::vector<PointerArgument>& arguments) {
  LaunchKind kind = {request.grid.x,
                     request.grid.y,
                     request.grid.z,
                     request.block.x,
                     request.block.y,
                     request.block.z,
                     request.dynamic_shared_bytes};
  for (const PointerArgument& argument : arguments) {
    const Allocation* const array = Allocations::instance().with(argument.address);
    if (array != nullptr) kind.push_back(reinterpret_cast<std::uintptr_t>(array->data));
  }
  return kind;
}

bool is_wanted(const LaunchRequest& request, const std::vector<PointerArgument>& arguments) {
  if (orders().verb == Verb::kRun) return false;
  const std::string kernel = name_of(request);
  const std::string& wanted = orders().kernel;
  if (!wanted.empty() && kernel != wanted && without_arguments(kernel) != wanted &&
      request.kernel != wanted) {
    return false;
  }
  static std::mutex mutex;
  struct Seen {
    std::uint64_t launches = 0;
    std::set<LaunchKind> kinds;
  };
  static std::map<std::pair<std::string, unsigned>, Seen> all_seen;
  static std::uint64_t matching = 0;
  const std::lock_guard lock(mutex);
  ++matching;
  Seen& seen = all_seen[{kernel, request.here.line()}];
  ++seen.launches;
  if (orders().launch > 0) return matching == orders().launch;
  const bool is_new =
      seen.kinds.size() < kTracedKinds && seen.kinds.insert(kind_of(request, arguments)).second;
  return is_new || seen.launches <= kTracedLaunches;
}

/// The arrays that a kernel may touch: first those that it is given.
std::vector<emulator::TracedArray> arrays_for(const std::vector<PointerArgument>& arguments,
                                              std::vector<Allocation*>& chosen) {
  Allocations& all = Allocations::instance();
  std::map<const Allocation*, std::size_t> element_bytes;
  std::unordered_set<const Allocation*> known;
  const auto choose = [&](Allocation* array) {
    if (array != nullptr && known.insert(array).second) chosen.push_back(array);
  };
  for (const PointerArgument& argument : arguments) {
    Allocation* const array = all.with(argument.address);
    choose(array);
    if (argument.element_bytes > 0) element_bytes.try_emplace(array, argument.element_bytes);
  }
  choose(device_heap());
  for (Allocation* array : all.live())
    choose(array);
  std::vector<emulator::TracedArray> traced;
  for (const Allocation* array : chosen) {
    const auto bytes = element_bytes.find(array);
    traced.push_back({.name = array->name,
                      .data = array->data,
                      .bytes = array->bytes,
                      .element_bytes = bytes == element_bytes.end() ? 4 : bytes->second,
                      .written = array->is_written()});
  }
  return traced;
}

/// Variables of the host that the kernel is given the addresses of.
std::vector<std::span<const std::byte>> host_variables(
    const std::vector<PointerArgument>& arguments) {
  std::vector<std::span<const std::byte>> found;
  for (const PointerArgument& argument : arguments) {
    const auto address = reinterpret_cast<std::uintptr_t>(argument.address);
    if (Allocations::instance().with(argument.address) != nullptr) continue;  // registered
    const ProgramVariable* const variable = variable_with(address);
    if (variable == nullptr || is_device_variable(*variable)) continue;
    const std::byte* const begin =
        static_cast<const std::byte*>(argument.address) - (address - variable->bytes.begin);
    found.emplace_back(begin, variable->bytes.end - variable->bytes.begin);
  }
  return found;
}

void note_written(const emulator::KernelTrace& trace, const std::vector<Allocation*>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (trace.uses[i].stored) arrays[i]->written = true;
  }
}

/// The array, if the host can write it while a kernel runs.
const Allocation* shared_with_host(const void* address) {
  const Allocation* const array = Allocations::instance().with(address);
  const bool is_shared =
      array != nullptr && array->kind != MemoryKind::kDevice && array->kind != MemoryKind::kHeap;
  return is_shared ? array : nullptr;
}

/// A loop without an end that looks at memory of the host is right: the host would end it.
emulator::Fault with_the_host(emulator::Fault fault) {
  const Allocation* const array = shared_with_host(fault.polled);
  if (array == nullptr) return fault;
  fault.kind = FaultKind::kWaitsForHost;
  fault.fields = {{"array", array->name}};
  return fault;
}

/// One that looks at several places may be.
void tell_of_the_host(const LaunchRequest& request, const KernelError& error,
                      const std::vector<PointerArgument>& arguments) {
  if (group_of(error.kind()) != FaultGroup::kHang) return;
  for (const PointerArgument& argument : arguments) {
    const Allocation* const array = shared_with_host(argument.address);
    if (array == nullptr) continue;
    Findings::instance().note(
        {CallReason::kHostTooLate, {{"kernel", name_of(request)}, {"array", array->name}}});
  }
}

/// For object_maker alone.
void* make_object(void* slot, const void* bytes, std::size_t size) {
  std::memcpy(slot, bytes, size);
  return slot;
}

}  // namespace

const ObjectMaker object_maker = &make_object;

void allow_dynamic_shared(std::size_t bytes) {
  allowed_shared_bytes = std::max<std::size_t>(allowed_shared_bytes, bytes);
}

cudaError_t refused(const LaunchRequest& request, emulator::Fault fault) {
  const cudaError_t error = error_of(fault.kind);
  Launch launch = launch_of(request);
  launch.error = error;
  fault.place = launch.place;
  launch.trace.hazards = {std::move(fault)};
  Findings::instance().add(std::move(launch));
  set_last_error(error);
  return error;
}

cudaError_t require_shape(const LaunchRequest& request) {
  constexpr std::uint64_t kMaxThreads = 1024;
  const auto count = [](const dim3& of) { return std::uint64_t{of.x} * of.y * of.z; };
  const std::uint64_t threads = count(request.block);
  if (threads > 0 && threads <= kMaxThreads && count(request.grid) > 0) return cudaSuccess;
  spoil_capture(request.stream);
  return refused(request,
                 {FaultKind::kLaunchInGraph,
                  {{"blocks", count(request.grid)}, {"threads", threads}, {"limit", kMaxThreads}}});
}

cudaError_t refusal_of(const LaunchRequest& request) {
  return stream_at(request.stream) == legacy_stream()
             ? require_no_blocking_capture(name_of(request), request.here)
             : cudaSuccess;
}

void refuse_within_kernel(const LaunchRequest& request) {
  emulator::BlockRunner* const runner = emulator::BlockRunner::of_this_cpu_thread();
  if (runner == nullptr) return;
  runner->failures().fail_at({FaultKind::kDynamicParallelism, {{"kernel", name_of(request)}}},
                             request.here.file_name(), request.here.line());
}

void require_threads(long long limit) {
  emulator::BlockRunner* const runner = emulator::BlockRunner::of_this_cpu_thread();
  if (runner == nullptr || limit <= 0) return;
  const uint3 extents = emulator::unpack(emulator::packed_block_extent());
  const std::uint64_t threads = std::uint64_t{extents.x} * extents.y * extents.z;
  if (threads <= static_cast<std::uint64_t>(limit)) return;
  runner->failures().fail_in_call(
      {FaultKind::kLaunchBounds,
       {{"extents", emulator::FieldValue::Numbers{extents.x, extents.y, extents.z}},
        {"threads", threads},
        {"limit", limit}}});
}

cudaError_t run_launch(const LaunchRequest& request, const std::vector<PointerArgument>& arguments,
                       const void* code, const emulator::ThreadProgram& program) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  Findings& findings = Findings::instance();
  findings.count_launch();
  if (request.dynamic_shared_bytes > allowed_shared_bytes) {
    return refused(request,
                   {FaultKind::kLaunchSharedNotAllowed, {{"bytes", request.dynamic_shared_bytes}}});
  }
  const LaunchCluster cluster = cluster_of(request);
  if (cluster.wrong) return refused(request, *cluster.wrong);
  emulator::GridLaunch grid = {.grid = request.grid,
                               .block = request.block,
                               .dynamic_shared_bytes = request.dynamic_shared_bytes,
                               .cluster = cluster.extents,
                               .cooperative = request.cooperative,
                               .kernel = code};
  for (const PointerArgument& argument : arguments) {
    Allocation* const array = Allocations::instance().with(argument.address);
    if (array != nullptr && argument.element_bytes > 0)
      array->element_bytes = argument.element_bytes;
  }
  std::optional<KernelError> error;
  start_heap_launch();
  const StreamTurn turn(request.stream);
  const Allocations::Door open;
  const TablesOfLaunch tables;
  RecordedKernel recorded;
  emulator::TraceOptions options;
  if (request.overlaps_previous) options.previous = PreviousKernels::instance().of_current_work();
  grid.overlaps_previous = !options.previous.empty();
  const auto run = [&] {
    try {
      emulator::run_program(grid, program);
    } catch (const KernelError& thrown) {
      error = KernelError(with_the_host(thrown.fault()));
      throw;
    }
  };
  if (!is_wanted(request, arguments)) {
    try {
      run();
    } catch (const KernelError&) {
      if (group_of(error->kind()) != FaultGroup::kLaunch) {
        Launch failed = launch_of(request);
        failed.error = error_of(error->kind());
        failed.trace.hazards = {error->fault()};
        explain_stray(failed.trace.hazards[0], request, arguments);
        findings.add(std::move(failed));
      }
    }
    for (const PointerArgument& argument : arguments) {
      if (Allocation* const array = Allocations::instance().with(argument.address)) {
        array->written = true;
      }
    }
  } else {
    std::vector<Allocation*> chosen;
    const std::vector<emulator::TracedArray> arrays = arrays_for(arguments, chosen);
    options.host_variables = host_variables(arguments);
    if (orders().addresses) options.warp = {0, 0};
    const HooksInPlace hooks;
    try {
      Launch traced = launch_of(request);
      traced.trace = emulator::trace(arrays, run, options);
      traced.is_traced = true;
      tell_of_frees(traced.trace);
      std::ranges::transform(traced.trace.hazards, traced.trace.hazards.begin(), with_the_host);
      for (emulator::Fault& hazard : traced.trace.hazards)
        explain_stray(hazard, request, arguments);
      if (error) traced.error = error_of(error->kind());
      note_written(traced.trace, chosen);
      findings.add(std::move(traced));
    } catch (const KernelError&) {
    }
  }
  recorded.tell(name_of(request), place_of(request.here), grid.overlaps_previous);
  tell_unwritten_textures();
  if (!error) return cudaSuccess;
  if (group_of(error->kind()) == FaultGroup::kLaunch) return refused(request, error->fault());
  tell_of_the_host(request, *error, arguments);
  make_sticky(error_of(error->kind()));
  return cudaSuccess;  // a launch does not wait for its kernel
}

}  // namespace ladder::glassbox
