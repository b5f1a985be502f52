// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/survival.cpp
/// \brief Names of what loads ask of the caches.
#include "bench/labs/instruments/survival.hpp"

#include <array>

namespace ladder::labs {
namespace {

constexpr std::array kNames = {"ld.ca",
                               "ld.cg",
                               "ld.cs",
                               "ld.lu",
                               "ld.cv",
                               "ld.L1::no_allocate",
                               "ld.L2::evict_first",
                               "ld.L2::evict_last"};

}  // namespace

std::string name_of(Hint hint) {
  return kNames[static_cast<std::size_t>(hint)];
}

std::vector<Hint> all_hints() {
  std::vector<Hint> hints;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    hints.push_back(static_cast<Hint>(i));
  return hints;
}

}  // namespace ladder::labs
