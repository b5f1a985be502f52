// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/warp_requests.cpp
/// \brief What the addresses of a warp's lanes cost.
#include "bench/labs/analysis/warp_requests.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::labs {
namespace {

constexpr unsigned kSectorBytes = 32;
constexpr unsigned kLineBytes = 128;
constexpr unsigned kWordBytes = 4;
constexpr unsigned kBanks = 32;

unsigned pieces(std::span<const std::uint64_t> address, unsigned bytes, unsigned piece_bytes) {
  std::set<std::uint64_t> touched;
  for (const std::uint64_t first : address) {
    for (std::uint64_t piece = first / piece_bytes; piece <= (first + bytes - 1) / piece_bytes;
         ++piece)
      touched.insert(piece);
  }
  return static_cast<unsigned>(touched.size());
}

}  // namespace

TouchedMemory touched_memory(std::span<const std::uint64_t> address, unsigned bytes) {
  return {pieces(address, bytes, kSectorBytes), pieces(address, bytes, kLineBytes)};
}

double sectors_of_a_record(unsigned record_bytes) {
  constexpr unsigned kPlaces = kSectorBytes / kWordBytes;  // after so many records they repeat
  unsigned sectors = 0;
  for (unsigned record = 0; record < kPlaces; ++record) {
    const unsigned first = record * record_bytes % kSectorBytes;
    sectors += (first + record_bytes + kSectorBytes - 1) / kSectorBytes;
  }
  return static_cast<double>(sectors) / kPlaces;
}

unsigned textbook_wavefronts(std::span<const std::uint64_t> address, unsigned bytes) {
  const std::size_t lanes_in_part = kBanks * kWordBytes / bytes;
  unsigned passes = 0;
  for (std::size_t part = 0; part < address.size(); part += lanes_in_part) {
    std::array<std::set<std::uint64_t>, kBanks> words;
    for (const std::uint64_t first : address.subspan(part, lanes_in_part)) {
      for (unsigned word = 0; word < bytes / kWordBytes; ++word) {
        const std::uint64_t number = first / kWordBytes + word;
        words[number % kBanks].insert(number);
      }
    }
    const auto fullest = std::ranges::max_element(
        words, {}, [](const std::set<std::uint64_t>& bank) { return bank.size(); });
    passes += static_cast<unsigned>(fullest->size());
  }
  return passes;
}

}  // namespace ladder::labs
