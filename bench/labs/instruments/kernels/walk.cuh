// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/walk.cuh
/// \brief One thread that walks through memory: latency, one load at a time.
#pragma once

#include "bench/labs/instruments/instruments.hpp"
#include "bench/labs/instruments/kernels/clock.cuh"
#include "bench/labs/instruments/kernels/placement.cuh"
#include "bench/labs/instruments/order.hpp"

namespace ladder::labs::kernels {

constexpr int kStepsUnrolled = 8;

/// Marks the SMs that blocks run on.
/// \param  blocks_on  (SMs)  0 before the launch
__global__ void count_blocks(unsigned* arrived, unsigned* blocks_on) {
  if (threadIdx.x == 0) atomicAdd(&blocks_on[ptx::sm_id()], 1u);
  wait_for_all_blocks(arrived);
}

/// \brief Writes a walk into memory: each place holds the address of the next one, and the last
///        place that of the first.
/// \param  shuffled  of walk.places, made on the host
__global__ void link_places(char* region, Walk walk, RandomOrder shuffled) {
  const auto place = [&](std::uint64_t i) {
    return region + address_of(walk, walk.order == Order::random ? shuffled[i] : i);
  };
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < walk.places;
       i += threads)
    *reinterpret_cast<const char**>(place(i)) = place(i + 1 == walk.places ? 0 : i + 1);
}

/// The address that a place holds.
/// \param  zero  is 0, which the compiler does not know
template <Access access>
__device__ __forceinline__ const char* next_place(const char* place, unsigned long long zero) {
  auto* const word = reinterpret_cast<unsigned long long*>(const_cast<char*>(place));
  if constexpr (access == Access::atomic)
    return reinterpret_cast<const char*>(atomicAdd(word, zero));
  else if constexpr (access == Access::cached)
    return reinterpret_cast<const char*>(__ldca(word));
  else
    return reinterpret_cast<const char*>(__ldcg(word));
}

/// Follows a walk.
/// \param steps a multiple of kStepsUnrolled
template <Access access>
__device__ const char* follow(const char* place, std::uint64_t steps, unsigned long long zero) {
#pragma unroll 1
  for (std::uint64_t step = 0; step < steps; step += kStepsUnrolled) {
#pragma unroll
    for (int i = 0; i < kStepsUnrolled; ++i)
      place = next_place<access>(place, zero);
  }
  return place;
}

/// follow(), and how long it took.
template <Access access>
__device__ const char* timed_follow(const char* place, std::uint64_t steps, unsigned long long zero,
                                    long long* cycles) {
  const long long start = clock_after(place);
  place = follow<access>(place, steps, zero);
  *cycles = clock_after(place) - start;
  return place;
}

/// \brief A walk from one SM: a warm lap, then timed stretches that follow each other.
/// \param  sm  the SM; below 0: wherever the only block runs
/// \param  cycles  (repeats)
/// \param  end  gets the last place, so that no load can be left out
template <Access access>
__global__ void walk(const char* first, std::uint64_t warm_steps, std::uint64_t steps, int repeats,
                     int sm, unsigned* arrived, long long* cycles, const char** end,
                     unsigned long long zero) {
  if (sm >= 0) {
    wait_for_all_blocks(arrived);
    if (ptx::sm_id() != static_cast<unsigned>(sm)) return;
  }
  if (threadIdx.x != 0) return;
  const char* place = follow<access>(first, warm_steps, zero);
  for (int repeat = 0; repeat < repeats; ++repeat)
    place = timed_follow<access>(place, steps, zero, &cycles[repeat]);
  *end = place;
}

/// Whose turn it is in disturbed_walk(): three steps for each partner.
__device__ inline void wait_for_turn(volatile unsigned* turn, unsigned wanted) {
  while (*turn != wanted)
    __nanosleep(500);
}

__device__ inline void end_turn(volatile unsigned* turn, unsigned next) {
  __threadfence();
  *turn = next;
}

/// \brief One SM walks through `first` until it is warm; then its partner walks through `second`;
///        then the SM walks through `first` again, timed. For all partners in turn.
/// \param  partner_of  (SMs)  index of an SM among the partners, or -1
/// \param  turn  0 before the launch
/// \param  cycles  (partners)
__global__ void disturbed_walk(const char* first, std::uint64_t first_steps, const char* second,
                               std::uint64_t second_steps, unsigned sm, const int* partner_of,
                               int partners, unsigned* arrived, unsigned* turn, long long* cycles,
                               const char** end) {
  wait_for_all_blocks(arrived);
  if (threadIdx.x != 0) return;
  const bool walks_first = ptx::sm_id() == sm;
  const int own = partner_of[ptx::sm_id()];
  if (!walks_first && own < 0) return;
  const char* place = first;
  const char* other = second;
  for (int partner = 0; partner < partners; ++partner) {
    const unsigned step = 3u * static_cast<unsigned>(partner);
    if (walks_first) {
      wait_for_turn(turn, step);
      place = follow<Access::l2_only>(place, 2 * first_steps, 0);
      end_turn(turn, step + 1);
    }
    if (own == partner) {
      wait_for_turn(turn, step + 1);
      other = follow<Access::l2_only>(other, 2 * second_steps, 0);
      end_turn(turn, step + 2);
    }
    if (walks_first) {
      wait_for_turn(turn, step + 2);
      place = timed_follow<Access::l2_only>(place, first_steps, 0, &cycles[partner]);
      end_turn(turn, step + 3);
    }
    if (!walks_first && own == partner) break;
  }
  if (walks_first) end[0] = place;
  if (own >= 0) end[1 + own] = other;
}

constexpr int kAtomicsInChain = 16;

/// \brief Latency of atomic additions from one SM. An atomic is executed where its line is at home
///        in L2, so it shows how far away that is, whatever copies there are.
/// \param  bytes  (count)  of the region; the words there hold 0
/// \param  cycles  (count, repeats)  of kAtomicsInChain additions, one after the other
__global__ void home_latency(char* region, const std::uint64_t* bytes, int count, int repeats,
                             int sm, unsigned* arrived, long long* cycles) {
  wait_for_all_blocks(arrived);
  if (ptx::sm_id() != static_cast<unsigned>(sm) || threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    auto* const word = reinterpret_cast<unsigned long long*>(region + bytes[i]);
    unsigned long long value = atomicAdd(word, 0ull);  // brings the line to L2
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const long long start = clock_after(word + value);
#pragma unroll
      for (int step = 0; step < kAtomicsInChain; ++step)
        value = atomicAdd(word + value, value);  // value is 0
      cycles[i * repeats + repeat] = clock_after(word + value) - start;
    }
  }
}

}  // namespace ladder::labs::kernels
