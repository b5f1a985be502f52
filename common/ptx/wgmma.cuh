// SPDX-License-Identifier: MIT
/// \file  common/ptx/wgmma.cuh
/// \brief Products on the tensor cores by a whole warpgroup, which continues while they are
///        computed. Both factors are in shared memory. Compute capability 9.0a.
///
/// A product D += A B has 64 rows and N columns, and depth 16 in BF16 or FP16. With r = lane / 4
/// and c = lane % 4, warp w of the warpgroup has rows 16 w to 16 w + 15 of D, and its lane has in
///
///   sums[4 j], sums[4 j + 1]      row r, columns 8 j + 2 c and 8 j + 2 c + 1
///   sums[4 j + 2], sums[4 j + 3]  the same columns, 8 rows further down
///
/// PTX ISA 9.7.15.5.1. All threads of the warpgroup execute the same calls. From wgmma() until the
/// wait, the sums belong to the tensor cores.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/device.cuh"
#include "common/ptx/here.cuh"
#include "common/ptx/swizzle.hpp"

#ifndef __CUDACC__
#include "emulator/words/wgmma_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  Says where a factor is in shared memory, PTX ISA 9.7.15.5.1.2.2. Its elements lie in
///         rows of the swizzle's length, 8 of which are a group of neighbours.
///
/// If rows are along K (A row by row, B column by column), group i has rows 8 i to 8 i + 7 of the
/// factor, and `stride_bytes` is from group to group; `leading_bytes` does not count. If they are
/// across K, a group is 8 of K, `stride_bytes` is from there to the next 8 of K, and
/// `leading_bytes` from one row's length of the factor to the next.
/// \param  shared  a multiple of 8 rows for the first group; for deeper K, move on along the row
__device__ __forceinline__ std::uint64_t matrix_descriptor(
    const void* shared, unsigned leading_bytes, unsigned stride_bytes, Swizzle swizzle,
    [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  constexpr unsigned kModes[] = {0, 3, 2, 1};  // of rows of 16, 32, 64 and 128 bytes
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  return std::uint64_t{address >> 4 & 0x3FFF} | std::uint64_t{leading_bytes >> 4} << 16 |
         std::uint64_t{stride_bytes >> 4} << 32 |
         std::uint64_t{kModes[static_cast<unsigned>(swizzle)]} << 62;
#else
  return emulator::matrix_descriptor(shared, leading_bytes, stride_bytes,
                                     static_cast<emulator::SwizzleNumber>(swizzle), here);
#endif
}

/// \brief  The descriptor of a factor that lies `bytes` further on in shared memory: one addition,
///         where matrix_descriptor() takes three instructions.
/// \param  bytes  a multiple of 16; the factor still lies in this block's shared memory
__host__ __device__ __forceinline__ std::uint64_t moved_descriptor(std::uint64_t descriptor,
                                                                   unsigned bytes) {
  const auto low = static_cast<std::uint32_t>(descriptor) + (bytes >> 4);
  return descriptor >> 32 << 32 | low;
}

/// Hands the sums over to the tensor cores: before the first wgmma(), and after the program has
/// used them. wgmma.fence, PTX ISA 9.7.15.7.1.
__device__ __forceinline__ void wgmma_fence([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  emulator::fence_wgmma(here);
#endif
}

#ifdef __CUDACC__
// 8 sums as operands, and their numbers in the text of an instruction.
#define LADDER_SUMS(i)                                                                       \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define LADDER_NUMBERS_0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define LADDER_NUMBERS_8 "%8, %9, %10, %11, %12, %13, %14, %15"
#define LADDER_NUMBERS_16 "%16, %17, %18, %19, %20, %21, %22, %23"
#define LADDER_NUMBERS_24 "%24, %25, %26, %27, %28, %29, %30, %31"
#define LADDER_NUMBERS_32 "%32, %33, %34, %35, %36, %37, %38, %39"
#define LADDER_NUMBERS_40 "%40, %41, %42, %43, %44, %45, %46, %47"
#define LADDER_NUMBERS_48 "%48, %49, %50, %51, %52, %53, %54, %55"
#define LADDER_NUMBERS_56 "%56, %57, %58, %59, %60, %61, %62, %63"
#define LADDER_NUMBERS_64 "%64, %65, %66, %67, %68, %69, %70, %71"
#define LADDER_NUMBERS_72 "%72, %73, %74, %75, %76, %77, %78, %79"
#define LADDER_NUMBERS_80 "%80, %81, %82, %83, %84, %85, %86, %87"
#define LADDER_NUMBERS_88 "%88, %89, %90, %91, %92, %93, %94, %95"
#define LADDER_NUMBERS_96 "%96, %97, %98, %99, %100, %101, %102, %103"
#define LADDER_NUMBERS_104 "%104, %105, %106, %107, %108, %109, %110, %111"
#define LADDER_NUMBERS_112 "%112, %113, %114, %115, %116, %117, %118, %119"
#define LADDER_NUMBERS_120 "%120, %121, %122, %123, %124, %125, %126, %127"
#define LADDER_WGMMA(columns, type, numbers, a_, b_, adds_, trans_a, trans_b, ...)                 \
  asm volatile(                                                                                    \
      "{\n"                                                                                        \
      ".reg .pred adds;\n"                                                                         \
      "setp.ne.b32 adds, " adds_                                                                   \
      ", 0;\n"                                                                                     \
      "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type " {" numbers "}, " a_   \
      ", " b_ ", adds, 1, 1, " trans_a ", " trans_b                                                \
      ";\n"                                                                                        \
      "}"                                                                                          \
      : __VA_ARGS__                                                                                \
      : "l"(a), "l"(b), "r"(adds ? 1 : 0), "n"(a_along_rows ? 1 : 0), "n"(b_along_columns ? 1 : 0) \
      : "memory")
#define LADDER_WGMMA_OF_EITHER(columns, ...)   \
  if constexpr (kIsHalf)                       \
    LADDER_WGMMA(columns, "f16", __VA_ARGS__); \
  else                                         \
    LADDER_WGMMA(columns, "bf16", __VA_ARGS__)
#endif

/// \brief  Starts sums = A B, or sums += A B: wgmma.mma_async, PTX ISA 9.7.15.5.2.
/// \tparam columns          N: a multiple of 16 up to 256
/// \tparam a_along_rows     A's rows in shared memory are across K
/// \tparam b_along_columns  B's rows in shared memory are across K: B is row-major
/// \tparam Element          of both factors: __nv_bfloat16 or __half
/// \param  sums  (columns / 2)
/// \param  a, b  of matrix_descriptor()
template <int columns, bool a_along_rows = false, bool b_along_columns = false,
          class Element = __nv_bfloat16>
__device__ __forceinline__ void wgmma(float (&sums)[columns / 2], std::uint64_t a, std::uint64_t b,
                                      bool adds, [[maybe_unused]] Here here = Here::current()) {
  static_assert(columns > 0 && columns <= 256 && columns % 16 == 0);
  constexpr bool kIsHalf = std::is_same_v<Element, __half>;
  static_assert(kIsHalf || std::is_same_v<Element, __nv_bfloat16>);
#ifdef __CUDACC__
  if constexpr (columns == 16) {
    LADDER_WGMMA_OF_EITHER("16", LADDER_NUMBERS_0, "%8", "%9", "%10", "%11", "%12", LADDER_SUMS(0));
  } else if constexpr (columns == 32) {
    LADDER_WGMMA_OF_EITHER("32", LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8, "%16", "%17", "%18", "%19",
                           "%20", LADDER_SUMS(0), LADDER_SUMS(8));
  } else if constexpr (columns == 48) {
    LADDER_WGMMA_OF_EITHER("48", LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16,
                           "%24", "%25", "%26", "%27", "%28", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16));
  } else if constexpr (columns == 64) {
    LADDER_WGMMA_OF_EITHER(
        "64", LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24,
        "%32", "%33", "%34", "%35", "%36", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24));
  } else if constexpr (columns == 80) {
    LADDER_WGMMA_OF_EITHER("80",
                           LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16
                                            ", " LADDER_NUMBERS_24 ", " LADDER_NUMBERS_32,
                           "%40", "%41", "%42", "%43", "%44", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16), LADDER_SUMS(24), LADDER_SUMS(32));
  } else if constexpr (columns == 96) {
    LADDER_WGMMA_OF_EITHER("96",
                           LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16
                                            ", " LADDER_NUMBERS_24 ", " LADDER_NUMBERS_32
                                            ", " LADDER_NUMBERS_40,
                           "%48", "%49", "%50", "%51", "%52", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16), LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40));
  } else if constexpr (columns == 112) {
    LADDER_WGMMA_OF_EITHER(
        "112",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48,
        "%56", "%57", "%58", "%59", "%60", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48));
  } else if constexpr (columns == 128) {
    LADDER_WGMMA_OF_EITHER(
        "128",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56,
        "%64", "%65", "%66", "%67", "%68", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56));
  } else if constexpr (columns == 144) {
    LADDER_WGMMA_OF_EITHER("144",
                           LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16
                                            ", " LADDER_NUMBERS_24 ", " LADDER_NUMBERS_32
                                            ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                                            ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64,
                           "%72", "%73", "%74", "%75", "%76", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16), LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40),
                           LADDER_SUMS(48), LADDER_SUMS(56), LADDER_SUMS(64));
  } else if constexpr (columns == 160) {
    LADDER_WGMMA_OF_EITHER("160",
                           LADDER_NUMBERS_0
                           ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                           ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                           ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72,
                           "%80", "%81", "%82", "%83", "%84", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16), LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40),
                           LADDER_SUMS(48), LADDER_SUMS(56), LADDER_SUMS(64), LADDER_SUMS(72));
  } else if constexpr (columns == 176) {
    LADDER_WGMMA_OF_EITHER(
        "176",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                         ", " LADDER_NUMBERS_80,
        "%88", "%89", "%90", "%91", "%92", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56),
        LADDER_SUMS(64), LADDER_SUMS(72), LADDER_SUMS(80));
  } else if constexpr (columns == 192) {
    LADDER_WGMMA_OF_EITHER(
        "192",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                         ", " LADDER_NUMBERS_80 ", " LADDER_NUMBERS_88,
        "%96", "%97", "%98", "%99", "%100", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56),
        LADDER_SUMS(64), LADDER_SUMS(72), LADDER_SUMS(80), LADDER_SUMS(88));
  } else if constexpr (columns == 208) {
    LADDER_WGMMA_OF_EITHER(
        "208",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                         ", " LADDER_NUMBERS_80 ", " LADDER_NUMBERS_88 ", " LADDER_NUMBERS_96,
        "%104", "%105", "%106", "%107", "%108", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56),
        LADDER_SUMS(64), LADDER_SUMS(72), LADDER_SUMS(80), LADDER_SUMS(88), LADDER_SUMS(96));
  } else if constexpr (columns == 224) {
    LADDER_WGMMA_OF_EITHER("224",
                           LADDER_NUMBERS_0
                           ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                           ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                           ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                           ", " LADDER_NUMBERS_80 ", " LADDER_NUMBERS_88 ", " LADDER_NUMBERS_96
                           ", " LADDER_NUMBERS_104,
                           "%112", "%113", "%114", "%115", "%116", LADDER_SUMS(0), LADDER_SUMS(8),
                           LADDER_SUMS(16), LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40),
                           LADDER_SUMS(48), LADDER_SUMS(56), LADDER_SUMS(64), LADDER_SUMS(72),
                           LADDER_SUMS(80), LADDER_SUMS(88), LADDER_SUMS(96), LADDER_SUMS(104));
  } else if constexpr (columns == 240) {
    LADDER_WGMMA_OF_EITHER(
        "240",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                         ", " LADDER_NUMBERS_80 ", " LADDER_NUMBERS_88 ", " LADDER_NUMBERS_96
                         ", " LADDER_NUMBERS_104 ", " LADDER_NUMBERS_112,
        "%120", "%121", "%122", "%123", "%124", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56),
        LADDER_SUMS(64), LADDER_SUMS(72), LADDER_SUMS(80), LADDER_SUMS(88), LADDER_SUMS(96),
        LADDER_SUMS(104), LADDER_SUMS(112));
  } else if constexpr (columns == 256) {
    LADDER_WGMMA_OF_EITHER(
        "256",
        LADDER_NUMBERS_0 ", " LADDER_NUMBERS_8 ", " LADDER_NUMBERS_16 ", " LADDER_NUMBERS_24
                         ", " LADDER_NUMBERS_32 ", " LADDER_NUMBERS_40 ", " LADDER_NUMBERS_48
                         ", " LADDER_NUMBERS_56 ", " LADDER_NUMBERS_64 ", " LADDER_NUMBERS_72
                         ", " LADDER_NUMBERS_80 ", " LADDER_NUMBERS_88 ", " LADDER_NUMBERS_96
                         ", " LADDER_NUMBERS_104 ", " LADDER_NUMBERS_112 ", " LADDER_NUMBERS_120,
        "%128", "%129", "%130", "%131", "%132", LADDER_SUMS(0), LADDER_SUMS(8), LADDER_SUMS(16),
        LADDER_SUMS(24), LADDER_SUMS(32), LADDER_SUMS(40), LADDER_SUMS(48), LADDER_SUMS(56),
        LADDER_SUMS(64), LADDER_SUMS(72), LADDER_SUMS(80), LADDER_SUMS(88), LADDER_SUMS(96),
        LADDER_SUMS(104), LADDER_SUMS(112), LADDER_SUMS(120));
  }
#else
  constexpr auto kFormat =
      kIsHalf ? emulator::TensorFormat::kHalf : emulator::TensorFormat::kBfloat16;
  emulator::start_wgmma({sums, columns, kFormat, a, b, a_along_rows, b_along_columns, adds}, here);
#endif
}

#ifdef __CUDACC__
#undef LADDER_WGMMA_OF_EITHER
#undef LADDER_WGMMA
#undef LADDER_NUMBERS_0
#undef LADDER_NUMBERS_8
#undef LADDER_NUMBERS_16
#undef LADDER_NUMBERS_24
#undef LADDER_NUMBERS_32
#undef LADDER_NUMBERS_40
#undef LADDER_NUMBERS_48
#undef LADDER_NUMBERS_56
#undef LADDER_NUMBERS_64
#undef LADDER_NUMBERS_72
#undef LADDER_NUMBERS_80
#undef LADDER_NUMBERS_88
#undef LADDER_NUMBERS_96
#undef LADDER_NUMBERS_104
#undef LADDER_NUMBERS_112
#undef LADDER_NUMBERS_120
#undef LADDER_SUMS
#endif

/// The products that this warp has started since it last committed become one group:
/// wgmma.commit_group, PTX ISA 9.7.15.7.2.
__device__ __forceinline__ void wgmma_commit([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  emulator::commit_wgmma(here);
#endif
}

/// \brief  Waits until at most `newest` of this warp's groups are being computed; the sums of all
///         others may be read, and their factors overwritten: wgmma.wait_group, PTX ISA 9.7.15.7.3.
template <int newest>
__device__ __forceinline__ void wgmma_wait([[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(newest) : "memory");
#else
  emulator::wait_for_wgmma(newest, here);
#endif
}

}  // namespace ladder::ptx
