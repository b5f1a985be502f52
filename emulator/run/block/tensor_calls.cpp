// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/tensor_calls.cpp
/// \brief What the lanes of a warp do together for wmma: see words/tensor_functions.hpp.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/block/tensor_core.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kAllLanes = 0xFFFFFFFF;

BlockScheduler& scheduler() {
  return BlockRunner::of_this_cpu_thread()->scheduler();
}

/// The request of a lane, and where it came from.
template <class T>
struct Collective {
  T* own;
  const char* function;
  std::source_location where;
};

template <class T>
void meet_all(Collective<T>& mine, void (*answer)(const WarpRequests&)) {
  meet_in_warp({mine.function, kAllLanes, &mine, answer, mine.where});
}

/// Of all lanes, which have to be there.
template <class T>
std::array<T*, 32> all_of(const WarpRequests& requests) {
  std::array<T*, 32> all = {};
  const Collective<T>* any = nullptr;
  for_each_lane(requests.mask, [&](unsigned lane) {
    any = static_cast<const Collective<T>*>(requests.request[lane]);
    all[lane] = any->own;
  });
  if (requests.mask != kAllLanes) {
    scheduler().fail({FaultKind::kWarpIncomplete,
                      {{"function", any->function}, {"lanes", std::popcount(requests.mask)}}},
                     any->where);
  }
  return all;
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
  const bool turned = all[0]->turned;
  for (unsigned i = 0; i < static_cast<unsigned>(all[0]->tiles); ++i) {
    Tile tile = {};
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned row = lane / 4, pair = lane % 4;
      put(tile, row, pair,
          in_rows ? all[8 * (i % 4) + row]->words[i / 4 * 4 + pair] : all[lane]->words[i]);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned line = lane / 4, first = lane % 4 * 2;
      const std::uint32_t low = turned ? tile[first][line] : tile[line][first];
      const std::uint32_t high = turned ? tile[first + 1][line] : tile[line][first + 1];
      all[lane]->turned_words[i] = low | high << 16;
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

std::vector<TensorNumber> factor_of(const TileShape& shape, const std::array<TensorCall*, 32>& all,
                                    std::array<std::uint32_t, 16> TensorCall::*bits) {
  const auto length = static_cast<std::size_t>(shape.elements);
  std::vector<TensorNumber> numbers(static_cast<std::size_t>(shape.lines) * length);
  visit_elements(shape, all, bits, [&](int line, int element, std::uint32_t each) {
    numbers[static_cast<std::size_t>(line) * length + static_cast<std::size_t>(element)] =
        tensor_input(all[0]->format, each);
  });
  return numbers;
}

void multiply_all(const WarpRequests& requests) {
  const std::array<TensorCall*, 32> all = all_of<TensorCall>(requests);
  const TensorCall& call = *all[0];
  const std::vector<TensorNumber> a = factor_of(call.shape_a, all, &TensorCall::a);
  const std::vector<TensorNumber> b = factor_of(call.shape_b, all, &TensorCall::b);
  const auto depth = static_cast<std::size_t>(call.shape_a.elements);
  // The lines of a sum with 8 rows are those of B.
  const bool changed = call.shape_c.lines != call.shape_a.lines;
  const auto line_of = [&](const std::vector<TensorNumber>& factor, int line) {
    return std::span(factor).subspan(static_cast<std::size_t>(line) * depth, depth);
  };
  visit_elements(call.shape_c, all, &TensorCall::c, [&](int line, int element, std::uint32_t& c) {
    c = tensor_sum(call.format, call.half_sums, line_of(a, changed ? element : line),
                   line_of(b, changed ? line : element), c);
  });
}

}  // namespace

void turn_tiles(const char* function, TileWords& words, std::source_location where) {
  Collective<TileWords> mine = {&words, function, where};
  meet_all(mine, &turn_all);
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
