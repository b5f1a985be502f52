// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/surface_calls.hpp
/// \brief Surface objects: CUDA arrays that kernels read and write, in one and two dimensions.
#pragma once

#include <cstddef>

#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/texture_calls.hpp"

using cudaSurfaceObject_t = unsigned long long;

/// What becomes of an access beyond the bounds.
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero,   ///< reads give 0, writes have no effect
  cudaBoundaryModeClamp,  ///< the element at the border
  cudaBoundaryModeTrap,   ///< the kernel fails
};

cudaError_t cudaCreateSurfaceObject(
    cudaSurfaceObject_t* surface, const cudaResourceDesc* resource,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDestroySurfaceObject(
    cudaSurfaceObject_t surface, ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGetSurfaceObjectResourceDesc(
    cudaResourceDesc* resource, cudaSurfaceObject_t surface,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());

namespace ladder::glassbox {

/// A kernel's access to a surface.
struct SurfaceAccess {
  const char* function;  ///< "surf2Dread"
  int dimensions;
  bool writes;
  std::size_t bytes;
  int x;  ///< in bytes
  int y;
  cudaSurfaceBoundaryMode mode;
  Here here;
};

/// \brief  Where the bytes are: the kernel's own code accesses them, so that races are found.
/// \return null if they are beyond the bounds and do not matter
void* surface_bytes(cudaSurfaceObject_t surface, const SurfaceAccess& access);

template <class T>
[[gnu::always_inline]] inline T read_surface(cudaSurfaceObject_t surface,
                                             const SurfaceAccess& access) {
  const auto* const place = static_cast<const T*>(surface_bytes(surface, access));
  return place == nullptr ? T{} : *place;
}

template <class T>
[[gnu::always_inline]] inline void write_surface(const T& value, cudaSurfaceObject_t surface,
                                                 const SurfaceAccess& access) {
  if (auto* const place = static_cast<T*>(surface_bytes(surface, access))) *place = value;
}

}  // namespace ladder::glassbox

template <class T>
[[gnu::always_inline]] inline T surf1Dread(
    cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::read_surface<T>(surface,
                                           {"surf1Dread", 1, false, sizeof(T), x, 0, mode, here});
}
template <class T>
[[gnu::always_inline]] inline T surf2Dread(
    cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::read_surface<T>(surface,
                                           {"surf2Dread", 2, false, sizeof(T), x, y, mode, here});
}
template <class T>
[[gnu::always_inline]] inline void surf1Dread(
    T* result, cudaSurfaceObject_t surface, int x,
    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  *result = surf1Dread<T>(surface, x, mode, here);
}
template <class T>
[[gnu::always_inline]] inline void surf2Dread(
    T* result, cudaSurfaceObject_t surface, int x, int y,
    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  *result = surf2Dread<T>(surface, x, y, mode, here);
}
template <class T>
[[gnu::always_inline]] inline void surf1Dwrite(
    T value, cudaSurfaceObject_t surface, int x,
    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  ladder::glassbox::write_surface(value, surface,
                                  {"surf1Dwrite", 1, true, sizeof(T), x, 0, mode, here});
}
template <class T>
[[gnu::always_inline]] inline void surf2Dwrite(
    T value, cudaSurfaceObject_t surface, int x, int y,
    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  ladder::glassbox::write_surface(value, surface,
                                  {"surf2Dwrite", 2, true, sizeof(T), x, y, mode, here});
}
