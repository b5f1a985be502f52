// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/tensor_calls.cpp
/// \brief What the lanes of a warp do together for wmma: see words/tensor_functions.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/block/tensor_core.hpp"
#include "emulator/run/block/whole_warp.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

BlockScheduler& scheduler() {
  return BlockRunner::of_this_cpu_thread()->scheduler();
}

/// A matrix in memory.
struct MatrixPlace {
  const void* first;
  unsigned ldm;
};

using Tile = std::array<std::array<std::uint16_t, 8>, 8>;

/// The halves of a word at a row of a tile.
void put(Tile& tile, unsigned row, unsigned pair, std::uint32_t word) {
  std::uint16_t* const halves = &tile[row][std::size_t{2} * pair];
  halves[0] = static_cast<std::uint16_t>(word);
  halves[1] = static_cast<std::uint16_t>(word >> 16);
}

void turn_all(const WarpRequests& requests) {
  const std::array<TileWords*, 32> all = all_of<TileWords>(requests);
  const bool in_rows = all[0]->in_rows;
  const bool as_rows = all[0]->as_rows;
  const bool turned = all[0]->turned;
  for (unsigned i = 0; i < static_cast<unsigned>(all[0]->tiles); ++i) {
    Tile tile = {};
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned row = lane / 4, pair = lane % 4;
      put(tile, row, pair,
          in_rows ? all[8 * (i % 4) + row]->words[i / 4 * 4 + pair] : all[lane]->words[i]);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned line = lane / 4, pair = lane % 4, first = 2 * pair;
      const std::uint32_t low = turned ? tile[first][line] : tile[line][first];
      const std::uint32_t high = turned ? tile[first + 1][line] : tile[line][first + 1];
      std::uint32_t& word = as_rows ? all[8 * (i % 4) + line]->turned_words[i / 4 * 4 + pair]
                                    : all[lane]->turned_words[i];
      word = low | high << 16;
    }
  }
  for (TileWords* const each : all)
    each->words = each->turned_words;
}

/// Calls visit(line, element, the bits in a lane's registers) for all elements of a matrix.
template <class Bits, class Visit>
void visit_elements(const TileShape& shape, const std::array<TensorCall*, 32>& all,
                    Bits TensorCall::*bits, const Visit& visit) {
  for (int tile = 0; tile < shape.tiles(); ++tile) {
    for (int lane = 0; lane < 32; ++lane) {
      TensorCall& call = *all[static_cast<std::size_t>(lane)];
      const int line = shape.line(tile) + lane / 4;
      const int first = shape.element(tile) + lane % 4 * shape.per_lane;
      for (int i = 0; i < shape.per_lane; ++i) {
        const auto place =
            static_cast<std::size_t>(tile) * static_cast<std::size_t>(shape.per_lane);
        visit(line, first + i, (call.*bits)[place + static_cast<std::size_t>(i)]);
      }
    }
  }
}

TensorFactor factor_of(const TileShape& shape, const std::array<TensorCall*, 32>& all,
                       std::array<std::uint32_t, 16> TensorCall::*bits) {
  TensorFactor factor(all[0]->format, static_cast<std::size_t>(shape.lines),
                      static_cast<std::size_t>(shape.elements));
  visit_elements(shape, all, bits, [&](int line, int element, std::uint32_t each) {
    factor.set(static_cast<std::size_t>(line), static_cast<std::size_t>(element), each);
  });
  return factor;
}

void multiply_all(const WarpRequests& requests) {
  const std::array<TensorCall*, 32> all = all_of<TensorCall>(requests);
  if (BlockObserver* const observer = scheduler().observer(); observer != nullptr) {
    const auto& any = *static_cast<const Collective<TensorCall>*>(requests.request[0]);
    observer->product_started(scheduler().running().number / 32 * 32, {}, any.where);
  }
  const TensorCall& call = *all[0];
  const TensorFactor a = factor_of(call.shape_a, all, &TensorCall::a);
  const TensorFactor b = factor_of(call.shape_b, all, &TensorCall::b);
  // The lines of a sum with 8 rows are those of B.
  const bool changed = call.shape_c.lines != call.shape_a.lines;
  std::array<std::uint32_t, 32 * std::tuple_size_v<decltype(call.c)>> sums;
  const auto of_sum = [&](int line, int element) -> std::uint32_t& {
    return sums[static_cast<std::size_t>(line * call.shape_c.elements + element)];
  };
  visit_elements(call.shape_c, all, &TensorCall::c,
                 [&](int line, int element, std::uint32_t c) { of_sum(line, element) = c; });
  add_products(changed ? b : a, changed ? a : b, static_cast<std::size_t>(call.at_once),
               call.half_sums, sums);
  visit_elements(call.shape_c, all, &TensorCall::c,
                 [&](int line, int element, std::uint32_t& c) { c = of_sum(line, element); });
}

}  // namespace

void turn_tiles(const char* function, TileWords& words, std::source_location where) {
  Collective<TileWords> mine = {&words, function, where};
  meet_all(mine, &turn_all);
}

void require_tile_row(const char* argument, const void* row, std::source_location where) {
  constexpr unsigned kRowBytes = 16;
  SharedChecks& checks = BlockRunner::of_this_cpu_thread()->shared();
  checks.require_inside(argument, row, kRowBytes, where);
  checks.require_alignment(argument, row, kRowBytes, where);
}

void multiply_in_warp(const char* function, TensorCall& call, std::source_location where) {
  Collective<TensorCall> mine = {&call, function, where};
  meet_all(mine, &multiply_all);
}

void require_matrix(const char* function, const void* first, unsigned ldm, unsigned element_bytes,
                    std::source_location where) {
  constexpr std::uintptr_t kAlignment = 32;
  constexpr unsigned kLineAlignment = 16;
  const unsigned multiple = kLineAlignment / element_bytes;
  if (ldm % multiple != 0) {
    scheduler().fail({FaultKind::kLeadingDimension,
                      {{"function", function}, {"elements", ldm}, {"multiple", multiple}}},
                     where);
  }
  const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(first) % kAlignment;
  if (behind != 0) {
    scheduler().fail({FaultKind::kMisalignedMatrix, {{"function", function}, {"bytes", behind}}},
                     where);
  }
  MatrixPlace place = {first, ldm};
  Collective<MatrixPlace> mine = {&place, function, where};
  meet_all(mine, [](const WarpRequests& requests) {
    const std::array<MatrixPlace*, 32> all = all_of<MatrixPlace>(requests);
    for (const MatrixPlace* const each : all) {
      if (each->first == all[0]->first && each->ldm == all[0]->ldm) continue;
      const auto* const any = static_cast<const Collective<MatrixPlace>*>(requests.request[0]);
      scheduler().fail({FaultKind::kWarpDifferentMatrices, {{"function", any->function}}},
                       any->where);
    }
  });
}

}  // namespace ladder::emulator
