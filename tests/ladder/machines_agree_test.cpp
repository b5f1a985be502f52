// SPDX-License-Identifier: MIT
/// \file  tests/ladder/machines_agree_test.cpp
/// \brief The emulator and the GPU compute the same bits from the same source.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

/// C of one rung on one machine, from the inputs that any machine can make.
/// \tparam T  what the rung's precision stores
template <class T>
std::vector<float> result_of(Machine& machine, const Rung& rung, const Shape& shape) {
  const auto [M, N, K] = shape;
  const MachineArray<T> a(machine, static_cast<std::size_t>(M) * K);
  const MachineArray<T> b(machine, static_cast<std::size_t>(K) * N);
  const MachineArray<T> c(machine, static_cast<std::size_t>(M) * N);
  machine.fill_random(a.data(), a.size(), {.seed = 7, .array = 0});
  machine.fill_random(b.data(), b.size(), {.seed = 7, .array = 1});
  machine.fill_random(c.data(), c.size(), {.seed = 7, .array = 2});
  rung.run({.M = M,
            .N = N,
            .K = K,
            .alpha = 0.5f,
            .A = a.data(),
            .B = b.data(),
            .beta = -2.0f,
            .C = c.data()},
           nullptr);
  machine.synchronize();
  std::vector<T> host(c.size());
  machine.copy_to_host(host.data(), c.data(), c.bytes());
  return {host.begin(), host.end()};
}

std::vector<float> result_on(Machine& machine, const Rung& rung, const Shape& shape) {
  return with_element_of(rung.precision.stored,
                         [&]<class T>(T) { return result_of<T>(machine, rung, shape); });
}

TEST(MachinesAgree, BitByBit) {
  std::unique_ptr<Machine> gpu;
  try {
    gpu = make_gpu_machine();
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  const std::unique_ptr<Machine> cpu = make_cpu_machine();
  const emulator::ScopedMultiprocessors sms(std::stoi(gpu->versions().at("sms")));  // 12, 13
  for (const Rung& rung : rungs()) {
    if (rung.number == 0 || !runs_on(rung, gpu->compute_capability())) continue;
    SCOPED_TRACE(label(rung));
    const Rung& emulated = find_rung(emulated_rungs(), rung.name);
    // Of rung 14 on 132 SMs: clusters of 2 and of 8, 32 x 32, split tiles of 64 x 128, little K.
    for (const Shape& shape : {Shape{173, 140, 332}, Shape{60, 64, 1028}, Shape{516, 516, 100},
                               Shape{640, 640, 640}, Shape{511, 1020, 20}}) {
      EXPECT_EQ(result_on(*gpu, rung, shape), result_on(*cpu, emulated, shape))
          << "M = " << shape.M << ", N = " << shape.N << ", K = " << shape.K;
    }
  }
}

}  // namespace
}  // namespace ladder
