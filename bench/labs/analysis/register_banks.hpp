// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/register_banks.hpp
/// \brief In which bank a register is, from which pairs are in the same one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ladder::labs {

constexpr int kBankBits = 6;  ///< of a register's number that may choose its bank

/// \brief A bank is chosen by sums modulo 2 of bits of the register's number.
struct RegisterBanks {
  int banks = 1;
  std::vector<int> masks = {};  ///< one for each bit of the bank: the bits that it is the sum of

  int bank_of(int reg) const;
  std::string text() const;  ///< "bit 0", "bit 0 + bit 3, bit 1"
};

/// \brief  The banks, if there is one assignment that explains all pairs.
/// \param  same_bank  for each exclusive or of two numbers, 0 .. 63: whether such registers share a
///                    bank; 0 is not looked at
std::optional<RegisterBanks> find_banks(const std::vector<bool>& same_bank);

}  // namespace ladder::labs
