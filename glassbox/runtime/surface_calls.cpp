// SPDX-License-Identifier: MIT
#include "glassbox/runtime/surface_calls.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/cuda_array.hpp"

namespace ladder::glassbox {
namespace {

using emulator::FaultKind;

struct SurfaceObject {
  cudaResourceDesc resource;
  Allocation* memory;
  int dimensions;
  std::size_t row_bytes, rows;
  bool destroyed = false;
};

/// So that no number is one of a texture, too.
constexpr cudaSurfaceObject_t kFirst = 1ull << 32;

/// A surface's number is its place, counted from kFirst. Who adds one holds the door, so no kernel
/// runs.
std::deque<SurfaceObject>& surfaces() {
  static auto* const all = new std::deque<SurfaceObject>();  // used until the very end
  return *all;
}

SurfaceObject* surface_of(cudaSurfaceObject_t number) {
  const bool known = number >= kFirst && number - kFirst < surfaces().size();
  return known ? &surfaces()[number - kFirst] : nullptr;
}

cudaError_t no_surface(const char* function, const Here& here) {
  return failed(cudaErrorInvalidValue, {CallReason::kNoSurface}, function, here);
}

/// The running thread cannot do this.
[[noreturn]] void fail(const SurfaceAccess& access, FaultKind kind, emulator::Fields fields = {}) {
  fields.set("function", access.function);
  emulator::BlockRunner::of_this_cpu_thread()->scheduler().fail({kind, std::move(fields)},
                                                                access.here);
}

SurfaceObject& require_surface(cudaSurfaceObject_t number, const SurfaceAccess& access) {
  SurfaceObject* const surface = surface_of(number);
  if (surface == nullptr) fail(access, FaultKind::kSurfaceNone);
  if (surface->destroyed) fail(access, FaultKind::kSurfaceDestroyed);
  if (surface->memory->freed) {
    fail(access, FaultKind::kSurfaceFreed, {{"array", surface->memory->name}});
  }
  if (surface->dimensions != access.dimensions) {
    fail(access, FaultKind::kSurfaceDimensions, {{"dimensions", surface->dimensions}});
  }
  if (access.x % static_cast<int>(access.bytes) != 0) {
    fail(access, FaultKind::kSurfaceMisaligned, {{"x", access.x}, {"bytes", access.bytes}});
  }
  return *surface;
}

}  // namespace

void* surface_bytes(cudaSurfaceObject_t number, const SurfaceAccess& access) {
  SurfaceObject& surface = require_surface(number, access);
  const auto last_x = static_cast<long>(surface.row_bytes) - static_cast<long>(access.bytes);
  const long last_y = static_cast<long>(surface.rows) - 1;
  const long x = std::clamp<long>(access.x, 0, std::max(last_x, 0L));
  const long y = std::clamp<long>(access.y, 0, last_y);
  if (x != access.x || y != access.y || last_x < 0) {
    if (access.mode == cudaBoundaryModeZero) return nullptr;
    if (access.mode == cudaBoundaryModeTrap || last_x < 0) {
      fail(access, FaultKind::kSurfaceOutOfBounds,
           {{"x", access.x},
            {"y", access.y},
            {"array", surface.memory->name},
            {"rows", surface.rows},
            {"row_bytes", surface.row_bytes}});
    }
  }
  if (access.writes)
    std::atomic_ref(surface.memory->written).store(true, std::memory_order_relaxed);
  return surface.memory->data + static_cast<std::size_t>(y) * surface.row_bytes +
         static_cast<std::size_t>(x);
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource,
                                    Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (resource->resType != cudaResourceTypeArray || !is_live_array(resource->res.array.array)) {
    return failed(cudaErrorInvalidValue, {CallReason::kSurfaceOfArray}, "cudaCreateSurfaceObject",
                  here);
  }
  const cudaArray& array = *resource->res.array.array;
  const Allocations::Door no_kernel_runs;
  surfaces().push_back({.resource = *resource,
                        .memory = Allocations::instance().with(array.data),
                        .dimensions = array.height == 0 ? 1 : 2,
                        .row_bytes = array.row_bytes(),
                        .rows = array.rows()});
  *surface = kFirst + surfaces().size() - 1;
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface, Here here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (surface == 0) return cudaSuccess;
  const Allocations::Door no_kernel_runs;
  SurfaceObject* const found = surface_of(surface);
  if (found == nullptr || found->destroyed) return no_surface("cudaDestroySurfaceObject", here);
  found->destroyed = true;
  return cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface, Here here) {
  const SurfaceObject* const found = surface_of(surface);
  if (found == nullptr || found->destroyed)
    return no_surface("cudaGetSurfaceObjectResourceDesc", here);
  *resource = found->resource;
  return sticky_error();
}
