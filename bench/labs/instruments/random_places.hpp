// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/random_places.hpp
/// \brief Which words random reads read, and what the words hold: the same on GPU and host.
#pragma once

#include <cstdint>

namespace ladder::labs {

/// Words of a region.
struct WordRange {
  std::uint64_t first;
  std::uint64_t count;
};

/// Part number `index` of so many parts; the last one takes what is left over.
constexpr WordRange part_of(WordRange whole, int parts, int index) {
  const std::uint64_t size = whole.count / static_cast<std::uint64_t>(parts);
  const std::uint64_t first = whole.first + static_cast<std::uint64_t>(index) * size;
  return {first, index + 1 == parts ? whole.first + whole.count - first : size};
}

/// \brief  Part number `index` of parts of a given size; the last one is what is left. It is empty
///         where parts before it have taken all.
constexpr WordRange part_of_size(WordRange whole, std::uint64_t size, int index) {
  const std::uint64_t before = static_cast<std::uint64_t>(index) * size;
  const std::uint64_t left = before < whole.count ? whole.count - before : 0;
  return {whole.first + before, left < size ? left : size};
}

/// High half of a 128-bit product.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xffffffffu;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_low = b & 0xffffffffu;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
  return a_high * b_high + (middle >> 32) + ((a_low * b_high + (middle & 0xffffffffu)) >> 32);
}

/// \source SplitMix64 (Steele, Lea, Flood 2014)
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The word that read `number` of a group reads: uniform over the window.
constexpr std::uint64_t random_word(WordRange window, std::uint64_t seed, int group,
                                    std::uint64_t number) {
  const std::uint64_t stream = split_mix(seed * 4096 + static_cast<std::uint64_t>(group));
  return window.first + high_product(split_mix(stream + number), window.count);
}

/// How random reads are drawn.
enum class DrawnBy : std::uint8_t {
  counter,        ///< a mixed counter; 8-byte words
  lcg_of_thread,  ///< a linear congruential generator for each kLcgReads reads; 4-byte words
};

/// Bytes of a word that is read.
constexpr std::uint64_t word_bytes(DrawnBy draw) {
  return draw == DrawnBy::counter ? 8 : 4;
}

/// Reads of one thread, whose places are the states of its generator one after the other.
constexpr std::uint64_t kLcgReads = 1024;

/// The next state of a linear congruential generator.
/// \source Knuth, The Art of Computer Programming, volume 2, 3.3.4: the multiplier of MMIX
constexpr std::uint64_t lcg_next(std::uint64_t state) {
  return state * 6364136223846793005u + 1442695040888963407u;
}

/// \brief  The state so many steps later. A step is x -> ax + c; two of them are such a step again,
///         with other a and c.
constexpr std::uint64_t lcg_after(std::uint64_t state, std::uint64_t steps) {
  std::uint64_t c = lcg_next(0);
  std::uint64_t a = lcg_next(1) - c;
  for (; steps != 0; steps /= 2) {
    if (steps % 2 == 1) state = a * state + c;
    c = a * c + c;
    a *= a;
  }
  return state;
}

/// Where the generator of a thread starts.
constexpr std::uint64_t lcg_start(std::uint64_t seed, std::uint64_t thread) {
  return split_mix(split_mix(seed) + thread);
}

/// \brief  The word that a state stands for. Its high bits decide: the low ones repeat after a few
///         states.
constexpr std::uint64_t lcg_word(std::uint64_t state, std::uint64_t words) {
  return high_product(state, words);
}

/// What word `index` of a region holds.
constexpr std::uint64_t word_value(std::uint64_t index) {
  return index * 0x9e3779b97f4a7c15u ^ (index >> 7);
}

}  // namespace ladder::labs
