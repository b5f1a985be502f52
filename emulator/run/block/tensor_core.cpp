// SPDX-License-Identifier: MIT
#include "emulator/run/block/tensor_core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>

namespace ladder::emulator {
namespace {

/// Bits of a floating-point format.
struct Layout {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr Layout kFloat = {8, 23}, kHalf = {5, 10}, kBfloat16 = {8, 7}, kTf32 = {8, 10};

/// Of the sum's summands, below the largest exponent.
constexpr int kFractionBits = 25;

Layout layout_of(TensorFormat format) {
  switch (format) {
    case TensorFormat::kHalf:
      return kHalf;
    case TensorFormat::kBfloat16:
      return kBfloat16;
    default:
      return kTf32;
  }
}

TensorNumber number_of(const Layout& layout, std::uint32_t bits) {
  const std::uint32_t fraction = bits & ((1u << layout.fraction_bits) - 1);
  const auto exponent =
      static_cast<int>(bits >> layout.fraction_bits & ((1u << layout.exponent_bits) - 1));
  TensorNumber number;
  number.negative = (bits >> (layout.fraction_bits + layout.exponent_bits) & 1u) != 0;
  if (exponent == (1 << layout.exponent_bits) - 1) {
    number.kind = fraction == 0 ? TensorNumber::Kind::kInfinite : TensorNumber::Kind::kNan;
    return number;
  }
  const bool is_normal = exponent != 0;
  const auto size =
      static_cast<std::int32_t>(fraction | (is_normal ? 1u << layout.fraction_bits : 0u));
  number.significand = number.negative ? -size : size;
  number.exponent = std::max(exponent, 1) - layout.bias();
  return number;
}

std::uint32_t infinity(bool half_sums, bool negative) {
  return half_sums ? 0x7C00u | static_cast<std::uint32_t>(negative) << 15
                   : 0x7F800000u | static_cast<std::uint32_t>(negative) << 31;
}

/// What infinities and NaNs leave of a sum, while it is looked through.
struct Specials {
  bool nan = false, plus = false, minus = false;

  void add(const TensorNumber& a, const TensorNumber& b) {
    using Kind = TensorNumber::Kind;
    if (a.kind == Kind::kFinite && b.kind == Kind::kFinite) return;
    const auto is_zero = [](const TensorNumber& x) {
      return x.kind == Kind::kFinite && x.significand == 0;
    };
    nan = nan || a.kind == Kind::kNan || b.kind == Kind::kNan || is_zero(a) || is_zero(b);
    (a.negative != b.negative ? minus : plus) = true;
  }
  bool any() const { return nan || plus || minus; }
  std::uint32_t result(bool half_sums) const {
    if (nan || (plus && minus)) return half_sums ? 0x7FFFu : 0x7FFFFFFFu;
    return infinity(half_sums, minus);
  }
};

/// Summand times 2^shift; what falls off is cut off, towards zero.
std::int64_t shifted(std::int64_t summand, int shift) {
  if (shift >= 0) return summand << shift;
  if (shift < -62) return 0;
  return summand < 0 ? -(-summand >> -shift) : summand >> -shift;
}

/// size * 2^unit, cut off to a float.
std::uint32_t cut_to_float(std::uint64_t size, int unit) {
  const int exponent = unit + static_cast<int>(std::bit_width(size)) - 1;
  if (exponent > 127) return 0x7F800000u;
  const int last = std::max(exponent, -126) - kFloat.fraction_bits;
  const auto whole =
      static_cast<std::uint32_t>(shifted(static_cast<std::int64_t>(size), unit - last));
  return exponent < -126 ? whole
                         : static_cast<std::uint32_t>(exponent + 127) << 23 | (whole & 0x7FFFFFu);
}

/// size * 2^unit, rounded to the nearest half.
std::uint32_t round_to_half(std::uint64_t size, int unit) {
  const int exponent = std::max(unit + static_cast<int>(std::bit_width(size)) - 1, -14);
  const int dropped = exponent - kHalf.fraction_bits - unit;
  std::uint64_t whole = 0;
  if (dropped <= 0) {
    whole = size << -dropped;
  } else if (dropped < 63) {
    const std::uint64_t rest = size & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t middle = std::uint64_t{1} << (dropped - 1);
    whole = size >> dropped;
    if (rest > middle || (rest == middle && whole % 2 == 1)) ++whole;
  }
  // What is carried over into the exponent is right there, and so is a subnormal's.
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + 14) << 10) + whole;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, 0x7C00u));
}

/// The products that are added at once.
std::size_t products_at_once(TensorFormat format) {
  return format == TensorFormat::kTf32 ? 4 : 16;
}

std::uint32_t sum_at_once(const Layout& inputs, bool half_sums, std::span<const TensorNumber> a,
                          std::span<const TensorNumber> b, std::uint32_t c_bits) {
  const Layout& sums = half_sums ? kHalf : kFloat;
  const TensorNumber c = number_of(sums, c_bits);
  Specials specials;
  if (c.kind != TensorNumber::Kind::kFinite) specials.add(c, {.significand = 1});
  int largest = c.significand == 0 ? std::numeric_limits<int>::min() / 2 : c.exponent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    specials.add(a[i], b[i]);
    if (a[i].significand != 0 && b[i].significand != 0)
      largest = std::max(largest, a[i].exponent + b[i].exponent);
  }
  if (specials.any()) return specials.result(half_sums);
  const auto aligned = [&](std::int64_t summand, int exponent, int fraction_bits) {
    return summand == 0 ? 0 : shifted(summand, kFractionBits - fraction_bits - largest + exponent);
  };
  std::int64_t sum = aligned(c.significand, c.exponent, sums.fraction_bits);
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += aligned(std::int64_t{a[i].significand} * b[i].significand, a[i].exponent + b[i].exponent,
                   2 * inputs.fraction_bits);
  }
  if (sum == 0) return 0;
  const auto size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = largest - kFractionBits;
  return half_sums ? round_to_half(size, unit) | (sum < 0 ? 0x8000u : 0u)
                   : cut_to_float(size, unit) | (sum < 0 ? 0x80000000u : 0u);
}

/// Exponent of a zero: no product with it is ever the largest, and it is shifted to nothing.
constexpr std::int32_t kExponentOfZero = -100000;
constexpr std::int32_t kMostShift = 31;  // what is shifted has fewer bits

/// sum_at_once() of finite numbers with a sum in FP32.
template <std::size_t count>
std::uint32_t finite_sum(int lift, const std::int32_t* significands_a,
                         const std::int32_t* exponents_a, const std::int32_t* significands_b,
                         const std::int32_t* exponents_b, const TensorNumber& c) {
  std::array<std::int32_t, count> exponents;
  std::int32_t largest = c.significand == 0 ? 2 * kExponentOfZero : c.exponent;
  for (std::size_t i = 0; i < count; ++i) {
    exponents[i] = exponents_a[i] + exponents_b[i];
    largest = std::max(largest, exponents[i]);
  }
  std::int64_t sum =
      c.significand == 0
          ? 0
          : shifted(c.significand, kFractionBits - kFloat.fraction_bits - largest + c.exponent);
  constexpr std::size_t kPart = std::min<std::size_t>(count, 8);  // whose sum fits
  for (std::size_t begin = 0; begin < count; begin += kPart) {
    std::int32_t part = 0;
    for (std::size_t i = begin; i < begin + kPart; ++i) {
      const std::int32_t product = significands_a[i] * significands_b[i];
      const auto size = static_cast<std::uint32_t>(product < 0 ? -product : product) << lift;
      const auto kept =
          static_cast<std::int32_t>(size >> std::min(largest - exponents[i], kMostShift));
      part += product < 0 ? -kept : kept;
    }
    sum += part;
  }
  if (sum == 0) return 0;
  const auto size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  return cut_to_float(size, largest - kFractionBits) | (sum < 0 ? 0x80000000u : 0u);
}

}  // namespace

TensorNumber tensor_input(TensorFormat format, std::uint32_t bits) {
  constexpr int kUnusedOfTf32 = 13;
  return number_of(layout_of(format), format == TensorFormat::kTf32 ? bits >> kUnusedOfTf32 : bits);
}

std::uint32_t tensor_sum(TensorFormat format, bool half_sums, std::span<const TensorNumber> a,
                         std::span<const TensorNumber> b, std::uint32_t c) {
  const std::size_t at_once = products_at_once(format);
  for (std::size_t i = 0; i < a.size(); i += at_once)
    c = sum_at_once(layout_of(format), half_sums, a.subspan(i, at_once), b.subspan(i, at_once), c);
  return c;
}

TensorFactor::TensorFactor(TensorFormat format, std::size_t lines, std::size_t depth)
    : format_(format),
      depth_(depth),
      numbers_(lines * depth),
      significands_(lines * depth),
      exponents_(lines * depth, kExponentOfZero),
      is_finite_(lines, 1) {}

void TensorFactor::set(std::size_t line, std::size_t element, std::uint32_t bits) {
  const TensorNumber number = tensor_input(format_, bits);
  const std::size_t at = line * depth_ + element;
  numbers_[at] = number;
  significands_[at] = number.significand;
  if (number.significand != 0) exponents_[at] = number.exponent;
  if (number.kind != TensorNumber::Kind::kFinite) is_finite_[line] = 0;
}

std::uint32_t tensor_product(const TensorFactor& a, std::size_t line_a, const TensorFactor& b,
                             std::size_t line_b, bool half_sums, std::uint32_t c) {
  const std::size_t depth = a.depth_;
  const std::size_t at_a = line_a * depth, at_b = line_b * depth;
  const Layout layout = layout_of(a.format_);
  const std::size_t at_once = products_at_once(a.format_);
  bool quick = !half_sums && a.is_finite_[line_a] != 0 && b.is_finite_[line_b] != 0;
  for (std::size_t i = 0; i < depth; i += at_once) {
    const TensorNumber sum = number_of(half_sums ? kHalf : kFloat, c);
    quick = quick && sum.kind == TensorNumber::Kind::kFinite;
    const std::size_t of_a = at_a + i, of_b = at_b + i;
    if (!quick) {
      c = sum_at_once(layout, half_sums, std::span(a.numbers_).subspan(of_a, at_once),
                      std::span(b.numbers_).subspan(of_b, at_once), c);
      continue;
    }
    const int lift = kFractionBits - 2 * layout.fraction_bits;
    const auto add = at_once == 16 ? finite_sum<16> : finite_sum<4>;
    c = add(lift, &a.significands_[of_a], &a.exponents_[of_a], &b.significands_[of_b],
            &b.exponents_[of_b], sum);
  }
  return c;
}

}  // namespace ladder::emulator
