// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/pipeline_test.hpp
/// \brief What tests of mistakes in pipelines share: problems that show them, and a GPU to run on.
#pragma once

#include <gtest/gtest.h>

#include "common/gemm.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"

namespace ladder {

inline constexpr Shape kOneTile = {128, 256, 256};  // of rungs 10 and 11, more than all stages hold
// Three tiles on 2 SMs, of 128 x 256 and of 64 x 64: one for each, and one that is split.
inline constexpr Shape kWideSplit = {128, 768, 128};
inline constexpr Shape kSplit = {64, 192, 512};
inline constexpr Shape kSmall = {32, 32, 448};  // the last stage is its ring's first
inline constexpr Shape kThin = {64, 64, 52};    // four stages in a ring of three

// Lines of the kernels, by a part of their text.
inline constexpr const char* kProducerWaits = "ptx::mbarrier_wait(&stage->empty, phase);";
inline constexpr const char* kNextStageWaits = "ptx::mbarrier_wait(&next->full, phase);";
inline constexpr const char* kLoadsBox = "ptx::tma_load(";

/// Leaves the emulator as it was, and no flag behind on which the next launch would stumble.
class PipelineTest : public testing::Test {
 protected:
  static void set_gpu(int sms, emulator::BlockOrder order) {
    emulator::set_hang_limit(emulator::Seconds(2));
    emulator::set_cpu_threads(1);
    emulator::set_multiprocessors(sms);
    emulator::set_block_order(order);
    emulator::clear_workspace();
  }
  void TearDown() override {
    emulator::set_hang_limit(usual_limit_);
    emulator::set_cpu_threads(usual_threads_);
    emulator::set_multiprocessors(usual_sms_);
    emulator::set_block_order(usual_order_);
    emulator::set_copy_arrival(usual_arrival_);
    emulator::clear_workspace();
  }

 private:
  emulator::Seconds usual_limit_ = emulator::hang_limit();
  unsigned usual_threads_ = emulator::cpu_threads();
  int usual_sms_ = emulator::multiprocessors();
  emulator::BlockOrder usual_order_ = emulator::block_order();
  emulator::CopyArrival usual_arrival_ = emulator::copy_arrival();
};

}  // namespace ladder
