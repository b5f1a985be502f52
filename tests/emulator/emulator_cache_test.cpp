// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_cache_test.cpp
/// \brief The cache model: small cases with traffic that can be counted by hand; and the traffic of
///        tiled kernels, compared with what Nsight Compute counted on an H200.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <ostream>
#include <vector>

#include "emulator/trace/replay.hpp"
#include "emulator/trace/sector_cache.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kAllSectors = 0b1111;

// -- One cache
// -------------------------------------------------------------------------------------

/// Room for so many lines in a single set.
SectorCache one_set(int lines) {
  return SectorCache(static_cast<std::size_t>(lines) * kLineBytes, lines);
}

TEST(SectorCache, LeastRecentlyUsedLineMakesRoom) {
  SectorCache cache = one_set(2);
  cache.read(HashedLine(1), kAllSectors);
  cache.read(HashedLine(2), kAllSectors);
  EXPECT_EQ(cache.read(HashedLine(1), kAllSectors), 0u);
  cache.read(HashedLine(3), kAllSectors);  // in place of 2
  EXPECT_EQ(cache.read(HashedLine(1), kAllSectors), 0u);
  EXPECT_EQ(cache.read(HashedLine(2), kAllSectors), kAllSectors);  // in place of 3
  EXPECT_EQ(cache.read(HashedLine(3), kAllSectors), kAllSectors);
}

TEST(SectorCache, FetchesOnlyMissingSectors) {
  SectorCache cache = one_set(2);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0011), 0b0011u);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0110), 0b0100u);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0111), 0u);
}

TEST(SectorCache, LineZeroIsALine) {
  SectorCache cache = one_set(2);
  EXPECT_EQ(cache.read(HashedLine(0), kAllSectors), kAllSectors);
  EXPECT_EQ(cache.read(HashedLine(0), kAllSectors), 0u);
}

TEST(SectorCache, WritesFetchNothingAndCanBeRead) {
  SectorCache cache = one_set(2);
  cache.write(HashedLine(1), 0b0011);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0111), 0b0100u);
  EXPECT_EQ(cache.dirty(), 2u);  // not the sector that was only read
}

TEST(SectorCache, WritesDirtySectorsBackToMakeRoom) {
  SectorCache cache = one_set(2);
  cache.write(HashedLine(1), 0b0111);
  cache.read(HashedLine(2), kAllSectors);
  EXPECT_EQ(cache.written_back(), 0u);
  cache.read(HashedLine(3), kAllSectors);  // in place of 1
  EXPECT_EQ(cache.written_back(), 3u);
  cache.read(HashedLine(4), kAllSectors);  // in place of 2, which is clean
  EXPECT_EQ(cache.written_back(), 3u);
  EXPECT_EQ(cache.dirty(), 0u);
}

TEST(SectorCache, WithoutRoomAlwaysMisses) {
  SectorCache cache(kLineBytes - 1, 16);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0011), 0b0011u);
  EXPECT_EQ(cache.read(HashedLine(1), 0b0011), 0b0011u);
  cache.write(HashedLine(1), 0b0001);
  EXPECT_EQ(cache.written_back(), 1u);
}

TEST(SectorCache, RowsOfAPowerOfTwoMeetInNoSetMoreThanOthers) {
  SectorCache cache(std::size_t{4096} * kLineBytes, 16);
  unsigned missed_again = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t row = 0; row < 2048; ++row) {
      const unsigned missing = cache.read(HashedLine(row * 128), kAllSectors);
      if (round == 1 && missing != 0) ++missed_again;
    }
  }
  EXPECT_LT(missed_again, 2048u / 20);  // the cache is half full
}

TEST(HashedLine, SampleIsItsShareOfTheLinesAndOfBothPartitions) {
  constexpr unsigned kHalvings = 4;
  constexpr int kLines = 1 << 18;
  int sampled = 0;
  int at_home_in_first = 0;
  for (int i = 0; i < kLines; ++i) {
    const HashedLine line(static_cast<std::uint64_t>(i));
    if (!line.sampled(HashedLine::sample_mask(kHalvings))) continue;
    ++sampled;
    if (line.home(2) == 0) ++at_home_in_first;
  }
  EXPECT_NEAR(sampled, kLines >> kHalvings, 0.02 * (kLines >> kHalvings));
  EXPECT_NEAR(at_home_in_first, 0.5 * sampled, 0.02 * sampled);
  EXPECT_TRUE(HashedLine(kLines).sampled(HashedLine::sample_mask(0)));
}

// -- Streams made by hand
// --------------------------------------------------------------------------

const std::vector<LinePattern> kOneLine = {{{.line = 0, .sectors = kAllSectors}}};

/// \brief A stream of whole lines of one array, one slice for each list.
BlockStream reads(const std::vector<std::vector<int>>& slices) {
  BlockStream stream;
  for (const std::vector<int>& lines : slices) {
    stream.accesses.reserve(stream.accesses.size() + lines.size());
    for (const int line : lines)
      stream.accesses.push_back({.line = line, .pattern = 0, .array = 0, .store = 0});
    stream.slice_ends.push_back(static_cast<std::uint32_t>(stream.accesses.size()));
  }
  return stream;
}

/// Reads the lines from first on, one per slice.
BlockStream reads_slowly(int first, int lines) {
  std::vector<std::vector<int>> slices;
  slices.reserve(static_cast<std::size_t>(lines));
  for (int i = 0; i < lines; ++i)
    slices.push_back({first + i});
  return reads(slices);
}

std::optional<MemoryTraffic> replay_streams(const MemorySystem& memory,
                                            const ReplaySettings& settings,
                                            const std::vector<const BlockStream*>& streams) {
  std::vector<ReplayBlock> blocks;
  blocks.reserve(streams.size());
  for (const BlockStream* const stream : streams)
    blocks.push_back({.stream = stream, .line_shift = {}});
  const std::vector<std::uint64_t> first_lines = {1000};
  return replay(memory, settings, kOneLine, first_lines, blocks);
}

TEST(Replay, CountsEveryLevel) {
  // One line from DRAM, then from L1; 8 more throw it out of L1, and it comes from L2.
  const BlockStream stream = reads({{0}, {0}, {1, 2, 3, 4, 5, 6, 7, 8}, {0}});
  const MemorySystem memory = {
      .sms = 1, .l1_bytes = 8 * kLineBytes, .l2_bytes = 64 * kLineBytes, .l2_ways = 64};
  const std::optional<MemoryTraffic> traffic = replay_streams(memory, {}, {&stream});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(*traffic, (MemoryTraffic{.l1_load_sectors = 44,
                                     .l1_load_hits = 4,
                                     .l2_read_sectors = 40,
                                     .l2_read_sectors_least = 40,
                                     .l2_read_sectors_most = 40,
                                     .l2_hits = 4,
                                     .l2_misses = 36,
                                     .dram_read_bytes = 9 * kLineBytes}));
}

TEST(Replay, StoresGoToL2AndStayThere) {
  BlockStream stream = reads({{0, 1}});
  for (StreamAccess& access : stream.accesses)
    access.store = 1;
  const MemorySystem memory = {
      .sms = 1, .l1_bytes = 8 * kLineBytes, .l2_bytes = 64 * kLineBytes, .l2_ways = 64};
  const std::optional<MemoryTraffic> traffic = replay_streams(memory, {}, {&stream});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(
      *traffic,
      (MemoryTraffic{.l2_write_sectors = 8, .l2_hits = 8, .dirty_left_bytes = 2 * kLineBytes}));
}

TEST(Replay, LinesOfTheFarPartitionAreKeptTwice) {
  constexpr std::size_t kLines = 1024;
  std::vector<int> lines(kLines);
  std::iota(lines.begin(), lines.end(), 0);
  const BlockStream stream = reads({lines});
  const std::vector<const BlockStream*> blocks(32, &stream);
  MemorySystem memory = {.sms = 16, .l2_bytes = 4 * kLines * kLineBytes};

  // Alone, a partition misses each line once; the second has copies of those that are its own.
  const std::optional<MemoryTraffic> one = replay_streams(memory, {}, blocks);
  memory.l2_partitions = 2;
  const std::optional<MemoryTraffic> two = replay_streams(memory, {}, blocks);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->dram_read_bytes, kLines * kLineBytes);
  EXPECT_EQ(two->dram_read_bytes, kLines * kLineBytes);
  EXPECT_EQ(one->l2_misses, 4 * kLines);
  EXPECT_NEAR(static_cast<double>(two->l2_misses), 6.0 * kLines, 0.4 * kLines);

  // Copies take room: what fits into one L2 does not fit twice into the same.
  memory.l2_bytes = kLines * kLineBytes * 5 / 4;
  memory.l2_ways = static_cast<int>(kLines * 5 / 4);  // one set
  const std::optional<MemoryTraffic> tight_two = replay_streams(memory, {}, blocks);
  memory.l2_partitions = 1;
  const std::optional<MemoryTraffic> tight_one = replay_streams(memory, {}, blocks);
  ASSERT_TRUE(tight_one && tight_two);
  EXPECT_EQ(tight_one->dram_read_bytes, kLines * kLineBytes);
  EXPECT_GT(tight_two->dram_read_bytes, 10 * kLines * kLineBytes);
}

TEST(Replay, NextBlockGoesToTheSmThatIsFreeFirst) {
  // A long block on SM 0; the short ones follow each other on SM 1 and find their line in its L1.
  const BlockStream long_one = reads_slowly(100, 50);
  const BlockStream short_one = reads({{0}});
  const MemorySystem memory = {
      .sms = 2, .l1_bytes = 128 * kLineBytes, .l2_bytes = 1024 * kLineBytes};
  const ReplaySettings settings = {.blocks_per_sm = 1, .block_cycles = 1000};
  const std::optional<MemoryTraffic> traffic =
      replay_streams(memory, settings, {&long_one, &short_one, &short_one, &short_one, &short_one});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->l1_load_hits, 3u * 4);
}

TEST(Replay, BlocksWaitForAPlace) {
  // Each block reads one line again and again, and L1 has room for one line.
  const BlockStream first = reads({{0}, {0}, {0}, {0}});
  const BlockStream second = reads({{1}, {1}, {1}, {1}});
  const MemorySystem memory = {.sms = 1, .l1_bytes = kLineBytes, .l2_bytes = 1024 * kLineBytes};
  const auto l1_hits = [&](int blocks_per_sm) {
    return replay_streams(memory, {.blocks_per_sm = blocks_per_sm}, {&first, &second})
        ->l1_load_hits;
  };
  EXPECT_EQ(l1_hits(1), 2u * 3 * 4);
  EXPECT_LT(l1_hits(2), 2u * 3 * 4);
}

TEST(Replay, BlocksThatWaitForLoadsStayInStepOthersDriftApart) {
  // Two blocks read the same 2000 lines; L2 keeps the last 32. Where loads are hidden, the younger
  // falls behind; where they are not, it has the SM to itself while the older one waits.
  constexpr int kLines = 2000;
  const BlockStream stream = reads_slowly(0, kLines);
  const MemorySystem memory = {.sms = 1, .l2_bytes = 32 * kLineBytes, .l2_ways = 32};
  const auto lines_read = [&](double loads_hidden) {
    const ReplaySettings settings = {
        .blocks_per_sm = 2, .loads_hidden = loads_hidden, .block_cycles = 500.0 * kLines};
    return replay_streams(memory, settings, {&stream, &stream})->dram_read_bytes / kLineBytes;
  };
  EXPECT_LT(lines_read(0), 1.05 * kLines);
  EXPECT_GT(lines_read(1), 1.9 * kLines);
}

TEST(Replay, EmptyStreamsAndEmptyGridsEnd) {
  const BlockStream nothing;
  const BlockStream something = reads({{0}, {}, {1}});
  const MemorySystem memory = {.sms = 2, .l2_bytes = 64 * kLineBytes};
  EXPECT_EQ(replay_streams(memory, {}, {}), MemoryTraffic{});
  EXPECT_EQ(replay_streams(memory, {}, {&nothing, &something, &nothing})->dram_read_bytes,
            2 * kLineBytes);
}

TEST(Replay, MoreTouchesThanTheBudgetGiveNothing) {
  const BlockStream stream = reads_slowly(0, 100);
  const MemorySystem memory = {.sms = 1, .l2_bytes = 1024 * kLineBytes};
  EXPECT_TRUE(replay_streams(memory, {.touch_budget = 200}, {&stream, &stream}));
  EXPECT_FALSE(replay_streams(memory, {.touch_budget = 199}, {&stream, &stream}));
}

// -- Reads that are merged before L2
// ------------------------------------------------------------------------

/// Blocks that wait for their data at barriers, each on an SM of its own.
constexpr ReplaySettings kInStep = {.has_barriers = true};

/// A whole H100 of which the first `reading` SMs in each of the first `gpcs` GPCs read, all the
/// same 32 lines at the same time: how often L2 looks each line up.
double look_ups_per_line(unsigned gpcs, unsigned reading) {
  constexpr int kSms = 132;
  constexpr unsigned kGpcs = 8;
  std::vector<int> lines(32);
  std::iota(lines.begin(), lines.end(), 0);
  const BlockStream reader = reads({lines});
  const BlockStream nothing;
  std::vector<const BlockStream*> streams(kSms, &nothing);
  std::vector<unsigned> readers_of(kGpcs);
  for (unsigned sm = 0; sm < kSms; ++sm) {
    const unsigned gpc = sm * kGpcs / kSms;
    if (gpc < gpcs && readers_of[gpc]++ < reading) streams[sm] = &reader;
  }
  const MemorySystem memory = {.sms = kSms,
                               .l2_bytes = 1024 * kLineBytes,
                               .l2_ways = 1024,
                               .l2_partitions = 2,
                               .merging_gpcs = kGpcs};
  const std::optional<MemoryTraffic> traffic = replay_streams(memory, kInStep, streams);
  EXPECT_TRUE(traffic);
  EXPECT_EQ(traffic->l2_read_sectors, traffic->l2_read_sectors_least);
  return static_cast<double>(traffic->l2_read_sectors) / (4.0 * static_cast<double>(lines.size()));
}

// Nsight Compute on an H100, lts__t_sectors_srcunit_tex_op_read, 128 lines and empty caches:
// 1.00 with one to four SMs of a GPC, 2.00 and 2.01 with six and eight, 9.00 with one TPC's SM of
// each GPC and four more of one, 18.04 with every other SM, 35.0 with all.
TEST(ReplayMerges, AsManyReadsAsAnH100) {
  EXPECT_DOUBLE_EQ(look_ups_per_line(1, 1), 1);
  EXPECT_DOUBLE_EQ(look_ups_per_line(1, 2), 1);
  EXPECT_DOUBLE_EQ(look_ups_per_line(1, 4), 1);
  EXPECT_DOUBLE_EQ(look_ups_per_line(1, 6), 2);
  EXPECT_DOUBLE_EQ(look_ups_per_line(1, 8), 2);
  EXPECT_DOUBLE_EQ(look_ups_per_line(8, 1), 8);
  EXPECT_NEAR(look_ups_per_line(8, 8), 18.04, 0.12 * 18.04);  // two GPCs have 9 of these
  EXPECT_NEAR(look_ups_per_line(8, 17), 35.0, 0.05 * 35);
}

/// Two SMs of one GPC, or of a GPU that merges nothing.
MemorySystem two_sms(int merging_gpcs) {
  return {.sms = 2, .l2_bytes = 1024 * kLineBytes, .l2_ways = 1024, .merging_gpcs = merging_gpcs};
}

TEST(ReplayMerges, OnlyWhereTheCardDoes) {
  const BlockStream stream = reads({{0}});
  const auto traffic = [&](int gpcs) {
    return *replay_streams(two_sms(gpcs), kInStep, {&stream, &stream});
  };
  EXPECT_EQ(traffic(0).l2_read_sectors, 8u);
  EXPECT_EQ(traffic(0).l2_read_sectors_least, 8u);
  EXPECT_EQ(traffic(1).l2_read_sectors, 4u);
  EXPECT_EQ(traffic(2).l2_read_sectors, 8u) << "SMs of two GPCs";
  for (const int gpcs : {0, 1, 2}) {
    EXPECT_EQ(traffic(gpcs).l2_read_sectors_most, 8u);
    EXPECT_EQ(traffic(gpcs).l2_misses, 4u);
    EXPECT_EQ(traffic(gpcs).dram_read_bytes, kLineBytes);
  }
}

TEST(ReplayMerges, OnlyTheSameSectorsOfALine) {
  const std::vector<LinePattern> patterns = {{{.line = 0, .sectors = 0b0011}},
                                             {{.line = 0, .sectors = 0b0110}}};
  const std::vector<std::uint64_t> first_lines = {1000};
  const auto sectors_read = [&](std::uint32_t other) {
    const BlockStream one = {.accesses = {{.line = 0, .pattern = 0, .array = 0, .store = 0}},
                             .slice_ends = {1}};
    const BlockStream two = {.accesses = {{.line = 0, .pattern = other, .array = 0, .store = 0}},
                             .slice_ends = {1}};
    const std::vector<ReplayBlock> blocks = {{&one, {}}, {&two, {}}};
    return replay(two_sms(1), kInStep, patterns, first_lines, blocks)->l2_read_sectors;
  };
  EXPECT_EQ(sectors_read(0), 2u);
  EXPECT_EQ(sectors_read(1), 4u);
}

TEST(ReplayMerges, StoresNever) {
  BlockStream stream = reads({{0}});
  stream.accesses[0].store = 1;
  EXPECT_EQ(replay_streams(two_sms(1), kInStep, {&stream, &stream})->l2_write_sectors, 8u);
}

/// Sectors that L2 looks up if the second SM reads the line so many cycles after the first.
std::uint64_t sectors_read_later(double cycles, bool in_l2) {
  const std::vector<int> before = in_l2 ? std::vector<int>{0} : std::vector<int>{5};
  const BlockStream first = reads({before, {}, {0}, {}});
  const BlockStream second = reads({{6}, {}, {}, {0}});
  const ReplaySettings settings = {.has_barriers = true, .block_cycles = 4 * cycles};
  MemorySystem memory = two_sms(1);
  memory.l1_bytes = 0;
  return replay_streams(memory, settings, {&first, &second})->l2_read_sectors - 8;
}

TEST(ReplayMerges, WhileTheFirstWaitsForItsAnswer) {
  EXPECT_EQ(sectors_read_later(200, false), 4u) << "DRAM takes longer";
  EXPECT_EQ(sectors_read_later(600, false), 8u);
  EXPECT_EQ(sectors_read_later(200, true), 8u) << "L2 is quick";
}

TEST(ReplayMerges, SmsThatNeverWaitAreNotInStep) {
  constexpr int kLines = 500;
  const BlockStream stream = reads_slowly(0, kLines);
  const auto traffic = [&](ReplaySettings settings) {
    settings.loads_hidden = 1;
    settings.block_cycles = 1000.0 * kLines;
    return *replay_streams(two_sms(1), settings, {&stream, &stream});
  };
  const MemoryTraffic in_step = traffic({.tiles_ahead = 1, .has_barriers = true});
  EXPECT_EQ(in_step.l2_read_sectors, in_step.l2_read_sectors_least);
  for (const ReplaySettings& settings : {ReplaySettings{.tiles_ahead = 3, .has_barriers = true},
                                         ReplaySettings{.tiles_ahead = 0, .has_barriers = false}}) {
    const MemoryTraffic apart = traffic(settings);
    EXPECT_EQ(apart.l2_read_sectors_least, 4u * kLines);
    EXPECT_EQ(apart.l2_read_sectors_most, 8u * kLines);
    EXPECT_GT(apart.l2_read_sectors, 5u * kLines);
    EXPECT_LT(apart.l2_read_sectors, 8u * kLines);
    EXPECT_EQ(apart.l2_misses, in_step.l2_misses);
  }
}

TEST(ReplayMerges, WhatIsAskedForAgainIsALookUpAndNoMore) {
  const std::vector<LinePattern> patterns = {{{.line = 0, .sectors = 0b0011},
                                              {.line = 0, .sectors = 0b0011, .again = true},
                                              {.line = 1, .sectors = 0b0001, .again = true}}};
  const std::vector<std::uint64_t> first_lines = {1000};
  const BlockStream stream = {.accesses = {{.line = 0, .pattern = 0, .array = 0, .store = 2}},
                              .slice_ends = {1}};
  for (const int gpcs : {0, 1}) {
    const std::vector<ReplayBlock> blocks = {{&stream, {}}};
    const MemoryTraffic traffic = *replay(two_sms(gpcs), kInStep, patterns, first_lines, blocks);
    EXPECT_EQ(traffic.l2_read_sectors, 5u);
    EXPECT_EQ(traffic.l2_read_sectors_least, 5u);
    EXPECT_EQ(traffic.l2_read_sectors_most, 5u);
    EXPECT_EQ(traffic.l2_hits, 3u);
    EXPECT_EQ(traffic.dram_read_bytes, 2 * kSectorBytes);
  }
}

// -- Kernels with tiles of 128 x 128 x 8 floats, as rungs 05 to 07
// ---------------------------------

/// What C = A*B asks of global memory, all three n x n floats.
struct TiledKernel {
  std::vector<LinePattern> patterns;
  std::vector<std::uint64_t> first_lines;
  BlockStream stream;
  std::vector<ReplayBlock> blocks;

  /// \param n     a multiple of 128
  /// \param band  tile rows that blocks walk through before the next column; 0: along whole rows
  TiledKernel(int n, int band) {
    constexpr int kTile = 128;
    constexpr int kSlice = 8;
    constexpr int kFloatsPerLine = 32;
    const int row_lines = n / kFloatsPerLine;  // of every matrix
    const auto matrix_lines = static_cast<std::uint64_t>(n) * static_cast<unsigned>(row_lines);
    first_lines = {0, matrix_lines, 2 * matrix_lines};

    // 0 to 3: a sector of A in 16 rows. 4: a row of B's tile. 5: half of two rows of C's tile.
    for (unsigned sector = 0; sector < 4; ++sector) {
      LinePattern& pattern = patterns.emplace_back();
      for (int row = 0; row < 16; ++row)
        pattern.push_back({.line = row * row_lines, .sectors = 1u << sector});
    }
    const auto whole_lines = [&](const std::vector<int>& lines) {
      LinePattern& pattern = patterns.emplace_back();
      for (const int line : lines)
        pattern.push_back({.line = line, .sectors = kAllSectors});
    };
    whole_lines({0, 1, 2, 3});
    whole_lines({0, 1, row_lines, row_lines + 1});

    // Eight warps: the slices of A and B, then C.
    const auto access = [&](int line, int pattern, int array) {
      stream.accesses.push_back({.line = line,
                                 .pattern = static_cast<std::uint32_t>(pattern),
                                 .array = static_cast<std::uint16_t>(array),
                                 .store = static_cast<std::uint16_t>(array == 2 ? 1 : 0)});
    };
    const auto end_slice = [&] {
      stream.slice_ends.push_back(static_cast<std::uint32_t>(stream.accesses.size()));
    };
    for (int k = 0; k < n; k += kSlice) {
      for (int warp = 0; warp < 8; ++warp) {
        access(16 * warp * row_lines + k / kFloatsPerLine, k / kSlice % 4, 0);
        access((k + warp) * row_lines, 4, 1);
      }
      end_slice();
    }
    for (int row = 0; row < kTile; row += 2) {
      access(row * row_lines, 5, 2);
      access(row * row_lines + 2, 5, 2);
    }
    end_slice();

    // The blocks in launch order.
    const int tiles = n / kTile;
    const int rows_at_once = band == 0 ? 1 : band;
    for (int block = 0; block < tiles * tiles; ++block) {
      const int in_band = block % (rows_at_once * tiles);
      const std::int64_t row =
          block / (rows_at_once * tiles) * rows_at_once + in_band % rows_at_once;
      const std::int64_t rows = row * kTile * row_lines;
      const std::int64_t column = in_band / rows_at_once;
      const std::int64_t columns = column * kTile / kFloatsPerLine;
      blocks.push_back({.stream = &stream, .line_shift = {rows, columns, rows + columns}});
    }
  }

  TiledKernel(const TiledKernel&) = delete;  // blocks point to the stream
  TiledKernel& operator=(const TiledKernel&) = delete;
  TiledKernel(TiledKernel&&) = delete;
  TiledKernel& operator=(TiledKernel&&) = delete;
  ~TiledKernel() = default;

  std::uint64_t touches() const {
    std::uint64_t touches = 0;
    for (const StreamAccess& access : stream.accesses)
      touches += patterns[access.pattern].size();
    return touches * blocks.size();
  }

  /// The multiply-adds of a block, 128 per cycle, take the longest.
  double block_cycles() const { return 1024.0 * static_cast<double>(stream.slice_ends.size() - 1); }

  MemoryTraffic traffic(const MemorySystem& memory, double loads_hidden, unsigned halvings) const {
    const ReplaySettings settings = {.blocks_per_sm = 2,
                                     .loads_hidden = loads_hidden,
                                     .block_cycles = block_cycles(),
                                     .touch_budget = 64 * (touches() >> halvings) + 64};
    const std::optional<MemoryTraffic> traffic =
        replay(memory, settings, patterns, first_lines, blocks);
    EXPECT_TRUE(traffic);
    EXPECT_EQ(traffic->halvings, halvings);
    return *traffic;
  }
};

double hit_rate(const MemoryTraffic& traffic) {
  return static_cast<double>(traffic.l2_hits) /
         static_cast<double>(traffic.l2_hits + traffic.l2_misses);
}

const MemorySystem kH200 = {.sms = 132,
                            .l1_bytes = std::size_t{220} << 10,
                            .l2_bytes = 62'914'560,
                            .l2_ways = 16,
                            .l2_partitions = 2};
const MemorySystem kClassroom = {.sms = 8,
                                 .l1_bytes = std::size_t{220} << 10,
                                 .l2_bytes = std::size_t{512} << 10,
                                 .l2_ways = 16,
                                 .l2_partitions = 1};

TEST(ReplayOfTiles, WhatFitsIntoL2IsReadOnce) {
  constexpr std::uint64_t kMatrixBytes = 2048ull * 2048 * 4;
  const TiledKernel kernel(2048, 0);
  const MemoryTraffic traffic = kernel.traffic(kH200, 0, 3);
  const auto read = static_cast<double>(traffic.dram_read_bytes);
  const auto written = static_cast<double>(traffic.dram_write_bytes + traffic.dirty_left_bytes);
  EXPECT_NEAR(read, 2.0 * kMatrixBytes, 0.02 * kMatrixBytes);
  EXPECT_NEAR(written, kMatrixBytes, 0.02 * kMatrixBytes);
  EXPECT_NEAR(hit_rate(traffic), 0.912, 0.05);  // measured, rung 05
}

TEST(ReplayOfTiles, ClassroomRereadsWhatDoesNotFit) {
  constexpr std::uint64_t kSmall = 128ull * 128 * 4;
  const MemoryTraffic fits = TiledKernel(128, 0).traffic(kClassroom, 0, 0);
  EXPECT_EQ(fits.dram_read_bytes, 2 * kSmall);
  EXPECT_EQ(fits.dram_write_bytes, 0u);
  EXPECT_EQ(fits.dirty_left_bytes, kSmall);
  EXPECT_EQ(fits.l2_write_sectors, kSmall / kSectorBytes);

  // The 16 blocks at once are two rows of tiles: of 8 rows, four pairs read B again.
  constexpr std::uint64_t kLarge = 1024ull * 1024 * 4;
  const MemoryTraffic does_not = TiledKernel(1024, 0).traffic(kClassroom, 0, 0);
  EXPECT_NEAR(static_cast<double>(does_not.dram_read_bytes), 5.0 * kLarge, 0.05 * kLarge);
  EXPECT_EQ(does_not.dram_write_bytes + does_not.dirty_left_bytes, kLarge);
}

TEST(ReplayOfTiles, SampleHasTheRatesOfAllLines) {
  const TiledKernel kernel(1024, 0);
  MemorySystem without_l1 = kClassroom;
  without_l1.l1_bytes = 0;
  const auto expect_same = [&](const MemorySystem& memory, double loads_hidden) {
    const MemoryTraffic all = kernel.traffic(memory, loads_hidden, 0);
    const MemoryTraffic some = kernel.traffic(memory, loads_hidden, 2);
    const auto all_read = static_cast<double>(all.dram_read_bytes);
    EXPECT_NEAR(static_cast<double>(some.dram_read_bytes), all_read, 0.02 * all_read);
    EXPECT_NEAR(hit_rate(some), hit_rate(all), 0.02);
  };
  expect_same(kClassroom, 1);
  expect_same(without_l1, 1);
  expect_same(without_l1, 0);
}

TEST(ReplayOfTiles, SameInputGivesSameTraffic) {
  const TiledKernel kernel(512, 2);
  EXPECT_EQ(kernel.traffic(kClassroom, 0.5, 0), kernel.traffic(kClassroom, 0.5, 0));
}

/// What Nsight Compute counted on an H200, with caches flushed before the kernel.
struct Measured {
  const char* rung;
  int n;
  int band;
  double loads_hidden;
  double dram_megabytes;  ///< read and written
  double hit_rate;        ///< lts__t_sectors_srcunit_tex_lookup_hit
};

std::ostream& operator<<(std::ostream& out, const Measured& measured) {
  return out << measured.rung << " at " << measured.n;
}

class ReplayOnH200 : public testing::TestWithParam<Measured> {};

TEST_P(ReplayOnH200, DramWithin15PercentAndHitRateWithin5Points) {
  const Measured& measured = GetParam();
  const TiledKernel kernel(measured.n, measured.band);
  const MemoryTraffic traffic = kernel.traffic(kH200, measured.loads_hidden, 6);
  const double megabytes =
      static_cast<double>(traffic.dram_read_bytes + traffic.dram_write_bytes) / 1e6;
  EXPECT_NEAR(megabytes, measured.dram_megabytes, 0.15 * measured.dram_megabytes);
  EXPECT_NEAR(hit_rate(traffic), measured.hit_rate, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Rungs, ReplayOnH200,
                         testing::Values(Measured{"05", 4096, 0, 0, 433.7, 0.866},
                                         Measured{"06", 4096, 0, 1, 660.8, 0.780},
                                         Measured{"07", 4096, 16, 1, 492.9, 0.845}));

}  // namespace
}  // namespace ladder::emulator
