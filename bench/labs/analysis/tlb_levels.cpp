// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/tlb_levels.cpp
#include "bench/labs/analysis/tlb_levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <variant>

#include "bench/labs/analysis/cliff.hpp"

namespace ladder::labs {
namespace {

constexpr double kLeastPlaces = 3;
constexpr double kRiseOctaves = 0.5;  // over which a rise is looked for: the sets of 4 ways
constexpr double kStandsOut = 5;      // standard deviations
constexpr double kSigmaOfMedian = 1.2533;

/// A median and how exactly it is known.
struct Level {
  double cycles = 0;
  double sigma = 0;
};

/// A rise over the same distance with one stride.
struct Rise {
  double cycles = 0;
  double sigma = 0;

  bool stands_out() const { return cycles > kStandsOut * sigma; }
};

/// From where nothing has risen to where all has.
struct Window {
  double low = 0;
  double high = 0;
};

/// A level, and where it was seen.
struct Seen {
  TlbLevel level;
  Window window;
};

/// Something that rises at a distance with a stride.
struct Candidate {
  std::size_t stride = 0;  ///< its index
  double bytes = 0;
  double cycles = 0;
};

class Search {
 public:
  Search(const WalkLimits& limits, const PageWalk& walk,
         const std::function<void(double)>& on_progress)
      : limits_(limits), walk_(walk), on_progress_(on_progress) {}

  TlbSearch run();

 private:
  void walk_all();
  std::vector<std::uint64_t> places_of(std::uint64_t stride) const;
  std::uint64_t most_places(std::uint64_t stride) const {
    return std::min(limits_.most_places, limits_.most_bytes / stride);
  }
  /// Samples of walks.
  std::vector<Point> measured(std::uint64_t stride, const std::vector<std::uint64_t>& places,
                              int samples);
  std::vector<Candidate> candidates() const;
  double least_rise(const std::vector<Point>& curve, std::size_t i) const;
  /// Rises around each point of a curve.
  std::vector<double> rises(const std::vector<Point>& curve) const;
  void resolve(const std::vector<Candidate>& same_distance);
  std::variant<Seen, std::string> reach_of(const Candidate& candidate);
  void add_page(TlbLevel& level, const Window& window);
  void look_for_higher_rises();
  const TlbLevel* running_out(std::uint64_t stride, double bytes) const;
  bool explained(std::uint64_t stride, double bytes, double cycles) const;
  std::optional<Cliff> cliff_at(std::uint64_t stride, double bytes);
  Rise rise_between(std::uint64_t stride, double low, double high, int times = 1);
  static int times_to_halve(const Rise& rise);
  Level level_at(std::uint64_t stride, double bytes, bool up, int times = 1);

  WalkLimits limits_;
  const PageWalk& walk_;
  const std::function<void(double)>& on_progress_;
  TlbSearch search_;
  double sigma_ = 0;  // of one walk
  std::uint64_t seed_ = 0;
  std::mt19937_64 random_{1};
};

std::vector<std::uint64_t> Search::places_of(std::uint64_t stride) const {
  std::vector<std::uint64_t> places;
  const std::uint64_t most = most_places(stride);
  const double factor = std::exp2(1.0 / limits_.points_per_octave);
  for (double exact = kLeastPlaces; exact < static_cast<double>(most); exact *= factor) {
    const auto count = static_cast<std::uint64_t>(std::llround(exact));
    if (places.empty() || count > places.back()) places.push_back(count);
  }
  if (most > kLeastPlaces && (places.empty() || places.back() < most)) places.push_back(most);
  return places;
}

std::vector<Point> Search::measured(std::uint64_t stride, const std::vector<std::uint64_t>& places,
                                    int samples) {
  std::vector<Point> points;
  points.reserve(places.size());
  for (const std::uint64_t count : places)
    points.push_back({.x = static_cast<double>(count * stride), .samples = {}});
  // Each pass in another order: clocks that drift, or throttle for a while, then do not look like a
  // slope or a step.
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int sample = 0; sample < samples; ++sample) {
    std::ranges::shuffle(order, random_);
    for (const std::size_t i : order)
      points[i].samples.push_back(walk_(stride, places[i], ++seed_));
  }
  return points;
}

void Search::walk_all() {
  std::vector<double> sigmas;
  const auto strides = static_cast<double>(std::bit_width(limits_.most_stride) -
                                           std::bit_width(limits_.least_stride) + 1);
  for (std::uint64_t stride = limits_.least_stride; stride <= limits_.most_stride; stride *= 2) {
    const std::vector<std::uint64_t> places = places_of(stride);
    if (places.empty()) break;
    search_.curves.push_back(
        {.stride_bytes = stride, .curve = measured(stride, places, limits_.samples)});
    for (const Point& point : search_.curves.back().curve)
      sigmas.push_back(robust_sigma(point.samples));
    search_.farthest_bytes =
        std::max(search_.farthest_bytes, static_cast<double>(places.back() * stride));
    on_progress_(0.8 * static_cast<double>(search_.curves.size()) / strides);
  }
  if (search_.curves.empty()) throw std::invalid_argument("The limits leave nothing to walk.");
  // Few samples lie nearer to their own median than to the truth.
  sigma_ = std::max(1.15 * median_of(sigmas),
                    1e-4 * median_of(search_.curves.front().curve.front().samples));
}

/// Mean of the medians of some points.
double mean_of(const std::vector<Point>& curve, std::ptrdiff_t from, std::ptrdiff_t to) {
  const auto last = static_cast<std::ptrdiff_t>(curve.size()) - 1;
  from = std::clamp<std::ptrdiff_t>(from, 0, last);
  to = std::clamp<std::ptrdiff_t>(to, 0, last);
  double sum = 0;
  for (std::ptrdiff_t i = from; i <= to; ++i)
    sum += median_of(curve[static_cast<std::size_t>(i)].samples);
  return sum / static_cast<double>(to - from + 1);
}

std::vector<double> Search::rises(const std::vector<Point>& curve) const {
  std::vector<double> rises(curve.size(), 0);
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    std::size_t end = i + 1;
    while (end + 1 < curve.size() && curve[end].x < curve[i].x * std::exp2(kRiseOctaves))
      ++end;
    const auto begin = static_cast<std::ptrdiff_t>(i);
    const auto behind = static_cast<std::ptrdiff_t>(end);
    rises[i] = mean_of(curve, behind, behind + 1) - mean_of(curve, begin - 1, begin);
  }
  return rises;
}

/// \brief  A rise that stands out from noise: the difference of two rises, each between means of
///         two medians. Walks of few places scatter more than others: some lines are farther away.
double Search::least_rise(const std::vector<Point>& curve, std::size_t i) const {
  std::vector<double> sigmas;
  for (std::size_t j = i < 2 ? 0 : i - 2; j < std::min(i + 5, curve.size()); ++j)
    sigmas.push_back(robust_sigma(curve[j].samples));
  return kStandsOut * std::max(sigma_, median_of(sigmas)) * kSigmaOfMedian *
         std::sqrt(2.0 / limits_.samples);
}

std::vector<Candidate> Search::candidates() const {
  std::vector<Candidate> found;
  std::vector<double> finer;
  for (std::size_t s = 0; s < search_.curves.size(); ++s) {
    const std::vector<Point>& curve = search_.curves[s].curve;
    // What rises at the same number of places with half of the stride has run out of entries, and
    // is no reach. The curves have the same numbers of places, from the first on.
    std::vector<double> clean = rises(curve);
    const std::vector<double> all = clean;
    for (std::size_t i = 0; i < std::min(clean.size(), finer.size()); ++i)
      clean[i] -= std::max(finer[i], 0.0);
    for (std::size_t i = 0; i < clean.size(); ++i) {
      const std::size_t from = i < 4 ? 0 : i - 4;
      const std::size_t to = std::min(i + 5, clean.size());
      const double highest = *std::max_element(clean.begin() + static_cast<std::ptrdiff_t>(from),
                                               clean.begin() + static_cast<std::ptrdiff_t>(to));
      if (clean[i] > std::max(search_.least_rise_cycles, least_rise(curve, i)) &&
          clean[i] == highest)
        found.push_back({.stride = s, .bytes = curve[i].x, .cycles = clean[i]});
    }
    finer = all;
  }
  std::ranges::sort(found, {}, &Candidate::bytes);
  return found;
}

/// Latency over a distance, or over the next one that such strides reach.
/// \param  times  as many samples as usual
Level Search::level_at(std::uint64_t stride, double bytes, bool up, int times) {
  const double exact = bytes / static_cast<double>(stride);
  const auto places = static_cast<std::uint64_t>(up ? std::ceil(exact) : std::floor(exact));
  const std::uint64_t within =
      std::clamp<std::uint64_t>(places, 1, std::max<std::uint64_t>(most_places(stride), 1));
  const int samples = 4 * times * limits_.samples;
  const std::vector<Point> point = measured(stride, {within}, samples);
  return {.cycles = median_of(point[0].samples),
          .sigma = std::max(sigma_, robust_sigma(point[0].samples)) * kSigmaOfMedian /
                   std::sqrt(static_cast<double>(samples))};
}

Rise Search::rise_between(std::uint64_t stride, double low, double high, int times) {
  const Level before = level_at(stride, low, false, times);
  const Level behind = level_at(stride, high, true, times);
  return {.cycles = behind.cycles - before.cycles, .sigma = std::hypot(before.sigma, behind.sigma)};
}

/// \brief  As many times the samples as it takes to tell a half of a rise from anything that is
///         not a half. A small rise, measured as a large one is, would fail that by chance.
int Search::times_to_halve(const Rise& rise) {
  constexpr double kSigmaOfShare = 0.025;  // a quarter of what a half may be off
  constexpr double kMostTimes = 16;
  const double exact = std::pow(rise.sigma / (kSigmaOfShare * rise.cycles), 2);
  return static_cast<int>(std::ceil(std::clamp(exact, 1.0, kMostTimes)));
}

/// Measures a rise again, closely: first where it is, then each place there.
std::optional<Cliff> Search::cliff_at(std::uint64_t stride, double bytes) {
  constexpr double kMostPoints = 48;
  const auto unit = static_cast<double>(stride);
  const auto most = static_cast<double>(most_places(stride));
  double from = std::floor(bytes / 1.25 / unit);
  double to = std::min(std::ceil(bytes * 1.9 / unit), most);
  std::optional<Cliff> cliff;
  for (int zoom = 0; zoom < 3; ++zoom) {
    const double step = std::max(1.0, std::ceil((to - from) / kMostPoints));
    std::vector<std::uint64_t> places;
    for (double count = std::max(from, 1.0); count <= to; count += step)
      places.push_back(static_cast<std::uint64_t>(count));
    if (places.size() < 4) return {};
    cliff = fit_cliff(measured(stride, places, limits_.samples), unit);
    if (!cliff || step == 1) break;
    const double begin = cliff->begin.low / unit;
    const double end = cliff->full.high / unit;
    const double margin = std::max(0.15 * (end - begin), 3 * step);
    from = std::floor(begin - margin);
    to = std::min(std::ceil(end + margin), most);
  }
  return cliff;
}

/// The level whose entries run out about there, with a stride above its page; nullptr if there is
/// none.
const TlbLevel* Search::running_out(std::uint64_t stride, double bytes) const {
  const auto found = std::ranges::find_if(search_.levels, [&](const TlbLevel& level) {
    const std::uint64_t page = level.page_bytes.value_or(level.stride_bytes);
    if (stride <= page) return false;
    const double places = level.reach_bytes.value / static_cast<double>(page);
    const double ratio = bytes / static_cast<double>(stride) / places;
    return ratio > 0.1 && ratio < 3;
  });
  return found == search_.levels.end() ? nullptr : &*found;
}

/// Whether that explains a rise: it is no higher than that of the level.
bool Search::explained(std::uint64_t stride, double bytes, double cycles) const {
  const TlbLevel* const level = running_out(stride, bytes);
  return level != nullptr && cycles < 1.3 * level->rise_cycles;
}

Window window_of(const Cliff& cliff, std::uint64_t stride) {
  return {.low = 0.97 * cliff.begin.low,
          .high = std::max(1.02 * cliff.full.high,
                           cliff.begin.high + 2.0 * static_cast<double>(stride))};
}

std::string stride_text(std::uint64_t stride) {
  constexpr std::uint64_t kMiB = 1 << 20;
  return stride >= kMiB ? std::to_string(stride / kMiB) + " MiB"
                        : std::to_string(stride >> 10) + " KiB";
}

/// \brief  The level that rises there, as far as the reach: with half of the stride it rises half
///         as much at the same distance. What also rises at as many places with a smaller stride
///         has run out of entries, or of one in the same set.
std::variant<Seen, std::string> Search::reach_of(const Candidate& candidate) {
  const std::uint64_t stride = search_.curves[candidate.stride].stride_bytes;
  if (candidate.stride < 1) return "no walk with a smaller stride can confirm it";
  const std::optional<Cliff> cliff = cliff_at(stride, candidate.bytes);
  if (!cliff) return "the walks end before it can be told from noise";
  Window window = window_of(*cliff, stride);
  window.high = std::min(window.high, static_cast<double>(most_places(stride) * stride));
  Rise rise = rise_between(stride, window.low, window.high);
  if (!rise.stands_out()) return "it does not stand out from noise";
  const std::uint64_t half_stride = stride / 2;
  if (window.high > static_cast<double>(most_places(half_stride) * half_stride))
    return "no walk with half of the stride is long enough to confirm it";
  const int times = times_to_halve(rise);
  if (times > 1) rise = rise_between(stride, window.low, window.high, times);
  const Rise half = rise_between(stride / 2, window.low, window.high, times);
  if (!half.stands_out() || half.cycles < 0.4 * rise.cycles || half.cycles > 0.62 * rise.cycles) {
    return "with a stride of " + stride_text(stride / 2) +
           ", it is not half as high, as that of a TLB would be";
  }
  // A reach does not depend on the stride. Where half of the stride rises earlier, this is the rest
  // of another rise.
  constexpr double kEarlier = 1.4;
  const Rise earlier = rise_between(stride / 2, window.low / kEarlier, window.low);
  if (earlier.stands_out() && earlier.cycles > 0.3 * rise.cycles)
    return "with a stride of " + stride_text(stride / 2) + ", it begins earlier";
  for (const std::uint64_t part : {2u, 4u}) {
    if (part / 2 > candidate.stride) continue;
    const Rise places = rise_between(stride / part, window.low / static_cast<double>(part),
                                     window.high / static_cast<double>(part), times);
    if (places.cycles > 0.5 * rise.cycles / static_cast<double>(part))
      return "as many places rise with a stride of " + stride_text(stride / part) + " as well";
  }
  if (explained(stride, cliff->begin.value, rise.cycles))
    return "entries of the level before may run out there";
  TlbLevel level = {.reach_bytes = cliff->begin,
                    .stride_bytes = stride,
                    .rise_cycles = rise.cycles,
                    .page_bytes = {},
                    .entries = {},
                    .penalty_cycles = cliff->rise,
                    .why_not = {}};
  if (!cliff->rise)
    level.why_not = window.high < static_cast<double>(most_places(stride) * stride)
                        ? "The rise is too small against noise to tell where it ends"
                        : "The walks end before the rise is over";
  if (const TlbLevel* const before = running_out(stride, cliff->begin.value)) {
    // It serves some pages by itself, so that the next level seems to hold a few more. With its own
    // page as stride, it serves none.
    const std::uint64_t smaller = before->page_bytes.value_or(before->stride_bytes);
    const std::optional<Cliff> again = cliff_at(smaller, cliff->begin.value);
    if (!again) return "entries of the level before run out there as well";
    level.reach_bytes = again->begin;
    // Its sets run out one after the other, the last one at twice the distance of the first.
    const double from =
        before->reach_bytes.value / static_cast<double>(smaller) * static_cast<double>(stride);
    if (from < window.high && 2 * from > window.low) {
      level.penalty_cycles.reset();
      level.why_not = "The level before runs out there as well, and they rise as one";
    }
  }
  return Seen{.level = level, .window = window};
}

/// Whether the stride is the page: with twice the stride, nothing rises there.
void Search::add_page(TlbLevel& level, const Window& window) {
  const std::uint64_t twice = 2 * level.stride_bytes;
  const std::optional<Estimate> penalty = std::exchange(level.penalty_cycles, {});
  if (twice > limits_.most_stride ||
      window.high > static_cast<double>(most_places(twice) * twice)) {
    level.why_not = "No walk with a larger stride is long enough to tell";
    return;
  }
  const Level here = level_at(level.stride_bytes, window.low, false);
  const Level there = level_at(twice, window.low, false);
  if (there.cycles < here.cycles - 3 * std::hypot(here.sigma, there.sigma) - 1) {
    level.why_not = "With a larger stride, the level before holds all places, and hides this one";
    return;
  }
  const Rise rise = rise_between(level.stride_bytes, window.low, window.high);
  const Rise skipped = rise_between(twice, window.low, window.high, times_to_halve(rise));
  if (skipped.cycles > 0.35 * rise.cycles) {
    level.why_not = "With twice the stride, something rises there as well";
    return;
  }
  const auto page = static_cast<double>(level.stride_bytes);
  level.page_bytes = level.stride_bytes;
  level.entries = {std::round(level.reach_bytes.value / page),
                   std::floor(level.reach_bytes.low / page),
                   std::ceil(level.reach_bytes.high / page)};
  level.penalty_cycles = penalty;
}

/// \brief  What rises at the same distance with some strides, the largest one last.
void Search::resolve(const std::vector<Candidate>& same_distance) {
  std::string why_not;
  for (const Candidate& candidate : std::views::reverse(same_distance)) {
    std::variant<Seen, std::string> found = reach_of(candidate);
    if (Seen* const seen = std::get_if<Seen>(&found)) {
      add_page(seen->level, seen->window);
      search_.levels.push_back(seen->level);
      return;
    }
    if (why_not.empty()) why_not = std::get<std::string>(found);
  }
  const Candidate& highest = *std::ranges::max_element(same_distance, {}, &Candidate::cycles);
  // With the stride that rises most it may begin late: a level before still held all places.
  const auto [first, last] = std::ranges::minmax(same_distance, {}, &Candidate::bytes);
  search_.unresolved.push_back({.begin_bytes = {highest.bytes, first.bytes / 1.3, last.bytes * 1.5},
                                .stride_bytes = search_.curves[highest.stride].stride_bytes,
                                .rise_cycles = highest.cycles,
                                .why_not = why_not});
}

/// \brief  With large strides, two levels may run out at the same distance, and look like one. Then
///         a curve rises by more than all that is known of, and something begins below.
void Search::look_for_higher_rises() {
  std::optional<UnresolvedCliff> highest;
  for (const auto& [stride, curve] : search_.curves) {
    double known = 0;
    for (const TlbLevel& level : search_.levels) {
      const double ratio = static_cast<double>(stride) / static_cast<double>(level.stride_bytes);
      known += level.rise_cycles * std::min(1.0, ratio);
    }
    for (const UnresolvedCliff& cliff : search_.unresolved)
      known += cliff.rise_cycles;
    const auto last = static_cast<std::ptrdiff_t>(curve.size()) - 1;
    const double base = mean_of(curve, 0, 1);
    const double excess = mean_of(curve, last - 1, last) - base - known;
    if (excess < 0.3 * known + 1.5 * search_.least_rise_cycles) continue;
    if (highest && excess < highest->rise_cycles) continue;
    const auto risen = std::ranges::find_if(curve, [&](const Point& point) {
      return median_of(point.samples) > base + known + excess / 2;
    });
    const double end = risen == curve.end() ? curve.back().x : risen->x;
    double begin = curve.front().x;
    for (const TlbLevel& level : search_.levels) {
      if (level.reach_bytes.low < end) begin = std::max(begin, level.reach_bytes.low);
    }
    highest = {.begin_bytes = {std::sqrt(begin * end), begin, end},
               .stride_bytes = stride,
               .rise_cycles = excess,
               .why_not = "another level runs out there as well, and they rise as one"};
  }
  if (highest) search_.unresolved.push_back(*highest);
}

TlbSearch Search::run() {
  walk_all();
  search_.least_rise_cycles =
      std::max(1.0, kStandsOut * sigma_ * kSigmaOfMedian * std::sqrt(2.0 / limits_.samples));
  std::vector<Candidate> found = candidates();
  while (!found.empty()) {
    constexpr double kSame = 1.6;  // the rise is looked for over half an octave
    const double bytes = found.front().bytes;
    std::vector<Candidate> same;
    std::erase_if(found, [&](const Candidate& candidate) {
      if (candidate.bytes > kSame * bytes) return false;
      if (!explained(search_.curves[candidate.stride].stride_bytes, candidate.bytes,
                     candidate.cycles))
        same.push_back(candidate);
      return true;
    });
    if (same.empty()) continue;
    std::ranges::sort(same, {}, &Candidate::stride);
    resolve(same);
  }
  std::erase_if(search_.unresolved, [&](const UnresolvedCliff& cliff) {
    return explained(cliff.stride_bytes, cliff.begin_bytes.value, cliff.rise_cycles);
  });
  look_for_higher_rises();
  on_progress_(1.0);
  return std::move(search_);
}

}  // namespace

TlbSearch find_tlb_levels(const WalkLimits& limits, const PageWalk& walk,
                          const std::function<void(double)>& on_progress) {
  if (!std::has_single_bit(limits.least_stride) || !std::has_single_bit(limits.most_stride) ||
      limits.points_per_octave < 1 || limits.samples < 1)
    throw std::invalid_argument("Strides are powers of two, and curves have points and samples.");
  return Search(limits, walk, on_progress).run();
}

}  // namespace ladder::labs
