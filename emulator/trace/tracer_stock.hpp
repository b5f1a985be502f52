// SPDX-License-Identifier: MIT
/// \file  emulator/trace/tracer_stock.hpp
/// \brief Tracers that are kept from grid to grid, with the memory that they have grown.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "emulator/trace/block_tracer.hpp"

namespace ladder::emulator {

/// \brief Tracers that no grid uses, for any CPU thread.
class TracerStock {
 public:
  /// The only one; like the CPU threads it lives as long as the process.
  static TracerStock& instance() {
    static TracerStock* const stock = new TracerStock;
    return *stock;
  }

  BlockTracer& take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return *all_.emplace_back(std::make_unique<BlockTracer>());
    BlockTracer& tracer = *free_.back();
    free_.pop_back();
    return tracer;
  }

  void put_back(BlockTracer& tracer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(&tracer);
  }

 private:
  TracerStock() = default;

  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockTracer>> all_;
  std::vector<BlockTracer*> free_;
};

}  // namespace ladder::emulator
