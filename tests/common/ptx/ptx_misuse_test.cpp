// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/ptx_misuse_test.cpp
/// \brief Mistakes with the other blocks of a cluster and with stores of boxes: each is found for
///        its reason, in all timing modes, and what is sound is not accused.
#include "tests/common/ptx/ptx_misuse.hpp"

#include "tests/common/ptx/found_faults.hpp"
#include "tests/common/ptx/timing_modes.hpp"

namespace ladder {
namespace {

using ptx_misuse::ClusterMisuse;
using ptx_misuse::StoreMisuse;

constexpr char kFile[] = "ptx_misuse.cu";

// -- Clusters ------------------------------------------------------------------------------------

class PtxClusterMisuse : public testing::Test {
 protected:
  std::vector<Fault> found(ClusterMisuse misuse) const {
    unsigned flag = 0;
    return faults_of([&] { ptx_misuse::misuse_cluster(misuse, from_.data(), &flag); });
  }
  std::vector<Fault> traced(ClusterMisuse misuse) const {
    const Traced<unsigned> flag(1);
    return emulator::trace({from_.named("from"), flag.named("flag")},
                           [&] { ptx_misuse::misuse_cluster(misuse, from_.data(), flag.data()); })
        .hazards;
  }
  void expect(ClusterMisuse misuse, const Finding& finding) const {
    in_all_timing_modes([&](const char* mode) {
      SCOPED_TRACE(mode);
      expect_found(found(misuse), kFile, finding);
      expect_found(traced(misuse), kFile, finding);
    });
  }
  void expect_sound(ClusterMisuse misuse) const {
    in_all_timing_modes([&](const char* mode) {
      expect_nothing(found(misuse), mode);
      expect_nothing(traced(misuse), mode);
    });
  }

  const Traced<float> from_{8 * 64, 1.0f};
};

TEST_F(PtxClusterMisuse, SoundUseIsNotAccused) {
  expect_sound(ClusterMisuse::kNone);
  expect_sound(ClusterMisuse::kLeavesAfterArriving);
  expect_sound(ClusterMisuse::kToldByALaterArrival);
}

TEST_F(PtxClusterMisuse, ABarrierThatTheClusterDoesNotKnow) {
  expect(ClusterMisuse::kArrivesTooEarly,
         {FaultKind::kClusterMbarrierUnknown, "tell", "make told"});
  expect(ClusterMisuse::kSendsTooEarly, {FaultKind::kClusterMbarrierUnknown, "send", "make sent"});
}

TEST_F(PtxClusterMisuse, WhatTheClusterDoesNotHave) {
  expect(ClusterMisuse::kArrivesWhereNoneIs, {FaultKind::kMbarrierInvalid, "at none"});
  expect(ClusterMisuse::kArrivesBeyond, {FaultKind::kClusterNoBlock, "beyond"});
  expect(ClusterMisuse::kSendsToNobody, {FaultKind::kMulticastBlocks, "to nobody"});
  expect(ClusterMisuse::kSendsBeyond, {FaultKind::kMulticastBlocks, "to a third"});
}

TEST_F(PtxClusterMisuse, ABlockThatLeaves) {
  expect(ClusterMisuse::kArrivesAtOneThatLeaves, {FaultKind::kClusterLeftEarly, "tell"});
  expect(ClusterMisuse::kArrivesAtOneThatLeft, {FaultKind::kClusterLeftEarly, "tell"});
  expect(ClusterMisuse::kSendsToOneThatLeaves, {FaultKind::kClusterLeftEarly, "send"});
}

TEST_F(PtxClusterMisuse, TheBlockThatLeavesIsNamed) {
  const std::vector<Fault> faults = found(ClusterMisuse::kArrivesAtOneThatLeft);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].block, (emulator::Index{1, 0, 0}));
  EXPECT_EQ(faults[0].other.value().block.value(), (emulator::Index{0, 0, 0}));
  EXPECT_FALSE(faults[0].fields.truth("copies"));
}

TEST_F(PtxClusterMisuse, ArrivalsOfAnotherBlockCount) {
  in_all_timing_modes([&](const char* mode) {
    const std::vector<Fault> faults = found(ClusterMisuse::kArrivesTooOften);
    ASSERT_EQ(faults.size(), 1u) << mode;
    // The first arrival ended the phase, which nobody has waited for.
    EXPECT_TRUE(is_it(faults[0], kFile, {FaultKind::kMbarrierUnseen, "tell again"}))
        << text_of_all(faults);
  });
}

TEST_F(PtxClusterMisuse, TheBarrierInTwoStepsHasAnOrder) {
  expect(ClusterMisuse::kArrivesTwice, {FaultKind::kClusterArrivedTwice, "again"});
  expect(ClusterMisuse::kWaitsUnannounced, {FaultKind::kClusterNotArrived, "not announced"});
}

TEST_F(PtxClusterMisuse, ASecondBoxToTheSamePlace) {
  using ptx_misuse::SendTwice;
  const Traced<float> out(32);
  const auto hazards = [&](SendTwice how) {
    return emulator::trace({from_.named("from"), out.named("out")},
                           [&] { ptx_misuse::send_twice(how, from_.data(), out.data()); })
        .hazards;
  };
  in_all_timing_modes([&](const char* mode) {
    SCOPED_TRACE(mode);
    expect_nothing(hazards(SendTwice::kInOrder), mode);
    expect_found(hazards(SendTwice::kUnawaited), kFile,
                 {FaultKind::kCopyInFlight, "second", "first"});
    // Whether the first box has been read by then is a matter of turns.
    const std::vector<Fault> early = hazards(SendTwice::kTooEarly);
    EXPECT_TRUE(std::ranges::any_of(early, [](const Fault& fault) {
      return is_it(fault, kFile, {FaultKind::kCopyInFlight, "second", "first"}) ||
             is_it(fault, kFile, {FaultKind::kRaceInShared, "second", "read"});
    })) << text_of_all(early);
  });
}

// -- Stores of boxes -----------------------------------------------------------------------------

class PtxStoreMisuse : public testing::Test {
 protected:
  std::vector<Fault> found(StoreMisuse misuse, int row = 0, int column = 0) const {
    return faults_of([&] { store(misuse, row, column); });
  }
  emulator::KernelTrace traced(StoreMisuse misuse, int row = 0, int column = 0) const {
    return emulator::trace({from_.named("from"), to_.named("to", false)},
                           [&] { store(misuse, row, column); });
  }
  void store(StoreMisuse misuse, int row, int column) const {
    ptx_misuse::misuse_store(misuse, row, column, from_.data(), to_.data(), kRows, kColumns);
  }
  void expect_traced(StoreMisuse misuse, const Finding& finding) const {
    in_all_timing_modes([&](const char* mode) {
      SCOPED_TRACE(mode);
      expect_found(traced(misuse).hazards, kFile, finding);
    });
  }
  void expect_sound(StoreMisuse misuse, int row = 0, int column = 0) const {
    in_all_timing_modes(
        [&](const char* mode) { expect_nothing(traced(misuse, row, column).hazards, mode); });
  }

  static constexpr int kRows = 20;
  static constexpr int kColumns = 48;
  const Traced<float> from_{8 * 32};
  const Traced<float> to_{kRows * kColumns};
};

TEST_F(PtxStoreMisuse, SoundStoresAreNotAccused) {
  for (const int row : {0, 15, 30}) {
    for (const int column : {0, 32, 64})
      expect_sound(StoreMisuse::kNone, row, column);
  }
  expect_sound(StoreMisuse::kFencedByOne);
  expect_sound(StoreMisuse::kOutsideUnwritten, 0, 32);
}

TEST_F(PtxStoreMisuse, PlacesThatAGpuRefuses) {
  in_all_timing_modes([&](const char* mode) {
    SCOPED_TRACE(mode);
    const Finding illegal = {FaultKind::kIllegalInstruction, "store"};
    for (const int row : {-9, -1})
      expect_found(found(StoreMisuse::kNone, row, 0), kFile, illegal);
    for (const int column : {-40, -8, -6, 1, 5, 62}) {
      expect_found(found(StoreMisuse::kNone, 0, column), kFile, illegal);
      expect_found(traced(StoreMisuse::kNone, 0, column).hazards, kFile, illegal);
    }
  });
}

TEST_F(PtxStoreMisuse, SourcesThatCannotBe) {
  in_all_timing_modes([&](const char* mode) {
    SCOPED_TRACE(mode);
    expect_found(found(StoreMisuse::kOddAddress), kFile, {FaultKind::kMisalignedArgument, "store"});
    expect_found(found(StoreMisuse::kBeyondShared), kFile, {FaultKind::kOutsideShared, "store"});
  });
}

TEST_F(PtxStoreMisuse, ABlockThatEndsBeforeItsStoresHaveRead) {
  in_all_timing_modes([&](const char* mode) {
    SCOPED_TRACE(mode);
    expect_found(found(StoreMisuse::kNotAwaited), kFile, {FaultKind::kStoreUnfinished, "store"});
    expect_found(found(StoreMisuse::kNotCommitted), kFile, {FaultKind::kStoreUnfinished, "store"});
  });
}

TEST_F(PtxStoreMisuse, WhatIsStoredMustBeThere) {
  expect_traced(StoreMisuse::kNotFenced, {FaultKind::kCopyUnfenced, "store", "fill"});
  expect_traced(StoreMisuse::kUninitialised, {FaultKind::kUninitialisedShared, "store"});
  in_all_timing_modes([&](const char* mode) {
    // Whether the others have stored by then is a matter of turns.
    const std::vector<Fault> faults = traced(StoreMisuse::kNoBarrier).hazards;
    EXPECT_TRUE(std::ranges::any_of(
        faults,
        [&](const Fault& fault) {
          return is_it(fault, kFile, {FaultKind::kRaceInShared, "store", "fill"}) ||
                 is_it(fault, kFile, {FaultKind::kCopyStillReads, "fill", "store"}) ||
                 is_it(fault, kFile, {FaultKind::kUninitialisedShared, "store"});
        }))
        << mode << ": " << text_of_all(faults);
  });
}

TEST_F(PtxStoreMisuse, WhatIsStoredMustStay) {
  expect_traced(StoreMisuse::kOverwritten, {FaultKind::kCopyStillReads, "overwrite", "store"});
  expect_traced(StoreMisuse::kOverwrittenByBox, {FaultKind::kCopyStillReads, "bring", "store"});
}

TEST_F(PtxStoreMisuse, LateStoresReadWhatHasBeenOverwritten) {
  store(StoreMisuse::kOverwritten, 0, 0);
  EXPECT_EQ(to_[5], 4) << "late";
  emulator::set_copy_arrival(emulator::CopyArrival::kEarly);
  store(StoreMisuse::kOverwritten, 0, 0);
  emulator::set_copy_arrival(emulator::CopyArrival::kLate);
  EXPECT_EQ(to_[5], 3) << "early";
}

TEST_F(PtxStoreMisuse, TheMatrixIsWrittenWhenItsThreadHasWaitedForThat) {
  for (const auto& [arrival, expected] :
       {std::pair(emulator::CopyArrival::kLate, std::array{0.0f, 0.0f, 3.0f}),
        std::pair(emulator::CopyArrival::kEarly, std::array{3.0f, 3.0f, 3.0f})}) {
    emulator::set_copy_arrival(arrival);
    const Traced<float> to(8 * 32);
    std::array<float, 3> seen = {};
    ptx_misuse::watch_store(to.data(), seen.data());
    EXPECT_EQ(seen, expected);
  }
  emulator::set_copy_arrival(emulator::CopyArrival::kLate);
}

TEST_F(PtxStoreMisuse, AMatrixThatTheTraceDoesNotKnowIsOutOfBounds) {
  const emulator::TracedArray first_row = {
      .name = "to", .data = to_.data(), .bytes = kColumns * sizeof(float)};
  const std::vector<Fault> faults = emulator::trace({from_.named("from"), first_row}, [&] {
                                      store(StoreMisuse::kNone, 0, 0);
                                    }).hazards;
  expect_found(faults, kFile, {FaultKind::kGlobalOutOfBounds, "store"});
}

TEST_F(PtxStoreMisuse, BlocksThatStoreTheSameElementsRace) {
  const Traced<float> to(16 * 32);
  const auto hazards = [&](bool same) {
    return emulator::trace({to.named("to")}, [&] { ptx_misuse::store_twice(same, to.data()); })
        .hazards;
  };
  expect_found(hazards(false), kFile,
               {FaultKind::kRaceBetweenBlocks, "store twice", "store twice"});
  expect_nothing(hazards(true));
}

// -- Counts --------------------------------------------------------------------------------------

emulator::AccessCounts counts_at(const emulator::KernelTrace& trace, const std::string& mark,
                                 emulator::Operation operation) {
  emulator::AccessCounts sum;
  const Place place = place_of_mark(kFile, mark);
  for (const emulator::LineCounts& line : trace.lines) {
    if (line.file == place.file && line.line == place.line && line.operation == operation)
      sum += line.counts;
  }
  return sum;
}

TEST_F(PtxStoreMisuse, TheSectorsOfABoxThatLieInItsMatrixCount) {
  // Rows of 192 bytes: 6 sectors. 8 rows of 128 bytes from the first byte of a sector on.
  const auto at = [&](int row, int column) {
    return counts_at(traced(StoreMisuse::kNone, row, column), "store",
                     emulator::Operation::kBoxStore);
  };
  EXPECT_EQ(at(0, 0).requests, 1u);
  EXPECT_EQ(at(0, 0).bytes, 8u * 128);
  EXPECT_EQ(at(0, 0).sectors, 8u * 4);
  EXPECT_EQ(at(0, 4).sectors, 8u * 5) << "16 bytes into a sector";
  EXPECT_EQ(at(16, 32).sectors, 4u * 2) << "4 rows and 16 columns are inside";
  EXPECT_EQ(at(16, 32).bytes, 4u * 64);
  EXPECT_EQ(at(20, 0).sectors, 0u);
}

TEST(PtxMisuseCounts, StmatrixIsCountedByItsBankConflicts) {
  const Traced<float> out(32);
  const auto stores = [&](bool swizzled) {
    return counts_at(emulator::trace({out.named("out")},
                                     [&] { ptx_misuse::store_matrix_tiles(swizzled, out.data()); }),
                     "lay out", emulator::Operation::kSharedStore);
  };
  EXPECT_EQ(stores(true).wavefronts, 4u);  // one for each tile
  EXPECT_EQ(stores(true).ideal_wavefronts, 4u);
  EXPECT_EQ(stores(false).wavefronts, 32u);  // eight rows of a tile in the same banks
  EXPECT_EQ(stores(false).ideal_wavefronts, 4u);
}

TEST_F(PtxClusterMisuse, ABoxForAnotherBlockCountsOnce) {
  const Traced<unsigned> flag(1);
  const emulator::KernelTrace trace = emulator::trace(
      {from_.named("from"), flag.named("flag")},
      [&] { ptx_misuse::misuse_cluster(ClusterMisuse::kNone, from_.data(), flag.data()); });
  const emulator::AccessCounts sent = counts_at(trace, "send", emulator::Operation::kBoxCopy);
  EXPECT_EQ(sent.requests, 1u);
  EXPECT_EQ(sent.bytes, 8u * 256);
  EXPECT_EQ(sent.sectors, 8u * 8);
}

}  // namespace
}  // namespace ladder
