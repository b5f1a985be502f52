// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/gpu_that_answers.hpp
/// \brief Instruments of a GPU that exists only in a test: it answers what the test says.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/instruments/kernel_instruments.hpp"

namespace ladder::labs {

class AnsweredReads final : public ReadInstrument {
 public:
  std::vector<double> ns(const AccessPattern& pattern, Home home, int repeats) override {
    return std::vector<double>(static_cast<std::size_t>(repeats), answer(pattern, home));
  }
  std::function<double(const AccessPattern&, Home)> answer;
};

class AnsweredSm final : public SmInstrument {
 public:
  SmFacts facts() override { return sm_facts; }
  std::vector<double> shared_cycles(const SharedAccess& access, int repeats) override {
    return std::vector<double>(static_cast<std::size_t>(repeats), shared(access));
  }
  std::vector<double> shared_chain_cycles(int repeats) override {
    return std::vector<double>(static_cast<std::size_t>(repeats), shared_chain);
  }
  std::vector<double> multiply_add_cycles(int chains, int warps, int repeats) override {
    return std::vector<double>(static_cast<std::size_t>(repeats), multiply_add(chains, warps));
  }
  std::vector<double> local_array_cycles(int warps_per_sm, bool all_sms, int repeats) override {
    return std::vector<double>(static_cast<std::size_t>(repeats), local(warps_per_sm, all_sms));
  }
  int local_array_bytes() override { return 256; }
  SumsResult many_sums(bool squeezed) override {
    return squeezed ? SumsResult{32, 192, 1.0} : SumsResult{55, 0, 0.25};
  }

  SmFacts sm_facts = {.sms = 132,
                      .clock_mhz = 1830,
                      .registers = 65536,
                      .registers_per_thread = 255,
                      .shared_bytes = 228 * 1024,
                      .shared_bytes_per_block = 227 * 1024,
                      .reserved_shared_bytes_per_block = 1024};
  std::function<double(const SharedAccess&)> shared;
  double shared_chain = 23;
  std::function<double(int chains, int warps)> multiply_add;
  std::function<double(int warps_per_sm, bool all_sms)> local;
};

class GpuThatAnswers : public Instruments {
 public:
  const MemoryFacts& facts() const override { return memory_facts; }
  bool simulated() const override { return false; }
  WalkInstrument& walks() override { throw std::logic_error("nobody asks for walks"); }
  SweepInstrument& sweeps() override { throw std::logic_error("nobody asks for sweeps"); }
  RandomReadInstrument& random_reads() override {
    throw std::logic_error("nobody asks for random reads");
  }
  NearMemoryInstrument& near_memory() override {
    throw std::logic_error("nobody asks for near memory");
  }
  GroupingInstrument& grouping() override { throw std::logic_error("nobody asks for grouping"); }
  ReadInstrument* reads() override { return &answered_reads; }
  SmInstrument* sm() override { return &answered_sm; }

  MemoryFacts memory_facts = {.name = "made-up GPU"};
  AnsweredReads answered_reads;
  AnsweredSm answered_sm;
};

}  // namespace ladder::labs
