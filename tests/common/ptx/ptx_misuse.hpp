// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/ptx_misuse.hpp
/// \brief Host functions that launch kernels with a mistake, or with what only looks like one.
#pragma once

namespace ladder::ptx_misuse {

/// What a cluster of two blocks does wrong with the other one, or with its barrier.
enum class ClusterMisuse {
  kNone,
  kArrivesTooEarly,     ///< block 1 at block 0, and no barrier of the cluster came before
  kSendsTooEarly,       ///< likewise, a box
  kArrivesWhereNoneIs,  ///< at a word that is no mbarrier
  kArrivesBeyond,       ///< at a third block
  kSendsToNobody,
  kSendsBeyond,
  kArrivesAtOneThatLeaves,  ///< block 0 does not wait for block 1
  kArrivesAtOneThatLeft,    ///< and is gone
  kSendsToOneThatLeaves,
  kArrivesTooOften,
  kArrivesTwice,  ///< at the barrier of the cluster
  kWaitsUnannounced,
  kLeavesAfterArriving,  ///< sound: one thread does not wait for the cluster
  kToldByALaterArrival,  ///< sound: what the block waits for came after the other arrival
};
/// \param from  (8, 64)
/// \param flag  0
void misuse_cluster(ClusterMisuse misuse, const float* from, unsigned* flag);

/// A block sends another one a box, and then a second one to the same place.
enum class SendTwice {
  kInOrder,    ///< sound: the first has been read before both pass the barrier of the cluster
  kTooEarly,   ///< no barrier of the cluster between
  kUnawaited,  ///< the first may not have come by then
};
/// \param from  (8, 64)
/// \param out   (32)
void send_twice(SendTwice how, const float* from, float* out);

enum class StoreMisuse {
  kNone,
  kOddAddress,
  kBeyondShared,
  kNotAwaited,
  kNotCommitted,
  kNotFenced,
  kFencedByOne,  ///< sound: after the barrier
  kNoBarrier,
  kOverwritten,  ///< before it was read
  kOverwrittenByBox,
  kUninitialised,
  kOutsideUnwritten,  ///< sound: what is not written lies outside of the matrix
};
/// Stores a box of 8 x 32 numbers, all 3, at (row, column) of `to`.
/// \param from  (8, 32)
void misuse_store(StoreMisuse misuse, int row, int column, const float* from, float* to, int rows,
                  int columns);

/// Two blocks store boxes into the same rows of `to`, (16, 32).
/// \param same  the same numbers
void store_twice(bool same, float* to);

/// What another thread of the block sees of a store: before any wait, once it has been read, and
/// once it has been written.
void watch_store(float* to, float* seen);

/// \param swizzled  or each tile's rows lie one below the other, 128 bytes apart
void store_matrix_tiles(bool swizzled, float* out);

}  // namespace ladder::ptx_misuse
