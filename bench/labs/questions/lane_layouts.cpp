// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/lane_layouts.cpp
/// \brief Accesses to shared memory as kernels make them.
#include "bench/labs/questions/lane_layouts.hpp"

namespace ladder::labs {
namespace {

constexpr unsigned kFloat = 4;
constexpr unsigned kVector = 16;

/// \param byte_of_lane  from lane to byte
template <class ByteOfLane>
SharedAccess access_of(unsigned bytes, bool stores, const ByteOfLane& byte_of_lane) {
  SharedAccess access = {.bytes = bytes, .stores = stores};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    access.lane_byte[lane] = byte_of_lane(lane);
  return access;
}

/// Row and column of a lane's thread among the 4 x 8 of a warp.
struct Thread {
  unsigned row;
  unsigned column;
};

Thread thread_of(LaneOrder order, unsigned lane) {
  if (order == LaneOrder::row_major) return {lane / 8, lane % 8};
  return {lane / 16 * 2 + lane % 2, lane / 2 % 8};
}

/// Byte of the first float4 of a thread's share.
unsigned fragment_byte(Share share, unsigned thread) {
  return thread * (share == Share::contiguous ? 8 : 4) * kFloat;
}

}  // namespace

SharedAccess conflicting(unsigned bytes, unsigned degree, bool stores) {
  const unsigned part = lanes_in_part(bytes);
  return access_of(bytes, stores, [&](unsigned lane) {
    const unsigned row = lane / part * degree + lane % part % degree;
    const unsigned column = lane % part / degree;
    return (row * part + column) * bytes;
  });
}

SharedAccess fragment_of_a(LaneOrder order, Share share) {
  return access_of(kVector, false,
                   [&](unsigned lane) { return fragment_byte(share, thread_of(order, lane).row); });
}

SharedAccess fragment_of_b(LaneOrder order, Share share) {
  return access_of(kVector, false, [&](unsigned lane) {
    return fragment_byte(share, thread_of(order, lane).column);
  });
}

SharedAccess transposed_store(unsigned lanes_per_row, unsigned pad) {
  const unsigned row_floats = 32 + pad;  // 128 + pad meet the same banks
  return access_of(kFloat, true, [&](unsigned lane) {
    const unsigned k = lane % lanes_per_row * 4;
    const unsigned m = lane / lanes_per_row;
    return (k * row_floats + m) * kFloat;
  });
}

}  // namespace ladder::labs
