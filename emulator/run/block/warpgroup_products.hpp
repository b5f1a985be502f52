// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/warpgroup_products.hpp
/// \brief wgmma: products that warps have started and not waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <source_location>
#include <span>
#include <vector>

#include "emulator/run/block/fiber_stacks.hpp"
#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/block/tensor_core.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/words/wgmma_functions.hpp"

namespace ladder::emulator {

/// \brief The products of a block's warpgroups. Each warp computes its own 16 rows. When one waits,
///        those of all four are complete: the tensor cores have read the factors.
class WarpgroupProducts {
 public:
  WarpgroupProducts(BlockScheduler& scheduler, SharedChecks& shared)
      : scheduler_(scheduler), shared_(shared) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block();

  std::uint64_t descriptor(const void* shared, unsigned leading_bytes, unsigned stride_bytes,
                           SwizzleNumber swizzle, std::source_location where);
  void fence();
  void start(const WgmmaCall& call, std::source_location where);
  void commit();
  void wait(unsigned newest, std::source_location where);

  /// Ends the block if a warp of a warpgroup has started fewer products than another.
  void fail_if_partial();
  /// All threads have left: nothing may be left to wait for.
  void check_at_end();

 private:
  static constexpr unsigned kWarpsOfGroup = 4;

  /// The sums of a warp, which the tensor cores have.
  struct Sums {
    std::array<float*, 32> registers;   ///< of each lane
    std::vector<std::uint32_t> values;  ///< bits; (16, columns)
    unsigned products = 0;              ///< that are not finished
  };
  struct Product {
    unsigned number;  ///< counts those of the warp, from 1 on
    WgmmaCall call;
    std::list<Sums>::iterator sums;
    bool computed;
    unsigned thread;  ///< the first of the warp
    std::source_location where;
    std::vector<std::uintptr_t> pieces;  ///< that it reads, for an observer
  };
  struct Warp {
    std::deque<Product> products;    ///< oldest first
    std::deque<std::size_t> groups;  ///< products of each
    std::size_t uncommitted = 0;
    std::list<Sums> sums;
    bool fenced = false;
    unsigned started = 0;
    std::source_location latest;  ///< of these
    unsigned awaited = 0;         ///< the number of the latest that it waits for
  };
  /// Threads that wait until all warps of their warpgroup have started a product.
  struct Warpgroup final : Awaited {
    ThreadSet waiting = {};

    WaitKind kind() const override { return WaitKind::kWarpgroup; }
    Fields missing(unsigned) const override { return {}; }
  };

  Warp& warp_of_running();
  std::list<Sums>::iterator sums_for(Warp& warp, const std::array<const WgmmaCall*, 32>& calls,
                                     std::source_location where);
  void start_all(const std::array<const WgmmaCall*, 32>& calls, std::source_location where);
  std::span<Warp> warpgroup_of_running();
  void compute_awaited();
  void finish_groups(unsigned newest);
  void compute(Product& product);
  void finish_oldest(Warp& warp);
  TensorFactor factor(const Product& product, bool is_b, int first, int lines);
  std::uintptr_t window() const;
  std::uintptr_t piece_at(const Product& product, bool is_b, int line, int k) const;
  std::vector<std::uintptr_t> pieces_of(const Product& product) const;

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::array<Warp, FiberStacks::kMaxStacks / 32> warps_;
  std::array<Warpgroup, FiberStacks::kMaxStacks / 32 / kWarpsOfGroup> warpgroups_;
  bool used_ = false;  ///< since the block started
};

}  // namespace ladder::emulator
