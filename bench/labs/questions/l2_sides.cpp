// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/l2_sides.cpp
/// \brief L09: which half of the L2 an SM is near to, and which bits of an address choose the half.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "bench/labs/analysis/samples.hpp"
#include "bench/labs/instruments/random_places.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "common/side_aware/two_sides.hpp"

namespace ladder::labs {
namespace {

using side_aware::find_sides;
using side_aware::fit_parity;
using side_aware::ParityMask;
using side_aware::Sides;

constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
constexpr std::uint64_t kLine = 128;
constexpr int kLowestBit = 7;    // of a line's address
constexpr int kHighestBit = 20;  // within a page of 2 MiB, where virtual and physical bits agree

/// Lines at random places of the first page.
std::vector<std::uint64_t> random_lines(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes.push_back(split_mix(seed * 65536 + i) % (kPage / kLine) * kLine);
  std::ranges::sort(bytes);
  const auto [first, last] = std::ranges::unique(bytes);
  bytes.erase(first, last);
  return bytes;
}

std::vector<int> all_sms(int count) {
  std::vector<int> sms(static_cast<std::size_t>(count));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

/// How many SMs are not far enough from the middle: their lines of either side take about as long.
int unsettled_sms(const Matrix& cycles, const Sides& sides) {
  constexpr double kFar = 5;  // standard deviations
  constexpr double kSigmaOfMedian = 1.2533;
  std::vector<double> of_line;
  for (std::size_t column = 0; column < cycles.columns; ++column) {
    std::vector<double> all;
    for (std::size_t row = 0; row < cycles.rows; ++row)
      all.push_back(cycles.at(row, column));
    of_line.push_back(median_of(all));
  }
  int unsettled = 0;
  for (std::size_t row = 0; row < cycles.rows; ++row) {
    std::array<std::vector<double>, 2> of_side;
    for (std::size_t column = 0; column < cycles.columns; ++column) {
      of_side.at(static_cast<std::size_t>(sides.of_column[column]))
          .push_back(cycles.at(row, column) - of_line[column]);
    }
    const auto sigma = [&](const std::vector<double>& values) {
      return kSigmaOfMedian * robust_sigma(values) / std::sqrt(static_cast<double>(values.size()));
    };
    const double difference = median_of(of_side[1]) - median_of(of_side[0]);
    unsettled += std::abs(difference) < kFar * std::hypot(sigma(of_side[0]), sigma(of_side[1]));
  }
  return unsettled;
}

/// Some SMs of both sides, alternately.
std::vector<int> from_both_sides(const Sides& sides, std::size_t count) {
  std::vector<int> chosen;
  count = std::min(count, sides.of_row.size());
  for (int side = 0; chosen.size() < count; side ^= 1) {
    for (std::size_t sm = 0; sm < sides.of_row.size(); ++sm) {
      const int number = static_cast<int>(sm);
      if (sides.of_row[sm] == side && !std::ranges::count(chosen, number)) {
        chosen.push_back(number);
        break;
      }
    }
  }
  return chosen;
}

/// Sides of addresses, as seen from a few SMs whose sides are known.
std::vector<int> sides_of(Instruments& instruments, const std::vector<std::uint64_t>& bytes,
                          const Sides& sides, const std::vector<int>& sms, int repeats) {
  const Matrix cycles = instruments.walks().home_cycles(sms, bytes, repeats);
  std::vector<double> differences;  // latency from side 1 minus that from side 0
  for (std::size_t column = 0; column < bytes.size(); ++column) {
    double difference = 0.0;
    for (std::size_t row = 0; row < sms.size(); ++row)
      difference += cycles.at(row, column) *
                    (sides.of_row[static_cast<std::size_t>(sms[row])] == 1 ? 1.0 : -1.0);
    differences.push_back(difference);
  }
  const auto [least, most] = std::ranges::minmax_element(differences);
  const double middle = (*least + *most) / 2;
  std::vector<int> found;
  found.reserve(differences.size());
  for (const double difference : differences)
    found.push_back(difference > middle ? 0 : 1);
  return found;
}

/// "12, 13, 15".
std::string bits_text(std::uint64_t mask) {
  std::string bits;
  for (int bit = 0; bit < 64; ++bit)
    if ((mask >> bit & 1) != 0) bits += fmt::format("{}{}", bits.empty() ? "" : ", ", bit);
  return bits;
}

Series latency_by_sm(const Matrix& cycles, const Sides& sides, int side) {
  Series series = {.name = fmt::format("lines of side {}", side),
                   .x_name = "SM",
                   .x_unit = "",
                   .y_name = "latency of an atomic addition",
                   .y_unit = "cycles",
                   .points = {}};
  for (std::size_t row = 0; row < cycles.rows; ++row) {
    Point point = {.x = static_cast<double>(row), .samples = {}};
    for (std::size_t column = 0; column < cycles.columns; ++column)
      if (sides.of_column[column] == side) point.samples.push_back(cycles.at(row, column));
    series.points.push_back(point);
  }
  return series;
}

}  // namespace

LabReport l2_sides(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  const int repeats = options.quick ? 3 : 7;
  LabReport report;

  const std::vector<std::uint64_t> few = random_lines(options.quick ? 64 : 256, options.seed);
  const Matrix cycles = instruments->walks().home_cycles(all_sms(facts.sms), few, repeats);
  options.on_progress(0.3);
  const std::optional<Sides> sides = find_sides(cycles);
  if (!sides) {
    report.findings.push_back(not_found("penalty_cycles", "Sides of the L2", "cycles",
                                        "No split of SMs and addresses explains the latencies"));
    return report;
  }
  options.on_progress(0.6);
  const std::vector<int> chosen = from_both_sides(*sides, 8);
  const std::vector<std::uint64_t> many =
      random_lines(options.quick ? 512 : 2048, options.seed + 1);
  const std::vector<int> labels = sides_of(*instruments, many, *sides, chosen, repeats);
  options.on_progress(0.8);
  const std::optional<ParityMask> mask =
      fit_parity(many, labels, kLowestBit, kHighestBit, options.seed);
  // A split that follows no bits of the addresses may be one of noise.
  if (!mask || mask->mask == 0) {
    report.findings.push_back(
        not_found("penalty_cycles", "Sides of the L2", "cycles",
                  "SMs and lines can be split, but no parity of the bits 7 to 20 explains which "
                  "line is where"));
    return report;
  }
  report.series.push_back(latency_by_sm(cycles, *sides, 0));
  report.series.push_back(latency_by_sm(cycles, *sides, 1));
  const auto on_side_1 = std::ranges::count(sides->of_row, 1);
  report.findings.push_back(found("penalty_cycles", "What the other side costs more",
                                  sides->penalty_cycles, "cycles",
                                  fmt::format("Two sides explain {:.1f} % of what SMs and lines, "
                                              "each for itself, do not",
                                              100.0 * sides->explained)));
  const char* const other_sms = "SMs on the other side than SM 0";
  if (const int unsettled = unsettled_sms(cycles, *sides); unsettled > 0) {
    report.findings.push_back(
        not_found("sms_of_side_1", other_sms, "",
                  fmt::format("{} of {} SMs do not stand out from noise", unsettled, facts.sms)));
  } else {
    report.findings.push_back(found("sms_of_side_1", other_sms, static_cast<double>(on_side_1), "",
                                    fmt::format("Of {}", facts.sms)));
  }

  report.findings.push_back(found(
      "mask", "Bits of an address that choose the side", static_cast<double>(mask->mask), "mask",
      fmt::format("Side = parity(address & {:#x}), bits {}; right for {:.1f} % of "
                  "the lines that the fit did not see",
                  mask->mask, bits_text(mask->mask), 100.0 * mask->agreement)));
  const int lowest = std::countr_zero(mask->mask);
  report.findings.push_back(found("granularity_bytes", "Bytes in a row on one side",
                                  static_cast<double>(std::uint64_t{1} << lowest), "bytes",
                                  "The lowest bit of the mask"));

  constexpr std::uint64_t kSliceBits = 0x780;  // bits 7 to 10
  report.claims.push_back(
      check_claim("R011", "Bits 7 to 10 of an address choose where in L2 it is",
                  (mask->mask & ~kSliceBits) == 0,
                  fmt::format("The side alone depends on bits {}", bits_text(mask->mask))));
  // The first line of each page: its bits below 21 are 0, so what is left is the page's own side.
  std::vector<std::uint64_t> pages;
  const std::uint64_t count =
      std::min<std::uint64_t>(options.quick ? 128 : 512, facts.free_bytes / 2 / kPage);
  for (std::uint64_t page = 0; page < count; ++page)
    pages.push_back(page * kPage);
  const std::vector<int> of_pages = sides_of(*instruments, pages, *sides, chosen, repeats);
  const auto ones = static_cast<double>(std::ranges::count(of_pages, 1));
  report.findings.push_back(found("pages_of_side_1", "Pages of 2 MiB whose first line is on side 1",
                                  ones, "",
                                  fmt::format("Of {}: bits of the physical page take part, "
                                              "which no virtual address shows",
                                              count)));
  return report;
}

}  // namespace ladder::labs
