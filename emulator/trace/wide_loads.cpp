// SPDX-License-Identifier: MIT
#include "emulator/trace/wide_loads.hpp"

#include <algorithm>
#include <bit>

namespace ladder::emulator {

/// Does it continue a load that was taken?
bool WideLoads::join(const RequestSite& site, const std::uint64_t* address, std::uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    Load& load = loads_[i];
    if (load.lanes != lanes ||
        address[first] != load.address[first] + std::uint64_t{4} * load.count)
      continue;
    std::uint64_t differs = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      differs |=
          (address[lane] - load.address[lane] - std::uint64_t{4} * load.count) & site.active[lane];
    if (differs != 0) continue;
    if (++load.count == load.limit) emit_and_erase(i);
    return true;
  }
  return false;
}

bool WideLoads::take(const RequestSite& site, const std::uint64_t* address, std::uint32_t lanes) {
  if (join(site, address, lanes)) return true;
  std::uint64_t bits = address[std::countr_zero(lanes)];  // that are set in any lane's address
  for (unsigned lane = 0; lane < 32; ++lane)
    bits |= site.delta[lane] & site.active[lane];
  const unsigned limit = (bits & 15) == 0 ? 4 : (bits & 7) == 0 ? 2 : 1;
  if (limit == 1) return false;
  constexpr std::size_t kMostOpen = 128;
  if (loads_.size() >= kMostOpen) emit_and_erase(0);
  Load& load = loads_.emplace_back();
  load.code = site.code;
  load.lanes = lanes;
  load.count = 1;
  load.limit = limit;
  std::copy_n(address, 32, load.address.begin());
  return true;
}

void WideLoads::settle() {
  for (const Load& load : loads_)
    emit(load);
  loads_.clear();
}

void WideLoads::emit_and_erase(std::size_t i) {
  const Load load = loads_[i];
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(i));
  emit(load);
}

void WideLoads::emit(const Load& load) {
  RequestSite& site = sites_.at(load.code);
  std::array<std::uint64_t, 32> address = load.address;
  for (unsigned left = load.count; left > 0;) {
    const unsigned words = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const WarpAddresses request = {address.data(), load.lanes, 4 * words};
    SharedShape once;
    // The site may have gone on to another pattern since the run began.
    const bool known = site.knows(load.address.data(), load.lanes);
    SharedShape& shape = known ? site.wide_shapes[words] : once;
    if (shape.wavefronts == 0) shape = shared_load_shape(request);
    const AccessCode wide_code =
        (load.code & ~kHowBits) | pack_access(0, AccessType::kLoad, 4 * words);
    counts_.count(sites_.at(wide_code), address.data(), load.lanes, shape);
    left -= words;
    for (std::uint64_t& lane : address)
      lane += std::uint64_t{4} * words;
  }
}

}  // namespace ladder::emulator
