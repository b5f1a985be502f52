// SPDX-License-Identifier: MIT
#include "common/emulator/trace/hazard_list.hpp"

#include <utility>

namespace ladder::emulator {

void HazardList::report(RawHazard hazard) {
  constexpr std::size_t kMost = 200;
  hazard.block = state_.block;
  for (RawHazard& known : hazards_) {
    if (known.kind == hazard.kind && known.code == hazard.code && known.earlier == hazard.earlier &&
        known.place == hazard.place && known.column == hazard.column &&
        known.earlier_block.has_value() == hazard.earlier_block.has_value()) {
      const std::uint64_t times = known.times + 1;
      if (hazard.block == known.block && hazard.thread < known.thread) known = std::move(hazard);
      known.times = times;
      return;
    }
  }
  if (hazards_.size() < kMost) hazards_.push_back(std::move(hazard));
}

}  // namespace ladder::emulator
