// SPDX-License-Identifier: MIT
#include "common/terminal/access_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using emulator::LineCounts;
using emulator::Operation;
using emulator::WarpRequest;

constexpr std::int64_t kBankBytes = 4;
constexpr std::int64_t kBanks = 32;

/// "16.5", "4"
std::string number_text(double value) {
  const double tenths = std::round(10 * value) / 10;
  return tenths == std::round(tenths) ? fmt::format("{:.0f}", tenths)
                                      : fmt::format("{:.1f}", tenths);
}

std::string plural(double count, const std::string& word) {
  const std::string number = number_text(count);
  return number + " " + word + (number == "1" ? "" : "s");
}

/// Sectors or wavefronts of a request, on average, and the fewest possible.
struct Cost {
  double counted;
  double ideal;
  std::string unit;

  bool is_ideal() const { return counted <= ideal; }
};

std::vector<Cost> costs_of(const LineCounts& line) {
  const auto requests = static_cast<double>(line.counts.requests);
  const auto each = [&](std::uint64_t count) { return static_cast<double>(count) / requests; };
  std::vector<Cost> costs;
  if (line.counts.sectors > 0) {
    costs.push_back({each(line.counts.sectors), each(line.counts.ideal_sectors), "sector"});
  }
  if (line.counts.wavefronts > 0) {
    costs.push_back(
        {each(line.counts.wavefronts), each(line.counts.ideal_wavefronts), "wavefront"});
  }
  return costs;
}

/// "32 sectors where 4 would do, and 32 wavefronts where 1 would do"
std::string costs_text(const std::vector<Cost>& costs) {
  const auto text_of = [](const Cost& cost) {
    return plural(cost.counted, cost.unit) +
           (cost.is_ideal() ? "" : fmt::format(" where {} would do", number_text(cost.ideal)));
  };
  std::string text = text_of(costs.front());
  const bool all_ideal = std::ranges::all_of(costs, &Cost::is_ideal);
  if (costs.size() == 1) return text + (all_ideal ? ", as few as possible" : "");
  if (all_ideal) return text + " and " + text_of(costs.back()) + ", as few as possible";
  if (costs.front().is_ideal()) return text + ", as few as possible, but " + text_of(costs.back());
  if (costs.back().is_ideal()) return text_of(costs.back()) + ", but " + text;
  return text + ", and " + text_of(costs.back());
}

bool writes(Operation operation) {
  return operation == Operation::kGlobalStore || operation == Operation::kSharedStore ||
         operation == Operation::kAsyncCopy;
}

/// The addresses of the active lanes, in their order.
std::vector<std::int64_t> addresses_of(const WarpRequest& request) {
  std::vector<std::int64_t> addresses;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((request.lanes >> lane & 1) != 0) addresses.push_back(request.addresses[lane]);
  }
  return addresses;
}

/// "word", "16 bytes": what a thread asks for.
std::string piece_name(unsigned bytes) {
  return bytes == 4 ? "word" : fmt::format("{} bytes", bytes);
}

/// "4 runs of 32 bytes", "14 runs of 32 to 64 bytes"
std::string runs_text(const AccessPattern& pattern) {
  const std::int64_t shortest = pattern.shortest_run_bytes;
  const std::int64_t longest = pattern.longest_run_bytes;
  return shortest == longest
             ? fmt::format("{} runs of {} bytes", pattern.runs, longest)
             : fmt::format("{} runs of {} to {} bytes", pattern.runs, shortest, longest);
}

/// Where the threads' addresses lie, in words.
std::string pattern_text(const AccessPattern& pattern, const LineCounts& line) {
  const std::string verb = writes(line.operation) ? "write" : "read";
  const std::string piece = piece_name(pattern.access_bytes);
  const bool words = pattern.access_bytes == 4;
  const std::string pieces = words ? "neighbouring words" : "neighbouring pieces of " + piece;
  switch (pattern.kind) {
    case AccessPatternKind::kSingleThread:
      return fmt::format("a single thread {}s {}", verb, words ? "a word" : piece);
    case AccessPatternKind::kSamePlace:
      return words ? fmt::format("one word for all {} threads", pattern.lanes)
                   : fmt::format("the same {} for all {} threads", piece, pattern.lanes);
    case AccessPatternKind::kNeighbours:
      return fmt::format("neighbouring threads {} {}", verb, pieces);
    case AccessPatternKind::kOneRun:
      return fmt::format("the {} threads {} {} {}", pattern.lanes, verb, pattern.places, pieces);
    case AccessPatternKind::kRows:
      return fmt::format("neighbouring threads {} different rows of {}, {} bytes apart", verb,
                         line.array, std::abs(pattern.step_bytes));
    case AccessPatternKind::kStrided:
      return fmt::format("neighbouring threads {} {} bytes apart", verb,
                         std::abs(pattern.step_bytes));
    case AccessPatternKind::kScattered:
      return fmt::format("the threads {} {} places that do not touch", verb, pattern.places);
    case AccessPatternKind::kRuns:
      break;
  }
  return fmt::format("the threads {} {}", verb, runs_text(pattern));
}

/// Different words of the example in its busiest bank, and in all of them.
struct Banks {
  std::size_t words = 0;
  std::size_t most = 0;
};

Banks banks_of(const WarpRequest& request) {
  std::set<std::int64_t> words;
  for (const std::int64_t address : addresses_of(request)) {
    const std::int64_t end = address + request.access_bytes;
    for (std::int64_t word = address / kBankBytes; word * kBankBytes < end; ++word)
      words.insert(word);
  }
  std::array<std::size_t, kBanks> in_bank = {};
  for (const std::int64_t word : words)
    ++in_bank[static_cast<std::size_t>(word % kBanks)];
  return {words.size(), std::ranges::max(in_bank)};
}

/// Why the example takes more wavefronts than ideal.
std::string banks_text(const LineCounts& line) {
  const bool atomic =
      line.operation == Operation::kSharedAtomic || line.operation == Operation::kGlobalAtomic;
  if (atomic) return "threads that meet at a bank take turns";
  if (line.operation == Operation::kAsyncCopy && line.access_bytes == 4) {
    return "a thread waits for those before it that share the bank of its source or of its target";
  }
  const Banks banks = banks_of(line.example);
  if (banks.most == banks.words) return fmt::format("all {} words lie in one bank", banks.words);
  if (banks.most > line.example.counts.ideal_wavefronts) {
    return fmt::format("up to {} of the {} words lie in one bank", banks.most, banks.words);
  }
  if (asks_global_memory(line.operation)) {
    return fmt::format("they lie in {} lines, of which L1 looks up four at a time",
                       line.example.counts.lines);
  }
  return "words that are asked for together lie in one bank";
}

/// "4-way bank conflict: ", where shared memory has one.
std::string conflict_title(const LineCounts& line, const std::vector<Cost>& costs) {
  if (!asks_shared_memory(line.operation) || line.operation == Operation::kSharedAtomic) return "";
  const Cost& cost = costs.back();
  if (cost.unit != "wavefront" || cost.is_ideal()) return "";
  const double ways = cost.counted / cost.ideal;
  return ways == std::round(ways) ? fmt::format("{:.0f}-way bank conflict: ", ways)
                                  : "Bank conflicts: ";
}

std::string product_text(const emulator::AccessCounts& counts) {
  if (counts.bytes == 0) return emulator::sentence("The factors are in the warp's registers.");
  return emulator::sentence(fmt::format(
      "The tensor cores read {} bytes of shared memory for a warp; no register holds them.",
      number_text(static_cast<double>(counts.bytes) / static_cast<double>(counts.requests))));
}

}  // namespace

bool asks_global_memory(Operation operation) {
  return operation == Operation::kGlobalLoad || operation == Operation::kGlobalStore ||
         operation == Operation::kGlobalAtomic || operation == Operation::kAsyncCopy ||
         operation == Operation::kBoxCopy || operation == Operation::kBoxStore;
}

bool asks_shared_memory(Operation operation) {
  return !asks_global_memory(operation) || operation == Operation::kAsyncCopy;
}

std::string_view code_of(AccessPatternKind kind) {
  switch (kind) {
    case AccessPatternKind::kSingleThread:
      return "single-thread";
    case AccessPatternKind::kSamePlace:
      return "same-place";
    case AccessPatternKind::kNeighbours:
      return "neighbours";
    case AccessPatternKind::kOneRun:
      return "one-run";
    case AccessPatternKind::kRows:
      return "rows";
    case AccessPatternKind::kStrided:
      return "strided";
    case AccessPatternKind::kRuns:
      return "runs";
    case AccessPatternKind::kScattered:
      return "scattered";
  }
  return "";
}

std::optional<AccessPattern> pattern_of(const LineCounts& line, std::size_t row_bytes) {
  const bool by_lanes = line.operation != Operation::kBoxCopy &&
                        line.operation != Operation::kBoxStore &&
                        line.operation != Operation::kProduct;
  if (!by_lanes || line.example.lanes == 0) return std::nullopt;
  const std::vector<std::int64_t> lanes = addresses_of(line.example);
  const std::set<std::int64_t> places(lanes.begin(), lanes.end());
  const auto bytes = static_cast<std::int64_t>(line.access_bytes);
  AccessPattern pattern = {
      .lanes = lanes.size(), .access_bytes = line.access_bytes, .places = places.size()};
  std::vector<std::int64_t> run_bytes = {bytes};
  for (auto at = std::next(places.begin()); at != places.end(); ++at) {
    if (*at == *std::prev(at) + bytes) {
      run_bytes.back() += bytes;
    } else {
      run_bytes.push_back(bytes);
    }
  }
  const auto [shortest, longest] = std::ranges::minmax(run_bytes);
  pattern.runs = run_bytes.size();
  pattern.shortest_run_bytes = shortest;
  pattern.longest_run_bytes = longest;
  if (lanes.size() == 1) return pattern;

  const std::int64_t step = lanes[1] - lanes[0];
  bool even = step != 0;
  for (std::size_t i = 1; i < lanes.size(); ++i)
    even = even && lanes[i] - lanes[i - 1] == step;
  if (even) pattern.step_bytes = step;
  const std::int64_t span = *places.rbegin() + bytes - *places.begin();
  const auto row = static_cast<std::int64_t>(row_bytes);
  pattern.kind = places.size() == 1                             ? AccessPatternKind::kSamePlace
                 : even && step == bytes                        ? AccessPatternKind::kNeighbours
                 : span == bytes * std::ssize(places)           ? AccessPatternKind::kOneRun
                 : even && row > 0 && std::abs(step) % row == 0 ? AccessPatternKind::kRows
                 : even                                         ? AccessPatternKind::kStrided
                 : pattern.runs == pattern.places               ? AccessPatternKind::kScattered
                                                                : AccessPatternKind::kRuns;
  return pattern;
}

AccessVerdict verdict_of(const LineCounts& line, std::size_t row_bytes) {
  if (line.operation == Operation::kProduct) return {.text = product_text(line.counts)};
  const std::vector<Cost> costs = costs_of(line);
  if (costs.empty()) return {};
  if (line.operation == Operation::kBoxCopy) {
    return {.text = emulator::sentence("The copy engine brings a box of " +
                                       plural(costs.front().counted, "sector") +
                                       "; no thread loads or stores them.")};
  }
  if (line.operation == Operation::kBoxStore) {
    return {.text = emulator::sentence("The copy engine writes a box of " +
                                       plural(costs.front().counted, "sector") +
                                       " from shared memory; no thread stores them.")};
  }
  std::string text = conflict_title(line, costs) + costs_text(costs);
  const std::optional<AccessPattern> pattern = pattern_of(line, row_bytes);
  if (!pattern) return {.text = emulator::sentence(text + ".")};
  text += ": " + pattern_text(*pattern, line);
  const bool more_sectors = costs.front().unit == "sector" && !costs.front().is_ideal();
  const bool side_by_side = pattern->kind == AccessPatternKind::kNeighbours ||
                            pattern->kind == AccessPatternKind::kOneRun;
  if (more_sectors && side_by_side) {
    text += ", but the first of them begins inside a sector";
  }
  const bool more_wavefronts = costs.back().unit == "wavefront" && !costs.back().is_ideal();
  if (more_wavefronts) text += ", and " + banks_text(line);
  return {.pattern = pattern, .text = emulator::sentence(text + ".")};
}

}  // namespace ladder
