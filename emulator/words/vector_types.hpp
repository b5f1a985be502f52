// SPDX-License-Identifier: MIT
/// \file  emulator/words/vector_types.hpp
/// \brief CUDA's vector types (char1 to ulonglong4, float4, dim3) and their make_ functions.
///
/// A vector of up to 16 bytes with two or four elements is a union of a compiler vector and of
/// x, y, z, w, and is copied through the vector: one access in the source then stays one access in
/// the machine code, which is what a GPU does and what a trace has to count. Sizes and alignments
/// are CUDA's.
#pragma once

namespace ladder::emulator {

/// One element, no more than a name for it.
template <class T>
struct Vector1 {
  T x;
};

/// Two elements, aligned to their common size.
template <class T>
union alignas(2 * sizeof(T)) Vector2 {
  typedef T Lanes __attribute__((vector_size(2 * sizeof(T))));

  Lanes lanes;
  struct {
    T x, y;
  };

  Vector2() = default;
  constexpr Vector2(T x_value, T y_value = T()) : lanes{x_value, y_value} {}
  constexpr Vector2(const Vector2& other) : lanes(other.lanes) {}
  constexpr Vector2& operator=(const Vector2& other) {
    lanes = other.lanes;
    return *this;
  }
};

/// Three elements, aligned like one.
template <class T>
struct Vector3 {
  T x, y, z;
};

/// Four elements of up to 4 bytes, aligned to their common size.
template <class T>
union alignas(4 * sizeof(T)) Vector4 {
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));

  Lanes lanes;
  struct {
    T x, y, z, w;
  };

  Vector4() = default;
  constexpr Vector4(T x_value, T y_value = T(), T z_value = T(), T w_value = T())
      : lanes{x_value, y_value, z_value, w_value} {}
  constexpr Vector4(const Vector4& other) : lanes(other.lanes) {}
  constexpr Vector4& operator=(const Vector4& other) {
    lanes = other.lanes;
    return *this;
  }
};

/// Four elements of 8 bytes: two accesses on a GPU too, aligned to 16 bytes.
template <class T>
struct alignas(16) WideVector4 {
  T x, y, z, w;
};

}  // namespace ladder::emulator

#define LADDER_VECTOR_FAMILY(name, T, Four)              \
  using name##1 = ::ladder::emulator::Vector1<T>;        \
  using name##2 = ::ladder::emulator::Vector2<T>;        \
  using name##3 = ::ladder::emulator::Vector3<T>;        \
  using name##4 = ::ladder::emulator::Four<T>;           \
  constexpr name##1 make_##name##1(T x) {                \
    return {x};                                          \
  }                                                      \
  constexpr name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                       \
  }                                                      \
  constexpr name##3 make_##name##3(T x, T y, T z) {      \
    return {x, y, z};                                    \
  }                                                      \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                 \
  }

LADDER_VECTOR_FAMILY(char, signed char, Vector4)
LADDER_VECTOR_FAMILY(uchar, unsigned char, Vector4)
LADDER_VECTOR_FAMILY(short, short, Vector4)
LADDER_VECTOR_FAMILY(ushort, unsigned short, Vector4)
LADDER_VECTOR_FAMILY(int, int, Vector4)
LADDER_VECTOR_FAMILY(uint, unsigned int, Vector4)
LADDER_VECTOR_FAMILY(long, long, WideVector4)
LADDER_VECTOR_FAMILY(ulong, unsigned long, WideVector4)
LADDER_VECTOR_FAMILY(longlong, long long, WideVector4)
LADDER_VECTOR_FAMILY(ulonglong, unsigned long long, WideVector4)
LADDER_VECTOR_FAMILY(float, float, Vector4)
LADDER_VECTOR_FAMILY(double, double, WideVector4)

#undef LADDER_VECTOR_FAMILY

#define LADDER_NAME_TAKEN                                                                       \
  "the emulator's blockDim and gridDim are macros, which no variable of the host may be named " \
  "after: call it block or grid"

/// Extents of a grid or block; what is left out is 1.
struct dim3 {
  unsigned x, y, z;

  constexpr dim3(unsigned x_extent = 1, unsigned y_extent = 1, unsigned z_extent = 1)
      : x(x_extent), y(y_extent), z(z_extent) {}
  constexpr dim3(uint3 extents) : x(extents.x), y(extents.y), z(extents.z) {}
  constexpr operator uint3() const { return {x, y, z}; }

  constexpr dim3(const dim3&) = default;
  constexpr dim3& operator=(const dim3&) & = default;
  // What `dim3 blockDim(32, 32);` and `dim3 blockDim = 256;` of host code come to.
  template <class... Extents>
  [[gnu::unavailable(LADDER_NAME_TAKEN)]] void operator()(Extents...) const;
  template <class Extents>
  [[gnu::unavailable(LADDER_NAME_TAKEN)]] void operator=(const Extents&) const&&;
};

#undef LADDER_NAME_TAKEN
