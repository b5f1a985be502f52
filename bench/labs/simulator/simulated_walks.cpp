// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_walks.cpp
/// \brief One thread at a time through simulated caches and TLBs.
#include <algorithm>
#include <map>
#include <utility>

#include "bench/labs/instruments/order.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

/// Goes round and round through a walk's places.
class Lap {
 public:
  explicit Lap(const Walk& walk) : walk_(walk), order_(walk.places, walk.seed) {}

  std::uint64_t address(std::uint64_t step) const {
    const std::uint64_t index = step % walk_.places;
    return address_of(walk_, walk_.order == Order::random ? order_[index] : index);
  }

 private:
  const Walk& walk_;
  RandomOrder order_;
};

class SimulatedWalks : public WalkInstrument {
 public:
  SimulatedWalks(MemorySystem& system, Noise& noise) : system_(system), noise_(noise) {}

  std::vector<double> cycles(const Walk& walk, int repeats, std::optional<int> sm) override {
    require(walk);
    const int where = require_sm(sm.value_or(0), system_.shape().facts);
    system_.clear();
    warm_up(walk, where);
    const Lap lap(walk);
    const std::uint64_t steps = steps_of(walk);
    std::vector<double> samples;
    std::uint64_t step = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Stretch stretch;
      for (const std::uint64_t end = step + steps; step < end; ++step) {
        system_.access(where, lap.address(step), walk.access, stretch);
      }
      samples.push_back(noise_.cycles(per_load(stretch, where)));
    }
    return samples;
  }

  Matrix disturbed_cycles(const Walk& first, const Walk& second, std::span<const int> sms,
                          std::span<const int> partners) override {
    require(first);
    require(second);
    // All pairs that share the same things take the same time, so each kind of pair runs once.
    if (first != disturbed_.first || second != disturbed_.second) kinds_.clear();
    disturbed_ = {first, second};
    Matrix result(sms.size(), partners.size());
    for (std::size_t row = 0; row < sms.size(); ++row) {
      const int sm = require_sm(sms[row], system_.shape().facts);
      for (std::size_t column = 0; column < partners.size(); ++column) {
        const int partner = require_sm(partners[column], system_.shape().facts);
        const auto [kind, unknown] = kinds_.try_emplace(kind_of(sm, partner));
        if (unknown) kind->second = disturbed(first, second, sm, partner);
        result.at(row, column) = noise_.cycles(per_load(kind->second, sm));
      }
    }
    return result;
  }

  Matrix home_cycles(std::span<const int> sms, std::span<const std::uint64_t> bytes,
                     int repeats) override {
    const MemorySystemShape& shape = system_.shape();
    for (const std::uint64_t byte : bytes)
      require_fits(byte + 1, shape.facts);
    Matrix result(sms.size(), bytes.size());
    std::vector<double> samples(static_cast<std::size_t>(std::max(repeats, 1)));
    for (std::size_t row = 0; row < sms.size(); ++row) {
      const int sm = require_sm(sms[row], shape.facts);
      for (std::size_t column = 0; column < bytes.size(); ++column) {
        // The atomic itself brings the line to L2 before the timed ones.
        const bool near = system_.home_of(bytes[column]) == system_.side_of(sm);
        const double served = !shape.l2 ? shape.dram_cycles
                              : near    ? shape.near_cycles
                                        : shape.far_cycles;
        const double exact = served + shape.atomic_cycles + system_.sm_offset(sm) +
                             system_.slice_offset(bytes[column]);
        for (double& sample : samples)
          sample = noise_.cycles(exact);
        result.at(row, column) = median_of(samples);
      }
    }
    return result;
  }

 private:
  void require(const Walk& walk) const {
    if (walk.places == 0 || walk.stride_bytes == 0 || walk.stride_bytes % 8 != 0) {
      throw LabError("A walk has places, and a stride of a multiple of 8 bytes.");
    }
    require_fits(walk.first_byte + walk.span_bytes(), system_.shape().facts);
  }

  /// Timed loads of one sample. A GPU takes more of them; here their mean has no noise of its own.
  static std::uint64_t steps_of(const Walk& walk) {
    constexpr std::uint64_t kMost = 4096;
    return std::min({walk.places, walk.most_steps, walk.places <= 2 * kMost ? walk.places : kMost});
  }

  double per_load(const Stretch& stretch, int sm) const {
    return (stretch.cycles + stretch.past_l1 * system_.sm_offset(sm)) / stretch.loads;
  }

  /// \brief  One lap. Of a long one, TLBs see a load of each page, and caches see the end: what
  ///         they read before that, they have forgotten. Caches with random victims forget it late.
  void warm_up(const Walk& walk, int sm) {
    const Lap lap(walk);
    const MemorySystemShape& shape = system_.shape();
    const bool random = (shape.l1 && shape.l1->victim == Victim::random) ||
                        (shape.l2 && shape.l2->side.victim == Victim::random);
    const std::uint64_t held = system_.cached_lines();
    const std::uint64_t most = std::max<std::uint64_t>(random ? 4 * held : held * 3 / 2, 1 << 16);
    const std::uint64_t begin = walk.places > most ? walk.places - most : 0;
    if (begin > 0 && !shape.tlb.empty()) {
      const std::uint64_t page =
          std::ranges::min(shape.tlb, {}, &TlbLevelShape::page_bytes).page_bytes;
      const std::uint64_t places_of_page = std::max<std::uint64_t>(page / walk.stride_bytes, 1);
      for (std::uint64_t step = 0; step < begin; step += places_of_page) {
        system_.translate(sm, lap.address(step));
      }
    }
    Stretch unused;
    for (std::uint64_t step = begin; step < walk.places; ++step) {
      system_.access(sm, lap.address(step), walk.access, unused);
    }
  }

  Stretch disturbed(const Walk& first, const Walk& second, int sm, int partner) {
    system_.clear();
    warm_up(first, sm);
    warm_up(second, partner);
    const Lap lap(first);
    Stretch stretch;
    for (std::uint64_t step = 0; step < std::min(first.places, first.most_steps); ++step) {
      system_.access(sm, lap.address(step), first.access, stretch);
    }
    return stretch;
  }

  /// What two SMs share.
  std::vector<int> kind_of(int sm, int partner) const {
    std::vector<int> kind = {sm == partner, system_.side_of(sm), system_.side_of(partner)};
    for (const TlbLevelShape& level : system_.shape().tlb) {
      const std::vector<int>& groups = level.group_of_sm;
      kind.push_back(groups.empty() || groups[static_cast<std::size_t>(sm)] ==
                                           groups[static_cast<std::size_t>(partner)]);
    }
    return kind;
  }

  MemorySystem& system_;
  Noise& noise_;
  std::pair<Walk, Walk> disturbed_;            // of the last call
  std::map<std::vector<int>, Stretch> kinds_;  // of pairs: what these walks took
};

}  // namespace

std::unique_ptr<WalkInstrument> make_simulated_walks(MemorySystem& system, Noise& noise) {
  return std::make_unique<SimulatedWalks>(system, noise);
}

}  // namespace ladder::labs
