// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/register_banks.cpp
/// \brief In which bank a register is, from which pairs are in the same one.
#include "bench/labs/analysis/register_banks.hpp"

#include <fmt/format.h>

#include <bit>

namespace ladder::labs {
namespace {

constexpr int kDifferences = 1 << kBankBits;

int sum_of_bits(int number) {
  return std::popcount(static_cast<unsigned>(number)) % 2;
}

}  // namespace

int RegisterBanks::bank_of(int reg) const {
  int bank = 0;
  for (const int mask : masks)
    bank = bank * 2 + sum_of_bits(reg & mask);
  return bank;
}

std::string RegisterBanks::text() const {
  std::string text;
  for (const int mask : masks) {
    if (!text.empty()) text += ", ";
    bool first = true;
    for (int bit = 0; bit < kBankBits; ++bit) {
      if ((mask >> bit & 1) == 0) continue;
      text += fmt::format("{}bit {}", first ? "" : " + ", bit);
      first = false;
    }
  }
  return text;
}

std::optional<RegisterBanks> find_banks(const std::vector<bool>& same_bank) {
  RegisterBanks found;
  // A mask chooses banks if no pair of one bank differs in its sum. Smaller masks come first, so
  // that the basis is the simplest.
  std::vector<bool> sums_of_found(kDifferences, false);
  sums_of_found[0] = true;
  for (int mask = 1; mask < kDifferences; ++mask) {
    bool chooses = !sums_of_found[static_cast<std::size_t>(mask)];
    for (int difference = 1; difference < kDifferences && chooses; ++difference)
      chooses =
          !same_bank[static_cast<std::size_t>(difference)] || sum_of_bits(difference & mask) == 0;
    if (!chooses) continue;
    found.masks.push_back(mask);
    found.banks *= 2;
    const std::vector<bool> before = sums_of_found;
    for (int other = 0; other < kDifferences; ++other)
      if (before[static_cast<std::size_t>(other)])
        sums_of_found[static_cast<std::size_t>(other ^ mask)] = true;
  }
  for (int difference = 1; difference < kDifferences; ++difference)
    if (same_bank[static_cast<std::size_t>(difference)] !=
        (found.bank_of(difference) == found.bank_of(0)))
      return std::nullopt;
  return found;
}

}  // namespace ladder::labs
