// SPDX-License-Identifier: MIT
#include "emulator/trace/thread_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ladder::emulator {
namespace {

/// \brief  Multiply-adds of whoever has so many elements of A and B together.
/// \param  sums  elements of C that they belong to
double products(std::uint64_t elements, std::uint64_t sums) {
  return 0.5 * static_cast<double>(elements) * std::sqrt(static_cast<double>(sums));
}

}  // namespace

void ThreadWords::end_block() {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t sums_of_block = is_alone_ ? to_global_ : kAny;
  double of_block = 0;
  for (unsigned warp = 0; warp < loaded_by_all_.size(); ++warp) {
    const auto lanes = std::span(of_thread_).subspan(std::size_t{32} * warp, 32);
    std::uint64_t loaded = 0;
    std::uint64_t stored = 0;
    double of_lanes = 0;
    for (Thread& lane : lanes) {
      lane.loaded += loaded_by_all_[warp];
      loaded += lane.loaded;
      stored += lane.stored;
      of_lanes += products(lane.loaded + lane.exchanged,
                           std::min(lane.stored + lane.exchanged, sums_of_block));
    }
    of_block += std::min(of_lanes, products(loaded, std::min(stored, sums_of_block)));
  }
  if (is_alone_) of_block = std::min(of_block, products(from_global_, to_global_));
  most_products_ += of_block + of_tensor_cores_;
}

}  // namespace ladder::emulator
