// SPDX-License-Identifier: MIT
#include "common/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ladder {
namespace {

constexpr std::array<std::pair<std::string_view, Protocol>, 3> kProtocols = {{
    {"burst", Protocol::burst},
    {"sustained", Protocol::sustained},
    {"graph", Protocol::graph},
}};

constexpr int kBurstRounds = 5;
constexpr int kBurstLaunches = 10;
constexpr double kBurstRestMs = 250.0;
constexpr double kSustainedMs = 2000.0;
constexpr double kSustainedRestMs = 1000.0;
constexpr int kSustainedSamples = 20;
constexpr int kGraphRounds = 9;
constexpr int kFewestGraphLaunches = 20;
/// Slow candidates get fewer launches per sample, so that none takes longer than this.
constexpr double kLongestSampleMs = 1000.0;

constexpr double kSustainedWindowMs = kSustainedMs / 2 / kSustainedSamples;

/// Launches that fit into `ms`: at least one.
int launches_within(double ms, int most, double launch_ms) {
  return std::clamp(static_cast<int>(ms / launch_ms), 1, most);
}

/// Launches of a graph: whole rounds through all sets. A replay begins where the last one ended,
/// and so each launch finds its set as cold as the others do.
int graph_launches(int sets) {
  return (kFewestGraphLaunches + sets - 1) / sets * sets;
}

/// One candidate while it is measured.
struct Measured {
  const Candidate* candidate;
  double estimate_ms = 0.0;  ///< of one launch, from a first look
  int counter = 0;

  void launch(int times) {
    for (int i = 0; i < times; ++i)
      candidate->launch(counter++);
  }
  int launches_within(double ms, int most) const {
    return ladder::launches_within(ms, most, estimate_ms);
  }
};

class Session {
 public:
  Session(Stopwatch& stopwatch, std::span<const Candidate> candidates,
          const std::function<void(double)>& on_sample)
      : stopwatch_(stopwatch), on_sample_(on_sample) {
    for (const Candidate& candidate : candidates) {
      Measured run{.candidate = &candidate};
      run.launch(1);  // loads the module, warms up
      run.estimate_ms = std::max(1e-3, stopwatch.time_ms([&] { run.launch(1); }));
      runs_.push_back(run);
      result_.push_back({.name = candidate.name, .ms = {}, .launches_per_sample = 1, .clocks = {}});
    }
  }

  std::vector<Samples> burst() {
    in_turn(kBurstRounds, [&](Measured& run, Samples& samples) {
      samples.launches_per_sample = run.launches_within(kLongestSampleMs, kBurstLaunches);
      stopwatch_.rest_ms(kBurstRestMs);
      if (run.estimate_ms < kLongestSampleMs) run.launch(1);
      samples.ms.push_back(stopwatch_.time_ms([&] { run.launch(samples.launches_per_sample); }) /
                           samples.launches_per_sample);
    });
    return std::move(result_);
  }

  std::vector<Samples> sustained() {
    in_turn(1, [&](Measured& run, Samples& samples) {
      samples.launches_per_sample = run.launches_within(kSustainedWindowMs, 1 << 20);
      stopwatch_.rest_ms(kSustainedRestMs);
      const auto window = [&] {
        return stopwatch_.time_ms([&] { run.launch(samples.launches_per_sample); });
      };
      for (double heated_ms = 0.0; heated_ms < kSustainedMs / 2;)
        heated_ms += window();
      for (int i = 0; i < kSustainedSamples; ++i) {
        samples.ms.push_back(window() / samples.launches_per_sample);
      }
    });
    return std::move(result_);
  }

  std::vector<Samples> graph() {
    std::vector<std::function<void()>> graphs;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const int launches =
          runs_[i].launches_within(kLongestSampleMs, graph_launches(runs_[i].candidate->sets));
      result_[i].launches_per_sample = launches;
      graphs.push_back(stopwatch_.record_graph([&] { runs_[i].launch(launches); }));
    }
    in_turn(kGraphRounds, [&](Measured& run, Samples& samples) {
      const std::function<void()>& replay = graphs[&run - runs_.data()];
      replay();
      samples.ms.push_back(stopwatch_.time_ms(replay) / samples.launches_per_sample);
    });
    return std::move(result_);
  }

 private:
  template <class Sample>
  void in_turn(int rounds, Sample sample) {
    const double all = static_cast<double>(rounds) * runs_.size();
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (on_sample_) on_sample_((round * runs_.size() + i) / all);
        sample(runs_[i], result_[i]);
        stopwatch_.log_clocks(result_[i].clocks);
      }
    }
  }

  Stopwatch& stopwatch_;
  const std::function<void(double)>& on_sample_;
  std::vector<Measured> runs_;
  std::vector<Samples> result_;
};

}  // namespace

std::string_view name_of(Protocol protocol) {
  return std::ranges::find(kProtocols, protocol, [](const auto& p) { return p.second; })->first;
}

Protocol protocol_named(std::string_view name) {
  const auto* found = std::ranges::find(kProtocols, name, [](const auto& p) { return p.first; });
  if (found == kProtocols.end()) {
    throw std::invalid_argument(
        fmt::format("unknown protocol '{}': choose burst, sustained or graph", name));
  }
  return found->second;
}

std::vector<Samples> measure(Stopwatch& stopwatch, std::span<const Candidate> candidates,
                             Protocol protocol, const std::function<void(double)>& on_sample) {
  Session session(stopwatch, candidates, on_sample);
  switch (protocol) {
    case Protocol::burst:
      return session.burst();
    case Protocol::sustained:
      return session.sustained();
    case Protocol::graph:
      return session.graph();
  }
  throw std::invalid_argument("unknown protocol");
}

int samples_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::burst:
      return kBurstRounds;
    case Protocol::sustained:
      return kSustainedSamples;
    case Protocol::graph:
      return kGraphRounds;
  }
  throw std::invalid_argument("unknown protocol");
}

double measuring_ms(Protocol protocol, double launch_ms, int sets) {
  const double launch = std::max(1e-3, launch_ms);
  const double first_look = 2 * launch;
  switch (protocol) {
    case Protocol::burst: {
      const int warm_ups = launch < kLongestSampleMs ? 1 : 0;
      const int launches = warm_ups + launches_within(kLongestSampleMs, kBurstLaunches, launch);
      return first_look + kBurstRounds * (kBurstRestMs + launches * launch);
    }
    case Protocol::sustained: {
      const double window = launches_within(kSustainedWindowMs, 1 << 20, launch) * launch;
      const double heating = std::ceil(kSustainedMs / 2 / window) * window;
      return first_look + kSustainedRestMs + heating + kSustainedSamples * window;
    }
    case Protocol::graph:
      return first_look + kGraphRounds * 2 * launch *
                              launches_within(kLongestSampleMs, graph_launches(sets), launch);
  }
  throw std::invalid_argument("unknown protocol");
}

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the median of no values");
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double spread(std::span<const double> values) {
  const double middle = median({values.begin(), values.end()});
  const auto [smallest, largest] = std::ranges::minmax(values);
  return (largest - smallest) / middle;
}

double paired_ratio(const Samples& candidate, const Samples& reference) {
  if (candidate.ms.size() != reference.ms.size()) {
    throw std::invalid_argument("samples of different rounds cannot be paired");
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < candidate.ms.size(); ++i) {
    ratios.push_back(reference.ms[i] / candidate.ms[i]);
  }
  return median(std::move(ratios));
}

}  // namespace ladder
