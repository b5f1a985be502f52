// SPDX-License-Identifier: MIT
/// \file  emulator/trace/cluster_shadow.hpp
/// \brief The shared memory of blocks of clusters, which other blocks of their cluster use, too.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "emulator/trace/global_shadow.hpp"

namespace ladder::emulator {

/// \brief Who of which block uses each word of shared memory, for all CPU threads together.
///
/// A CPU thread's blocks have the same memory one after the other. An access of a block of another
/// cluster is over.
class ClusterShadow {
 public:
  void start_grid() {
    const std::lock_guard lock(mutex_);
    shadows_.clear();
  }

  /// Of the memory that begins there: a shadow with one array. Until the next start_grid().
  GlobalShadow& of(const std::byte* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<GlobalShadow>& shadow = shadows_[memory];
    if (shadow == nullptr) {
      shadow = std::make_unique<GlobalShadow>(
          std::vector<TracedArray>{{.name = "", .data = memory, .bytes = bytes}});
      shadow->start_grid();
    }
    return *shadow;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::unique_ptr<GlobalShadow>> shadows_;
};

}  // namespace ladder::emulator
