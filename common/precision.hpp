// SPDX-License-Identifier: MIT
/// \file  common/precision.hpp
/// \brief What a rung stores, multiplies and adds up. Problem, verification bound, rivals, peak and
///        bytes follow from it.
#pragma once

#include <string_view>

#include "common/bfloat16.hpp"

namespace ladder {

/// A floating-point format. All have 8 bits of exponent.
enum class Format {
  fp32,  ///< 24 significant bits
  tf32,  ///< 11, stored as FP32: what tensor cores read of it
  bf16,  ///< 8
};

/// \return half a step between neighbouring numbers, relative to them: the most that rounding to
///         nearest changes
constexpr double unit_roundoff(Format format) {
  switch (format) {
    case Format::fp32:
      return 0x1p-24;
    case Format::tf32:
      return 0x1p-11;
    case Format::bf16:
      return 0x1p-8;
  }
  return 0.0;
}

/// Bytes of one number in memory.
constexpr int bytes_of(Format format) {
  return format == Format::bf16 ? 2 : 4;
}

/// "BF16"
constexpr std::string_view name_of(Format format) {
  switch (format) {
    case Format::fp32:
      return "FP32";
    case Format::tf32:
      return "TF32";
    case Format::bf16:
      return "BF16";
  }
  return "";
}

/// The format that a type stores.
template <class T>
inline constexpr Format kFormatOf = Format::fp32;
template <>
inline constexpr Format kFormatOf<bfloat16> = Format::bf16;

/// \brief  Calls a template with a value of the type that stores a format.
/// \return work(float()) or work(bfloat16())
template <class Work>
auto with_element_of(Format stored, Work work) {
  return stored == Format::bf16 ? work(bfloat16()) : work(float());
}

/// How a rung computes C = alpha*A*B + beta*C.
struct Precision {
  std::string_view name;  ///< "BF16", for lists
  Format stored;          ///< of A, B and C; a result is rounded to it once
  Format multiplied;      ///< what the inputs of products are rounded to, if it is narrower
  Format accumulated;     ///< of sums and of the epilogue

  bool operator==(const Precision&) const = default;
};

/// FP32 from end to end.
inline constexpr Precision kFp32 = {"FP32", Format::fp32, Format::fp32, Format::fp32};
/// FP32 matrices whose products the tensor cores form from TF32.
inline constexpr Precision kTf32 = {"TF32", Format::fp32, Format::tf32, Format::fp32};
/// BF16 matrices, used as they are; sums in FP32.
inline constexpr Precision kBf16 = {"BF16", Format::bf16, Format::bf16, Format::fp32};

/// Unit roundoff of the narrowest format that a result goes through.
constexpr double coarsest_roundoff(const Precision& precision) {
  const double input = unit_roundoff(precision.multiplied);
  const double output = unit_roundoff(precision.stored);
  return input > output ? input : output;
}

}  // namespace ladder
