// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/layout.cpp
/// \brief What a full chip would look like, of which some SMs are switched off.
#include "bench/labs/analysis/layout.hpp"

#include <algorithm>

namespace ladder::labs {
namespace {

/// Neighbours that always go together: 2, or 1.
int unit_of(std::span<const int> group_of_sm) {
  if (group_of_sm.size() % 2 != 0) return 1;
  for (std::size_t sm = 0; sm < group_of_sm.size(); sm += 2)
    if (group_of_sm[sm] != group_of_sm[sm + 1]) return 1;
  return 2;
}

/// \brief  The longest part of a sequence that is also one of 0, 1, ..., groups - 1, 0, 1, ... of
///         so many places.
/// \return the place of each member; -1: it is not in that part
std::vector<int> places_in_turn(const std::vector<int>& sequence, int groups, int places) {
  const std::size_t rows = sequence.size() + 1;
  const std::size_t columns = static_cast<std::size_t>(places) + 1;
  std::vector<int> longest(rows * columns, 0);  // of the rest from (member, place) on
  const auto at = [&](std::size_t member, std::size_t place) -> int& {
    return longest[member * columns + place];
  };
  const auto fits = [&](std::size_t member, std::size_t place) {
    return sequence[member] == static_cast<int>(place) % groups;
  };
  for (std::size_t member = rows - 1; member-- > 0;)
    for (std::size_t place = columns - 1; place-- > 0;)
      at(member, place) = fits(member, place)
                              ? 1 + at(member + 1, place + 1)
                              : std::max(at(member + 1, place), at(member, place + 1));
  std::vector<int> place_of(sequence.size(), -1);
  std::size_t place = 0;
  for (std::size_t member = 0; member < sequence.size() && place < columns - 1;) {
    if (fits(member, place))
      place_of[member++] = static_cast<int>(place++);
    else if (at(member + 1, place) > at(member, place + 1))
      ++member;
    else
      ++place;
  }
  return place_of;
}

}  // namespace

std::optional<Layout> layout_of(std::span<const int> group_of_sm) {
  Layout layout;
  layout.unit = unit_of(group_of_sm);
  const auto unit = static_cast<std::size_t>(layout.unit);
  std::vector<int> sequence;
  for (std::size_t sm = 0; sm < group_of_sm.size(); sm += unit)
    sequence.push_back(group_of_sm[sm]);
  if (sequence.empty()) return {};
  layout.groups = *std::ranges::max_element(sequence) + 1;
  layout.units_off.assign(static_cast<std::size_t>(layout.groups), 0);
  for (const int group : sequence)
    ++layout.units_off[static_cast<std::size_t>(group)];
  const int most = *std::ranges::max_element(layout.units_off);
  if (most < 2) return {};
  for (int& units : layout.units_off)
    units = most - units;
  const int places = most * layout.groups;
  layout.full_sms = places * layout.unit;

  const std::vector<int> place_of = places_in_turn(sequence, layout.groups, places);
  std::vector<int> unit_at(static_cast<std::size_t>(places), -1);
  std::vector<int> late(static_cast<std::size_t>(layout.groups), 0);  // units out of turn
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (place_of[i] >= 0) {
      unit_at[static_cast<std::size_t>(place_of[i])] = static_cast<int>(i);
    } else {
      layout.out_of_turn.push_back(static_cast<int>(i * unit));
      ++late[static_cast<std::size_t>(sequence[i])];
    }
  }
  if (layout.out_of_turn.size() * 8 > sequence.size()) return {};
  int last = -1;
  for (int place = 0; place < places; ++place) {
    if (unit_at[static_cast<std::size_t>(place)] >= 0) {
      last = (unit_at[static_cast<std::size_t>(place)] + 1) * layout.unit - 1;
      continue;
    }
    const int group = place % layout.groups;
    if (late[static_cast<std::size_t>(group)]-- > 0) continue;
    layout.missing.push_back({.after_sm = last, .group = group, .full_sm = place * layout.unit});
  }
  return layout;
}

}  // namespace ladder::labs
