// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/traced_kernels.hpp
/// \brief The labs' kernels on the emulator, in a library of which each access can be traced. Free
///        of CUDA's types.
#pragma once

#include <span>

#include "bench/labs/instruments/hash_grouping.hpp"
#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/questions/kernels/access_pattern.hpp"
#include "bench/labs/questions/kernels/attention_heads.hpp"
#include "bench/labs/questions/kernels/shared_access.hpp"
#include "bench/labs/questions/kernels/tiled_product.hpp"

namespace ladder::labs::traced {

/// \brief  One warp reads a region: first the places of lanes 0 to 31, then of 32 to 63, ...
/// \param  places  of the region, places_in()
/// \param  reads   of each lane
/// \param  sink    one word, which nothing writes
/// \throws std::invalid_argument  no kernel has such a pattern
void read_places(const AccessPattern& pattern, unsigned places, int reads, const char* region,
                 unsigned* sink);

/// \brief  One warp makes an access kSharedSlots times.
/// \throws std::invalid_argument  no kernel has such an access
void access_shared(const SharedAccess& access, unsigned* sink);

/// One warp reverses the order of its lanes' numbers by a shuffle.
/// \param out (32)
void reverse_by_shuffle(unsigned* out);

/// A matrix product, whose blocks start in the order of product.tiles.
void multiply(const TiledProduct& product);

/// Blocks of 256 threads read the keys and values of query heads, one after the other.
void read_heads(const AttentionHeads& heads, int blocks, const char* data, unsigned* sink);

/// What grouping works on. As GroupingArrays, which is not free of CUDA's words.
template <class Word>
struct GroupingMemory {
  std::span<BucketOf<Word>> table;  ///< (buckets)
  std::span<Word> tuples;           ///< (tuples)
  std::span<Word> staged;           ///< (tuples)  for zero-copy
  std::span<Word> buffer;           ///< (chunk)
  std::span<TableWord> counters;    ///< (grouping_counters())
};

/// Words that a grouping counts in.
std::size_t grouping_counters();

/// Adds all tuples to the table, with so many blocks.
void group(const Grouping& grouping, const GroupingMemory<TableWord>& memory, int blocks);
void group(const Grouping& grouping, const GroupingMemory<NarrowWord>& memory, int blocks);

/// \brief  Reads 1024 words for each thread, where its own generator says.
/// \param  words  (reads.region_bytes / 4)
/// \param  sum  gets what all scopes add up to
void lcg_reads(const RandomReads& reads, std::span<const unsigned> words,
               std::span<unsigned long long, 1> sum);

}  // namespace ladder::labs::traced
