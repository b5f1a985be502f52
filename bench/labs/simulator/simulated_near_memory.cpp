// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_near_memory.cpp
/// \brief Streams through a simulated memory whose sides are known. The allocator and the order of
///        work are those of a real GPU; pages, homes and energy are simulated.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"
#include "common/side_aware/error.hpp"
#include "common/side_aware/host_walk.hpp"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::labs {
namespace {

using side_aware::Address;
using side_aware::kPageBytes;
using side_aware::PageHandle;

/// Hands out the pages of a simulated memory. Nothing runs there, so events have always passed.
class SimulatedDriver final : public side_aware::MemoryDriver {
 public:
  explicit SimulatedDriver(const MemorySystem& system) : system_(system) {}

  /// Where an address is in memory, through the page that is mapped there.
  std::uint64_t physical(Address address) const {
    return pages_.at(address / kPageBytes) * kPageBytes + address % kPageBytes;
  }

  Address reserve(std::uint64_t bytes) override {
    const Address first = next_address_;
    next_address_ += bytes;
    return first;
  }
  void release(Address, std::uint64_t) override {}
  PageHandle create_page() override {
    if ((next_page_ + 1) * kPageBytes > system_.shape().facts.free_bytes)
      throw side_aware::OutOfMemory("The simulated memory has no page left");
    return next_page_++;
  }
  void destroy_page(PageHandle) override {}
  void map(Address at, PageHandle page) override { pages_[at / kPageBytes] = page; }
  void unmap(Address first, std::uint64_t bytes) override {
    for (Address at = first; at < first + bytes; at += kPageBytes)
      pages_.erase(at / kPageBytes);
  }
  void allow_access(Address, std::uint64_t) override {}
  std::vector<int> sides_of_pages(Address first, std::size_t pages) override {
    std::vector<int> sides;
    for (std::size_t page = 0; page < pages; ++page)
      sides.push_back(system_.home_of(physical(first + page * kPageBytes)));
    return sides;
  }
  side_aware::EventHandle record(side_aware::Stream) override { return 0; }
  bool has_passed(side_aware::EventHandle) override { return true; }
  void wait(side_aware::EventHandle) override {}
  void make_wait(side_aware::Stream, side_aware::EventHandle) override {}
  void destroy_event(side_aware::EventHandle) override {}

 private:
  const MemorySystem& system_;
  Address next_address_ = kPageBytes;
  PageHandle next_page_ = 0;
  std::map<std::uint64_t, PageHandle> pages_;  ///< by address / kPageBytes
};

class SimulatedNearMemory final : public NearMemoryInstrument {
 public:
  SimulatedNearMemory(const MemorySystem& system, SweepInstrument& sweeps, std::uint64_t seed)
      : system_(system),
        sweeps_(sweeps),
        random_(hash_of(seed ^ 10)),
        driver_(system),
        allocator_(driver_) {
    const MemorySystemShape& shape = system.shape();
    if (shape.l2 && shape.l2->sides == 2) sides_.mask = shape.l2->home_mask;
    for (int sm = 0; sm < shape.facts.sms; ++sm)
      sides_.of_sm.push_back(system.side_of(sm));
  }

  NearMemoryFacts facts() override {
    NearMemoryFacts facts = {.mask = sides_.mask,
                             .sms_of_side_1 = static_cast<int>(std::ranges::count(sides_.of_sm, 1)),
                             .array_bytes = kArrayBytes};
    if (sides_.mask == 0) return facts;
    allocate();
    facts.pages = 2 * kArrayBytes / kPageBytes;
    facts.pages_off_rule = allocator_.state().pages_off_rule;
    facts.blocks_per_sm = kBlocksPerSm;
    return facts;
  }

  double near_share(Assignment assignment) override {
    allocate();
    const side_aware::OperationShape copy = {.element_bytes = 4,
                                             .leads_with_output = 1,
                                             .output_alignment = {16},
                                             .input_alignment = {16},
                                             .sum_bytes = 0};
    const side_aware::LaunchPlan plan = side_aware::plan_launch(
        copy, {.outputs = {target_}, .inputs = {source_}, .elements = kArrayBytes / 4},
        allocator_.rule_of(target_), sides_, assignment, kBlocksPerSm);
    std::uint64_t near = 0;
    std::uint64_t all = 0;
    for (unsigned side = 0; side < 2; ++side) {
      for (unsigned slot = 0; slot < plan.arguments.slots[side]; ++slot) {
        visit_granules(plan, side, slot, kPairsInBatch, [&](std::int64_t vector) {
          const auto byte = static_cast<std::uint64_t>(vector) * side_aware::kVectorBytes;
          if (byte >= kArrayBytes) return;
          for (const Address array : {source_, target_}) {
            const int home = system_.home_of(driver_.physical(array + byte));
            near += home == static_cast<int>(side) ? 1 : 0;
            ++all;
          }
        });
      }
    }
    return static_cast<double>(near) / static_cast<double>(all);
  }

  StreamResult run(const StreamRun& run) override {
    constexpr int kWindows = 20;
    const EnergyShape& energy = system_.shape().energy;
    const bool reads = run.operation == StreamOperation::sum;
    StreamResult result;
    result.gbps = sweeps_.gbps(
        {.bytes = std::min(kSweepBytes, system_.shape().facts.free_bytes / 4) / 128 * 128,
         .direction = reads ? Direction::read : Direction::copy},
        kWindows);
    const double far = 1.0 - near_share(run.assignment);
    for (double& gbps : result.gbps)
      gbps *= speed(far);
    std::normal_distribution<double> noise(1.0, energy.sigma_share);
    for (const double gbps : result.gbps) {
      if (energy.idle_watts == 0) break;  // this GPU does not tell its power
      const double watts =
          energy.idle_watts + gbps * (energy.joules_per_gb + far * energy.far_joules_per_gb);
      result.watts.push_back(watts * noise(random_));
    }
    result.sm_mhz = system_.shape().facts.sm_clock_mhz;
    return result;
  }

  std::vector<double> two_passes_ms(TwoPasses, std::uint64_t, int) override { return {}; }

 private:
  /// Of a stream, a share of whose bytes is far; between what was measured, in a straight line.
  double speed(double far) const {
    const FarSpeedShape& known = system_.shape().far_speed;
    return far < 0.5 ? std::lerp(1.0, known.half_far, 2 * far)
                     : std::lerp(known.half_far, known.all_far, 2 * far - 1);
  }

  static constexpr std::uint64_t kArrayBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kSweepBytes = std::uint64_t{2} << 30;
  static constexpr unsigned kBlocksPerSm = 4;
  static constexpr unsigned kPairsInBatch = 4;

  void allocate() {
    if (target_ != 0) return;
    source_ = allocator_.malloc_async(kArrayBytes, nullptr);
    target_ = allocator_.malloc_async(kArrayBytes, nullptr);
  }

  const MemorySystem& system_;
  SweepInstrument& sweeps_;
  std::mt19937_64 random_;
  SimulatedDriver driver_;
  side_aware::Allocator allocator_;
  side_aware::GpuSides sides_;
  Address source_ = 0;
  Address target_ = 0;
};

}  // namespace

std::unique_ptr<NearMemoryInstrument> make_simulated_near_memory(const MemorySystem& system,
                                                                 SweepInstrument& sweeps,
                                                                 std::uint64_t seed) {
  return std::make_unique<SimulatedNearMemory>(system, sweeps, seed);
}

}  // namespace ladder::labs
