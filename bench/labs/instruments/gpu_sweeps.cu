// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_sweeps.cu
/// \brief Sweeps on a GPU.
#include "bench/labs/instruments/gpu_sweeps.cuh"

#include <algorithm>

#include "bench/labs/instruments/kernels/sweep.cuh"
#include "common/launch.cuh"

namespace ladder::labs {
namespace {

using kernels::kSweepThreads;
using kernels::SweepPlan;

/// A sweep's arrays on the GPU.
struct Arrays {
  uint4* source;
  uint4* target;  ///< of a copy
  unsigned* sink;
};

template <Access access, int in_flight>
void start(Direction direction, const LaunchShape& shape, const Arrays& arrays,
           const SweepPlan& plan) {
  switch (direction) {
    case Direction::write:
      launch(kernels::write_sweep<in_flight>, shape, arrays.source, plan);
      break;
    case Direction::copy:
      launch(kernels::copy_sweep<access, in_flight>, shape, arrays.source, arrays.target, plan);
      break;
    default:
      launch(kernels::read_sweep<access, in_flight>, shape, arrays.source, plan, arrays.sink);
  }
}

template <Access access>
void start(const Sweep& sweep, const LaunchShape& shape, const Arrays& arrays,
           const SweepPlan& plan) {
  switch (sweep.loads_in_flight) {
    case 1:
      return start<access, 1>(sweep.direction, shape, arrays, plan);
    case 2:
      return start<access, 2>(sweep.direction, shape, arrays, plan);
    case 4:
      return start<access, 4>(sweep.direction, shape, arrays, plan);
    case 8:
      return start<access, 8>(sweep.direction, shape, arrays, plan);
    default:
      throw LabError("a sweep has 1, 2, 4 or 8 loads in flight, not " +
                     std::to_string(sweep.loads_in_flight));
  }
}

}  // namespace

std::vector<double> GpuSweeps::gbps(const Sweep& sweep, int repeats) {
  const std::uint64_t chunk_bytes =
      sizeof(uint4) * kSweepThreads * static_cast<std::uint64_t>(sweep.loads_in_flight);
  const std::uint64_t chunks = std::max<std::uint64_t>(sweep.bytes / chunk_bytes, 1);
  const std::uint64_t array_bytes = chunks * chunk_bytes;
  const bool copies = sweep.direction == Direction::copy;
  char* const region = region_.of_bytes(copies ? 2 * array_bytes : array_bytes);
  const GpuArray<unsigned> sink(1);
  const Arrays arrays = {.source = reinterpret_cast<uint4*>(region),
                         .target = reinterpret_cast<uint4*>(region + array_bytes),
                         .sink = sink.data()};

  std::vector<int> block_of_sm(static_cast<std::size_t>(sms_), -1);
  for (std::size_t i = 0; i < sweep.sms.size(); ++i)
    block_of_sm[static_cast<std::size_t>(sweep.sms[i])] = static_cast<int>(i);
  const GpuArray<int> numbers(block_of_sm);
  GpuArray<unsigned> arrived(static_cast<std::size_t>(sms_));

  const int taking_part = sweep.sms.empty() ? sms_ : static_cast<int>(sweep.sms.size());
  SweepPlan plan = {.chunks = chunks,
                    .steps = 0,
                    .passes = 1,
                    .order = sweep.order,
                    .block_of_sm = sweep.sms.empty() ? nullptr : numbers.data(),
                    .arrived = arrived.data(),
                    .blocks_per_sm = sweep.blocks_per_sm,
                    .blocks = taking_part * sweep.blocks_per_sm};
  const auto blocks = static_cast<std::uint64_t>(plan.blocks);
  plan.steps = static_cast<int>((chunks + blocks - 1) / blocks);
  const std::uint64_t pass_bytes = blocks * static_cast<std::uint64_t>(plan.steps) * chunk_bytes;
  const auto passes = static_cast<int>(std::max<std::uint64_t>(sweep.least_bytes / pass_bytes, 1));
  const LaunchShape shape = {.grid = dim3(static_cast<unsigned>(sms_ * sweep.blocks_per_sm)),
                             .block = dim3(kSweepThreads),
                             .stream = stopwatch_.stream()};
  const auto run = [&](int wanted_passes) {
    plan.passes = wanted_passes;
    if (plan.block_of_sm != nullptr) arrived.clear();
    return stopwatch_.time_ms([&] {
      if (sweep.access == Access::cached)
        start<Access::cached>(sweep, shape, arrays, plan);
      else
        start<Access::l2_only>(sweep, shape, arrays, plan);
    });
  };
  launch(kernels::fill_bits, {.grid = dim3(1024), .block = dim3(256), .stream = shape.stream},
         arrays.source, array_bytes / sizeof(uint4), sweep.zeros);
  run(1);
  std::vector<double> rates;
  const double moved = static_cast<double>(pass_bytes) * passes * (copies ? 2 : 1);
  for (int repeat = 0; repeat < repeats; ++repeat)
    rates.push_back(moved / (run(passes) * 1e6));
  return rates;
}

}  // namespace ladder::labs
