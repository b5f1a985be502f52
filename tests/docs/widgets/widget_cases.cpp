// SPDX-License-Identifier: MIT
/// \file  tests/docs/widgets/widget_cases.cpp
/// \brief widget_cases SEED prints random cases as JSON: what the emulator, the device cards and
///        the roofline say.
///        tests/docs/widgets/widget_formulas_test.py asks docs/widgets/formulas.js for the same.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/device_card.hpp"
#include "common/gemm.hpp"
#include "common/roofline.hpp"
#include "emulator/trace/request_shape.hpp"
#include "emulator/trace/sector_cache.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr int kCases = 200;  // per formula
constexpr std::uint64_t kBase = 0x100000;

/// Random whole numbers, the same on every machine.
class Dice {
 public:
  explicit Dice(unsigned seed) : numbers_(seed) {}
  int between(int lowest, int highest) {
    return lowest + static_cast<int>(numbers_() % static_cast<unsigned>(highest - lowest + 1));
  }
  template <class T, std::size_t kCount>
  T one_of(const std::array<T, kCount>& choices) {
    return choices[static_cast<std::size_t>(between(0, kCount - 1))];
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(numbers_()); }

 private:
  std::mt19937 numbers_;
};

std::uint32_t first_lanes(int count) {
  return count == 32 ? ~0u : (1u << count) - 1;
}

/// Lane l reads `bytes` bytes from offset + l * stride * bytes.
json coalescing_case(Dice& dice) {
  const int bytes = dice.one_of(std::array{1, 2, 4, 8, 16});
  const int widest = dice.one_of(std::array{4, 40, 5000});
  const int stride = dice.between(0, widest);
  // Misaligned ones too, which a GPU refuses and the emulator counts as if it did not.
  const int offset = dice.one_of(std::array{bytes * dice.between(0, 16), dice.between(0, 256)});
  const int lanes = dice.one_of(std::array{32, dice.between(1, 32)});
  std::array<std::uint64_t, 32> address = {};
  for (int lane = 0; lane < lanes; ++lane) {
    address[static_cast<std::size_t>(lane)] =
        kBase + static_cast<std::uint64_t>(offset + lane * stride * bytes);
  }
  const emulator::GlobalShape shape =
      emulator::global_shape({address.data(), first_lanes(lanes), static_cast<unsigned>(bytes)});
  return {{"bytes", bytes},
          {"stride", stride},
          {"offset", offset},
          {"lanes", lanes},
          {"sectors", shape.sectors},
          {"lines", shape.tags},
          {"ideal", shape.ideal_sectors}};
}

/// Addresses with structure, because random ones meet in banks in one way only.
json wavefront_case(Dice& dice) {
  const int bytes = dice.one_of(std::array{4, 8, 16});
  const bool store = dice.between(0, 2) == 0;
  const std::uint32_t mask =
      dice.between(0, 3) == 0 ? dice.bits() | 1u << dice.between(0, 31) : ~0u;
  const int kind = dice.between(0, 4);
  const int columns = 1 << dice.between(0, 5);
  const int row = dice.between(0, 70);
  std::array<std::uint64_t, 32> address = {};
  json offsets = json::array();
  for (int lane = 0; lane < 32; ++lane) {
    const std::array<int, 5> element = {lane * row, lane / columns, lane % columns,
                                        lane / columns * row + lane % columns,
                                        dice.between(0, 255)};
    const int offset = element[static_cast<std::size_t>(kind)] * bytes;
    address[static_cast<std::size_t>(lane)] = kBase + static_cast<std::uint64_t>(offset);
    offsets.push_back(offset);
  }
  const emulator::WarpAddresses request = {address.data(), mask, static_cast<unsigned>(bytes)};
  const emulator::SharedShape shape =
      store ? emulator::shared_store_shape(request) : emulator::shared_load_shape(request);
  return {{"bytes", bytes},
          {"store", store},
          {"lanes", mask},
          {"offsets", offsets},
          {"wavefronts", shape.wavefronts},
          {"ideal", shape.ideal_wavefronts}};
}

json occupancy_case(Dice& dice, const std::vector<std::string>& cards) {
  const std::string& id =
      cards[static_cast<std::size_t>(dice.between(0, static_cast<int>(cards.size()) - 1))];
  const KernelNeeds needs = {
      .threads_per_block = dice.one_of(
          std::array{32 * dice.between(1, 34), dice.between(1, 1025), dice.between(1, 64)}),
      .registers_per_thread = dice.between(0, dice.one_of(std::array{24, 257})),
      .shared_bytes_per_block = dice.between(0, 240000) >> dice.between(0, 12)};
  const DeviceCard card = load_card(id);
  return {{"card", id},
          {"threads", needs.threads_per_block},
          {"registers", needs.registers_per_thread},
          {"shared", needs.shared_bytes_per_block},
          {"blocks", blocks_per_sm(card, needs)},
          {"limit", deciding_limit(card, needs)}};
}

json roofline_case(Dice& dice, const std::vector<std::string>& cards) {
  const std::string& id =
      cards[static_cast<std::size_t>(dice.between(0, static_cast<int>(cards.size()) - 1))];
  const DeviceCard card = load_card(id);
  const Roof roof = roof_of(card);
  const Shape shape = {1 << dice.between(0, 14), dice.between(1, 20000), dice.between(1, 20000)};
  const float beta = static_cast<float>(dice.between(0, 1));
  return {{"card", id},
          {"m", shape.M},
          {"n", shape.N},
          {"k", shape.K},
          {"beta", beta},
          {"flops", flops(shape)},
          {"bytes", compulsory_bytes(shape, beta, Format::fp32)},
          {"tflops", attainable_tflops(roof, shape, beta, kFp32).value()}};
}

/// (row, column) of the tiles in the order in which blocks start: `band` block rows are walked
/// through before the next column, as rung 07 does; 1 is along rows, all rows is along columns.
std::vector<std::pair<int, int>> tiles_in_order(int rows, int cols, int band) {
  std::vector<std::pair<int, int>> tiles;
  for (int y = 0; y < ceil_div(rows, band); ++y) {
    for (int x = 0; x < cols * band; ++x) {
      const int row = y * band + x % band;
      if (row < rows) tiles.emplace_back(row, x / band);
    }
  }
  return tiles;
}

/// \brief One k of a wave through the emulator's cache, which is large enough to keep it: what
///        blocks read of A and B, in units of one element of a panel, and what misses.
json wave_case(Dice& dice) {
  const int BM = 16 << dice.between(0, 4);
  const int BN = 16 << dice.between(0, 4);
  const Shape shape = {dice.between(1, 4000), dice.between(1, 4000), 32};
  const int rows = ceil_div(shape.M, BM);
  const int cols = ceil_div(shape.N, BN);
  const int band = dice.one_of(std::array{1, rows, dice.between(1, 24)});
  const int at_once = dice.between(1, 264);
  const std::vector<std::pair<int, int>> tiles = tiles_in_order(rows, cols, band);
  const int waves = ceil_div(static_cast<int>(tiles.size()), at_once);
  const int wave = dice.between(0, waves - 1);
  const std::size_t begin = static_cast<std::size_t>(wave) * static_cast<std::size_t>(at_once);
  const std::size_t end = std::min(tiles.size(), begin + static_cast<std::size_t>(at_once));

  emulator::SectorCache l2(std::size_t{256} << 20, 64);
  std::int64_t read = 0;
  std::int64_t missed = 0;
  const auto read_panel = [&](int matrix, int panel, int extent) {
    for (int i = 0; i < extent; ++i) {
      const auto line = static_cast<std::uint64_t>((matrix << 20) + panel * extent + i);
      missed += std::popcount(l2.read(emulator::HashedLine(line), 1));
      ++read;
    }
  };
  std::set<int> panels_a;
  std::set<int> panels_b;
  for (std::size_t i = begin; i < end; ++i) {
    read_panel(1, tiles[i].first, BM);
    read_panel(2, tiles[i].second, BN);
    panels_a.insert(tiles[i].first);
    panels_b.insert(tiles[i].second);
  }
  return {{"m", shape.M},
          {"n", shape.N},
          {"bm", BM},
          {"bn", BN},
          {"band", band},
          {"at_once", at_once},
          {"wave", wave},
          {"waves", waves},
          {"first", {tiles[begin].first, tiles[begin].second}},
          {"last", {tiles[end - 1].first, tiles[end - 1].second}},
          {"tiles", end - begin},
          {"panels_a", panels_a.size()},
          {"panels_b", panels_b.size()},
          {"read", read},
          {"missed", missed}};
}

template <class MakeCase>
json cases(const MakeCase& make_case) {
  json made = json::array();
  for (int i = 0; i < kCases; ++i)
    made.push_back(make_case());
  return made;
}

}  // namespace
}  // namespace ladder

int main(int, char** argv) {
  using namespace ladder;
  Dice dice(static_cast<unsigned>(std::stoul(argv[1])));
  const std::vector<std::string> cards = card_names();
  const json all = {{"coalescing", cases([&] { return coalescing_case(dice); })},
                    {"wavefronts", cases([&] { return wavefront_case(dice); })},
                    {"occupancy", cases([&] { return occupancy_case(dice, cards); })},
                    {"roofline", cases([&] { return roofline_case(dice, cards); })},
                    {"waves", cases([&] { return wave_case(dice); })}};
  std::puts(all.dump().c_str());
}
