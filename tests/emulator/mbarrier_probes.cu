// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/named_barrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"
#include "tests/emulator/async_probes.hpp"

namespace ladder::probe_kernels {

using namespace ladder::ptx;

/// The lower half of the threads passes numbers to the upper half, one at a time.
__global__ void hand_over(int count, int* out) {
  __shared__ int slot[512];
  __shared__ Mbarrier full;
  __shared__ Mbarrier empty;
  const int half = static_cast<int>(blockDim.x) / 2;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, half);
    mbarrier_init(&empty, half);
    fence_mbarrier_init();
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) {
    if (thread < half) {
      mbarrier_wait(&empty, i % 2 ^ 1);
      slot[thread] = 1000 * i + thread;
      mbarrier_arrive(&full);
    } else {
      mbarrier_wait(&full, i % 2);
      out[half * i + thread - half] = slot[half - 1 - (thread - half)];
      mbarrier_arrive(&empty);
    }
  }
}

__global__ void arrive_before_init() {
  __shared__ Mbarrier barrier;
  mbarrier_arrive(&barrier);  // never made
}

__global__ void wait_before_init() {
  __shared__ Mbarrier barrier;
  mbarrier_wait(&barrier, 1);  // never made either
}

__global__ void overwritten_barrier() {
  __shared__ Mbarrier barrier[2];
  mbarrier_init(&barrier[0], 1);
  barrier[0].state += 1;
  mbarrier_wait(&barrier[0], 1);  // overwritten
}

__global__ void copied_barrier() {
  __shared__ Mbarrier barrier[2];
  mbarrier_init(&barrier[0], 1);
  barrier[1] = barrier[0];
  mbarrier_wait(&barrier[1], 1);  // a copy
}

__global__ void init_twice() {
  __shared__ Mbarrier barrier;
  mbarrier_init(&barrier, 1);
  mbarrier_init(&barrier, 1);  // again
}

__global__ void init_for_nobody() {
  __shared__ Mbarrier barrier;
  mbarrier_init(&barrier, 0);  // for nobody
}

__global__ void init_in_local_memory() {
  Mbarrier barrier;
  mbarrier_init(&barrier, 1);  // on the stack
}

__global__ void too_many_arrivals() {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 2);
    mbarrier_arrive_expect(&barrier, 16);
  }
  __syncthreads();
  mbarrier_arrive(&barrier);  // one too many
}

__global__ void odd_parity() {
  __shared__ Mbarrier barrier;
  mbarrier_init(&barrier, 1);
  mbarrier_wait(&barrier, 2);  // parity 2
}

/// Thread 1 sleeps while thread 0 completes two phases.
__global__ void overtaken_waiter() {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 1) {
    mbarrier_wait(&barrier, 0);  // sees neither phase
  } else {
    __nanosleep(100);
    mbarrier_arrive(&barrier);
    mbarrier_wait(&barrier, 0);
    mbarrier_arrive(&barrier);
  }
}

/// A phase ends, and the next begins, with nobody looking.
__global__ void unseen_phase() {
  __shared__ Mbarrier barrier;
  mbarrier_init(&barrier, 1);
  mbarrier_arrive(&barrier);
  mbarrier_arrive(&barrier);  // unseen
}

/// Two teams of warps, each with its own barrier, rotate numbers as if they were alone.
__global__ void rotate_in_teams(int steps, int* out) {
  __shared__ int ring[2][64];
  const int team = static_cast<int>(threadIdx.x) / 64;
  const int member = static_cast<int>(threadIdx.x) % 64;
  int value = static_cast<int>(threadIdx.x);
  for (int step = 0; step < steps * (1 + team); ++step) {
    ring[team][member] = value;
    if (team == 0) barrier_sync<1, 64>();
    if (team == 1) barrier_sync<2, 64>();
    value = ring[team][(member + 1) % 64];
    if (team == 0) barrier_sync<1, 64>();
    if (team == 1) barrier_sync<2, 64>();
  }
  out[threadIdx.x] = value;
}

__global__ void disagree_at_named_barrier() {
  if (threadIdx.x < 32) {
    barrier_sync<3, 64>();  // for 64 threads
  } else {
    barrier_sync<3, 96>();  // for 96 threads
  }
}

__global__ __launch_bounds__(384, 1) void move_registers(int* out) {
  if (threadIdx.x < 128) {
    setmaxnreg_dec<40>();
  } else {
    setmaxnreg_inc<232>();
  }
  out[threadIdx.x] = 1;
}

__global__ __launch_bounds__(384, 1) void take_too_many_registers() {
  if (threadIdx.x < 128) {
    setmaxnreg_dec<40>();
  } else {
    setmaxnreg_inc<240>();  // beyond 3 * 168
  }
}

__global__ __launch_bounds__(128, 1) void move_registers_apart() {
  if (threadIdx.x < 64) {
    setmaxnreg_dec<40>();  // two warps
  } else {
    setmaxnreg_dec<24>();  // the others
  }
}

__global__ __launch_bounds__(128, 1) void move_registers_of_three_warps() {
  if (threadIdx.x < 96) setmaxnreg_dec<40>();  // only three warps
}

// -- Hangs ---------------------------------------------------------------------------------------

/// Nobody arrives at the barrier of the copy, and nobody tells the others.
__global__ void wait_for_each_other(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 5);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrier_arrive_expect(&full, 2 * sizeof box);
    tma_load(box, map, 0, 0, &full);
  }
  if (threadIdx.x < 64) {
    mbarrier_wait(&full, 0);  // four arrivals and one box are missing
  } else if (threadIdx.x < 96) {
    barrier_sync<1, 128>();  // 96 others never come
  } else if (threadIdx.x < 128) {
    __syncthreads();  // nobody else
  } else if (threadIdx.x < 150) {
    mbarrier_wait(&full, 0);  // in one warp with the last
  } else {
    __syncwarp();  // with lanes at an mbarrier
  }
}

__global__ void bytes_nobody_announced(const __grid_constant__ TensorMap map) {
  __shared__ __align__(128) float box[4];
  __shared__ Mbarrier full;
  mbarrier_init(&full, 1);
  fence_mbarrier_init();
  mbarrier_arrive_expect(&full, 12);
  tma_load(box, map, 0, 0, &full);
  mbarrier_wait(&full, 0);  // 16 bytes come
}

/// Lane 0 waits, the others meet it in a warp function: sound.
__global__ void one_lane_waits(int* out) {
  __shared__ Mbarrier barrier;
  if (threadIdx.x == 0) {
    mbarrier_init(&barrier, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) mbarrier_wait(&barrier, 0);
  if (threadIdx.x == 32) mbarrier_arrive(&barrier);
  __syncwarp();
  out[threadIdx.x] = 1;
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

namespace kernels = probe_kernels;

namespace {

LaunchShape one_block(unsigned threads) {
  return {.grid = dim3(1), .block = dim3(threads)};
}

}  // namespace

void hand_over(unsigned threads, int count, int* out) {
  launch(kernels::hand_over, one_block(threads), count, out);
}

void misuse_mbarrier(MbarrierMisuse misuse) {
  switch (misuse) {
    case MbarrierMisuse::kArriveBeforeInit:
      return launch(kernels::arrive_before_init, one_block(1));
    case MbarrierMisuse::kWaitBeforeInit:
      return launch(kernels::wait_before_init, one_block(1));
    case MbarrierMisuse::kOverwritten:
      return launch(kernels::overwritten_barrier, one_block(1));
    case MbarrierMisuse::kCopied:
      return launch(kernels::copied_barrier, one_block(1));
    case MbarrierMisuse::kInitTwice:
      return launch(kernels::init_twice, one_block(1));
    case MbarrierMisuse::kInitForNobody:
      return launch(kernels::init_for_nobody, one_block(1));
    case MbarrierMisuse::kInLocalMemory:
      return launch(kernels::init_in_local_memory, one_block(1));
    case MbarrierMisuse::kTooManyArrivals:
      return launch(kernels::too_many_arrivals, one_block(2));
    case MbarrierMisuse::kOddParity:
      return launch(kernels::odd_parity, one_block(1));
    case MbarrierMisuse::kOvertaken:
      return launch(kernels::overtaken_waiter, one_block(2));
    case MbarrierMisuse::kUnseenPhase:
      return launch(kernels::unseen_phase, one_block(1));
  }
}

void rotate_in_teams(int steps, int* out) {
  launch(kernels::rotate_in_teams, one_block(128), steps, out);
}

void disagree_at_named_barrier() {
  launch(kernels::disagree_at_named_barrier, one_block(96));
}

void move_registers(unsigned threads, int* out) {
  launch(kernels::move_registers, one_block(threads), out);
}

void take_too_many_registers() {
  launch(kernels::take_too_many_registers, one_block(384));
}

void move_registers_apart() {
  launch(kernels::move_registers_apart, one_block(128));
}

void move_registers_of_three_warps() {
  launch(kernels::move_registers_of_three_warps, one_block(128));
}

void wait_for_each_other(const float* four) {
  launch(kernels::wait_for_each_other, one_block(160), ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void bytes_nobody_announced(const float* four) {
  launch(kernels::bytes_nobody_announced, one_block(1), ptx::make_tensor_map(four, 1, 4, 1, 4));
}

void one_lane_waits(int* out) {
  launch(kernels::one_lane_waits, one_block(64), out);
}

}  // namespace ladder::probes
