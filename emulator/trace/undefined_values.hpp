// SPDX-License-Identifier: MIT
/// \file  emulator/trace/undefined_values.hpp
/// \brief Finds values that CUDA leaves undefined in what a kernel has written: those of shuffles
///        from lanes that take no part, and those of local variables that nothing was stored in.
///
/// Both are harmless until somebody uses them, so they are not reported where they arise. They have
/// bytes of their own there, which arithmetic does not wash off: a NaN for each shuffle, and for
/// local variables a number next to which others vanish. The arrays are searched for them when the
/// kernels have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/run/block/block_observer.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// \brief Undefined values of the kernels of one session. add() may be called from any CPU thread.
class UndefinedValues {
 public:
  /// What was undefined before is not the kernels' fault.
  void start(const std::vector<TracedArray>& arrays);

  /// See BlockObserver::give_undefined().
  std::uint16_t add(const GridPlan& plan, std::uint64_t block, unsigned thread,
                    const UndefinedShuffle& shuffle);

  /// \brief  One hazard for each shuffle and for each array with local variables that were used.
  /// \param  place_of_store  where the kernels store into an array; no line: nowhere
  /// \param  was_stored      whether the kernels stored to a byte of the array with this number;
  ///                         false also where nobody knows
  std::vector<Fault> find_in(const std::vector<TracedArray>& arrays,
                             const std::function<Place(const std::string&)>& place_of_store,
                             const std::function<bool(std::size_t, std::size_t)>& was_stored) const;

  /// \brief  Says where an index comes from that is undefined, or nearly so.
  /// \return fields for the fault's sentence; none: it is no such index
  Fields origin_of_index(std::int64_t index) const;

  /// The shuffles that are at no place of these hazards.
  std::vector<StrayShuffles> strays(const std::vector<Fault>& hazards) const;

 private:
  struct Shuffle {
    Fault hazard;
    std::string function;
    std::uint64_t block;
    unsigned thread;
    std::uint64_t times;
    std::size_t number;  ///< of those that its values may hold
  };

  mutable std::mutex mutex_;
  std::vector<Shuffle> shuffles_;                        ///< one for each line
  std::map<const std::uint32_t*, std::uint32_t> known_;  ///< words that were undefined at the start
};

}  // namespace ladder::emulator
