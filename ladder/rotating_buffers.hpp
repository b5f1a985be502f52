// SPDX-License-Identifier: MIT
/// \file  ladder/rotating_buffers.hpp
/// \brief The inputs and outputs of launches that are timed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/machine.hpp"
#include "common/verify.hpp"

namespace ladder {

/// Sets of A, B and C that launches take in turn, so that none finds its inputs in L2.
class RotatingBuffers {
 public:
  RotatingBuffers(Machine& machine, const Problem& problem) : problem_(problem) {
    const auto [M, N, K] = problem.shape;
    const auto area = [](int rows, int cols) { return static_cast<std::size_t>(rows) * cols; };
    const double set_bytes = compulsory_bytes(problem.shape, 0.0f);
    const int count = std::clamp(static_cast<int>(2.0 * machine.l2_bytes() / set_bytes) + 1, 2, 64);
    require_memory(machine, problem.shape, count * set_bytes);
    for (int i = 0; i < count; ++i) {
      sets_.push_back({MachineArray<float>(machine, area(M, K)),
                       MachineArray<float>(machine, area(K, N)),
                       MachineArray<float>(machine, area(M, N))});
      for (const MachineArray<float>* array : {&sets_.back().a, &sets_.back().b, &sets_.back().c}) {
        machine.fill_random(array->data(), array->size(), {problem.seed, arrays_++});
      }
    }
  }

  Gemm<float> gemm(int counter) const {
    const Set& set = sets_[counter % sets_.size()];
    const auto [M, N, K] = problem_.shape;
    return {.M = M,
            .N = N,
            .K = K,
            .alpha = problem_.alpha,
            .A = set.a.data(),
            .B = set.b.data(),
            .beta = problem_.beta,
            .C = set.c.data()};
  }

 private:
  struct Set {
    MachineArray<float> a, b, c;
  };
  const Problem& problem_;
  std::vector<Set> sets_;
  std::uint64_t arrays_ = 0;
};

}  // namespace ladder
