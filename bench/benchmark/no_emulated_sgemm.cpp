// SPDX-License-Identifier: MIT
#include "bench/benchmark/split_times.hpp"

namespace ladder::bench {

EmulatedSgemm emulated_sgemm(Machine&) {
  return {{}, "this build has no cuBLAS"};
}

}  // namespace ladder::bench
