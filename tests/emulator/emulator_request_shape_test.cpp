// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_request_shape_test.cpp
/// \brief Sectors, lines and wavefronts of single requests, against numbers worked out by hand.
#include "emulator/trace/request_shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ladder::emulator {
namespace {

constexpr std::uint32_t kAllLanes = ~0u;
constexpr std::uint64_t kBase = 0x10000;  // starts a line, and bank 0

/// A request by its addresses: where each lane's bytes begin, counted from kBase.
class Request {
 public:
  Request(unsigned bytes, const std::function<int(int lane)>& offset,
          std::uint32_t lanes = kAllLanes)
      : lanes_(lanes), bytes_(bytes) {
    for (int lane = 0; lane < 32; ++lane) {
      const bool active = (lanes >> lane & 1) != 0;
      // What inactive lanes hold must not matter.
      address_[lane] = active ? kBase + static_cast<std::uint64_t>(offset(lane)) : 77 * lane;
    }
  }
  WarpAddresses addresses() const { return {address_.data(), lanes_, bytes_}; }

 private:
  std::array<std::uint64_t, 32> address_;
  std::uint32_t lanes_;
  unsigned bytes_;
};

using Lines = std::vector<std::pair<int, unsigned>>;

Lines lines_of(const GlobalShape& shape) {
  Lines lines;
  for (const LineTouch& touch : shape.lines)
    lines.emplace_back(touch.line, touch.sectors);
  return lines;
}

// -- Global memory ------------------------------------------------------------------------------

TEST(EmulatorRequestShape, NeighboursFillALine) {
  const GlobalShape shape = global_shape(Request(4, [](int l) { return 4 * l; }).addresses());
  EXPECT_EQ(shape.sectors, 4u);
  EXPECT_EQ(shape.distinct_sectors, 4u);
  EXPECT_EQ(shape.ideal_sectors, 4u);
  EXPECT_EQ(shape.tags, 1u);
  EXPECT_EQ(lines_of(shape), (Lines{{0, 0b1111}}));
}

TEST(EmulatorRequestShape, OneElementBesideTheLineTakesAFifthSector) {
  const GlobalShape shape = global_shape(Request(4, [](int l) { return 4 * l + 4; }).addresses());
  EXPECT_EQ(shape.sectors, 5u);
  EXPECT_EQ(shape.ideal_sectors, 4u);
  EXPECT_EQ(shape.tags, 2u);
  EXPECT_EQ(lines_of(shape), (Lines{{0, 0b1111}, {1, 0b0001}}));
}

TEST(EmulatorRequestShape, StridesOfASectorAndOfALine) {
  const GlobalShape sector = global_shape(Request(4, [](int l) { return 32 * l; }).addresses());
  EXPECT_EQ(sector.sectors, 32u);
  EXPECT_EQ(sector.ideal_sectors, 4u);
  EXPECT_EQ(sector.tags, 8u);
  const GlobalShape line = global_shape(Request(4, [](int l) { return 128 * l; }).addresses());
  EXPECT_EQ(line.sectors, 32u);
  EXPECT_EQ(line.tags, 32u);
}

TEST(EmulatorRequestShape, OrderOfLanesDoesNotMatter) {
  // The lowest address is in the last lane; lines count from it.
  const GlobalShape shape =
      global_shape(Request(16, [](int l) { return 16 * (31 - l); }).addresses());
  EXPECT_EQ(shape.sectors, 16u);
  EXPECT_EQ(shape.tags, 4u);
  EXPECT_EQ(lines_of(shape), (Lines{{0, 15}, {1, 15}, {2, 15}, {3, 15}}));
}

TEST(EmulatorRequestShape, OneAddressIsOneSector) {
  const GlobalShape shape = global_shape(Request(8, [](int) { return 200; }).addresses());
  EXPECT_EQ(shape.sectors, 1u);
  EXPECT_EQ(shape.ideal_sectors, 1u);
  EXPECT_EQ(lines_of(shape), (Lines{{0, 0b0100}}));
}

TEST(EmulatorRequestShape, SmallElementsAndFewLanes) {
  EXPECT_EQ(global_shape(Request(1, [](int l) { return l; }).addresses()).sectors, 1u);
  EXPECT_EQ(global_shape(Request(2, [](int l) { return 2 * l; }).addresses()).sectors, 2u);
  const auto strided = [](int l) { return 64 * l; };
  const GlobalShape three = global_shape(Request(4, strided, 0b1000'0000'0101).addresses());
  EXPECT_EQ(three.sectors, 3u);
  EXPECT_EQ(three.ideal_sectors, 1u);
  EXPECT_EQ(lines_of(three), (Lines{{0, 0b0001}, {1, 0b0001}, {5, 0b0100}}));
}

TEST(EmulatorRequestShape, AnAccessMayStraddleSectorsAndLines) {
  const GlobalShape sectors = global_shape(Request(
                                               16, [](int) { return 24; }, 1)
                                               .addresses());
  EXPECT_EQ(lines_of(sectors), (Lines{{0, 0b0011}}));
  const GlobalShape lines = global_shape(Request(
                                             16, [](int) { return 120; }, 1)
                                             .addresses());
  EXPECT_EQ(lines_of(lines), (Lines{{0, 0b1000}, {1, 0b0001}}));
  EXPECT_EQ(lines.tags, 2u);
}

TEST(EmulatorRequestShape, LoadsLookUpFourLinesAtATime) {
  const auto wavefronts = [](unsigned bytes, const std::function<int(int)>& offset,
                             std::uint32_t lanes = kAllLanes) {
    return global_load_wavefronts(Request(bytes, offset, lanes).addresses());
  };
  const auto rows = [](int of, int apart) {
    return [of, apart](int l) { return l / of * apart + l % of * 4; };
  };
  EXPECT_EQ(wavefronts(4, [](int l) { return 4 * l; }), 1u);
  EXPECT_EQ(wavefronts(4, [](int) { return 0; }), 1u);
  // Four rows of 8 words: one look-up; in the same banks they leave in turn.
  EXPECT_EQ(wavefronts(4, rows(8, 1024)), 4u);
  EXPECT_EQ(wavefronts(4, rows(8, 1024 + 32)), 1u);
  // Eight rows of 4 words need two look-ups, wherever their banks are.
  EXPECT_EQ(wavefronts(4, rows(4, 1024 + 16)), 2u);
  EXPECT_EQ(wavefronts(4, rows(4, 1024 + 16), 0xFFFF), 1u);
  EXPECT_EQ(wavefronts(4, rows(4, 1024 + 16), 0xFFFFF), 2u);
  EXPECT_EQ(wavefronts(4, [](int l) { return 4096 * l; }), 32u);
  // Of 16 bytes a quarter of the warp at a time, which is a line.
  EXPECT_EQ(wavefronts(16, [](int l) { return 16 * l; }), 4u);
  EXPECT_EQ(wavefronts(16, [](int l) { return 32 * l; }), 8u);
  EXPECT_EQ(wavefronts(16, [](int) { return 0; }), 4u);
  EXPECT_EQ(wavefronts(
                16, [](int l) { return 16 * l; }, 0xFF00),
            1u);
}

TEST(EmulatorRequestShape, OtherLanguagesGetTheSameOfAWholeWarp) {
  const Request apart(16, [](int l) { return 32 * l; });
  const Request shared(16, [](int l) { return l / 2 * 16; });
  const auto loads = [](const Request& request) {
    return ladder_shared_load_wavefronts(request.addresses().address, 16);
  };
  EXPECT_EQ(loads(apart), 8u);
  EXPECT_EQ(loads(shared), 2u);
  EXPECT_EQ(ladder_lanes_loading_at_once(apart.addresses().address, 16), 8u);
  EXPECT_EQ(ladder_lanes_loading_at_once(shared.addresses().address, 16), 16u);
  EXPECT_EQ(ladder_global_load_wavefronts(apart.addresses().address, 16), 8u);
  const Request words(4, [](int l) { return 4 * l; });
  const Request one(4, [](int) { return 0; });
  EXPECT_EQ(ladder_copy_wavefronts(one.addresses().address, words.addresses().address, 4), 32u);
}

TEST(EmulatorRequestShape, GlobalAtomicsTakeTurnsAtOneAddress) {
  const GlobalShape one = global_atomic_shape(Request(4, [](int) { return 0; }).addresses());
  EXPECT_EQ(one.sectors, 32u);
  EXPECT_EQ(one.distinct_sectors, 1u);
  EXPECT_EQ(one.tags, 32u);
  // Two addresses in one sector, 16 lanes each: 16 turns of one sector.
  const GlobalShape two =
      global_atomic_shape(Request(4, [](int l) { return l % 2 * 4; }).addresses());
  EXPECT_EQ(two.sectors, 16u);
  EXPECT_EQ(two.distinct_sectors, 1u);
  // Lanes 0 and 1 meet, all others are alone: a turn of 4 sectors and one of 1.
  const GlobalShape pair =
      global_atomic_shape(Request(4, [](int l) { return l == 1 ? 0 : 4 * l; }).addresses());
  EXPECT_EQ(pair.sectors, 5u);
  EXPECT_EQ(pair.distinct_sectors, 4u);
  EXPECT_EQ(pair.tags, 2u);
  const GlobalShape apart =
      global_atomic_shape(Request(4, [](int l) { return 4 * l; }).addresses());
  EXPECT_EQ(apart.sectors, 4u);
  EXPECT_EQ(apart.tags, 1u);
}

// -- Shared memory ------------------------------------------------------------------------------

struct SharedCase {
  const char* name;
  Request request;
  unsigned load_wavefronts;
  unsigned store_wavefronts;
  unsigned ideal_of_load;
};

TEST(EmulatorRequestShape, WavefrontsOfLoadsAndStores) {
  const auto every = [](int bytes) { return [bytes](int l) { return bytes * l; }; };
  const auto same = [](int) { return 0; };
  const std::vector<SharedCase> cases = {
      {"a word per bank", {4, every(4)}, 1, 1, 1},
      {"two words per bank", {4, every(8)}, 2, 2, 1},
      {"all in one bank", {4, every(128)}, 32, 32, 1},
      {"padded column", {4, every(132)}, 1, 1, 1},
      {"one address", {4, same}, 1, 1, 1},
      {"one lane", {4, every(4), 1u << 9}, 1, 1, 1},
      {"half warp in one bank", {4, every(128), 0xFFFF}, 16, 16, 1},
      {"bytes of eight words", {1, every(1)}, 1, 1, 1},
      {"bytes of one bank", {1, every(128)}, 32, 32, 1},
      {"halves", {2, every(2)}, 1, 1, 1},
      {"words across words", {4, [](int l) { return 4 * l + 2; }}, 2, 2, 1},
      // 8 bytes: half warp by half warp.
      {"float2 side by side", {8, every(8)}, 2, 2, 2},
      {"float2 with a gap", {8, every(16)}, 4, 4, 2},
      {"float2, one address", {8, same}, 1, 2, 1},
      {"float2 of a half warp", {8, every(8), 0xFFFF}, 1, 1, 1},
      // 16 bytes: quarter by quarter.
      {"float4 side by side", {16, every(16)}, 4, 4, 4},
      {"float4 with a gap", {16, every(32)}, 8, 8, 4},
      {"float4, one address", {16, same}, 2, 4, 2},
      {"float4 of a quarter warp", {16, every(16), 0xFF00}, 1, 1, 1},
  };
  for (const SharedCase& c : cases) {
    const WarpAddresses request = c.request.addresses();
    EXPECT_EQ(shared_load_shape(request).wavefronts, c.load_wavefronts) << c.name;
    EXPECT_EQ(shared_load_shape(request).ideal_wavefronts, c.ideal_of_load) << c.name;
    EXPECT_EQ(shared_store_shape(request).wavefronts, c.store_wavefronts) << c.name;
  }
}

// Loads, not stores: lanes that share an address with a neighbour are served with twice as many.
TEST(EmulatorRequestShape, NeighboursThatShareAnAddressAreServedTogether) {
  struct Case {
    const char* name;
    unsigned bytes;
    std::function<int(int)> offset;
    unsigned load_wavefronts;
    unsigned store_wavefronts;
  };
  const std::vector<Case> cases = {
      {"float2, lanes l and l^1", 8, [](int l) { return l / 2 * 8; }, 1, 2},
      {"float2, lanes l and l^2", 8, [](int l) { return (l / 4 * 2 + l % 2) * 8; }, 1, 2},
      {"float2, lanes l and l^4", 8, [](int l) { return (l / 8 * 4 + l % 4) * 8; }, 2, 2},
      {"float4, lanes l and l^1", 16, [](int l) { return l / 2 * 16; }, 2, 4},
      {"float4, lanes l and l^2", 16, [](int l) { return (l / 4 * 2 + l % 2) * 16; }, 2, 4},
      {"float4, lanes l and l^4", 16, [](int l) { return (l / 8 * 4 + l % 4) * 16; }, 4, 4},
      {"float2, but not lanes 30 and 31", 8, [](int l) { return l == 31 ? 128 : l / 2 * 8; }, 2, 2},
  };
  for (const Case& c : cases) {
    const Request request(c.bytes, c.offset);
    EXPECT_EQ(shared_load_shape(request.addresses()).wavefronts, c.load_wavefronts) << c.name;
    EXPECT_EQ(shared_store_shape(request.addresses()).wavefronts, c.store_wavefronts) << c.name;
  }
}

TEST(EmulatorRequestShape, OnlyActiveLanesNeedToShare) {
  // Lane 31 idles, so that lane 30 has nobody to share with.
  const Request request(
      8, [](int l) { return l / 2 * 8; }, 0x7FFFFFFF);
  EXPECT_EQ(shared_load_shape(request.addresses()).wavefronts, 1u);
}

TEST(EmulatorRequestShape, CopiesOfAWordDoNotOvertakeWhomTheyShareABankWith) {
  constexpr int kRow = 4096;  // bytes: the words of a column are in one bank
  const auto four_rows = [](int lane) { return lane / 8 * kRow + lane % 8 * 4; };
  const auto passes = [&](const std::function<int(int)>& from, const std::function<int(int)>& to,
                          std::uint32_t reading = kAllLanes) {
    const Request source(4, from, reading);
    return copy_shape(source.addresses(), Request(4, to).addresses()).target.wavefronts;
  };
  const auto neighbours = [](int lane) { return lane * 4; };
  EXPECT_EQ(passes(neighbours, neighbours), 1u);
  EXPECT_EQ(passes(four_rows, neighbours), 4u);
  EXPECT_EQ(passes(four_rows, neighbours, 0xFF), 1u);
  EXPECT_EQ(passes(four_rows, neighbours, 0), 1u);
  EXPECT_EQ(passes(neighbours, [](int lane) { return lane * 8; }), 2u);
  EXPECT_EQ(passes([](int) { return 0; }, neighbours), 32u);
  // Row r, column c waits for row r - 1 of its column and for column c - 1 of its row: 4 + 8 - 1.
  EXPECT_EQ(passes(four_rows, [](int lane) { return lane % 8 * 128 + lane / 8 * 4; }), 11u);
  const GlobalShape source =
      copy_shape(Request(4, four_rows).addresses(), Request(4, neighbours).addresses()).source;
  EXPECT_EQ(source.sectors, 4u);
  EXPECT_EQ(source.tags, 4u);
}

TEST(EmulatorRequestShape, WideCopiesCountALineForEachTargetLine) {
  const auto shape = [](const std::function<int(int)>& from, const std::function<int(int)>& to) {
    return copy_shape(Request(16, from).addresses(), Request(16, to).addresses());
  };
  const auto neighbours = [](int lane) { return lane * 16; };
  const CopyShape dense = shape(neighbours, neighbours);
  EXPECT_EQ(dense.source.sectors, 16u);
  EXPECT_EQ(dense.source.distinct_sectors, 16u);
  EXPECT_EQ(dense.source.tags, 4u);
  EXPECT_EQ(dense.target.wavefronts, 4u);
  // Every other 16 bytes of eight lines: each half sector travels, two fill one sector there.
  const CopyShape sparse = shape([](int lane) { return lane * 32; }, neighbours);
  EXPECT_EQ(sparse.source.sectors, 16u);
  EXPECT_EQ(sparse.source.distinct_sectors, 32u);
  EXPECT_EQ(sparse.source.ideal_sectors, 16u);
  EXPECT_EQ(sparse.source.tags, 8u);
  // Rows of 64 bytes to rows of 80: every other one starts in the middle of a sector.
  const CopyShape padded =
      shape(neighbours, [](int lane) { return lane / 4 * 80 + lane % 4 * 16; });
  EXPECT_EQ(padded.source.sectors, 20u);
  EXPECT_EQ(padded.source.distinct_sectors, 24u);
  EXPECT_EQ(padded.source.tags, 8u);
  EXPECT_EQ(padded.target.wavefronts, 8u);
  // One source for all: it goes to four lines.
  EXPECT_EQ(shape([](int) { return 0; }, neighbours).source.tags, 4u);
  EXPECT_EQ(shape([](int) { return 0; }, neighbours).source.ideal_sectors, 16u);
}

// On an H100, 16-byte copies of rows that begin in the middle of a sector ask L2 for 32 sectors per
// 512 bytes, and not for the 17 that they touch.
TEST(EmulatorRequestShape, WideCopiesAskForTheSectorsOfEachPairOfLanes) {
  const auto asked = [](int offset, std::uint32_t lanes) {
    const Request request(
        16, [&](int l) { return offset + 16 * l; }, lanes);
    const GlobalShape shape = global_copy_shape(request.addresses());
    std::pair<int, int> once_and_again;
    for (const LineTouch& touch : shape.lines) {
      (touch.again ? once_and_again.second : once_and_again.first) += std::popcount(touch.sectors);
    }
    EXPECT_EQ(shape.sectors, static_cast<unsigned>(once_and_again.first));
    return once_and_again;
  };
  using OnceAndAgain = std::pair<int, int>;
  EXPECT_EQ(asked(0, ~0u), (OnceAndAgain{16, 0}));
  EXPECT_EQ(asked(32, ~0u), (OnceAndAgain{16, 0}));
  EXPECT_EQ(asked(16, ~0u), (OnceAndAgain{17, 15}));
  EXPECT_EQ(asked(112, ~0u), (OnceAndAgain{17, 15}));
  EXPECT_EQ(asked(16, 0b111), (OnceAndAgain{2, 1}));
  EXPECT_EQ(asked(16, 0b11), (OnceAndAgain{2, 0}));
}

TEST(EmulatorRequestShape, SharedAtomicsTakeTurnsAtABank) {
  const auto wavefronts = [](const std::function<int(int)>& offset) {
    return shared_atomic_shape(Request(4, offset).addresses()).wavefronts;
  };
  EXPECT_EQ(wavefronts([](int l) { return 4 * l; }), 1u);
  EXPECT_EQ(wavefronts([](int) { return 0; }), 32u);
  EXPECT_EQ(wavefronts([](int l) { return 128 * l; }), 32u);
  EXPECT_EQ(wavefronts([](int l) { return 4 * (l / 2); }), 2u);
  EXPECT_EQ(shared_atomic_shape(Request(4, [](int) { return 0; }).addresses()).ideal_wavefronts,
            1u);
}

}  // namespace
}  // namespace ladder::emulator
