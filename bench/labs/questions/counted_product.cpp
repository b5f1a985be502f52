// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted_product.cpp
/// \brief What a matrix product asks of DRAM, by the order of its blocks.
#include "bench/labs/questions/counted_product.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "bench/labs/questions/kernels/traced_kernels.hpp"
#include "bench/labs/questions/traced_run.hpp"
#include "ladder/program/cache_replay.hpp"

namespace ladder::labs {
namespace {

std::size_t elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// The matrices of a plan, and the tiles of its blocks.
struct Matrices {
  explicit Matrices(const ProductPlan& plan)
      : A(elements(plan.M, plan.K)),
        B(elements(plan.K, plan.N)),
        C(elements(plan.M, plan.N)),
        tiles(plan.order.size()) {
    if (plan.M % kProductTile != 0 || plan.N % kProductTile != 0 || plan.K % kProductTile != 0)
      throw std::invalid_argument("the lab's product has extents that are multiples of 32");
    std::ranges::copy(plan.order, tiles.data());
  }

  std::vector<emulator::TracedArray> traced() const {
    const auto array = [](const char* name, const auto& values) {
      return emulator::TracedArray{.name = name, .data = values.data(), .bytes = values.bytes()};
    };
    return {array("A", A), array("B", B), array("C", C), array("tiles", tiles)};
  }

  AlignedArray<float> A, B, C;
  AlignedArray<int> tiles;
};

emulator::KernelTrace trace_of(const ProductPlan& plan, const Matrices& matrices,
                               const emulator::TraceOptions& options) {
  return traced_run(
      matrices.traced(),
      [&] {
        for_each_part(plan, matrices.A.data(), matrices.B.data(), matrices.C.data(),
                      matrices.tiles.data(), traced::multiply);
      },
      options);
}

/// A block that is r rows of A and c columns of B away from another is as far from it in C.
bool complete_shifts(const ProductPlan& plan, emulator::ArrayShifts& shifts) {
  constexpr std::int64_t kFloat = sizeof(float);
  const auto& a = shifts[0];
  const auto& b = shifts[1];
  if (!a || !b || *a % (kFloat * plan.K) != 0) return false;
  shifts[2] = *a / plan.K * plan.N + *b;
  return true;
}

/// Arrays of their own, one after the other.
std::vector<std::uint64_t> first_lines(const Matrices& matrices) {
  std::vector<std::uint64_t> lines;
  std::uint64_t next = 0;
  for (const emulator::TracedArray& array : matrices.traced()) {
    lines.push_back(next);
    next += array.bytes / emulator::kLineBytes + 1;
  }
  return lines;
}

}  // namespace

TileGrid grid_of(const ProductPlan& plan) {
  return {plan.M / kProductTile, plan.N / kProductTile};
}

int blocks_in_flight(const DeviceCard& card) {
  constexpr int kTileBytes = kProductTile * kProductTile * static_cast<int>(sizeof(float));
  return card.sms * blocks_per_sm(card, {.threads_per_block = kProductTile * kProductTile,
                                         .shared_bytes_per_block = 2 * kTileBytes});
}

ProductTraffic count_product(const ProductPlan& plan, const DeviceCard& card) {
  const Matrices matrices(plan);
  const auto complete = [&](emulator::ArrayShifts& shifts) {
    return complete_shifts(plan, shifts);
  };
  const emulator::KernelTrace trace =
      trace_of(plan, matrices, {.sample = true, .complete_shifts = complete, .warp = {}});
  constexpr std::uint64_t kBudget = 2'000'000'000;
  const auto traffic =
      replay_caches({.kernel = trace,
                     .card = card,
                     .blocks_per_sm = blocks_in_flight(card) / card.sms,
                     .multiply_adds = static_cast<double>(plan.M) * plan.N * plan.K,
                     .array_first_lines = first_lines(matrices)},
                    kBudget);
  const double missed_sectors =
      static_cast<double>(traffic->dram_read_bytes) / static_cast<double>(emulator::kSectorBytes);
  return {
      .l2_hit_rate = 1.0 - missed_sectors / static_cast<double>(traffic->l2_read_sectors),
      .read_bytes = static_cast<double>(traffic->dram_read_bytes),
      .written_bytes = static_cast<double>(traffic->dram_write_bytes + traffic->dirty_left_bytes)};
}

std::vector<float> emulated_product(const ProductPlan& plan, const std::vector<float>& A,
                                    const std::vector<float>& B) {
  const Matrices matrices(plan);
  std::ranges::copy(A, matrices.A.data());
  std::ranges::copy(B, matrices.B.data());
  std::ranges::fill(matrices.C.values(), 1.0f);  // which the first launch has to overwrite
  trace_of(plan, matrices, {});
  const std::span<float> C = matrices.C.values();
  return {C.begin(), C.end()};
}

}  // namespace ladder::labs
