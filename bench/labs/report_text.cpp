// SPDX-License-Identifier: MIT
/// \file  bench/labs/report_text.cpp
/// \brief A lab's report as a person reads it in a terminal.
#include "bench/labs/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ladder/program/print.hpp"

namespace ladder::labs {
namespace {

/// "64 KiB", "1.5 MiB", "130 GiB".
std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// 0 to 1.
  double place_of(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// A sweep over four octaves or more is drawn over the logarithm of x.
double on_axis(double x, bool logarithmic) {
  return logarithmic ? std::log2(x) : x;
}

/// A figure at an axis, which has room for 13 letters.
std::string at_axis(double value, const std::string& unit) {
  return unit.starts_with("10^9/") ? fmt::format("{:.4g} {}", value, unit) : with_unit(value, unit);
}

/// A curve as rows of characters, with its scales.
/// \param  mark  that stands at each line of a result: " (simulated)", or nothing
std::string plot(const Series& series, std::string_view mark) {
  constexpr std::size_t kRows = 10;
  const std::size_t columns = std::max<std::size_t>(columns_of(), 40) - 16;
  Range xs;
  Range ys;
  for (const Point& point : series.points) {
    xs.take(point.x);
    ys.take(median_of(point.samples));
  }
  const bool logarithmic = xs.low > 0 && xs.high / xs.low >= 16;
  const Range axis = {on_axis(xs.low, logarithmic), on_axis(xs.high, logarithmic)};
  ys.low = std::min(ys.low, 0.0);
  if (ys.high <= ys.low) ys.high = series.y_unit == "%" ? 100 : ys.low + 1;  // nothing but zeros
  std::vector<std::string> rows(kRows, std::string(columns, ' '));
  for (const Point& point : series.points) {
    const auto column = static_cast<std::size_t>(
        std::lround(axis.place_of(on_axis(point.x, logarithmic)) * (columns - 1)));
    const auto row = static_cast<std::size_t>(
        std::lround((1.0 - ys.place_of(median_of(point.samples))) * (kRows - 1)));
    rows[row][column] = '*';
  }
  std::string text =
      "\n" +
      wrapped(fmt::format("{}{}: {} over {}", series.name, mark, series.y_name, series.x_name), 2);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double share = static_cast<double>(row) / (kRows - 1);
    const double level = ys.high * (1.0 - share) + ys.low * share;
    const bool labelled = row % 3 == 0;
    text += fmt::format("{:>13} |{}\n", labelled ? at_axis(level, series.y_unit) : "", rows[row]);
  }
  const std::string first = with_unit(xs.low, series.x_unit);
  const std::string last = with_unit(xs.high, series.x_unit);
  text += fmt::format("{:13} +{}\n{:15}{:<{}}{}\n", "", std::string(columns, '-'), "", first,
                      columns - last.size(), last);
  return text;
}

/// The points of a curve that has few of them, in columns: "1: 4   2: 8   16: 32".
std::string points_text(const Series& series) {
  constexpr std::size_t kFew = 14;
  if (series.points.size() > kFew) return {};
  std::vector<std::string> pairs;
  std::size_t width = 0;
  for (const Point& point : series.points) {
    pairs.push_back(with_unit(point.x, series.x_unit) + ": " +
                    with_unit(median_of(point.samples), series.y_unit));
    width = std::max(width, pairs.back().size() + 3);
  }
  const std::size_t columns = std::max<std::size_t>((columns_of() - 2) / width, 1);
  std::string text;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool last = (i + 1) % columns == 0 || i + 1 == pairs.size();
    text += (i % columns == 0 ? "  " : "") +
            (last ? pairs[i] + "\n" : fmt::format("{:<{}}", pairs[i], width));
  }
  return text;
}

std::string finding_text(const Finding& finding, std::string_view mark) {
  if (!finding.value)
    return wrapped(fmt::format("{}{}: not found. {}.", finding.name, mark, finding.how), 4, 2);
  const Estimate& value = *finding.value;
  std::string interval;
  if (value.low != value.high)
    interval = fmt::format(" ({} to {})", with_unit(value.low, finding.unit),
                           with_unit(value.high, finding.unit));
  return wrapped(fmt::format("{}{}: {}{}. {}.", finding.name, mark,
                             with_unit(value.value, finding.unit), interval, finding.how),
                 4, 2);
}

std::string claim_text(const ClaimCheck& claim) {
  constexpr std::array<std::array<std::string_view, 2>, 5> kVerdicts = {
      {{"holds", "HOLDS"},
       {"condition", "HOLDS IF"},
       {"wrong", "WRONG"},
       {"pending", "PENDING"},
       {"simulated", "SIMULATED, NO VERDICT"}}};
  std::string_view verdict = claim.verdict;
  for (const auto& [name, shown] : kVerdicts)
    if (claim.verdict == name) verdict = shown;
  return wrapped(fmt::format("\"{}\" {}: {}.", claim.claimed, verdict, claim.because), 4, 2);
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  if (unit == "bytes") return bytes_text(value);
  if (unit == "mask") return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
  if (unit == "bytes per second") return with_unit(value / 1e9, "GB/s");
  if (unit == "GB/s" && std::abs(value) >= 1000.0) return fmt::format("{:.4g} TB/s", value / 1e3);
  if (unit.starts_with("10^9/")) return fmt::format("{:.4g} billion per second", value);
  if (unit.empty()) {
    const bool whole = value == std::round(value) && std::abs(value) < 1e9;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  }
  return fmt::format("{:.4g} {}", value, unit);
}

std::string list_text() {
  std::string text;
  for (const Lab& lab : labs()) {
    const std::string head = fmt::format("{} {}", lab.number, lab.name);
    constexpr std::size_t kColumn = 22;  // where the questions begin
    text += wrapped(std::string(lab.question), kColumn, kColumn).replace(0, head.size(), head);
  }
  return text;
}

std::string report_text(const LabRun& run) {
  const Lab& lab = find_lab(run.lab);
  std::string text =
      fmt::format("{} {}, {}{}\n{}\n{}", lab.number, lab.name, run.machine,
                  run.quick ? ", quick" : "", run.program, wrapped(std::string(lab.question), 0));
  const std::string_view mark = run.simulated() ? " (simulated)" : "";
  for (const Series& series : run.report.series)
    if (!series.points.empty()) text += plot(series, mark) + points_text(series);
  if (!run.report.findings.empty()) text += "\nFound\n";
  for (const Finding& finding : run.report.findings)
    text += finding_text(finding, mark);
  if (!run.report.claims.empty()) text += "\nClaimed\n";
  for (const ClaimCheck& claim : run.report.claims)
    text += claim_text(claim);
  if (!run.report.notes.empty()) text += "\n";
  for (const std::string& note : run.report.notes)
    text += wrapped(note, 0);
  return text;
}

}  // namespace ladder::labs
