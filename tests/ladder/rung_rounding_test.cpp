// SPDX-License-Identifier: MIT
/// \file  tests/ladder/rung_rounding_test.cpp
/// \brief Emulated rungs round as a GPU does: one fused multiply-add after the other, along K. A
///        rung that splits K adds such chains up.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "common/machine.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

TEST(RungRounding, IsThatOfAChainOfFusedMultiplyAdds) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const auto [M, N, K] = Shape{.M = 37, .N = 44, .K = 300};
  const MachineArray<float> a(*machine, static_cast<std::size_t>(M) * K);
  const MachineArray<float> b(*machine, static_cast<std::size_t>(K) * N);
  const MachineArray<float> c(*machine, static_cast<std::size_t>(M) * N);
  machine->fill_random(a.data(), a.size(), {.seed = 7, .array = 0});
  machine->fill_random(b.data(), b.size(), {.seed = 7, .array = 1});
  std::vector<float> chain(c.size());
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      float& acc = chain[static_cast<std::size_t>(row) * N + col];
      for (int k = 0; k < K; ++k)
        acc = std::fma(a.data()[row * K + k], b.data()[k * N + col], acc);
    }
  }
  const emulator::ScopedMultiprocessors one(1);  // nothing that rung 12 could split a tile for
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0) continue;         // OpenBLAS adds in an order of its own
    if (rung.precision != kFp32) continue;  // and so do tensor cores
    if (rung.explain != nullptr) continue;  // where K is split is its choice
    if (rung.took != nullptr) continue;     // and parts are multiplied on tensor cores
    SCOPED_TRACE(label(rung));
    rung.run({.M = M,
              .N = N,
              .K = K,
              .alpha = 1.0f,
              .A = a.data(),
              .B = b.data(),
              .beta = 0.0f,
              .C = c.data()},
             nullptr);
    EXPECT_EQ(std::vector<float>(c.data(), c.data() + c.size()), chain);
  }
}

}  // namespace
}  // namespace ladder
