// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/hash_table.hpp
/// \brief A table that counts equal keys, and the tuples to count: the same on GPU, emulator and
///        host.
#pragma once

#include <cstdint>

#include "bench/labs/instruments/random_places.hpp"

namespace ladder::labs {

/// What CUDA's atomic functions take: 64 bits.
using TableWord = unsigned long long;
/// The same, of 32 bits.
using NarrowWord = unsigned;

/// No tuple has this key: the bucket is empty.
constexpr TableWord kNoKey = 0;

/// One group of tuples: the SQL of it is SELECT key, count(*) GROUP BY key.
template <class Word>
struct BucketOf {
  Word key;
  Word count;
};

using Bucket = BucketOf<TableWord>;

/// Buckets for each group: half of them stay empty.
constexpr std::uint64_t kBucketsPerGroup = 2;

/// \source the 64-bit finaliser of MurmurHash3 (Austin Appleby, public domain)
constexpr std::uint64_t murmur_mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

/// \brief  Which of so many equal parts of all hash values this one lies in. Buckets are parts, and
///         so are windows of the table: a window's buckets are neighbours.
constexpr std::uint64_t part_of_hash(std::uint64_t hash, std::uint64_t parts) {
  return high_product(hash, parts);
}

/// The key of a group.
/// \param group 0 .. groups - 1
constexpr TableWord key_of(std::uint64_t group) {
  return group + 1;
}

/// The key of tuple number `index`: each group is as likely as any other.
constexpr TableWord tuple_key(std::uint64_t groups, std::uint64_t seed, std::uint64_t index) {
  return key_of(random_word({0, groups}, seed, 0, index));
}

/// What a tuple adds to the checksum: another mix than the one that finds its bucket.
constexpr std::uint64_t key_check(TableWord key) {
  return split_mix(key);
}

/// What is known of a table, or of some tuples.
struct TableSums {
  TableWord groups = 0;  ///< buckets that are taken; of tuples: 0
  TableWord tuples = 0;  ///< of all groups
  TableWord check = 0;   ///< sum of key_check() over all tuples, modulo 2^64
};

}  // namespace ladder::labs
