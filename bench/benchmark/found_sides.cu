// SPDX-License-Identifier: MIT
#include "bench/benchmark/side_trials.hpp"

namespace ladder::bench {

std::optional<side_aware::MultiprocessorSides> found_sides() {
  return side_aware::multiprocessor_sides();
}

}  // namespace ladder::bench
