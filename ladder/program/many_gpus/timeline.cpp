// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/timeline.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "ladder/program/many_gpus/steps.hpp"

namespace ladder::many_gpus {
namespace {

using nlohmann::json;

std::string_view name_of(Work what) {
  switch (what) {
    case Work::tile:
      return "tile";
    case Work::wait:
      return "wait";
    case Work::fetch:
      return "fetch";
    case Work::deliver:
      return "deliver";
  }
  return "";
}

int kept(const Track& track) {
  return static_cast<int>(std::min<unsigned long long>(track.count, kMostIntervals));
}

/// \brief One rank's intervals: [block, what, peer, begin, end], in nanoseconds from the first on.
json to_json(const std::vector<Track>& tracks, int rank) {
  auto first = std::numeric_limits<unsigned long long>::max();
  for (const Track& track : tracks) {
    for (int i = 0; i < kept(track); ++i)
      first = std::min(first, track.intervals[i].begin);
  }
  json intervals = json::array();
  unsigned long long dropped = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    for (int i = 0; i < kept(tracks[t]); ++i) {
      const Interval& interval = tracks[t].intervals[i];
      intervals.push_back({t / kTracks, name_of(interval.what), interval.peer,
                           interval.begin - first, interval.end - first});
    }
    dropped += tracks[t].count - static_cast<unsigned long long>(kept(tracks[t]));
  }
  return {{"rank", rank}, {"intervals", intervals}, {"dropped", dropped}};
}

}  // namespace

template <class T>
json record_timeline(Setting& setting, const Problem& problem, Form form) {
  Machine& machine = setting.machine;
  const Ranks& ranks = setting.ranks;
  const auto [M, N, K] = problem.shape;
  const MachineArray<T> a(machine, static_cast<std::size_t>(M) * K);
  const MachineArray<T> b(machine, static_cast<std::size_t>(K) * N);
  machine.fill_random(a.data(), a.size(), {problem.seed, 0});
  machine.fill_random(b.data(), b.size(), {problem.seed, 1});
  std::unique_ptr<Product<T>> product;
  ranks.together([&] {
    product = std::make_unique<Product<T>>(setting, problem, form);
    const std::string& why_not = product->why_not_in_kernel();
    if (!why_not.empty()) throw MachineError("no product in the kernel: " + why_not);
  });
  product->fill(a.data(), b.data());

  std::vector<Track> tracks(static_cast<std::size_t>(product->blocks()) * kTracks);
  const std::size_t bytes = tracks.size() * sizeof(Track);
  const MachineArray<unsigned char> recorded(machine, bytes);
  machine.copy_from_host(recorded.data(), tracks.data(), bytes);
  ranks.barrier();
  {
    const Watchdog::Wait wait(ranks.watchdog(), "a product that is recorded");
    constexpr int kWarmUps = 3;
    for (int i = 0; machine.is_gpu() && i < kWarmUps; ++i)
      start(Step::in_kernel, *product, nullptr);
    start_recorded(*product, reinterpret_cast<Track*>(recorded.data()), nullptr);
    machine.synchronize();
    machine.copy_to_host(tracks.data(), recorded.data(), bytes);
    ranks.barrier();
  }
  json of_ranks = json::array();
  for (const std::string& text : ranks.texts(to_json(tracks, ranks.rank()).dump())) {
    if (ranks.rank() == 0) of_ranks.push_back(json::parse(text));
  }
  if (ranks.rank() != 0) return nullptr;
  return {{"name", many_gpus::name_of(form)},
          {"m", M},
          {"n", N},
          {"k", K},
          {"precision", setting.rung.precision.name},
          {"ranks", ranks.ranks()},
          {"links", setting.links.name()},
          {"columns", {"block", "what", "peer", "begin_ns", "end_ns"}},
          {"tracks", of_ranks}};
}

template json record_timeline<float>(Setting&, const Problem&, Form);
template json record_timeline<bfloat16>(Setting&, const Problem&, Form);

}  // namespace ladder::many_gpus
