// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_log_epochs_test.cpp
/// \brief In which epochs the lanes of a warp filled the rows of its log. No kernel runs here.
#include "emulator/trace/log_epochs.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ladder::emulator {
namespace {

class EmulatorLogEpochs : public testing::Test {
 protected:
  EmulatorLogEpochs() {
    clocks.start_block(32);
    clocks.activate();
    logs.start_block();
    epochs.start_block();
  }
  ~EmulatorLogEpochs() override {
    logs.end_block();
    access_cursor = {};
  }

  void fill(unsigned lane, unsigned rows) {
    logs.enter(lane);
    for (unsigned row = 0; row < rows; ++row)
      logs.append(4096, pack_access(1, AccessType::kLoad, 4));
    logs.leave();
  }
  void change(unsigned lane) {
    const Epoch before = clocks.epoch_of(lane);
    clocks.release(lane, this);
    epochs.note(lane, before);
  }
  bool are_one(std::uint32_t lanes, unsigned rows) {
    epochs.sort(0);
    return epochs.are_one(0, lanes, rows);
  }

  WarpClocks clocks;
  WarpLogs logs;
  LogEpochs epochs{clocks, logs};
};

TEST_F(EmulatorLogEpochs, RowsOfOneEpoch) {
  fill(0, 2);
  fill(1, 2);
  EXPECT_TRUE(are_one(0b11, 2));
}

TEST_F(EmulatorLogEpochs, ALaneThatChangesBetweenItsRows) {
  fill(0, 1);
  change(0);
  fill(0, 1);
  fill(1, 2);
  EXPECT_FALSE(are_one(0b11, 2));
}

TEST_F(EmulatorLogEpochs, ALaneThatChangesBeforeItsRows) {
  change(0);
  fill(0, 1);
  fill(1, 1);
  EXPECT_FALSE(are_one(0b11, 1));
  EXPECT_TRUE(are_one(0b10, 1));
}

TEST_F(EmulatorLogEpochs, ALaneThatChangesBehindItsRows) {
  fill(0, 2);
  change(0);
  EXPECT_TRUE(are_one(0b1, 2));
}

}  // namespace
}  // namespace ladder::emulator
