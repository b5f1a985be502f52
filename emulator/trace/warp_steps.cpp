// SPDX-License-Identifier: MIT
#include "emulator/trace/warp_steps.hpp"

#include <algorithm>

namespace ladder::emulator {

void WarpSteps::join(Clock& into, const Clock& from) {
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

WarpSteps::Clock WarpSteps::everything() const {
  Clock all = {};
  for (std::size_t warp = 0; warp < all.size(); ++warp)
    all[warp] = known_[warp][warp];
  return all;
}

void WarpSteps::start_block() {
  if (!active_) return;
  active_ = false;
  known_ = {};
  objects_.clear();
}

std::uint32_t WarpSteps::take(unsigned warp) {
  active_ = true;
  return ++known_[warp][warp];
}

void WarpSteps::release(unsigned warp, const void* object) {
  if (active_) join(objects_[object].visible, known_[warp]);
}

void WarpSteps::arrive(unsigned warp, const void* object) {
  if (active_) join(objects_[object].arrived, known_[warp]);
}

void WarpSteps::arrive_from_elsewhere(const void* object) {
  if (active_) join(objects_[object].arrived, everything());
}

void WarpSteps::complete(const void* object) {
  if (!active_) return;
  Object& target = objects_[object];
  join(target.visible, target.arrived);
}

void WarpSteps::acquire(unsigned warp, const void* object) {
  if (!active_) return;
  const auto found = objects_.find(object);
  join(known_[warp], found == objects_.end() ? everything() : found->second.visible);
}

void WarpSteps::pass_barrier() {
  if (active_) known_.fill(everything());
}

}  // namespace ladder::emulator
