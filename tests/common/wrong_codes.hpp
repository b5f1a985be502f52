// SPDX-License-Identifier: MIT
/// \file  tests/common/wrong_codes.hpp
/// \brief What a verdict found, as short facts made from codes and fields: nothing here reads a
///        sentence.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/wrong_pattern.hpp"

namespace ladder {

/// "nan", "last-tile-row", "rows 64-69", "C[70][33]", "tile (1, 2)", "1 of 10000", "factor=0.5"
inline std::set<std::string> facts_of(const std::vector<Wrong>& all) {
  std::set<std::string> facts;
  for (const Wrong& wrong : all) {
    facts.emplace(code_of(wrong.kind));
    for (const auto& [name, value] : wrong.fields.all()) {
      facts.insert(std::visit(
          [&](const auto& any) -> std::string {
            using T = std::decay_t<decltype(any)>;
            if constexpr (std::is_same_v<T, double>) return fmt::format("{}={:.4g}", name, any);
            if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                          std::is_same_v<T, std::string>) {
              return fmt::format("{}={}", name, any);
            }
            return name;
          },
          value.any()));
    }
    if (wrong.where) {
      const auto& [kind, rows, columns] = *wrong.where;
      facts.emplace(code_of(kind));
      facts.insert(fmt::format("rows {}-{}", rows.first, rows.last));
      facts.insert(fmt::format("columns {}-{}", columns.first, columns.last));
    }
    if (!wrong.first) continue;
    facts.insert(fmt::format("{} of {}", wrong.wrong_elements, wrong.elements));
    facts.insert(fmt::format("C[{}][{}]", wrong.first->row, wrong.first->column));
    facts.insert(fmt::format("got {:.6g}", wrong.first->got));
    facts.insert(fmt::format("expected {:.6g}", wrong.first->expected));
    if (wrong.first->block_tile) {
      const auto& [column, row] = *wrong.first->block_tile;
      facts.insert(fmt::format("tile ({}, {})", column, row));
    }
  }
  return facts;
}

/// Fails the test unless the verdict has these facts, and maybe others.
inline void expect_facts(const std::vector<Wrong>& all, const std::vector<std::string>& expected) {
  const std::set<std::string> facts = facts_of(all);
  for (const std::string& fact : expected) {
    EXPECT_TRUE(facts.contains(fact))
        << "not found: " << fact << "\nbut: " << fmt::format("{}", fmt::join(facts, "; "));
  }
}

}  // namespace ladder
