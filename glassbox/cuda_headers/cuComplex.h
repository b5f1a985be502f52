// SPDX-License-Identifier: MIT
/// \file  glassbox/cuda_headers/cuComplex.h
/// \brief CUDA's complex numbers: pairs of float or double, and functions for both sides.
/// \source CUDA 13.0, cuComplex.h
#pragma once

#include <cuda_runtime.h>

#include <cmath>

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

namespace ladder::glassbox {

/// For float2 and double2 alike.
template <class Complex>
inline Complex times(Complex x, Complex y) {
  return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};
}

/// Scaled, so that no square overflows.
template <class Complex>
inline Complex quotient(Complex x, Complex y) {
  const auto scale = std::abs(y.x) + std::abs(y.y);
  const Complex a = {x.x / scale, x.y / scale}, b = {y.x / scale, y.y / scale};
  const auto squares = b.x * b.x + b.y * b.y;
  return {(a.x * b.x + a.y * b.y) / squares, (a.y * b.x - a.x * b.y) / squares};
}

}  // namespace ladder::glassbox

/// One set of functions: names end with `f` for float.
#define GLASSBOX_COMPLEX(Complex, Real, f)                    \
  inline Real cuCreal##f(Complex x) {                         \
    return x.x;                                               \
  }                                                           \
  inline Real cuCimag##f(Complex x) {                         \
    return x.y;                                               \
  }                                                           \
  inline Complex make_##Complex(Real re, Real im) {           \
    return {re, im};                                          \
  }                                                           \
  inline Complex cuConj##f(Complex x) {                       \
    return {x.x, -x.y};                                       \
  }                                                           \
  inline Complex cuCadd##f(Complex x, Complex y) {            \
    return {x.x + y.x, x.y + y.y};                            \
  }                                                           \
  inline Complex cuCsub##f(Complex x, Complex y) {            \
    return {x.x - y.x, x.y - y.y};                            \
  }                                                           \
  inline Complex cuCmul##f(Complex x, Complex y) {            \
    return ladder::glassbox::times(x, y);                     \
  }                                                           \
  inline Complex cuCdiv##f(Complex x, Complex y) {            \
    return ladder::glassbox::quotient(x, y);                  \
  }                                                           \
  inline Complex cuCfma##f(Complex x, Complex y, Complex z) { \
    return cuCadd##f(ladder::glassbox::times(x, y), z);       \
  }                                                           \
  inline Real cuCabs##f(Complex x) {                          \
    return std::hypot(x.x, x.y);                              \
  }
GLASSBOX_COMPLEX(cuFloatComplex, float, f)
GLASSBOX_COMPLEX(cuDoubleComplex, double, )
#undef GLASSBOX_COMPLEX

inline cuComplex make_cuComplex(float re, float im) {
  return {re, im};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return {x.x, x.y};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
