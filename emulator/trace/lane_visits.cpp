// SPDX-License-Identifier: MIT
#include "emulator/trace/lane_visits.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace ladder::emulator {
namespace {

/// One lane's visits to a place: what it accessed, and in which rows of the log.
struct Visits {
  std::vector<std::uint64_t> address;
  std::vector<std::uint16_t> row;
};

/// \brief  Which of the busiest lane's visits a lane took part in, if it accesses what is equally
///         far from there each time, and its first visit is the busiest lane's visit `first`.
/// \return empty if that does not fit
std::vector<std::uint16_t> taken_part(const Visits& lane, const Visits& busiest,
                                      std::size_t first) {
  const std::uint64_t distance = lane.address[0] - busiest.address[first];
  std::vector<std::uint16_t> numbers;
  for (std::size_t i = first; i < busiest.address.size(); ++i) {
    if (numbers.size() == lane.address.size()) break;
    if (lane.address[numbers.size()] - busiest.address[i] == distance)
      numbers.push_back(static_cast<std::uint16_t>(i));
  }
  if (numbers.size() < lane.address.size()) numbers.clear();
  return numbers;
}

std::vector<std::uint16_t> numbers_of(const Visits& lane, const Visits& busiest) {
  const std::size_t left_out = busiest.address.size() - lane.address.size();
  if (left_out > 0) {
    for (std::size_t first = 0; first <= left_out; ++first) {
      std::vector<std::uint16_t> numbers = taken_part(lane, busiest, first);
      if (!numbers.empty()) return numbers;
    }
  }
  std::vector<std::uint16_t> numbers(lane.address.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::uint16_t>(i);
  return numbers;
}

}  // namespace

LaneVisits::LaneVisits(const WarpLog& log, const std::uint16_t* rows,
                       const std::function<std::uint64_t(AccessCode)>& place) {
  std::map<std::uint64_t, std::array<Visits, 32>> places;
  for (unsigned lane = 0; lane < 32; ++lane) {
    number_[lane].resize(rows[lane]);
    for (unsigned row = 0; row < rows[lane]; ++row) {
      Visits& visits = places[place(log.row[row].code[lane])][lane];
      visits.address.push_back(log.row[row].address[lane]);
      visits.row.push_back(static_cast<std::uint16_t>(row));
    }
  }
  for (const auto& [where, lanes] : places) {
    const Visits& busiest = *std::ranges::max_element(
        lanes, {}, [](const Visits& visits) { return visits.address.size(); });
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (lanes[lane].address.empty()) continue;
      const std::vector<std::uint16_t> numbers = numbers_of(lanes[lane], busiest);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        number_[lane][lanes[lane].row[i]] = numbers[i];
    }
  }
}

}  // namespace ladder::emulator
