// SPDX-License-Identifier: MIT
/// \file  tests/common/terminal/access_verdict_wording_test.cpp
/// \brief What a line's verdict says follows from the addresses of its requests.
#include "common/terminal/access_verdict.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>

#include "emulator/trace/request_shape.hpp"

namespace ladder {
namespace {

using emulator::LineCounts;
using emulator::Operation;

/// A line with ten equal requests: lane l asks for `bytes` at offset(l), or not at all.
LineCounts line_of(Operation operation, unsigned bytes, const std::function<int(int)>& offset,
                   std::uint32_t lanes = ~0u) {
  std::array<std::uint64_t, 32> address = {};
  LineCounts line;
  line.operation = operation;
  line.array = asks_global_memory(operation) ? "A" : "sA";
  line.access_bytes = bytes;
  line.example.lanes = lanes;
  line.example.operation = operation;
  line.example.access_bytes = bytes;
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    line.example.addresses[lane] = offset(lane);
    address[lane] = static_cast<std::uint64_t>(offset(lane));
  }
  const emulator::WarpAddresses request = {address.data(), lanes, bytes};
  emulator::AccessCounts& counts = line.example.counts;
  counts.requests = 1;
  if (asks_global_memory(operation)) {
    const emulator::GlobalShape shape = operation == Operation::kGlobalLoad
                                            ? emulator::global_load_shape(request)
                                            : emulator::global_store_shape(request);
    counts.sectors = shape.sectors;
    counts.ideal_sectors = shape.ideal_sectors;
    counts.lines = shape.tags;
    counts.wavefronts = shape.wavefronts;
    counts.ideal_wavefronts = shape.ideal_wavefronts;
  } else {
    const emulator::SharedShape shape =
        operation == Operation::kSharedLoad    ? emulator::shared_load_shape(request)
        : operation == Operation::kSharedStore ? emulator::shared_store_shape(request)
                                               : emulator::shared_atomic_shape(request);
    counts.wavefronts = shape.wavefronts;
    counts.ideal_wavefronts = shape.ideal_wavefronts;
  }
  line.counts = counts;
  line.counts *= 10;
  return line;
}

constexpr std::size_t kRow = 1024;  // bytes of a row

std::string verdict(Operation operation, unsigned bytes, const std::function<int(int)>& offset,
                    std::uint32_t lanes = ~0u) {
  return verdict_of(line_of(operation, bytes, offset, lanes), kRow).text;
}

TEST(AccessVerdictWording, OfLoadsFromGlobalMemory) {
  const auto load = [](unsigned bytes, const std::function<int(int)>& offset,
                       std::uint32_t lanes = ~0u) {
    return verdict(Operation::kGlobalLoad, bytes, offset, lanes);
  };
  EXPECT_EQ(load(4, [](int l) { return l * 1024; }),
            "32 sectors where 4 would do, and 32 wavefronts where 1 would do: neighbouring threads "
            "read different rows of A, 1024 bytes apart, and all 32 words lie in one bank.");
  EXPECT_EQ(load(4, [](int) { return 8; }),
            "1 sector and 1 wavefront, as few as possible: one word for all 32 threads.");
  EXPECT_EQ(load(4, [](int l) { return 4 * l; }),
            "4 sectors and 1 wavefront, as few as possible: neighbouring threads read neighbouring "
            "words.");
  EXPECT_EQ(load(4, [](int l) { return 4 * l + 4; }),
            "1 wavefront, but 5 sectors where 4 would do: neighbouring threads read neighbouring "
            "words, but the first of them begins inside a sector.");
  EXPECT_EQ(load(16, [](int l) { return 16 * l; }),
            "16 sectors and 4 wavefronts, as few as possible: neighbouring threads read "
            "neighbouring pieces of 16 bytes.");
  EXPECT_EQ(load(4, [](int l) { return l / 8 * 1024 + l % 8 * 4; }),
            "4 sectors, as few as possible, but 4 wavefronts where 1 would do: the threads read 4 "
            "runs of 32 bytes, and up to 4 of the 32 words lie in one bank.");
  EXPECT_EQ(load(4, [](int l) { return (l < 20 ? 0 : 1024) + 4 * l; }),
            "1 wavefront, but 5 sectors where 4 would do: the threads read 2 runs of 48 to 80 "
            "bytes.");
  EXPECT_EQ(load(4, [](int l) { return l * 36; }),
            "32 sectors where 4 would do, and 3 wavefronts where 1 would do: neighbouring threads "
            "read 36 bytes apart, and they lie in 9 lines, of which L1 looks up four at a time.");
  EXPECT_EQ(load(4, [](int l) { return 4 * (31 - l); }),
            "4 sectors and 1 wavefront, as few as possible: the 32 threads read 32 neighbouring "
            "words.");
  EXPECT_EQ(load(4, [](int l) { return l / 4 * 4; }),
            "1 sector and 1 wavefront, as few as possible: the 32 threads read 8 neighbouring "
            "words.");
  EXPECT_EQ(load(
                4, [](int l) { return 4 * l; }, 1),
            "1 sector and 1 wavefront, as few as possible: a single thread reads a word.");
}

TEST(AccessVerdictWording, OfStoresAndOfArraysWithoutRows) {
  EXPECT_EQ(verdict(Operation::kGlobalStore, 4, [](int l) { return l * 1024; }),
            "32 sectors where 4 would do, and 32 wavefronts where 1 would do: neighbouring threads "
            "write different rows of A, 1024 bytes apart, and all 32 words lie in one bank.");
  EXPECT_EQ(
      verdict_of(line_of(Operation::kGlobalLoad, 4, [](int l) { return l * 1024; }), 0).text,
      "32 sectors where 4 would do, and 32 wavefronts where 1 would do: neighbouring threads read "
      "1024 bytes apart, and all 32 words lie in one bank.");
}

TEST(AccessVerdictWording, OfSharedMemory) {
  EXPECT_EQ(verdict(Operation::kSharedLoad, 4, [](int l) { return 4 * l; }),
            "1 wavefront, as few as possible: neighbouring threads read neighbouring words.");
  EXPECT_EQ(
      verdict(Operation::kSharedLoad, 4, [](int l) { return 32 * l; }),
      "8-way bank conflict: 8 wavefronts where 1 would do: neighbouring threads read 32 bytes "
      "apart, and up to 8 of the 32 words lie in one bank.");
  EXPECT_EQ(verdict(Operation::kSharedStore, 4, [](int l) { return 128 * l; }),
            "32-way bank conflict: 32 wavefronts where 1 would do: neighbouring threads write 128 "
            "bytes apart, and all 32 words lie in one bank.");
  EXPECT_EQ(verdict(Operation::kSharedLoad, 4, [](int l) { return 132 * l; }),
            "1 wavefront, as few as possible: neighbouring threads read 132 bytes apart.");
  EXPECT_EQ(verdict(Operation::kSharedLoad, 16, [](int) { return 16; }),
            "2 wavefronts, as few as possible: the same 16 bytes for all 32 threads.");
  EXPECT_EQ(verdict(Operation::kSharedLoad, 16, [](int l) { return l % 8 * 32; }),
            "2-way bank conflict: 8 wavefronts where 4 would do: the threads read 8 places that do "
            "not touch, and words that are asked for together lie in one bank.");
  EXPECT_EQ(verdict(Operation::kSharedAtomic, 4, [](int) { return 0; }),
            "32 wavefronts where 1 would do: one word for all 32 threads, and threads that meet at "
            "a bank take turns.");
}

// The average counts, and the example gives the reason.
TEST(AccessVerdictWording, OfAMeanThatIsNotWhole) {
  LineCounts line = line_of(Operation::kGlobalLoad, 4, [](int l) { return 4 * l + 4; });
  line.counts.sectors = 48;
  EXPECT_EQ(verdict_of(line, kRow).text,
            "1 wavefront, but 4.8 sectors where 4 would do: neighbouring threads read neighbouring "
            "words, but the first of them begins inside a sector.");
}

TEST(AccessVerdictWording, OfCopies) {
  LineCounts copy = line_of(Operation::kSharedStore, 4, [](int l) { return 4 * l; });
  copy.operation = Operation::kAsyncCopy;
  copy.counts.sectors = copy.counts.ideal_sectors = 40;
  copy.counts.wavefronts = 40;
  EXPECT_EQ(
      verdict_of(copy, 0).text,
      "4-way bank conflict: 4 sectors, as few as possible, but 4 wavefronts where 1 would do: "
      "neighbouring threads write neighbouring words, and a thread waits for those before it "
      "that share the bank of its source or of its target.");
  LineCounts box;
  box.operation = Operation::kBoxCopy;
  box.counts.requests = 2;
  box.counts.sectors = 64;
  EXPECT_EQ(verdict_of(box, kRow).text,
            "The copy engine brings a box of 32 sectors; no thread loads or stores them.");
}

}  // namespace
}  // namespace ladder
