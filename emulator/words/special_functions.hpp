// SPDX-License-Identifier: MIT
/// \file  emulator/words/special_functions.hpp
/// \brief CUDA's mathematical functions that neither C nor math_functions.hpp has: of the normal
///        distribution, of multiples of pi, norms, reciprocals, Bessel functions.
///
/// Each is computed in double; its float version rounds that.
#pragma once

#include <cmath>
#include <concepts>
#include <numbers>

namespace ladder::emulator {

/// \brief Improves r, where erfc(r) or erf(r) should be some value, by Halley's method.
/// \param excess  what erf(r) is too large by
inline double nearer_inverse(double r, double excess) {
  const double newton = excess * std::sqrt(std::numbers::pi) / 2 * std::exp(r * r);
  return r - newton / (1 + r * newton);
}

/// The number whose erf() is x, to about 1 in 500, from the logarithm of 1 - x * x (Winitzki).
inline double rough_inverse(double logarithm) {
  constexpr double kA = 0.147;
  const double t = 2 / (std::numbers::pi * kA) + logarithm / 2;
  return std::sqrt(std::sqrt(t * t - logarithm / kA) - t);
}

inline constexpr int kHalleySteps = 4;

}  // namespace ladder::emulator

inline double erfinv(double x) {
  if (!(std::fabs(x) < 1)) return std::fabs(x) == 1 ? x * HUGE_VAL : std::nan("");
  if (x == 0) return x;
  double r = std::copysign(ladder::emulator::rough_inverse(std::log1p(-x * x)), x);
  for (int i = 0; i < ladder::emulator::kHalleySteps; ++i)
    r = ladder::emulator::nearer_inverse(r, std::erf(r) - x);
  return r;
}
inline double erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : std::nan("");
  if (y > 1) return -erfcinv(2 - y);
  if (y >= 0.5) return erfinv(1 - y);
  double r = ladder::emulator::rough_inverse(std::log(y * (2 - y)));
  for (int i = 0; i < ladder::emulator::kHalleySteps; ++i)
    r = ladder::emulator::nearer_inverse(r, y - std::erfc(r));
  return r;
}
/// exp(x * x) * erfc(x). Where even a long double overflows, the first terms of its series.
inline double erfcx(double x) {
  constexpr double kLarge = 100;
  if (x < kLarge) {
    const long double wide = x;
    return static_cast<double>(std::exp(wide * wide) * std::erfc(wide));
  }
  const double q = 1 / (2 * x * x);
  return (1 - q * (1 - q * (3 - 15 * q))) / (x * std::sqrt(std::numbers::pi));
}
inline double normcdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}
inline double normcdfinv(double p) {
  return -std::numbers::sqrt2 * erfcinv(2 * p);
}

/// The sine and the cosine of pi * x, exact where they are 0, 1 or -1.
inline double sinpi(double x) {
  const double r = std::remainder(x, 2.0);
  return std::sin(std::numbers::pi * (std::fabs(r) > 0.5 ? std::copysign(1.0, r) - r : r));
}
inline double cospi(double x) {
  return std::sin(std::numbers::pi * (0.5 - std::fabs(std::remainder(x, 2.0))));
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}

inline double rcbrt(double x) {
  return 1 / std::cbrt(x);
}
inline double rhypot(double x, double y) {
  return 1 / std::hypot(x, y);
}
inline double norm3d(double x, double y, double z) {
  return std::hypot(x, y, z);
}
inline double rnorm3d(double x, double y, double z) {
  return 1 / norm3d(x, y, z);
}
inline double norm4d(double x, double y, double z, double w) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
inline double rnorm4d(double x, double y, double z, double w) {
  return 1 / norm4d(x, y, z, w);
}
/// The length of the vector that has these coordinates.
template <std::floating_point T>
T norm(int dimensions, const T* coordinates) {
  double length = 0;
  for (int i = 0; i < dimensions; ++i)
    length = std::hypot(length, static_cast<double>(coordinates[i]));
  return static_cast<T>(length);
}
inline double rnorm(int dimensions, const double* coordinates) {
  return 1 / norm(dimensions, coordinates);
}
inline float normf(int dimensions, const float* coordinates) {
  return norm(dimensions, coordinates);
}
inline float rnormf(int dimensions, const float* coordinates) {
  return 1 / norm(dimensions, coordinates);
}
inline double cyl_bessel_i0(double x) {
  return std::cyl_bessel_i(0.0, std::fabs(x));
}
inline double cyl_bessel_i1(double x) {
  return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
}

inline float erfinvf(float x) {
  return static_cast<float>(erfinv(static_cast<double>(x)));
}
inline float erfcinvf(float x) {
  return static_cast<float>(erfcinv(static_cast<double>(x)));
}
inline float erfcxf(float x) {
  return static_cast<float>(erfcx(static_cast<double>(x)));
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
inline float normcdfinvf(float x) {
  return static_cast<float>(normcdfinv(static_cast<double>(x)));
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
inline float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}
inline float rcbrtf(float x) {
  return static_cast<float>(rcbrt(static_cast<double>(x)));
}
inline float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
inline float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(rhypot(x, y));
}
inline float norm3df(float x, float y, float z) {
  return static_cast<float>(norm3d(x, y, z));
}
inline float rnorm3df(float x, float y, float z) {
  return static_cast<float>(rnorm3d(x, y, z));
}
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
inline float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(rnorm4d(x, y, z, w));
}
inline float fdividef(float x, float y) {
  return x / y;
}

/// What a GPU computes faster and less exactly.
inline float __tanf(float x) {
  return std::tan(x);
}
inline float __log10f(float x) {
  return std::log10(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}
inline float __tanhf(float x) {
  return std::tanh(x);
}

/// Rounded once, from a result of 64 bits.
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(x)));
}
