// SPDX-License-Identifier: MIT
#include "ladder/program/small_problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;
using emulator::ThreadTurns;

constexpr BlockTile kUnknownTile = {.BM = 32, .BN = 32};

/// SMs for the four tiles of a configuration: one for each, and one that is split. A tile that many
/// share takes two steps of a tree of eights.
constexpr int kSmsOfConfiguration = 3;
constexpr int kSmsThatShare = 20;

/// From a seed to that of other numbers of the same kind.
constexpr std::uint64_t kOtherNumbers = 1000;

/// Who goes on when a thread waits, for as long as it lives. What is traced is traced by warps, so
/// a trace of the same case keeps the usual turns.
class ScopedTurns {
 public:
  explicit ScopedTurns(ThreadTurns turns) { emulator::set_thread_turns(turns); }
  ~ScopedTurns() { emulator::set_thread_turns(usual_); }
  ScopedTurns(const ScopedTurns&) = delete;
  ScopedTurns& operator=(const ScopedTurns&) = delete;

 private:
  ThreadTurns usual_ = emulator::thread_turns();
};

/// Verifies one problem after the other until one is wrong.
class SmallVerification {
 public:
  SmallVerification(Machine& machine, const Rung& rung, SmallProblems& found)
      : machine_(machine), rung_(rung), found_(found) {}

  void verify(const Problem& problem, const Run& run, BlockTile tile,
              std::string_view configuration = {}) {
    if (!found_.findings.empty()) return;
    for (const ProblemCase& which : cases_of(problem, configuration)) {
      if (!is_taken(which, run, tile)) return;
      if (!found_.findings.empty()) break;
    }
    ++found_.verified;
    const int K = problem.shape.K;
    found_.least_k = found_.verified == 1 ? K : std::min(found_.least_k, K);
    found_.most_k = std::max(found_.most_k, K);
  }

 private:
  /// Copies arrive late and early. Where blocks wait for blocks, a flag that is raised too early is
  /// seen in a workspace of zeros, and then a flag that nobody has reset beside the sums of other
  /// numbers.
  std::vector<ProblemCase> cases_of(const Problem& problem, std::string_view configuration) const {
    const ProblemCase any = {.problem = problem, .configuration = std::string(configuration)};
    if (machine_.is_gpu() || lowest_compute_capability(rung_) < 80) return {any};
    ProblemCase late = any;
    ProblemCase early = any;
    late.late = true;
    early.late = false;
    if (rung_.plans == nullptr) return {late, early};
    late.last_block_first = true;
    late.problem.seed += kOtherNumbers;
    return {early, late};
  }

  /// Verifies a case. False: the rung refuses the shape, or other work has the memory.
  bool is_taken(const ProblemCase& which, const Run& run, BlockTile tile) {
    const auto& [shape, alpha, beta, seed] = which.problem;
    const bool early = which.late == false;
    if (early) emulator::clear_workspace();
    const ScopedCase scoped(which);
    const ScopedTurns turns(early ? ThreadTurns::kLaneByLane : emulator::thread_turns());
    try {
      Verifier verifier(machine_, shape, seed, rung_.precision, Inputs::integers);
      found_.findings = findings_of(verifier.verify(run, alpha, beta, tile), which);
    } catch (const ShapeRefused&) {
      return false;  // the table's rule is the tests' business
    } catch (const MachineError&) {
      return false;
    } catch (const emulator::KernelError& error) {
      found_.findings = {Finding(error.fault(), which)};
    } catch (const GpuError& error) {
      throw GpuError(
          fmt::format("{}, in a small problem of integers ({})", error.what(), name_of(which)));
    }
    return true;
  }

  Machine& machine_;
  const Rung& rung_;
  SmallProblems& found_;
};

}  // namespace

ScopedCase::ScopedCase(const ProblemCase& of)
    : arrival_(emulator::copy_arrival()), order_(emulator::block_order()) {
  if (!of.late) return;
  emulator::set_copy_arrival(*of.late ? CopyArrival::kLate : CopyArrival::kEarly);
  emulator::set_block_order(of.last_block_first ? BlockOrder::kDescending : BlockOrder::kAscending);
}

ScopedCase::~ScopedCase() {
  emulator::set_copy_arrival(arrival_);
  emulator::set_block_order(order_);
}

std::vector<Problem> small_problems_of(const Rung& rung) {
  const auto& [BM, BN] = rung.tile.BM == 0 ? kUnknownTile : rung.tile;
  const int q = rung.multiple_of;
  const auto long_side = [&](int tile) {  // more than 16 tiles, and beyond 2048
    return std::max(16 * tile, 2048) + 1;
  };
  const int wide = (long_side(BN) + q - 1) / q * q;
  return {
      // Tiles and edges; stages and a tail; all of a pipeline's stages, over and over.
      {{2 * BM + 5, BN + q, 80 + q}, -2.0f, 0.5f, 2},
      {{BM - 3, BN - q, 208 + q}, -2.0f, 0.5f, 3},
      {{BM + 1, BN, 64}, 4.0f, 0.0f, 4},
      // One k tile, and less than one.
      {{BM, BN + q, 8}, 0.5f, -2.0f, 5},
      {{BM - 1, q, q}, -2.0f, 0.0f, 6},
      {{5, 2 * q, 1020 / q * q + q}, -2.0f, 0.5f, 9},
      // Long along M, and along N.
      {{long_side(BM), q, q}, -2.0f, 0.5f, 7},
      {{3, wide, q}, -2.0f, 0.5f, 8},
  };
}

SmallProblems verify_small_problems(Machine& machine, const Rung& rung) {
  SmallProblems found;
  SmallVerification verification(machine, rung, found);
  {
    const emulator::ScopedMultiprocessors few(kSmallProblemSms);
    for (const Problem& problem : small_problems_of(rung))
      verification.verify(problem, rung.run, rung.tile);
    if (machine.is_gpu() && rung.plans != nullptr) {  // more tiles than any GPU has SMs
      const int q = rung.multiple_of;
      const Shape many_tiles = {17 * rung.tile.BM + 1, 16 * rung.tile.BN + q, 20 + q};
      verification.verify({many_tiles, -2.0f, 0.5f, 10}, rung.run, rung.tile);
    }
  }
  if (rung.plans == nullptr) return found;

  // Two tiles and an edge each way, and a tail behind as many k tiles as fill a ring.
  const int q = rung.multiple_of;
  const auto shape_of = [&](const WorkPlan& plan) -> Shape {
    return {plan.tile.BM + 1, plan.tile.BN + q, std::max(5 * plan.BK, 80) + q};
  };
  // One tile whose K many blocks share, if any do.
  const auto shared_shape_of = [&](const WorkPlan& plan) -> Shape {
    return {plan.tile.BM - 3, plan.tile.BN - q, 40 * plan.BK + q};
  };
  const std::size_t count = rung.plans({1, q, q}).size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto verify = [&](int sms, const auto& shape_of_plan, bool only_if_shared) {
      const emulator::ScopedMultiprocessors emulated(sms);  // a GPU does not mind
      const Shape shape = shape_of_plan(rung.plans({1, q, q}).at(i));
      const WorkPlan plan = rung.plans(shape).at(i);
      if (only_if_shared && plan.ranks < 2) return;
      verification.verify({shape, -2.0f, 0.5f, i}, plan.launch, plan.tile, plan.name);
    };
    verify(kSmsOfConfiguration, shape_of, false);
    verify(kSmsThatShare, shared_shape_of, true);
    ++found.configurations;
  }
  return found;
}

std::string exactness_text(const std::vector<std::pair<std::string, SmallProblems>>& found) {
  if (found.empty()) return "";
  std::string labels, configurations;
  int least_k = found.front().second.least_k;
  int most_k = 0;
  for (const auto& [label, small] : found) {
    labels += (labels.empty() ? "" : ", ") + label;
    least_k = std::min(least_k, small.least_k);
    most_k = std::max(most_k, small.most_k);
    if (small.configurations > 1) {
      configurations +=
          fmt::format("; {} in each of its {} configurations", label, small.configurations);
    }
  }
  return fmt::format(
      "Exact too on small ragged problems of integers (alpha = -2, beta = 0.5 and others, K = {} "
      "to {}){}{}.",
      least_k, most_k, found.size() == 1 ? "" : ": " + labels, configurations);
}

std::string taken_configuration(const Rung& rung, const Shape& shape, const std::string& sms_of) {
  if (rung.plans == nullptr) return "";
  for (const WorkPlan& plan : rung.plans(shape)) {
    if (!plan.taken) continue;
    const long long shared = plan.tiles - plan.whole_tiles;
    const std::string where =
        sms_of.empty() ? "" : fmt::format(" on {} SMs ({})", emulator::multiprocessors(), sms_of);
    std::string text = fmt::format("{} took its configuration \"{}\"{}: {} tile{} of {} x {}",
                                   label(rung), plan.name, where, plan.tiles,
                                   plan.tiles == 1 ? "" : "s", plan.tile.BM, plan.tile.BN);
    if (plan.ranks > 0 && shared > 0) {
      text += fmt::format(", {} shared by {} block{}",
                          shared == plan.tiles ? "all" : fmt::format("{}", shared), plan.ranks,
                          plan.ranks == 1 ? "" : "s");
    }
    return text + ".";
  }
  return "";
}

}  // namespace ladder
