// SPDX-License-Identifier: MIT
#include "emulator/run/block/tensor_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "emulator/words/half_type.hpp"

namespace ladder::emulator {
namespace {

/// Of summands, below the largest exponent.
constexpr int kFractionBits = 25;

constexpr std::uint32_t kExponentMask = 0x7F800000;  // of a float; alone, a power of two
constexpr float kSmallestFloat = 0x1p-126F, kSmallestHalf = 0x1p-14F;  // that are normal

/// \brief  Two to the exponent of a number, or 0 of a zero.
/// \param  smallest  normal number of its format, whose exponent the subnormal ones have, too
float power_of(float value, float smallest) {
  if (value == 0) return 0;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(value) & kExponentMask;
  return std::max(std::bit_cast<float>(exponent), smallest);
}

float value_of(TensorFormat format, std::uint32_t bits) {
  constexpr std::uint32_t kUnusedOfTf32 = 0x1FFF;
  switch (format) {
    case TensorFormat::kHalf:
      return __half::of_bits(static_cast<unsigned short>(bits));
    case TensorFormat::kBfloat16:
      return std::bit_cast<float>(bits << 16);
    default:
      return std::bit_cast<float>(bits & ~kUnusedOfTf32);
  }
}

std::uint32_t cut_to_float(double x) {
  auto nearest = static_cast<float>(x);
  if (std::fabs(nearest) > std::fabs(x) && std::fabs(x) < 0x1p128)
    nearest = std::nextafter(nearest, 0.0F);
  return std::bit_cast<std::uint32_t>(nearest);
}

/// The sum as a result, which has no negative zero.
std::uint32_t result_of(double sum, bool half_sums) {
  if (half_sums) return __half(sum + 0.0).bits();
  if (std::isnan(sum)) return 0x7FFFFFFF;
  return cut_to_float(sum + 0.0);
}

}  // namespace

/// Elements of a line of A and of one or more lines of B, side by side.
struct LinePair {
  const float *values_a, *powers_a, *values_b, *powers_b;
  std::size_t stride_a, stride_b;  ///< to the next element

  LinePair(const TensorFactor& a, std::size_t line_a, const TensorFactor& b, std::size_t line_b,
           std::size_t element)
      : values_a(&a.values_[element * a.lines_ + line_a]),
        powers_a(&a.powers_[element * a.lines_ + line_a]),
        values_b(&b.values_[element * b.lines_ + line_b]),
        powers_b(&b.powers_[element * b.lines_ + line_b]),
        stride_a(a.lines_),
        stride_b(b.lines_) {}
};

namespace {

/// \brief  C plus the products of two lines, whatever their numbers are. A double holds a product
///         of two inputs and a sum of summands that are cut off, both exactly.
/// \param  c  bits of a half or a float
/// \return such bits
std::uint32_t any_sum(const LinePair& lines, std::size_t count, bool half_sums, std::uint32_t c) {
  const float start =
      half_sums ? float(__half::of_bits(static_cast<unsigned short>(c))) : std::bit_cast<float>(c);
  double ordinary = start;  // tells what infinities and NaNs leave
  double largest = power_of(start, half_sums ? kSmallestHalf : kSmallestFloat);
  const auto product = [&](std::size_t k) {
    return double{lines.values_a[k * lines.stride_a]} * lines.values_b[k * lines.stride_b];
  };
  for (std::size_t k = 0; k < count; ++k) {
    ordinary += product(k);
    largest = std::max(
        largest, double{lines.powers_a[k * lines.stride_a]} * lines.powers_b[k * lines.stride_b]);
  }
  if (!std::isfinite(ordinary)) return result_of(ordinary, half_sums);
  if (largest == 0) return 0;
  const double unit = std::ldexp(largest, -kFractionBits);
  double sum = std::trunc(start / unit);
  for (std::size_t k = 0; k < count; ++k)
    sum += std::trunc(product(k) / unit);
  return result_of(sum * unit, half_sums);
}

constexpr std::size_t kLanes = 8;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Words = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));
using HalfInts = std::int32_t __attribute__((vector_size(2 * kLanes)));
using HalfFloats = float __attribute__((vector_size(2 * kLanes)));
using Doubles = double __attribute__((vector_size(4 * kLanes)));
using LongWords = std::uint64_t __attribute__((vector_size(4 * kLanes)));

template <class Lanes>
Lanes lanes_at(const void* first) {
  Lanes lanes;
  std::memcpy(&lanes, first, sizeof lanes);
  return lanes;
}

/// \brief Exponents of factors for which everything in short_sums() is a normal float, and those of
///        their products and sums.
constexpr float kLeastFactor = 0x1p-50F, kMostFactor = 0x1p50F;
constexpr float kLeastProduct = kLeastFactor * kLeastFactor;
constexpr std::uint32_t kLeastBits = std::bit_cast<std::uint32_t>(kLeastProduct);
constexpr std::uint32_t kMostBits = std::bit_cast<std::uint32_t>(kMostFactor * kMostFactor);

bool are_near(const std::uint32_t* sums) {
  bool near = true;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint32_t exponent = sums[i] & kExponentMask;
    near &= sums[i] << 1 == 0 || (exponent >= kLeastBits && exponent <= kMostBits);
  }
  return near;
}

/// Whole numbers times a power of two, cut off to floats.
HalfFloats cut(HalfInts sum, HalfInts more, HalfFloats unit) {
  constexpr std::uint64_t kMoreThanAFloat = (std::uint64_t{1} << 29) - 1;
  const Doubles exact =
      __builtin_convertvector(sum, Doubles) + __builtin_convertvector(more, Doubles);
  const auto kept = std::bit_cast<Doubles>(std::bit_cast<LongWords>(exact) & ~kMoreThanAFloat);
  return __builtin_convertvector(kept * __builtin_convertvector(unit, Doubles), HalfFloats);
}

/// \brief any_sum() of a line of A and eight of B with sums in FP32, if all exponents are near:
///        then a float holds a product, and 32 bits the sum of all.
template <std::size_t count>
void short_sums(const LinePair& lines, std::uint32_t* c) {
  const auto start = lanes_at<Words>(c);
  auto largest = std::bit_cast<Floats>(start & kExponentMask);
  largest = largest > kLeastProduct ? largest : Floats{} + kLeastProduct;
  for (std::size_t k = 0; k < count; ++k) {
    const Floats power =
        lines.powers_a[k * lines.stride_a] * lanes_at<Floats>(&lines.powers_b[k * lines.stride_b]);
    largest = power > largest ? power : largest;
  }
  constexpr std::uint32_t kBias = std::bit_cast<std::uint32_t>(1.0F);
  constexpr std::uint32_t kFraction = std::uint32_t{kFractionBits} << 23;
  const auto exponent = std::bit_cast<Words>(largest);
  const auto per_unit = std::bit_cast<Floats>(2 * kBias + kFraction - exponent);
  const auto unit = std::bit_cast<Floats>(exponent - kFraction);
  const auto whole = [&](Floats summand) {  // cut off, as conversion does
    return __builtin_convertvector(summand * per_unit, Ints);
  };
  Ints sum = {};
  for (std::size_t k = 0; k < count; ++k) {
    sum += whole(lines.values_a[k * lines.stride_a] *
                 lanes_at<Floats>(&lines.values_b[k * lines.stride_b]));
  }
  const Ints whole_start = whole(std::bit_cast<Floats>(start));
  for (std::size_t i = 0; i < kLanes; i += kLanes / 2) {
    const auto part = [i](const auto& all, auto half) {
      std::memcpy(&half, reinterpret_cast<const std::uint32_t*>(&all) + i, sizeof half);
      return half;
    };
    const HalfFloats result =
        cut(part(sum, HalfInts{}), part(whole_start, HalfInts{}), part(unit, HalfFloats{}));
    std::memcpy(&c[i], &result, sizeof result);
  }
}

}  // namespace

TensorFactor::TensorFactor(TensorFormat format, std::size_t lines, std::size_t depth)
    : format_(format),
      lines_(lines),
      depth_(depth),
      values_(lines * depth),
      powers_(lines * depth),
      is_far_(lines) {}

void TensorFactor::set(std::size_t line, std::size_t element, std::uint32_t bits) {
  const std::size_t at = element * lines_ + line;
  const float value = value_of(format_, bits);
  const float power =
      power_of(value, format_ == TensorFormat::kHalf ? kSmallestHalf : kSmallestFloat);
  values_[at] = value;
  powers_[at] = power;
  if (power != 0 && !(power >= kLeastFactor && power <= kMostFactor)) is_far_[line] = 1;
}

void add_products(const TensorFactor& a, const TensorFactor& b, std::size_t at_once, bool half_sums,
                  std::span<std::uint32_t> c) {
  const auto short_sums_of = at_once == 16  ? short_sums<16>
                             : at_once == 8 ? short_sums<8>
                                            : short_sums<4>;
  for (std::size_t j = 0; j < b.lines_; j += kLanes) {
    const bool b_is_far =
        std::any_of(&b.is_far_[j], &b.is_far_[j] + kLanes, [](bool is_far) { return is_far; });
    for (std::size_t i = 0; i < a.lines_; ++i) {
      std::uint32_t* const sums = &c[i * b.lines_ + j];
      for (std::size_t k = 0; k < a.depth_; k += at_once) {
        if (!half_sums && !b_is_far && a.is_far_[i] == 0 && are_near(sums)) {
          short_sums_of(LinePair(a, i, b, j, k), sums);
          continue;
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          sums[lane] = any_sum(LinePair(a, i, b, j + lane, k), at_once, half_sums, sums[lane]);
      }
    }
  }
}

}  // namespace ladder::emulator
