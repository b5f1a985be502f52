// SPDX-License-Identifier: MIT
#include "emulator/trace/tracer_state.hpp"

namespace ladder::emulator {

void WholeCopies::add(AccessCode code) {
  code &= ~kHowBits;
  if (code == last_) return;
  last_ = code;
  all_.insert(code);
}

bool WholeCopies::contain(AccessCode code) const {
  return all_.contains(code & ~kHowBits);
}

std::pair<std::size_t, std::size_t> TracerState::object_around(std::size_t at, AccessCode code,
                                                               std::size_t element_bytes) const {
  const std::size_t bytes = bytes_of(code);
  constexpr std::size_t kWord = 4;
  if (element_bytes > bytes && whole_copies->contain(code)) {
    const std::size_t begin = at / element_bytes * element_bytes;
    return {begin, begin + element_bytes};
  }
  // Memory that was declared as bytes holds objects of any type.
  const bool fits = element_bytes == 1 ? bytes > kWord : element_bytes >= bytes;
  if (!fits || bytes < kWord) return {};
  const std::size_t begin = at / bytes * bytes;
  return {begin, begin + bytes};
}

}  // namespace ladder::emulator
