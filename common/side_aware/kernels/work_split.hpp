// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/work_split.hpp
/// \brief Who works on which part of an array. The kernel and the host compute it with these
///        functions, so that what is tested on the host is what runs on the GPU. They need no
///        header: the run-time compiler has none.
///
/// An array is cut into granules of 4 KiB, which is how many bytes in a row are at home on one side
/// of L2. Two granules that share an aligned 8 KiB are a pair, and a pair has one granule on either
/// side. Blocks work in batches of a few pairs that follow each other. Each side has its own slots;
/// slot s of n takes batches s, s + n, s + 2n, ... and of each pair the granule of its side. So
/// both sides together take everything once, however many slots each of them has.
#pragma once

namespace ladder::side_aware {

inline constexpr unsigned kVectorBytes = 16;
inline constexpr unsigned kThreads = 256;  ///< of a block: one vector of a granule each
/// An SM has room for so many blocks at least, which leaves a thread 64 registers. Without a bound,
/// the compiler aims at 32 and computes addresses twice.
inline constexpr unsigned kLeastBlocksPerSm = 4;
inline constexpr unsigned kGranuleVectors = 256;
inline constexpr unsigned kPairVectors = 2 * kGranuleVectors;
inline constexpr unsigned kGranuleBytes = kGranuleVectors * kVectorBytes;
inline constexpr unsigned kPairBytes = 2 * kGranuleBytes;
inline constexpr unsigned kPageBits = 21;
inline constexpr unsigned kPageVectorBits = kPageBits - 4;
inline constexpr unsigned kMostPairsInBatch = 8;

/// \brief  Which half of a pair a slot takes.
/// \param  ones  how many bits of (vector & mask) are set
/// \param  flip  0 or 1: which half of an even pair
constexpr unsigned half_of(unsigned ones, unsigned flip) {
  return flip ^ (ones & 1u);
}

/// A number modulo 2, of ones: what __popc() counts on a GPU. For the host.
constexpr unsigned ones_in(unsigned bits) {
  unsigned ones = 0;
  for (; bits != 0; bits &= bits - 1)
    ++ones;
  return ones;
}

/// The batches of one side.
/// \tparam Index  unsigned below 2^32 vectors, else unsigned long long
template <class Index>
struct BatchRange {
  Index batches;  ///< of the array; the last one may be cut off
  bool reverse;   ///< from the end to the start

  /// The i-th batch in the order of the walk.
  constexpr Index batch(Index i) const { return reverse ? batches - 1 - i : i; }
};

/// Vectors that a batch spans, those of the other side included.
constexpr unsigned batch_vectors(unsigned pairs) {
  return pairs * kPairVectors;
}

/// Batches that `vectors` vectors take.
/// \tparam Index as in BatchRange
template <class Index>
constexpr Index batches_of(Index vectors, unsigned pairs) {
  const Index span = batch_vectors(pairs);
  return vectors / span + (vectors % span != 0 ? 1 : 0);
}

}  // namespace ladder::side_aware
