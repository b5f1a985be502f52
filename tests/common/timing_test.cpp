// SPDX-License-Identifier: MIT
/// \file  tests/common/timing_test.cpp
/// \brief The protocols keep what they promise, seen through a stopwatch whose time is made up.
#include "common/timing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder {
namespace {

/// What happened, in order.
struct Event {
  enum Kind { kRest, kLaunch, kBegin, kEnd, kRecord, kReplay, kClocks } kind;
  std::string name = {};  ///< of the candidate
  int counter = -1;       ///< of the launch
  double ms = 0.0;        ///< of the rest
};

/// A stopwatch with a clock that launches and rests move on.
class ScriptedStopwatch final : public Stopwatch {
 public:
  Stream stream() override { return nullptr; }

  double time_ms(const std::function<void()>& work) override {
    events.push_back({.kind = Event::kBegin});
    const double start = now_ms;
    work();
    events.push_back({.kind = Event::kEnd});
    return now_ms - start;
  }

  std::function<void()> record_graph(const std::function<void()>& work) override {
    events.push_back({.kind = Event::kRecord});
    const double start = now_ms;
    work();
    const double duration = now_ms - start;
    now_ms = start;  // recording runs nothing
    events.push_back({.kind = Event::kEnd});
    return [this, duration] {
      events.push_back({.kind = Event::kReplay});
      now_ms += duration;
    };
  }

  void rest_ms(double ms) override {
    events.push_back({.kind = Event::kRest, .ms = ms});
    now_ms += ms;
    rested_at_ms = now_ms;
  }

  void log_clocks(ClockLog& log) override {
    events.push_back({.kind = Event::kClocks});
    log.sm_mhz.push_back(static_cast<double>(log.sm_mhz.size()));
  }

  /// A candidate whose launches take as long as `cost_ms()` says at that moment.
  Candidate candidate(const std::string& name, std::function<double()> cost_ms) {
    return {name, [this, name, cost_ms = std::move(cost_ms)](int counter) {
              events.push_back({.kind = Event::kLaunch, .name = name, .counter = counter});
              now_ms += cost_ms();
            }};
  }
  Candidate candidate(const std::string& name, double cost_ms) {
    return candidate(name, [cost_ms] { return cost_ms; });
  }

  std::vector<Event> of_kind(Event::Kind kind) const {
    std::vector<Event> found;
    for (const Event& event : events) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

  /// How many launches of `name` each timed stretch held, first looks included.
  std::vector<int> timed_launches(const std::string& name) const {
    std::vector<int> counts;
    bool timed = false;
    int launches = 0;
    for (const Event& event : events) {
      if (event.kind == Event::kBegin) {
        timed = true;
        launches = 0;
      }
      if (timed && event.kind == Event::kLaunch && event.name == name) ++launches;
      if (event.kind == Event::kEnd && timed) {
        timed = false;
        if (launches > 0) counts.push_back(launches);
      }
    }
    return counts;
  }

  std::vector<Event> events;
  double now_ms = 0.0;
  double rested_at_ms = 0.0;
};

void expect_all_near(const std::vector<double>& values, double expected) {
  for (const double value : values)
    EXPECT_NEAR(value, expected, 1e-9);
}

TEST(TimingTest, BurstRestsWarmsUpAndTimesTenLaunches) {
  ScriptedStopwatch stopwatch;
  const std::vector<Candidate> candidates = {stopwatch.candidate("quick", 2.0),
                                             stopwatch.candidate("other", 5.0)};
  const std::vector<Samples> measured = measure(stopwatch, candidates, Protocol::burst);
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].name, "quick");
  EXPECT_EQ(measured[1].name, "other");
  EXPECT_EQ(measured[0].ms.size(), 5u);
  EXPECT_EQ(measured[1].ms.size(), 5u);
  EXPECT_EQ(measured[0].launches_per_sample, 10);
  expect_all_near(measured[0].ms, 2.0);
  expect_all_near(measured[1].ms, 5.0);

  const std::vector<Event> rests = stopwatch.of_kind(Event::kRest);
  EXPECT_EQ(rests.size(), 10u);
  for (const Event& rest : rests)
    EXPECT_GE(rest.ms, 250.0);
  // The first look times one launch, each round ten.
  EXPECT_EQ(stopwatch.timed_launches("quick"), (std::vector<int>{1, 10, 10, 10, 10, 10}));
  EXPECT_EQ(measured[0].clocks.sm_mhz.size(), 5u);
  EXPECT_EQ(measured[1].clocks.sm_mhz.size(), 5u);

  // After each rest one launch warms up before the clock starts.
  for (std::size_t i = 0; i + 2 < stopwatch.events.size(); ++i) {
    if (stopwatch.events[i].kind != Event::kRest) continue;
    EXPECT_EQ(stopwatch.events[i + 1].kind, Event::kLaunch);
    EXPECT_EQ(stopwatch.events[i + 2].kind, Event::kBegin);
  }
}

TEST(TimingTest, TheFirstLaunchIsNeverTimed) {
  for (const Protocol protocol : {Protocol::burst, Protocol::sustained, Protocol::graph}) {
    ScriptedStopwatch stopwatch;
    bool first = true;
    const auto cost = [&] {
      const double ms = first ? 1e5 : 1.0;  // a module that is loaded
      first = false;
      return ms;
    };
    const std::vector<Candidate> candidates = {stopwatch.candidate("a", cost)};
    const std::vector<Samples> measured = measure(stopwatch, candidates, protocol);
    expect_all_near(measured[0].ms, 1.0);
  }
}

TEST(TimingTest, CandidatesTakeTurnsRoundAfterRound) {
  for (const Protocol protocol : {Protocol::burst, Protocol::graph}) {
    ScriptedStopwatch stopwatch;
    std::vector<Candidate> candidates;
    for (const char* name : {"a", "b", "c"})
      candidates.push_back(stopwatch.candidate(name, 1.0));
    std::vector<double> done;
    measure(stopwatch, candidates, protocol, [&](double share) { done.push_back(share); });
    const std::size_t rounds = protocol == Protocol::burst ? 5 : 9;
    ASSERT_EQ(done.size(), 3 * rounds);
    for (std::size_t i = 0; i < done.size(); ++i) {
      EXPECT_NEAR(done[i], static_cast<double>(i) / done.size(), 1e-12);
    }
    if (protocol != Protocol::burst) continue;
    // Stretches of launches of one candidate: a b c for the first look, then a b c in each round.
    std::string order;
    for (const Event& event : stopwatch.of_kind(Event::kLaunch)) {
      if (order.empty() || order.back() != event.name[0]) order += event.name[0];
    }
    EXPECT_EQ(order, "abcabcabcabcabcabc");
  }
}

TEST(TimingTest, ASlowMachineSlowsAllCandidatesOfARound) {
  // From the third round on the GPU is hot. Interleaved candidates feel it in the same rounds.
  ScriptedStopwatch stopwatch;
  int rests = 0;
  const auto cost = [&](double ms) {
    return [&stopwatch, &rests, ms] {
      rests = static_cast<int>(stopwatch.of_kind(Event::kRest).size());
      return rests > 4 ? 3 * ms : ms;
    };
  };
  const std::vector<Candidate> candidates = {stopwatch.candidate("a", cost(1.0)),
                                             stopwatch.candidate("b", cost(2.0))};
  const std::vector<Samples> measured = measure(stopwatch, candidates, Protocol::burst);
  EXPECT_NEAR(paired_ratio(measured[0], measured[1]), 2.0, 1e-9);
  EXPECT_EQ(measured[0].ms, (std::vector<double>{1, 1, 3, 3, 3}));
}

TEST(TimingTest, CountersIncreaseSoThatBuffersRotate) {
  for (const Protocol protocol : {Protocol::burst, Protocol::sustained, Protocol::graph}) {
    ScriptedStopwatch stopwatch;
    const std::vector<Candidate> candidates = {stopwatch.candidate("a", 1.0),
                                               stopwatch.candidate("b", 20.0)};
    measure(stopwatch, candidates, protocol);
    std::map<std::string, int> next;
    for (const Event& event : stopwatch.of_kind(Event::kLaunch)) {
      EXPECT_EQ(event.counter, next[event.name]) << event.name;
      ++next[event.name];
    }
    EXPECT_GT(next["a"], 20);
    EXPECT_GT(next["b"], 20);
  }
}

TEST(TimingTest, SlowCandidatesGetFewerLaunches) {
  ScriptedStopwatch stopwatch;
  const std::vector<Candidate> candidates = {stopwatch.candidate("300 ms", 300.0),
                                             stopwatch.candidate("5 s", 5000.0)};
  const std::vector<Samples> burst = measure(stopwatch, candidates, Protocol::burst);
  EXPECT_EQ(burst[0].launches_per_sample, 3);
  EXPECT_EQ(burst[1].launches_per_sample, 1);
  expect_all_near(burst[0].ms, 300.0);
  expect_all_near(burst[1].ms, 5000.0);
  // What takes seconds needs no launch to warm up: two of the first look, one for each sample.
  int launches = 0;
  for (const Event& event : stopwatch.of_kind(Event::kLaunch))
    launches += event.name == "5 s";
  EXPECT_EQ(launches, 2 + 5);

  const std::vector<Samples> sustained = measure(stopwatch, candidates, Protocol::sustained);
  EXPECT_EQ(sustained[1].launches_per_sample, 1);
  expect_all_near(sustained[1].ms, 5000.0);
  const std::vector<Samples> graph = measure(stopwatch, candidates, Protocol::graph);
  EXPECT_EQ(graph[0].launches_per_sample, 3);
  EXPECT_EQ(graph[1].launches_per_sample, 1);
}

TEST(TimingTest, SustainedCountsTheSecondHalfOnly) {
  // The GPU lowers its clock one second after it began to work.
  ScriptedStopwatch stopwatch;
  const auto cost = [&] { return stopwatch.now_ms < stopwatch.rested_at_ms + 1000.0 ? 1.0 : 2.0; };
  const std::vector<Candidate> candidates = {stopwatch.candidate("a", cost),
                                             stopwatch.candidate("b", 0.5)};
  const double start_ms = stopwatch.now_ms;
  const std::vector<Samples> measured = measure(stopwatch, candidates, Protocol::sustained);
  expect_all_near(measured[0].ms, 2.0);
  expect_all_near(measured[1].ms, 0.5);
  EXPECT_EQ(measured[0].ms.size(), measured[1].ms.size());
  EXPECT_GE(measured[0].ms.size(), 10u);
  EXPECT_EQ(stopwatch.of_kind(Event::kRest).size(), 2u) << "one rest before each candidate";
  // Two seconds of work each, and the rests; "a" took longer once it was slow.
  EXPECT_GE(stopwatch.now_ms - start_ms, 2 * 2000.0);
  EXPECT_LE(stopwatch.now_ms - start_ms, 2 * 4100.0);
}

TEST(TimingTest, AGraphIsRecordedOnceAndReplayed) {
  ScriptedStopwatch stopwatch;
  const std::vector<Candidate> candidates = {stopwatch.candidate("a", 0.01),
                                             stopwatch.candidate("b", 0.02)};
  const std::vector<Samples> measured = measure(stopwatch, candidates, Protocol::graph);
  EXPECT_EQ(stopwatch.of_kind(Event::kRecord).size(), 2u);
  EXPECT_EQ(measured[0].ms.size(), 9u);
  EXPECT_EQ(measured[0].launches_per_sample, 20);
  expect_all_near(measured[0].ms, 0.01);
  expect_all_near(measured[1].ms, 0.02);
  // Each sample: one replay to warm up, one that is timed; the host launches nothing any more.
  EXPECT_EQ(stopwatch.of_kind(Event::kReplay).size(), 2u * 2 * 9);
  int launches = 0;
  for (const Event& event : stopwatch.of_kind(Event::kLaunch))
    launches += event.name == "a";
  EXPECT_EQ(launches, 2 + 20);
  const std::vector<Event>& events = stopwatch.events;
  for (std::size_t i = 1; i + 1 < events.size(); ++i) {
    if (events[i].kind != Event::kReplay || events[i - 1].kind != Event::kBegin) continue;
    EXPECT_EQ(events[i - 2].kind, Event::kReplay);
    EXPECT_EQ(events[i + 1].kind, Event::kEnd);
  }
}

TEST(TimingTest, AReplayGoesThroughAllSetsEquallyOften) {
  // Buffer sets, and the launches that go through them: whole rounds, 20 or more.
  const std::map<int, int> launches_of = {{1, 20},  {2, 20},  {7, 21},    {19, 38},
                                          {20, 20}, {21, 21}, {161, 161}, {2561, 2561}};
  for (const auto& [sets, launches] : launches_of) {
    SCOPED_TRACE(std::to_string(sets) + " sets");
    ScriptedStopwatch stopwatch;
    std::vector<Candidate> candidates = {stopwatch.candidate("a", 0.01)};
    candidates[0].sets = sets;
    const std::vector<Samples> measured = measure(stopwatch, candidates, Protocol::graph);
    EXPECT_EQ(measured[0].launches_per_sample, launches);
    expect_all_near(measured[0].ms, 0.01);

    std::map<int, int> taken;  // in the recorded graph, by set
    bool recording = false;
    for (const Event& event : stopwatch.events) {
      recording = event.kind == Event::kRecord || (recording && event.kind != Event::kEnd);
      if (recording && event.kind == Event::kLaunch) ++taken[event.counter % sets];
    }
    EXPECT_EQ(static_cast<int>(taken.size()), sets);
    for (const auto& [set, times] : taken)
      EXPECT_EQ(times, launches / sets) << "set " << set;
  }
}

TEST(TimingTest, EachCandidateHasItsOwnSets) {
  ScriptedStopwatch stopwatch;
  std::vector<Candidate> candidates = {stopwatch.candidate("many", 0.01),
                                       stopwatch.candidate("slow", 300.0),
                                       stopwatch.candidate("one", 0.01)};
  candidates[0].sets = candidates[1].sets = 100;
  const std::vector<Samples> graph = measure(stopwatch, candidates, Protocol::graph);
  EXPECT_EQ(graph[0].launches_per_sample, 100);
  EXPECT_EQ(graph[1].launches_per_sample, 3) << "a second at most";
  EXPECT_EQ(graph[2].launches_per_sample, 20);
  const std::vector<Samples> burst = measure(stopwatch, candidates, Protocol::burst);
  EXPECT_EQ(burst[0].launches_per_sample, 10);
}

TEST(TimingTest, AnImmeasurablyQuickLaunchIsNoDivisionByZero) {
  for (const Protocol protocol : {Protocol::burst, Protocol::graph}) {
    ScriptedStopwatch stopwatch;
    const std::vector<Candidate> candidates = {stopwatch.candidate("nothing", 0.0)};
    const std::vector<Samples> measured = measure(stopwatch, candidates, protocol);
    expect_all_near(measured[0].ms, 0.0);
    EXPECT_EQ(measured[0].launches_per_sample, protocol == Protocol::burst ? 10 : 20);
  }
}

TEST(TimingTest, HowLongItWillTakeIsKnownBefore) {
  for (const Protocol protocol : {Protocol::burst, Protocol::sustained, Protocol::graph}) {
    for (const double launch_ms : {0.03125, 3.0, 300.0, 2500.0}) {
      for (const int sets : {1, 7, 500}) {
        SCOPED_TRACE(std::string(name_of(protocol)) + ", " + std::to_string(launch_ms) + " ms, " +
                     std::to_string(sets) + " sets");
        ScriptedStopwatch stopwatch;
        std::vector<Candidate> candidates = {stopwatch.candidate("a", launch_ms)};
        candidates[0].sets = sets;
        const std::vector<Samples> measured = measure(stopwatch, candidates, protocol);
        EXPECT_NEAR(measuring_ms(protocol, launch_ms, sets), stopwatch.now_ms,
                    1e-6 * stopwatch.now_ms);
        EXPECT_EQ(samples_of(protocol), static_cast<int>(measured[0].ms.size()));
      }
    }
  }
}

TEST(TimingTest, NoCandidatesNoSamples) {
  ScriptedStopwatch stopwatch;
  EXPECT_TRUE(measure(stopwatch, {}, Protocol::burst).empty());
}

TEST(TimingTest, Median) {
  EXPECT_EQ(median({3, 1, 2}), 2.0);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7.0);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(TimingTest, Spread) {
  EXPECT_DOUBLE_EQ(spread(std::vector<double>{2, 1, 4}), 1.5);
  EXPECT_DOUBLE_EQ(spread(std::vector<double>{5, 5, 5}), 0.0);
  EXPECT_THROW(spread(std::vector<double>{}), std::invalid_argument);
}

TEST(TimingTest, PairedRatio) {
  const Samples candidate{.name = "a", .ms = {1, 2, 4}, .launches_per_sample = 1};
  const Samples reference{.name = "b", .ms = {2, 2, 4}, .launches_per_sample = 1};
  EXPECT_DOUBLE_EQ(paired_ratio(candidate, reference), 1.0);
  EXPECT_DOUBLE_EQ(
      paired_ratio(reference, {.name = "c", .ms = {1, 1, 1}, .launches_per_sample = 1}), 0.5);
  const Samples shorter{.name = "d", .ms = {1, 2}, .launches_per_sample = 1};
  EXPECT_THROW(paired_ratio(candidate, shorter), std::invalid_argument);
  const Samples none{.name = "e", .ms = {}, .launches_per_sample = 1};
  EXPECT_THROW(paired_ratio(none, none), std::invalid_argument);
}

TEST(TimingTest, ProtocolsHaveNames) {
  for (const Protocol protocol : {Protocol::burst, Protocol::sustained, Protocol::graph}) {
    EXPECT_EQ(protocol_named(name_of(protocol)), protocol);
  }
  EXPECT_EQ(name_of(Protocol::graph), "graph");
  for (const char* name : {"", "Burst", "bursts", "best"}) {
    try {
      protocol_named(name);
      ADD_FAILURE() << "'" << name << "' was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()),
                "unknown protocol '" + std::string(name) + "': choose burst, sustained or graph");
    }
  }
}

}  // namespace
}  // namespace ladder
