// SPDX-License-Identifier: MIT
/// \file  emulator/trace/thread_words.hpp
/// \brief Words that a block's threads have got and handed on, and what they can have multiplied
///        with them.
#pragma once

#include <array>
#include <cstdint>

namespace ladder::emulator {

/// \brief Counts words of four bytes. Whoever has a of A's elements and b of B's, and a share in s
///        elements of C, makes at most sqrt(a*b*s) multiply-adds of the product: a thread, a warp
///        whose lanes exchange what they have, a block. The derivation is in
///        docs/chapters/grading.md.
class ThreadWords {
 public:
  void start_grid() { most_products_ = 0; }
  void start_block() {
    of_thread_.fill({});
    loaded_by_all_.fill(0);
    from_global_ = to_global_ = 0;
    of_tensor_cores_ = 0;
    is_alone_ = true;
  }

  /// Lanes of a warp have loaded from memory, or updated it.
  void loads(unsigned warp, std::uint32_t lanes, unsigned bytes) {
    if (lanes == ~0u) {
      loaded_by_all_[warp] += words(bytes);
    } else {
      each(warp, lanes, [&](Thread& thread) { thread.loaded += words(bytes); });
    }
  }
  /// A thread has stored, or updated atomically.
  void stores(unsigned thread, unsigned bytes) { of_thread_[thread].stored += words(bytes); }
  /// So many lanes have loaded from global memory, by a copy to shared memory as well.
  void loads_globally(unsigned lanes, unsigned bytes) { from_global_ += lanes * words(bytes); }
  /// So many lanes have stored to it.
  void stores_globally(unsigned lanes, unsigned bytes) { to_global_ += lanes * words(bytes); }
  /// The block gets words by copies of boxes, or from other blocks of its cluster.
  void is_not_alone() { is_alone_ = false; }
  /// \brief A warp has given its part of a product of warpgroups to the tensor cores, which read
  ///        shared memory themselves: 16 x 256 x 16 multiply-adds at most.
  void gives_tensor_cores() { of_tensor_cores_ += 16.0 * 256 * 16; }
  /// Lanes give each other what is in their registers: at most two words each.
  void exchanges(unsigned warp, std::uint32_t lanes) {
    each(warp, lanes, [](Thread& thread) { thread.exchanged += 2; });
  }
  void end_block();

  /// Multiply-adds that the grid's threads can have made, or had made.
  double most_products() const { return most_products_; }

 private:
  struct Thread {
    std::uint64_t loaded = 0;
    std::uint64_t stored = 0;
    std::uint64_t exchanged = 0;
  };

  static std::uint64_t words(unsigned bytes) { return (bytes + 3) / 4; }
  template <class Function>
  void each(unsigned warp, std::uint32_t lanes, Function function) {
    for (; lanes != 0; lanes &= lanes - 1)
      function(of_thread_[32 * warp + static_cast<unsigned>(__builtin_ctz(lanes))]);
  }

  std::array<Thread, 1024> of_thread_ = {};
  std::array<std::uint64_t, 32> loaded_by_all_ = {};  ///< by warp: words that each lane has loaded
  std::uint64_t from_global_ = 0;
  std::uint64_t to_global_ = 0;
  bool is_alone_ = true;
  double of_tensor_cores_ = 0;
  double most_products_ = 0;
};

}  // namespace ladder::emulator
